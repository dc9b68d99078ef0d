//! `compare --records`: what has changed between two runs.

use std::path::Path;

use parcrypt_lab::record::Record;
use parcrypt_report::Format;
use parcrypt_report::verdict::changes;

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::text::tell;

use super::show::form;
use super::{Arguments, told};
use crate::commands::report;

/// Prints the verdict on each entry of two records, and returns the exit code.
pub(super) fn compare(old: &Path, new: &Path, arguments: &Arguments) -> Result<u8, CommandError> {
    let [before, after] = [Record::read(old)?, Record::read(new)?];
    let ratios = changes(&before, &after);
    if ratios.is_empty() {
        return Err(CommandError::new("--records: the records have no candidates"));
    }
    let answer = arguments
        .fail_if
        .map(|condition| (condition, condition.holds_for_one(ratios.iter().map(Option::as_ref))));
    report::print(&[(&before, old), (&after, new)], Format::Changes(form(answer, arguments)), |text| text)?;
    if ratios.iter().all(Option::is_none) {
        return Err(CommandError::new("--records: nothing in the two records is comparable"));
    }
    tell(
        "note: the intervals do not have what the machine did between the two runs; --rev measures in one run",
    );
    Ok(told(answer))
}
