//! What can be wrong with a trusted setup or a file of tables, and where.

use std::fmt;

use parcrypt_bls12_381::Error as PointError;

/// Why a trusted setup or a file of tables was not taken: what it was read as, where in it, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SetupError {
    /// What it was read as.
    pub form: Form,
    /// Where in it.
    pub place: Place,
    /// What is wrong there.
    pub defect: Defect,
}

impl SetupError {
    pub(crate) fn new(form: Form, place: Place, defect: Defect) -> Self {
        SetupError { form, place, defect }
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SetupError { form, place, defect } = self;
        match place {
            Place::File => write!(f, "{form}: {defect}")?,
            place => write!(f, "{form}, {place}: {defect}")?,
        }
        match (form, defect) {
            (Form::Unknown, Defect::Foreign { .. }) => f.write_str(
                "; the kinds are c-kzg's text, the JSON of the consensus specifications, and Parcrypt's binary form",
            ),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for SetupError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.defect {
            Defect::Point(why) => Some(why),
            _ => None,
        }
    }
}

/// The forms in which a setup comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// Not known (yet).
    Unknown,
    /// c-kzg's text.
    Text,
    /// The JSON of the consensus specifications.
    Json,
    /// Parcrypt's own binary form.
    Binary,
    /// Lists of compressed points.
    Compressed,
    /// Made from a secret.
    Insecure,
    /// No setup: Parcrypt's file of tables.
    Tables,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Unknown => "trusted setup",
            Form::Text => "trusted setup as text",
            Form::Json => "trusted setup as JSON",
            Form::Binary => "trusted setup in Parcrypt's binary form",
            Form::Compressed => "trusted setup as compressed points",
            Form::Insecure => "insecure setup",
            Form::Tables => "file of tables",
        })
    }
}

/// The lists of points of a setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum List {
    /// τ^i·G₁ for i from 0.
    G1Monomial,
    /// L_i(τ)·G₁, where L_i is the polynomial that is 1 at the i-th root of unity and 0 at the others.
    G1Lagrange,
    /// τ^i·G₂ for i from 0.
    G2Monomial,
    /// What FK20 multiplies a polynomial with.
    Fk20,
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            List::G1Monomial => "g1_monomial",
            List::G1Lagrange => "g1_lagrange",
            List::G2Monomial => "g2_monomial",
            List::Fk20 => "fk20",
        })
    }
}

/// Where in a setup. Lines and columns count from 1, bytes and points from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line.
    Line {
        /// Which.
        line: usize,
    },
    /// A place in a line.
    Column {
        /// Which line.
        line: usize,
        /// Which column.
        column: usize,
    },
    /// A byte.
    Byte {
        /// Which.
        offset: usize,
    },
    /// A list of points.
    List {
        /// Which.
        list: List,
    },
    /// A point.
    Point {
        /// In which list.
        list: List,
        /// Which of it.
        index: usize,
    },
    /// A point, and the line it stands in or begins in.
    PointAtLine {
        /// In which list.
        list: List,
        /// Which of it.
        index: usize,
        /// Which line.
        line: usize,
    },
    /// A point, and the byte it begins at.
    PointAtByte {
        /// In which list.
        list: List,
        /// Which of it.
        index: usize,
        /// Which byte.
        offset: usize,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => f.write_str("as a whole"),
            Place::Line { line } => write!(f, "line {line}"),
            Place::Column { line, column } => write!(f, "line {line}, column {column}"),
            Place::Byte { offset } => write!(f, "byte {offset}"),
            Place::List { list } => write!(f, "{list}"),
            Place::Point { list, index } => write!(f, "{list}[{index}]"),
            Place::PointAtLine { list, index, line } => write!(f, "line {line}, {list}[{index}]"),
            Place::PointAtByte { list, index, offset } => write!(f, "byte {offset}, {list}[{index}]"),
        }
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Defect {
    /// The system does not give it, or does not take it.
    #[error("{kind}")]
    Io {
        /// What the system said.
        kind: std::io::ErrorKind,
    },
    /// There is nothing in it.
    #[error("there is nothing in it")]
    Empty,
    /// No file of this kind begins so.
    #[error("it begins with `{}`, and no file of this kind does", Name(found))]
    Foreign {
        /// Its first bytes, with zeros behind where it has fewer.
        found: [u8; 8],
    },
    /// Larger than any file of its kind.
    #[error("it has more than {limit} bytes, which no file of its kind has")]
    TooLarge {
        /// The most bytes that are taken.
        limit: u64,
    },
    /// A version that is not known here.
    #[error("version {found}: this program knows version {expected}")]
    Version {
        /// The one that is known.
        expected: u32,
        /// The one that was found.
        found: u32,
    },
    /// A field of the header with a meaning that is not known here.
    #[error("{found:#x} has no meaning here")]
    Header {
        /// What was found.
        found: u32,
    },
    /// Another length than the header says.
    #[error("it has {found} bytes where its header asks for {expected}")]
    Length {
        /// What the header asks for.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The checksum is not that of the bytes.
    #[error(
        "the checksum begins with {stored:016x}, that of the bytes with {computed:016x}: the file is damaged"
    )]
    Checksum {
        /// The first 8 bytes of the checksum in the file.
        stored: u64,
        /// The first 8 bytes of the SHA-256 of what is in it.
        computed: u64,
    },
    /// Another number of points.
    #[error("{found} points of {list}: there must be {expected}")]
    Points {
        /// In which list.
        list: List,
        /// How many there must be.
        expected: u64,
        /// How many there are, or how many it says there are.
        found: u64,
    },
    /// It ends in the middle.
    #[error("it ends after {found} of {expected} points of {list}")]
    Truncated {
        /// In which list.
        list: List,
        /// How many points the list must have.
        expected: usize,
        /// How many whole ones it has.
        found: usize,
    },
    /// More behind the end.
    #[error("there is more behind the last point")]
    Trailing,
    /// A number was expected.
    #[error("expected a number, found `{}`", found.escape_ascii())]
    NotANumber {
        /// What was found.
        found: u8,
    },
    /// A hexadecimal digit was expected.
    #[error("expected a hexadecimal digit, found `{}`", found.escape_ascii())]
    NotHexadecimal {
        /// What was found.
        found: u8,
    },
    /// Another number of hexadecimal digits.
    #[error("{found} hexadecimal digits: a point of {list} has {expected}")]
    Digits {
        /// In which list.
        list: List,
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// It is not JSON, or not of the right shape.
    #[error("{what}")]
    Json {
        /// In which way.
        what: JsonDefect,
    },
    /// The bytes are no point of the group.
    #[error("{0}")]
    Point(PointError),
    /// The points do not belong together.
    #[error("{0}")]
    Relation(Relation),
    /// The tables were made for another setup.
    #[error(
        "the tables were made for the setup whose digest begins with {found:016x}, not for this one ({expected:016x})"
    )]
    OtherSetup {
        /// The first 8 bytes of the digest of this setup.
        expected: u64,
        /// The first 8 bytes of the digest of the other one.
        found: u64,
    },
    /// The tables have the numbers of another backend.
    #[error("the tables are for the backend `{}`, this program uses `{}`", Name(found), Name(expected))]
    OtherBackend {
        /// The name of the backend of these settings, with zeros behind.
        expected: [u8; 16],
        /// The name of the backend of the tables, with zeros behind.
        found: [u8; 16],
    },
    /// There is no memory for it.
    #[error("no memory for {bytes} bytes")]
    Memory {
        /// What it takes.
        bytes: u64,
    },
}

/// In which way it is not JSON, or not of the right shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonDefect {
    /// No JSON.
    #[error("this is not JSON")]
    Syntax,
    /// It ends in the middle.
    #[error("it ends in the middle")]
    Truncated,
    /// Not an object with lists of texts.
    #[error("this is not an object with lists of strings")]
    Shape,
    /// A list is missing.
    #[error("it has no list with this name")]
    Missing,
    /// A list comes twice.
    #[error("there is a second list with this name")]
    Twice,
}

/// What holds between the points of every setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Relation {
    /// The first point is the generator.
    #[error("the first point is not the generator")]
    Generator,
    /// Each point of g1_monomial is τ times the one before, with the τ of g2_monomial\[1\].
    #[error("the points are not the powers of the secret of g2_monomial[1]")]
    G1Powers,
    /// g1_monomial and g2_monomial hold the same powers.
    #[error("the points are not the same powers as those of g1_monomial")]
    G2Powers,
    /// g1_lagrange is the inverse Fourier transform of g1_monomial.
    #[error("the points are not the inverse Fourier transform of those of g1_monomial")]
    Lagrange,
}

/// Bytes as a text that is safe to show, without the zeros behind.
struct Name<'a>(&'a [u8]);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.0.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        write!(f, "{}", self.0[..len].escape_ascii())
    }
}
