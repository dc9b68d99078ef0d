//! Programs and libraries: where they are in memory, how their stacks are unwound, and what their functions are called.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use cpp_demangle::DemangleOptions;
use framehop::ExplicitModuleSectionInfo;
use object::elf::PF_X;
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SectionKind, SegmentFlags, SymbolKind};

/// Maximum length of a file that is read, in bytes.
const MAX_FILE: u64 = 1 << 30;

/// A file of the format ELF.
pub(super) struct Binary {
    /// What is shown for a function that has no name: the name of the file in square brackets.
    unnamed: String,
    /// Parts of the file that are executed.
    segments: Vec<Segment>,
    sections: ExplicitModuleSectionInfo<Arc<[u8]>>,
    /// Functions in the order of their addresses.
    functions: Vec<Function>,
}

/// A part of the file that is loaded.
struct Segment {
    address: u64,
    /// In the file.
    bytes: Range<u64>,
}

struct Function {
    addresses: Range<u64>,
    name: Box<[u8]>,
}

impl Binary {
    /// Reads a file, if its number is still the loaded file's.
    pub(super) fn open(path: &Path, inode: u64) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy();
        // Opening a named pipe, which may be there by now, waits for a writer.
        if !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let file = File::open(path).ok()?;
        let found = file.metadata().ok()?;
        if found.ino() != inode || found.len() > MAX_FILE {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(MAX_FILE).read_to_end(&mut bytes).ok()?;
        Self::parse(&name, &bytes)
    }

    /// Parses a file with this name.
    pub(super) fn parse(name: &str, data: &[u8]) -> Option<Self> {
        let file = object::File::parse(data).ok()?;
        let is_code = |flags| matches!(flags, SegmentFlags::Elf { p_flags, .. } if p_flags.contains(PF_X));
        let part = |segment: object::Segment<'_, '_>| {
            let (start, size) = segment.file_range();
            Segment { address: segment.address(), bytes: start..start.saturating_add(size) }
        };
        let range = |name: &str| {
            let section = file.section_by_name(name)?;
            Some(section.address()..section.address().checked_add(section.size())?)
        };
        let bytes = |name: &str| {
            let data = file.section_by_name(name)?.data().ok()?;
            (!data.is_empty()).then(|| Arc::from(data))
        };
        let sections = ExplicitModuleSectionInfo {
            text_svma: range(".text"),
            got_svma: range(".got"),
            eh_frame_svma: range(".eh_frame"),
            eh_frame: bytes(".eh_frame"),
            eh_frame_hdr_svma: range(".eh_frame_hdr"),
            eh_frame_hdr: bytes(".eh_frame_hdr"),
            ..ExplicitModuleSectionInfo::default()
        };
        Some(Binary {
            unnamed: format!("[{name}]"),
            segments: file.segments().filter(|segment| is_code(segment.flags())).map(part).collect(),
            sections,
            functions: functions(&file),
        })
    }

    /// Returns what has to be added to addresses of the file, if a part with code from `offset` on is loaded at
    /// `start`.
    pub(super) fn bias(&self, start: u64, offset: u64) -> Option<u64> {
        // The system loads whole pages, so that a mapping may begin before its part.
        let next = |segment: &&Segment| segment.bytes.end > offset;
        let segment = self.segments.iter().filter(next).min_by_key(|segment| segment.bytes.start)?;
        Some(start.wrapping_sub(segment.address.wrapping_add(offset).wrapping_sub(segment.bytes.start)))
    }

    /// Returns what is needed to unwind its stacks.
    pub(super) fn sections(&self) -> ExplicitModuleSectionInfo<Arc<[u8]>> {
        self.sections.clone()
    }

    /// Returns the number of the function at an address of the file; `None` if it has no name.
    pub(super) fn function(&self, address: u64) -> Option<usize> {
        let after = self.functions.partition_point(|function| function.addresses.start <= address);
        let at = after.checked_sub(1)?;
        self.functions[at].addresses.contains(&address).then_some(at)
    }

    /// Returns the name of a function by its number, as it is in the source.
    pub(super) fn name(&self, function: Option<usize>) -> String {
        let named = function.and_then(|at| self.functions.get(at));
        named.map_or_else(|| self.unnamed.clone(), |function| demangled(&function.name))
    }
}

/// Returns the functions of a file that have names. One without a size, as an assembler may write, goes on to the
/// next.
fn functions(file: &object::File<'_>) -> Vec<Function> {
    let mut found: Vec<(u64, u64, &[u8])> = file
        .symbols()
        .chain(file.dynamic_symbols())
        .filter(|symbol| symbol.is_definition() || symbol.kind() == SymbolKind::Unknown)
        .filter(|symbol| {
            let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
            section.is_some_and(|section| section.kind() == SectionKind::Text)
        })
        .filter_map(|symbol| Some((symbol.address(), symbol.size(), symbol.name_bytes().ok()?)))
        .filter(|(_, _, name)| !name.is_empty() && !name.starts_with(b"$"))
        .collect();
    // Of several names for an address the one with the greatest size counts, and the shortest of these.
    found.sort_unstable_by_key(|(address, size, name)| {
        (*address, std::cmp::Reverse(*size), name.len(), *name)
    });
    found.dedup_by_key(|(address, ..)| *address);
    let ends = found.iter().skip(1).map(|(address, ..)| *address).chain([u64::MAX]);
    let function = |(&(address, size, name), next): (&(u64, u64, &[u8]), u64)| Function {
        addresses: address..if size == 0 { next } else { address.saturating_add(size) },
        name: name.into(),
    };
    found.iter().zip(ends).map(function).collect()
}

/// Returns a name as it is in the source, in Rust and in C++.
fn demangled(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    if let Ok(rust) = rustc_demangle::try_demangle(&name) {
        return format!("{rust:#}");
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    let cpp = name.starts_with("_Z").then(|| cpp_demangle::Symbol::new(name.as_bytes()).ok()).flatten();
    cpp.and_then(|symbol| symbol.demangle_with_options(&options).ok()).unwrap_or_else(|| name.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_the_source() {
        for (name, shown) in [
            ("main", "main"),
            ("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back"),
            ("_Z", "_Z"),
        ] {
            assert_eq!(demangled(name.as_bytes()), shown);
        }
    }

    #[test]
    fn files_that_are_not_programs_are_refused() {
        assert!(Binary::parse("x", &b"#!/bin/sh\n"[..]).is_none());
        assert!(Binary::parse("x", &b"\x7fELF\x02\x01\x01"[..]).is_none());
        assert!(Binary::open(Path::new("/nonexistent/x"), 1).is_none());
        let own = std::env::current_exe().unwrap();
        assert!(Binary::open(&own, 1).is_none(), "another file has its place");
        let inode = std::fs::metadata(&own).unwrap().ino();
        let binary = Binary::open(&own, inode).unwrap();
        assert!(binary.sections.eh_frame.is_some() && !binary.functions.is_empty());
        assert_eq!(binary.function(0), None);
        assert!(binary.name(None).starts_with("[parcrypt_lab-"));
    }
}
