//! The input of a workload, from a file.

use std::fs::File;
use std::path::Path;

use super::params::Values;
use super::{Aligned, Error, Workload};

impl Workload {
    /// Reads the input file, which must have exactly the length for the parameters.
    pub(crate) fn read_input(&self, values: &Values, path: Option<&Path>) -> Result<Aligned<u8>, Error> {
        let (workload, expected) = (self.name, (self.input_bytes)(values));
        let none = || format!("`{workload}` needs an input file of {expected} bytes, and none was given");
        let path = path.ok_or_else(|| Error::Wrong(none()))?;
        let name = path.display();
        let failed = |source| Error::Wrong(format!("input {name}: {source}"));
        let wrong = |found| {
            let takes = format!("`{workload}` with these parameters takes {expected} bytes");
            Error::Wrong(format!("input {name}: {found}, but {takes}"))
        };
        let file = File::open(path).map_err(failed)?;
        // A pipe has no length; its bytes are counted.
        let length = file.metadata().ok().filter(|m| m.is_file()).map(|m| m.len());
        if let Some(length) = length.filter(|length| *length != expected) {
            return Err(wrong(format!("{length} bytes")));
        }
        let bytes = Aligned::read(file, expected.saturating_add(1))?.map_err(failed)?;
        match bytes.len() as u64 {
            found if found < expected => Err(wrong(format!("{found} bytes"))),
            found if found > expected => Err(wrong(format!("more than {expected} bytes"))),
            _ => Ok(bytes),
        }
    }
}
