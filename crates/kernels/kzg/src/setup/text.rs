//! c-kzg's text: two numbers, then the points of g1_lagrange, g2_monomial and g1_monomial, each as hexadecimal digits.
//!
//! As in c-kzg, any white space, or none, may be between the bytes of points. c-kzg reads no further than the last
//! point of a file; here it must be the end of the text, except where a file is loaded as by c-kzg.

use super::compressed::{self, Compressed};
use super::points::{G1_POINTS, G2_POINTS};
use super::{Defect, Form, List, Location, SetupError};

/// A setup in its compressed form, and the line in which each point begins, in the order of the file.
pub(super) struct Text {
    pub(super) points: Compressed,
    lines: Vec<usize>,
}

impl Text {
    /// Reads the whole text. Its memory use is bounded by one setup, for any text.
    pub(super) fn read(text: &[u8]) -> Result<Self, SetupError> {
        let mut reader = Reader { text, at: 0, line: 1 };
        let read = Text::read_points(&mut reader)?;
        reader.skip_space();
        if reader.at < text.len() { Err(reader.error(Defect::Trailing)) } else { Ok(read) }
    }

    /// Reads up to the last point, as c-kzg's `load_trusted_setup_file`.
    pub(super) fn read_start(text: &[u8]) -> Result<Self, SetupError> {
        Text::read_points(&mut Reader { text, at: 0, line: 1 })
    }

    fn read_points(reader: &mut Reader<'_>) -> Result<Self, SetupError> {
        for (list, expected) in [(List::G1Lagrange, G1_POINTS), (List::G2Monomial, G2_POINTS)] {
            let (line, found) = reader.number()?;
            if found != expected as u64 {
                let defect = Defect::Points { list, expected: expected as u64, found };
                return Err(SetupError::new(Form::Text, Location::Line { line }, defect));
            }
        }
        let mut lines = Vec::with_capacity(2 * G1_POINTS + G2_POINTS);
        let g1_lagrange = reader.points(List::G1Lagrange, G1_POINTS, &mut lines)?;
        let g2_monomial = reader.points(List::G2Monomial, G2_POINTS, &mut lines)?;
        let g1_monomial = reader.points(List::G1Monomial, G1_POINTS, &mut lines)?;
        Ok(Text { points: Compressed { g1_monomial, g1_lagrange, g2_monomial }, lines })
    }

    /// Returns the location of a point.
    pub(super) fn location(&self, list: List, index: usize) -> Location {
        let before = match list {
            List::G1Lagrange => 0,
            List::G2Monomial => G1_POINTS,
            List::G1Monomial | List::Fk20 => G1_POINTS + G2_POINTS,
        };
        match self.lines.get(before + index) {
            Some(&line) => Location::PointAtLine { list, index, line },
            None => Location::Point { list, index },
        }
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
}

impl Reader<'_> {
    fn error(&self, defect: Defect) -> SetupError {
        SetupError::new(Form::Text, Location::Line { line: self.line }, defect)
    }

    fn skip_space(&mut self) {
        // The white space of C's `isspace`, which c-kzg uses.
        while let Some(&byte @ (b' ' | b'\t'..=b'\r')) = self.text.get(self.at) {
            self.line += usize::from(byte == b'\n');
            self.at += 1;
        }
    }

    /// Returns a decimal number and its line; 2^64 − 1 for anything larger.
    fn number(&mut self) -> Result<(usize, u64), SetupError> {
        self.skip_space();
        let rest = &self.text[self.at..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit());
        let (len, value) = digits.fold((0, 0u64), |(len, value), digit| {
            (len + 1, value.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
        });
        let behind = rest.get(len).copied();
        match behind {
            Some(found) if len == 0 || !matches!(found, b' ' | b'\t'..=b'\r') => {
                Err(self.error(Defect::NotANumber { found }))
            }
            None => {
                Err(self.error(Defect::Truncated { list: List::G1Lagrange, expected: G1_POINTS, found: 0 }))
            }
            Some(_) => {
                self.at += len;
                Ok((self.line, value))
            }
        }
    }

    fn points<const N: usize>(
        &mut self,
        list: List,
        expected: usize,
        lines: &mut Vec<usize>,
    ) -> Result<Vec<[u8; N]>, SetupError> {
        let mut points = Vec::with_capacity(expected);
        while points.len() < expected {
            self.skip_space();
            let line = self.line;
            let point = self.point().map_err(|found| {
                let index = points.len();
                match found {
                    Some(found) => {
                        let location = Location::PointAtLine { list, index, line: self.line };
                        SetupError::new(Form::Text, location, Defect::NotHexadecimal { found })
                    }
                    None => self.error(Defect::Truncated { list, expected, found: index }),
                }
            })?;
            points.push(point);
            lines.push(line);
        }
        Ok(points)
    }

    /// Returns the bytes of one point; the other byte where there is one that is not a digit, and `None` at the end of
    /// the text.
    fn point<const N: usize>(&mut self) -> Result<[u8; N], Option<u8>> {
        let mut point = [0; N];
        for byte in &mut point {
            self.skip_space();
            *byte = self.digit()? << 4 | self.digit()?;
        }
        Ok(point)
    }

    fn digit(&mut self) -> Result<u8, Option<u8>> {
        let byte = self.text.get(self.at).copied().ok_or(None)?;
        let digit = compressed::hexadecimal(byte).ok_or(Some(byte))?;
        self.at += 1;
        Ok(digit)
    }
}
