//! Routines of object files, as instructions.

use std::collections::{HashMap, HashSet};

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic};
use object::read::archive::ArchiveFile;
use object::{
    Object, ObjectSection, ObjectSymbol, RelocationKind, RelocationTarget, SectionIndex, SymbolKind,
};
use sha2::{Digest, Sha256};

use crate::values::Refused;

/// A constant that an instruction reads, or whose address it reads.
#[derive(Clone, Copy)]
pub struct Constant {
    /// Place of the displacement in the routine's bytes.
    pub field: usize,
    pub section: usize,
    pub at: i64,
    pub is_address: bool,
}

/// A routine: its bytes, decoded, and the constants that it reads.
#[derive(Clone)]
pub struct Routine {
    /// The symbol's name, demangled, without its hash.
    pub name: String,
    pub bytes: Vec<u8>,
    pub instructions: Vec<Instruction>,
    /// Sections that are read, and for each instruction the number of one and the offset in it.
    pub sections: Vec<Vec<u8>>,
    pub constants: HashMap<u64, Constant>,
    /// The stack pointer modulo 64 at the entry.
    pub entry: i64,
    /// Instructions with an address of something else than a constant or `memcpy`.
    pub relocated: HashSet<u64>,
    /// Instructions that call `memcpy`, and the places of their displacements.
    pub copies: HashMap<u64, usize>,
}

impl Routine {
    /// Returns the SHA-256 of the bytes and of the constants that the instructions read, in hexadecimal digits.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(&self.bytes);
        for instruction in &self.instructions {
            if let Some(Constant { section, at, is_address, .. }) = self.constants.get(&instruction.ip()) {
                let bytes = &self.sections[*section];
                let whole = *is_address || instruction.mnemonic() == Mnemonic::Lea;
                let size = if whole { bytes.len() } else { instruction.memory_size().size().max(8) };
                let at = if whole { 0 } else { usize::try_from(*at).unwrap_or(0).min(bytes.len()) };
                hash.update(&bytes[at..bytes.len().min(at.saturating_add(size))]);
            }
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Returns the routines of an archive whose demangled names contain one of these texts, without copies.
pub fn routines(archive: &[u8], names: &[&str]) -> Result<Vec<Routine>, Refused> {
    let file = ArchiveFile::parse(archive).map_err(|why| format!("not an archive: {why}"))?;
    let members = file.members().map(|member| member.and_then(|member| member.data(archive)));
    let data: Vec<&[u8]> = members.collect::<Result<_, _>>().map_err(|why| why.to_string())?;
    let objects: Vec<object::File<'_>> =
        data.into_iter().filter_map(|data| object::File::parse(data).ok()).collect();
    let mut constants = HashMap::new();
    for (i, object) in objects.iter().enumerate() {
        for symbol in object.symbols().filter(|symbol| symbol.is_global()) {
            if let (Some(section), Ok(name)) = (symbol.section_index(), symbol.name()) {
                constants.insert(name, (i, section, symbol.address()));
            }
        }
    }
    let mut found: Vec<Routine> = Vec::new();
    for (i, object) in objects.iter().enumerate() {
        for symbol in object.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0)
        {
            let name = format!("{:#}", rustc_demangle::demangle(symbol.name().unwrap_or_default()));
            if !names.iter().any(|part| name.contains(part)) {
                continue;
            }
            let routine = routine(&objects, &constants, i, &symbol, name)?;
            if !found.iter().any(|other| other.name == routine.name && other.digest() == routine.digest()) {
                found.push(routine);
            }
        }
    }
    Ok(found)
}

/// Global symbols: the number of their object, their section, and their place in it.
type Symbols<'a> = HashMap<&'a str, (usize, SectionIndex, u64)>;

fn routine(
    objects: &[object::File<'_>],
    symbols: &Symbols<'_>,
    member: usize,
    symbol: &object::Symbol<'_, '_>,
    name: String,
) -> Result<Routine, Refused> {
    let object = &objects[member];
    let index = symbol.section_index().ok_or("a symbol without a section")?;
    let section = object.section_by_index(index).map_err(|why| why.to_string())?;
    let data = section.data().map_err(|why| why.to_string())?;
    let (from, to) = (symbol.address(), symbol.address() + symbol.size());
    let bytes = data.get(from as usize..to as usize).ok_or("a symbol outside of its section")?.to_vec();
    let relocations: HashMap<u64, _> = section.relocations().collect();
    let mut routine = Routine {
        name,
        bytes,
        instructions: Vec::new(),
        sections: Vec::new(),
        constants: HashMap::new(),
        entry: 8,
        relocated: HashSet::new(),
        copies: HashMap::new(),
    };
    let mut known = HashMap::new();
    let mut decoder = Decoder::with_ip(64, &routine.bytes, from, DecoderOptions::NONE);
    while decoder.can_decode() {
        let instruction = decoder.decode();
        routine.instructions.push(instruction);
        if (instruction.ip()..instruction.next_ip()).any(|at| relocations.contains_key(&at)) {
            routine.relocated.insert(instruction.ip());
        }
        let at = decoder.get_constant_offsets(&instruction).displacement_offset() as u64 + instruction.ip();
        let Some(relocation) = relocations.get(&at).filter(|_| instruction.is_ip_rel_memory_operand()) else {
            continue;
        };
        let RelocationTarget::Symbol(target) = relocation.target() else { continue };
        let target = object.symbol_by_index(target).map_err(|why| why.to_string())?;
        if instruction.mnemonic() == Mnemonic::Call && target.name() == Ok("memcpy") {
            routine.copies.insert(instruction.ip(), (at - from) as usize);
            routine.relocated.remove(&instruction.ip());
        }
        let place = match target.section_index() {
            Some(section) => Some((member, section, target.address())),
            None => target.name().ok().and_then(|name| symbols.get(name).copied()),
        };
        let Some((member, index, address)) = place else { continue };
        let section = objects[member].section_by_index(index).map_err(|why| why.to_string())?;
        // Constants have no relocations of their own, and are not written.
        let is_constant =
            section.relocations().next().is_none() && section.kind() == object::SectionKind::ReadOnlyData;
        if is_constant && matches!(relocation.kind(), RelocationKind::Relative | RelocationKind::GotRelative)
        {
            let number = *known.entry((member, index)).or_insert(routine.sections.len());
            if number == routine.sections.len() {
                routine.sections.push(section.data().map_err(|why| why.to_string())?.to_vec());
            }
            // Relative to the next instruction. The address of a constant may be read from a table.
            let more = relocation.addend() + (instruction.next_ip() - at).cast_signed();
            let constant = Constant {
                field: (at - from) as usize,
                section: number,
                at: address.cast_signed() + more,
                is_address: relocation.kind() == RelocationKind::GotRelative,
            };
            routine.constants.insert(instruction.ip(), constant);
            routine.relocated.remove(&instruction.ip());
        }
    }
    Ok(routine)
}
