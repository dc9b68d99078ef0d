//! The state of the processor: registers, flags and memory.
//!
//! Scalar registers hold numbers and pointers, which are known while a routine runs: loops have a constant length.
//! Vector registers hold cells of 64 bits, each as one, two or four integers. A number may depend on inputs only there.

use std::collections::BTreeMap;

use iced_x86::{Instruction, MemorySize, OpKind, Register};

use crate::claims::{Argument, Layout};
use crate::values::{Atoms, Refused, Value, constant};

/// 64 bits of a vector, as integers of 16, 32 or 64 bits, the lowest first. Each is known modulo 2^width.
#[derive(Clone, Debug)]
pub struct Cell {
    pub width: u32,
    pub parts: Vec<Value>,
}

/// 64 bits of a scalar register or of memory.
#[derive(Clone, Debug)]
pub enum Word {
    Number(u64),
    Pointer {
        region: usize,
        at: i64,
    },
    Cell(Cell),
    /// A number of which only the low bits are known, at most 16.
    Low {
        bits: u32,
        value: u64,
    },
    /// What a caller had in a register; 0 is one that may change.
    Saved(usize),
}

/// A part of memory. Regions do not overlap.
pub enum Region {
    /// Constants of the object.
    Constants(Vec<u8>),
    /// Words by their offsets: what was not written or given cannot be read.
    Words { words: BTreeMap<i64, Word>, writable: bool, bytes: std::ops::Range<i64> },
}

/// Flags of the last comparison of numbers: what was compared, and the difference.
#[derive(Clone, Copy)]
pub struct Flags {
    pub left: u64,
    pub right: u64,
    pub result: u64,
    /// Whether carry and overflow are those of left − right; otherwise they are not known.
    pub is_difference: bool,
}

/// The state of the processor.
pub struct Machine {
    pub atoms: Atoms,
    pub scalars: [Option<Word>; 16],
    pub vectors: Vec<[Option<Cell>; 8]>,
    /// Lanes of mask registers: 0 or 1.
    pub masks: Vec<Option<Vec<Value>>>,
    pub flags: Option<Flags>,
    /// Lanes of the last test.
    pub tested: Option<Vec<Value>>,
    /// What to assume at the next branches that depend on inputs: whether all tested lanes are 0.
    pub choices: Vec<bool>,
    /// The lanes that were assumed to be 0 at each such branch, or none.
    pub zeros: Vec<Vec<Value>>,
    pub regions: Vec<Region>,
    /// The stack pointer modulo 64 at the entry: 8, 24, 40 or 56.
    pub entry: i64,
}

/// Registers that a routine has to leave as they were.
pub const KEPT: [Register; 6] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

/// The region of the stack.
pub const STACK: usize = 0;

/// Returns an integer in [0, 2^width) that is the same modulo 2^width.
pub fn unsigned(atoms: &mut Atoms, value: &Value, width: u32) -> Result<Value, Refused> {
    if value.within(0, (1 << width) - 1) { Ok(value.clone()) } else { Ok(atoms.split(value, width)?.1) }
}

/// Returns an integer in [−2^(width − 1), 2^(width − 1)) that is the same modulo 2^width.
pub fn signed(atoms: &mut Atoms, value: &Value, width: u32) -> Result<Value, Refused> {
    let half = 1 << (width - 1);
    if value.within(-half, half - 1) {
        return Ok(value.clone());
    }
    let shifted = value.plus(&constant(half))?;
    atoms.split(&shifted, width)?.1.minus(&constant(half))
}

impl Cell {
    pub fn number(number: u64) -> Self {
        Cell::integer(constant(number.into()))
    }

    pub fn integer(value: Value) -> Self {
        Cell { width: 64, parts: vec![value] }
    }

    /// Returns the 64 bits as one integer.
    pub fn whole(&self, atoms: &mut Atoms) -> Result<Value, Refused> {
        Ok(self.parts(atoms, 64)?.remove(0))
    }

    /// Returns the cell with its bytes in the opposite order.
    pub fn reversed(&self, atoms: &mut Atoms) -> Result<Self, Refused> {
        let mut parts = self.parts(atoms, 8)?;
        parts.reverse();
        Ok(Cell { width: 8, parts })
    }

    /// Returns the integers of another width.
    pub fn parts(&self, atoms: &mut Atoms, width: u32) -> Result<Vec<Value>, Refused> {
        let mut now = self.clone();
        while now.width > width {
            let half = now.width / 2;
            let mut parts = Vec::new();
            for part in &now.parts {
                let (high, low) = atoms.split(part, half)?;
                parts.extend([low, high]);
            }
            now = Cell { width: half, parts };
        }
        while now.width < width {
            let mut parts = Vec::new();
            for pair in now.parts.chunks(2) {
                let low = unsigned(atoms, &pair[0], now.width)?;
                parts.push(atoms.joined(&low, &pair[1], now.width)?);
            }
            now = Cell { width: now.width * 2, parts };
        }
        Ok(now.parts)
    }
}

/// Returns the number of a general register, and its bits.
pub fn general(register: Register) -> Result<(usize, u32), Refused> {
    if !register.is_gpr() {
        return Err(format!("register {register:?}"));
    }
    let bits = register.size() as u32 * 8;
    if bits < 32 {
        Err(format!("register {register:?}"))
    } else {
        Ok((register.full_register().number(), bits))
    }
}

impl Machine {
    pub fn new(entry: i64) -> Self {
        let stack = Region::Words { words: BTreeMap::new(), writable: true, bytes: -(1 << 16)..0 };
        let mut machine = Machine {
            atoms: Atoms::default(),
            scalars: [const { None }; 16],
            vectors: vec![[const { None }; 8]; 32],
            masks: vec![None; 8],
            flags: None,
            tested: None,
            choices: Vec::new(),
            zeros: Vec::new(),
            regions: vec![stack],
            entry,
        };
        for register in KEPT {
            machine.scalars[register.number()] = Some(Word::Saved(register.number()));
        }
        machine.scalars[Register::RSP.number()] = Some(Word::Pointer { region: STACK, at: 0 });
        machine
    }

    /// Adds a region of words, and returns its number.
    pub fn region(&mut self, words: Vec<Word>, writable: bool) -> usize {
        let bytes = 0..8 * words.len() as i64;
        let words = words.into_iter().enumerate().map(|(i, word)| (8 * i as i64, word)).collect();
        self.regions.push(Region::Words { words, writable, bytes });
        self.regions.len() - 1
    }

    /// Adds a region that is written, of this many words.
    pub fn output(&mut self, words: usize) -> usize {
        let bytes = 0..8 * words as i64;
        self.regions.push(Region::Words { words: BTreeMap::new(), writable: true, bytes });
        self.regions.len() - 1
    }

    /// Sets the registers to the arguments of a call, and returns the region of buffer 0.
    pub fn call(&mut self, layout: &Layout, buffers: &[Word]) -> Result<usize, Refused> {
        let registers = [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8];
        for (register, argument) in registers.into_iter().zip(&layout.arguments) {
            let pointer = match argument {
                Argument::Number(number) => Word::Number(*number),
                Argument::Buffer(buffer) => buffers[*buffer].clone(),
                Argument::Pointers(all) => {
                    let pointers = all.iter().map(|buffer| buffers[*buffer].clone()).collect();
                    Word::Pointer { region: self.region(pointers, false), at: 0 }
                }
            };
            self.scalars[register.number()] = Some(pointer);
        }
        match buffers[0] {
            Word::Pointer { region, .. } => Ok(region),
            _ => Err("a result without a place".to_owned()),
        }
    }

    /// Returns what a routine returned, or the low bits that are known, if it is a number.
    pub fn returned(&self) -> Option<u64> {
        match self.scalars[Register::RAX.number()] {
            Some(Word::Number(value) | Word::Low { value, .. }) => Some(value),
            _ => None,
        }
    }

    pub fn scalar(&self, register: Register) -> Result<Word, Refused> {
        let (number, _) = general(register)?;
        self.scalars[number].clone().ok_or_else(|| format!("{register:?} was not written"))
    }

    /// Returns the region and the offset of a memory operand. `constants` is where its constants are, for operands
    /// relative to the instruction.
    pub fn address(
        &self,
        instruction: &Instruction,
        constants: Option<(usize, i64)>,
    ) -> Result<(usize, i64), Refused> {
        if let Some(constants) = constants {
            return Ok(constants);
        }
        if instruction.is_ip_rel_memory_operand() || instruction.segment_prefix() != Register::None {
            return Err("an address without a region".to_owned());
        }
        let mut sum = instruction.memory_displacement64().cast_signed();
        let mut region = None;
        for (register, scale) in
            [(instruction.memory_base(), 1), (instruction.memory_index(), instruction.memory_index_scale())]
        {
            if register == Register::None {
                continue;
            }
            if register.size() != 8 {
                return Err("an address of 32 bits".to_owned());
            }
            match self.scalar(register)? {
                Word::Number(number) => {
                    sum = sum.wrapping_add(number.cast_signed().wrapping_mul(scale.into()))
                }
                Word::Pointer { region: at, at: offset } if region.is_none() && scale == 1 => {
                    region = Some(at);
                    sum = sum.wrapping_add(offset);
                }
                _ => return Err("an address that depends on inputs".to_owned()),
            }
        }
        Ok((region.ok_or("an address without a region")?, sum))
    }

    /// Returns the word at an offset.
    pub fn read(&self, region: usize, at: i64) -> Result<Word, Refused> {
        match &self.regions[region] {
            Region::Constants(bytes) => {
                let range = usize::try_from(at).ok().and_then(|at| bytes.get(at..at + 8));
                let bytes = range.ok_or_else(|| format!("a constant at {at} is outside of its section"))?;
                Ok(Word::Number(u64::from_le_bytes(bytes.try_into().map_err(|_| "eight bytes")?)))
            }
            Region::Words { words, .. } => {
                words.get(&at).cloned().ok_or_else(|| format!("region {region} was not written at {at}"))
            }
        }
    }

    /// Returns `bytes` bytes at an offset as cells, which are at least eight.
    pub fn read_cells(&self, region: usize, at: i64, bytes: usize) -> Result<Vec<Cell>, Refused> {
        (0..bytes as i64 / 8)
            .map(|i| match self.read(region, at + 8 * i)? {
                Word::Number(number) => Ok(Cell::number(number)),
                Word::Cell(cell) => Ok(cell),
                _ => Err("a pointer in a vector".to_owned()),
            })
            .collect()
    }

    /// Returns integers of 16 or 32 bits in memory.
    pub fn read_part(&mut self, region: usize, at: i64, width: u32) -> Result<Value, Refused> {
        if at % i64::from(width / 8) != 0 {
            return Err(format!("an integer at {at}, which is not aligned"));
        }
        if let Region::Constants(bytes) = &self.regions[region] {
            let range = usize::try_from(at).ok().and_then(|at| bytes.get(at..at + width as usize / 8));
            let bytes = range.ok_or_else(|| format!("a constant at {at} is outside of its section"))?;
            return Ok(constant(bytes.iter().rev().fold(0, |number, byte| number << 8 | i128::from(*byte))));
        }
        let cell = self.read_cells(region, at & !7, 8)?.remove(0);
        Ok(cell.parts(&mut self.atoms, width)?[(at & 7) as usize * 8 / width as usize].clone())
    }

    /// Forgets what is below the stack pointer, which a call may overwrite.
    pub fn forget_below(&mut self, top: i64) {
        if let Region::Words { words, .. } = &mut self.regions[STACK] {
            words.retain(|at, _| *at >= top);
        }
    }

    pub fn write(&mut self, region: usize, at: i64, word: Word) -> Result<(), Refused> {
        match &mut self.regions[region] {
            Region::Words { words, writable: true, bytes } if bytes.contains(&at) && at + 8 <= bytes.end => {
                // What overlaps is not known any more.
                for other in at - 7..at + 8 {
                    words.remove(&other);
                }
                words.insert(at, word);
                Ok(())
            }
            _ => Err(format!("region {region} cannot be written at {at}")),
        }
    }

    /// Returns the cells of a vector operand that is not broadcast.
    fn cells(
        &self,
        instruction: &Instruction,
        operand: u32,
        constants: Option<(usize, i64)>,
        bytes: usize,
    ) -> Result<Vec<Cell>, Refused> {
        match instruction.op_kind(operand) {
            OpKind::Register => self.vector(instruction.op_register(operand), bytes),
            OpKind::Memory => {
                let (region, at) = self.address(instruction, constants)?;
                self.read_cells(region, at, bytes)
            }
            kind => Err(format!("operand {kind:?}")),
        }
    }

    /// Returns the integers of a vector operand, or of one that is broadcast, in `bytes` bytes.
    pub fn operand(
        &mut self,
        instruction: &Instruction,
        operand: u32,
        constants: Option<(usize, i64)>,
        width: u32,
        bytes: usize,
    ) -> Result<Vec<Value>, Refused> {
        if instruction.op_kind(operand) == OpKind::Memory && instruction.is_broadcast() {
            let (region, at) = self.address(instruction, constants)?;
            let element = 8 * instruction.memory_size().element_size() as u32;
            return self.broadcast(region, at, element, width, bytes);
        }
        let cells = self.cells(instruction, operand, constants, bytes)?;
        let mut parts = Vec::new();
        for cell in cells {
            parts.extend(cell.parts(&mut self.atoms, width)?);
        }
        Ok(parts)
    }

    /// Returns the lanes of an operand, of `width` bits, as they are: of several integers if cells have smaller ones.
    pub fn lanes(
        &mut self,
        instruction: &Instruction,
        operand: u32,
        constants: Option<(usize, i64)>,
        width: u32,
        bytes: usize,
    ) -> Result<Vec<Cell>, Refused> {
        if instruction.op_kind(operand) == OpKind::Memory && instruction.is_broadcast() {
            let parts = self.operand(instruction, operand, constants, width, bytes)?;
            return Ok(parts.into_iter().map(|part| Cell { width, parts: vec![part] }).collect());
        }
        let cells = self.cells(instruction, operand, constants, bytes)?;
        let mut lanes = Vec::new();
        for cell in cells {
            let part = cell.width.min(width);
            let parts = cell.parts(&mut self.atoms, part)?;
            lanes.extend(
                parts
                    .chunks((width / part) as usize)
                    .map(|parts| Cell { width: part, parts: parts.to_vec() }),
            );
        }
        Ok(lanes)
    }

    /// Returns the width of the smallest integers of two operands.
    pub fn smallest(
        &mut self,
        instruction: &Instruction,
        operands: [u32; 2],
        constants: Option<(usize, i64)>,
        bytes: usize,
    ) -> Result<u32, Refused> {
        let mut width = 64;
        for operand in operands {
            for lane in self.lanes(instruction, operand, constants, 64, bytes)? {
                width = width.min(lane.width);
            }
        }
        Ok(width)
    }

    /// Writes lanes of `width` bits, under the mask of the instruction.
    pub fn set_lanes(
        &mut self,
        instruction: &Instruction,
        constants: Option<(usize, i64)>,
        width: u32,
        mut lanes: Vec<Cell>,
    ) -> Result<(), Refused> {
        if instruction.op_mask() != Register::None {
            let mask = self.mask(instruction.op_mask())?;
            if mask.len() < lanes.len() || instruction.op0_element_bits() != width {
                return Err("a mask of which some lanes are not known".to_owned());
            }
            let zero = Cell { width, parts: vec![constant(0)] };
            let old = match instruction.zeroing_masking() {
                true => vec![zero; lanes.len()],
                false => self.lanes(instruction, 0, constants, width, lanes.len() * width as usize / 8)?,
            };
            for ((lane, old), one) in lanes.iter_mut().zip(old).zip(mask) {
                match one.number() {
                    Some(0) => *lane = old,
                    Some(1) => {}
                    _ => {
                        let (yes, no) =
                            (lane.parts(&mut self.atoms, width)?, old.parts(&mut self.atoms, width)?);
                        let value = selected(&mut self.atoms, width, &one, &yes[0], &no[0])?;
                        *lane = Cell { width, parts: vec![value] };
                    }
                }
            }
        }
        let mut cells = Vec::new();
        for lanes in lanes.chunks(64 / width as usize) {
            let part = lanes.iter().map(|lane| lane.width).min().unwrap_or(64);
            let mut parts = Vec::new();
            for lane in lanes {
                parts.extend(lane.parts(&mut self.atoms, part)?);
            }
            cells.push(Cell { width: part, parts });
        }
        self.set_cells(instruction, constants, cells)
    }

    /// Returns integers of a vector with this element of memory everywhere.
    pub fn broadcast(
        &mut self,
        region: usize,
        at: i64,
        element: u32,
        width: u32,
        bytes: usize,
    ) -> Result<Vec<Value>, Refused> {
        let parts = match element {
            64 => self.read_cells(region, at, 8)?.remove(0).parts,
            _ => vec![self.read_part(region, at, element)?; 64 / element as usize],
        };
        let cell = Cell { width: 64 / parts.len() as u32, parts };
        let parts = cell.parts(&mut self.atoms, width)?;
        Ok(parts.iter().cycle().take(bytes * 8 / width as usize).cloned().collect())
    }

    /// Returns the first cells of a vector register.
    pub fn vector(&self, register: Register, bytes: usize) -> Result<Vec<Cell>, Refused> {
        if !register.is_vector_register() {
            return Err(format!("register {register:?}"));
        }
        let cells = &self.vectors[register.number()];
        let read = cells.iter().take(bytes / 8);
        read.map(|cell| cell.clone().ok_or_else(|| format!("{register:?} was not written"))).collect()
    }

    /// Writes integers to a vector register or memory, under the mask of the instruction.
    pub fn set_vector(
        &mut self,
        instruction: &Instruction,
        constants: Option<(usize, i64)>,
        width: u32,
        parts: Vec<Value>,
    ) -> Result<(), Refused> {
        let lanes = parts.into_iter().map(|part| Cell { width, parts: vec![part] }).collect();
        self.set_lanes(instruction, constants, width, lanes)
    }

    /// Writes cells to a vector register, whose upper part is cleared, or to memory.
    pub fn set_cells(
        &mut self,
        instruction: &Instruction,
        constants: Option<(usize, i64)>,
        cells: Vec<Cell>,
    ) -> Result<(), Refused> {
        match instruction.op_kind(0) {
            OpKind::Register if instruction.op_register(0).is_vector_register() => {
                // Everything above is cleared.
                let mut all = [const { None }; 8].map(|_: Option<Cell>| Some(Cell::number(0)));
                for (slot, cell) in all.iter_mut().zip(cells) {
                    *slot = Some(cell);
                }
                self.vectors[instruction.op_register(0).number()] = all;
            }
            OpKind::Memory => {
                let (region, at) = self.address(instruction, constants)?;
                for (i, cell) in cells.into_iter().enumerate() {
                    self.write(region, at + 8 * i as i64, Word::Cell(cell))?;
                }
            }
            kind => return Err(format!("result {kind:?}")),
        }
        Ok(())
    }

    /// Returns the low lanes of a mask, all of which have to be known.
    pub fn lanes_of_mask(&self, register: Register, count: usize) -> Result<Vec<Value>, Refused> {
        let lanes = self.mask(register)?;
        lanes
            .get(..count)
            .map(<[Value]>::to_vec)
            .ok_or_else(|| "a mask of which some lanes are not known".to_owned())
    }

    pub fn mask(&self, register: Register) -> Result<Vec<Value>, Refused> {
        self.masks[register.number()].clone().ok_or_else(|| format!("{register:?} was not written"))
    }

    /// Returns the number of bytes of a result or of an operand.
    pub fn bytes(instruction: &Instruction, operand: u32) -> usize {
        match instruction.op_kind(operand) {
            OpKind::Register => instruction.op_register(operand).size(),
            _ if instruction.memory_size() == MemorySize::Unknown => 0,
            _ => instruction.memory_size().size(),
        }
    }
}

trait ElementBits {
    /// Returns the bits of the lanes that a mask of the instruction selects.
    fn op0_element_bits(&self) -> u32;
}

impl ElementBits for Instruction {
    fn op0_element_bits(&self) -> u32 {
        let name = format!("{:?}", self.mnemonic());
        match name.chars().last() {
            Some('q' | 'd') if name.ends_with("pd") => 64,
            Some('q') => 64,
            Some('d') => 32,
            Some('w') => 16,
            _ if name.ends_with("16") => 16,
            _ if name.ends_with("64") || name.ends_with("64x4") || name.ends_with("64x2") => 64,
            _ if name.ends_with("32") || name.ends_with("32x4") => 32,
            _ => 0,
        }
    }
}

/// Returns `yes` if a condition is 1, and `no` if it is 0.
pub fn selected(
    atoms: &mut Atoms,
    width: u32,
    one: &Value,
    yes: &Value,
    no: &Value,
) -> Result<Value, Refused> {
    match one.number() {
        Some(0) => return Ok(no.clone()),
        Some(1) => return Ok(yes.clone()),
        _ if !one.within(0, 1) => return Err("a condition that is neither 0 nor 1".to_owned()),
        _ => {}
    }
    let (yes, no) = (unsigned(atoms, yes, width)?, unsigned(atoms, no, width)?);
    let mut value = no.plus(&atoms.chosen(one, &yes.minus(&no)?)?)?;
    (value.low, value.high) = (yes.low.min(no.low), yes.high.max(no.high));
    Ok(value)
}
