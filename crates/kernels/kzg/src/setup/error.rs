//! Errors of trusted setups: form, location and defect.

use std::fmt;

use parcrypt_bls12_381::Error as PointError;

/// Reason why a trusted setup was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SetupError {
    /// Form as which it was read.
    pub form: Form,
    /// Location of the defect.
    pub location: Location,
    /// The defect.
    pub defect: Defect,
}

impl SetupError {
    pub(crate) fn new(form: Form, location: Location, defect: Defect) -> Self {
        SetupError { form, location, defect }
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SetupError { form, location, defect } = self;
        match location {
            Location::File => write!(f, "{form}: {defect}")?,
            location => write!(f, "{form}, {location}: {defect}")?,
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
        if let Defect::Point(why) = &self.defect { Some(why) } else { None }
    }
}

/// Defines enums whose variants have one text each, for their documentation and for messages.
macro_rules! texts {
    ($($(#[$about:meta])* $name:ident { $(
        $variant:ident $(($inner:ident: $of:ty))? $({ $($field:ident: $type:ty),+ })? = $text:literal $(($($argument:tt)+))?;
    )+ })+) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name {$(
            #[doc = $text]
            $variant $(($of))? $({$(
                #[doc = concat!("`", stringify!($field), "` of the text.")]
                $field: $type,
            )+})?,
        )+}

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $($name::$variant $(($inner))? $({ $($field),+ })? => write!(f, $text $(, $($argument)+)?),)+
                }
            }
        }

        impl std::error::Error for $name {}
    )+};
}

texts! {
    /// The forms of a setup.
    #[derive(Copy)]
    Form {
        Unknown = "trusted setup";
        Text = "trusted setup as text";
        Json = "trusted setup as JSON";
        Binary = "trusted setup in Parcrypt's binary form";
        Compressed = "trusted setup as compressed points";
    }
    /// The lists of points of a setup; [`mod@crate::setup`] defines them.
    #[derive(Copy)]
    List {
        G1Monomial = "g1_monomial";
        G1Lagrange = "g1_lagrange";
        G2Monomial = "g2_monomial";
        Fk20 = "fk20";
    }
    /// Location in a setup. Lines and columns count from 1, bytes and points from 0.
    #[derive(Copy)]
    Location {
        File = "as a whole";
        Line { line: usize } = "line {line}";
        Column { line: usize, column: usize } = "line {line}, column {column}";
        Byte { offset: usize } = "byte {offset}";
        List { list: List } = "{list}";
        Point { list: List, index: usize } = "{list}[{index}]";
        PointAtLine { list: List, index: usize, line: usize } = "line {line}, {list}[{index}]";
        PointAtByte { list: List, index: usize, offset: usize } = "byte {offset}, {list}[{index}]";
    }
    /// Defect of a setup.
    Defect {
        Io { kind: std::io::ErrorKind } = "{kind}";
        Memory { bytes: u64 } = "no memory for {bytes} bytes";
        NoFile = "this is no regular file";
        NoJson = "this build cannot read JSON (feature json of parcrypt-kzg)";
        Empty = "there is nothing in it";
        Foreign { found: [u8; 8] } = "it begins with `{}`, and no file of this kind does" (Name(found));
        TooLarge { limit: u64 } = "it has more than {limit} bytes, which no file of its kind has";
        Version { expected: u32, found: u32 } = "version {found}: this program knows version {expected}";
        Header { found: u32 } = "{found:#x} has no meaning here";
        Length { expected: u64, found: u64 } = "it has {found} bytes where its header asks for {expected}";
        Checksum { stored: u64, computed: u64 } =
            "the checksum begins with {stored:016x}, that of the bytes with {computed:016x}: the file is damaged";
        Points { list: List, expected: u64, found: u64 } = "{found} points of {list}: there must be {expected}";
        Truncated { list: List, expected: usize, found: usize } =
            "it ends after {found} of {expected} points of {list}";
        Trailing = "there is more behind the last point";
        NotANumber { found: u8 } = "expected a number, found `{}`" (found.escape_ascii());
        NotHexadecimal { found: u8 } = "expected a hexadecimal digit, found `{}`" (found.escape_ascii());
        Digits { list: List, expected: usize, found: usize } =
            "{found} hexadecimal digits: a point of {list} has {expected}";
        Json { what: JsonDefect } = "{what}";
        Point(why: PointError) = "{why}";
        Relation(relation: Relation) = "{relation}";
    }
    /// Difference between a document and the JSON of a setup.
    #[derive(Copy)]
    JsonDefect {
        Syntax = "this is not JSON";
        Truncated = "it ends in the middle";
        Shape = "this is not an object with lists of strings";
        Missing = "it has no list with this name";
        Twice = "there is a second list with this name";
    }
    /// The relation between the points of a setup that does not hold.
    #[derive(Copy)]
    Relation {
        Generator = "the first point is not the generator";
        G1Powers = "the points are not the powers of the secret in the second point of g2_monomial";
        G2Powers = "the points are not the same powers as those of g1_monomial";
        Lagrange = "the points are not the inverse Fourier transform of those of g1_monomial";
    }
}

/// Bytes as a text that is safe to show, without trailing zeros.
struct Name<'a>(&'a [u8]);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.0.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        write!(f, "{}", self.0[..len].escape_ascii())
    }
}
