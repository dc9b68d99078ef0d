//! The instructions: what each does to the state.

use iced_x86::{ConditionCode, Instruction, Mnemonic, OpKind, Register};

use crate::claims::Layout;
use crate::code::Routine;
use crate::machine::{Cell, Flags, KEPT, Machine, STACK, Word, general, selected, signed, unsigned};
use crate::values::{Atoms, Refused, Value, constant};

/// Runs a routine from its first instruction to its return. Returns how many instructions it executed, and marks those.
pub fn run(machine: &mut Machine, routine: &Routine, seen: &mut [bool]) -> Result<usize, Refused> {
    let sections: Vec<usize> = routine
        .sections
        .iter()
        .map(|bytes| {
            machine.regions.push(crate::machine::Region::Constants(bytes.clone()));
            machine.regions.len() - 1
        })
        .collect();
    let (mut at, mut steps) = (0, 0);
    loop {
        let instruction = routine.instructions.get(at).ok_or("the end of the routine without a return")?;
        let constant = routine.constants.get(&instruction.ip());
        let constants = constant.map(|constant| (sections[constant.section], constant.at));
        if routine.relocated.contains(&instruction.ip()) {
            return Err(format!("{instruction} at {:#x}: an address that is not known", instruction.ip()));
        }
        (seen[at], steps) = (true, steps + 1);
        if steps > 1_000_000 {
            return Err("more than a million instructions".to_owned());
        }
        let named = |why: Refused| format!("{instruction} at {:#x}: {why}", instruction.ip());
        if routine.copies.contains_key(&instruction.ip()) {
            copy(machine).map_err(named)?;
            at += 1;
            continue;
        }
        if constant.is_some_and(|constant| constant.is_address) {
            let Some((region, offset)) = constants.filter(|_| {
                instruction.mnemonic() == Mnemonic::Mov && instruction.op_register(0).size() == 8
            }) else {
                return Err(named("an address of a constant".to_owned()));
            };
            machine.scalars[general(instruction.op_register(0))?.0] =
                Some(Word::Pointer { region, at: offset });
            at += 1;
            continue;
        }
        if instruction.rflags_modified() != 0 {
            machine.tested = None;
        }
        match step(machine, instruction, constants).map_err(named)? {
            Next::Following => at += 1,
            Next::Jump(to) => {
                let found = routine.instructions.iter().position(|other| other.ip() == to);
                at = found.ok_or_else(|| named("a jump out of the routine".to_owned()))?;
            }
            Next::Return => return Ok(steps),
        }
    }
}

/// Runs the C library's `memcpy`: of words, between pointers that are known. What a call may change is not known
/// after it.
fn copy(machine: &mut Machine) -> Result<(), Refused> {
    let argument = |register: Register| machine.scalars[register.number()].clone();
    let (
        Some(Word::Pointer { region: to, at: first }),
        Some(Word::Pointer { region: from, at: second }),
        Some(Word::Number(bytes)),
    ) = (argument(Register::RDI), argument(Register::RSI), argument(Register::RDX))
    else {
        return Err("a copy of which the arguments are not known".to_owned());
    };
    let bytes = bytes as i64;
    if bytes % 8 != 0 || bytes < 0 || (to == from && (first - second).abs() < bytes) {
        return Err(format!("a copy of {bytes} bytes"));
    }
    let Some(Word::Pointer { region: STACK, at: top }) = machine.scalars[Register::RSP.number()] else {
        return Err("no stack".to_owned());
    };
    if (top + machine.entry) % 16 != 0 {
        return Err("a call with a stack that is not aligned".to_owned());
    }
    for at in (0..bytes).step_by(8) {
        let word = machine.read(from, second + at)?;
        machine.write(to, first + at, word)?;
    }
    for register in [Register::RCX, Register::RDX, Register::RSI, Register::RDI] {
        machine.scalars[register.number()] = None;
    }
    machine.scalars[Register::R8.number()..=Register::R11.number()].fill(const { None });
    machine.scalars[Register::RAX.number()] = Some(Word::Pointer { region: to, at: first });
    machine.forget_below(top);
    machine.vectors.fill([const { None }; 8]);
    machine.masks.fill(None);
    (machine.flags, machine.tested) = (None, None);
    Ok(())
}

/// Returns the result of a call, in buffer 0, on numbers: what the model makes of the instructions.
pub fn evaluate(routine: &Routine, layout: &Layout, buffers: &[Vec<u64>]) -> Result<Vec<u64>, Refused> {
    let mut machine = Machine::new(routine.entry);
    let places: Vec<Word> = buffers
        .iter()
        .enumerate()
        .map(|(i, words)| {
            let words = words.iter().map(|word| Word::Number(*word)).collect();
            Word::Pointer { region: machine.region(words, i == 0), at: 0 }
        })
        .collect();
    let region = machine.call(layout, &places)?;
    run(&mut machine, routine, &mut vec![false; routine.instructions.len()])?;
    let mut result = Vec::new();
    for cell in machine.read_cells(region, 0, 8 * buffers[0].len())? {
        let word = cell.whole(&mut machine.atoms)?;
        let word = unsigned(&mut machine.atoms, &word, 64)?.number();
        result.push(word.ok_or("a result that is no number")? as u64);
    }
    Ok(result)
}

enum Next {
    Following,
    Jump(u64),
    Return,
}

type Constants = Option<(usize, i64)>;

fn step(machine: &mut Machine, instruction: &Instruction, constants: Constants) -> Result<Next, Refused> {
    use Mnemonic::*;
    match instruction.mnemonic() {
        Nop | Endbr64 => {}
        Vzeroupper => {
            for register in &mut machine.vectors[..16] {
                register[2..].fill(Some(Cell::number(0)));
            }
        }
        Ret => {
            if instruction.op_count() > 0 {
                return Err("a return that changes the stack".to_owned());
            }
            let kept = |register: &Register| matches!(machine.scalars[register.number()], Some(Word::Saved(n)) if n == register.number());
            if !KEPT.iter().all(kept) {
                return Err("a register of the caller was not restored".to_owned());
            }
            let Some(Word::Pointer { region: STACK, at: 0 }) = machine.scalars[Register::RSP.number()] else {
                return Err("a stack pointer that is not the one of the call".to_owned());
            };
            return Ok(Next::Return);
        }
        Jmp if instruction.op_kind(0) == OpKind::NearBranch64 => {
            return Ok(Next::Jump(instruction.near_branch_target()));
        }
        _ if instruction.is_jcc_short_or_near() => {
            let is_zero = matches!(instruction.condition_code(), ConditionCode::e);
            let is_taken = match (machine.flags, machine.tested.take()) {
                (Some(flags), _) => holds(instruction.condition_code(), flags)?,
                (None, Some(lanes))
                    if !machine.choices.is_empty()
                        && (is_zero || instruction.condition_code() == ConditionCode::ne) =>
                {
                    let zero = machine.choices.remove(0);
                    machine.zeros.push(if zero { lanes } else { Vec::new() });
                    zero == is_zero
                }
                _ => return Err("a branch that depends on inputs".to_owned()),
            };
            return Ok(match is_taken {
                true => Next::Jump(instruction.near_branch_target()),
                false => Next::Following,
            });
        }
        Mov if instruction.op_register(0).size() == 2 && instruction.op_kind(1) == OpKind::Immediate16 => {
            let number = general16(instruction.op_register(0));
            machine.scalars[number] = Some(Word::Low { bits: 16, value: instruction.immediate(1) & 0xffff });
        }
        Test if instruction.op_register(0).size() == 2
            && instruction.op_register(0) == instruction.op_register(1) =>
        {
            let low = match machine.scalars[general16(instruction.op_register(0))] {
                Some(Word::Number(number)) => number & 0xffff,
                Some(Word::Low { bits: 16, value }) => value,
                _ => return Err("a scalar that depends on inputs".to_owned()),
            };
            let result = i64::from(low as i16).cast_unsigned();
            machine.flags = Some(Flags { left: 0, right: 0, result, is_difference: false });
        }
        Mov | Sete | Setne | Setb | Setae
            if instruction.op_kind(0) == OpKind::Register && instruction.op_register(0).is_gpr8() =>
        {
            let value = match instruction.mnemonic() {
                Mov if instruction.op_kind(1) == OpKind::Immediate8 => Some(instruction.immediate(1) & 0xff),
                Mov => None,
                _ => {
                    let flags = machine.flags.ok_or("a flag that depends on inputs")?;
                    Some(u64::from(holds(instruction.condition_code(), flags)?))
                }
            };
            // The other bits stay; they are not followed.
            let is_high = matches!(
                instruction.op_register(0),
                Register::AH | Register::BH | Register::CH | Register::DH
            );
            let value = value.filter(|_| !is_high).map(|value| Word::Low { bits: 8, value });
            machine.scalars[instruction.op_register(0).full_register().number()] = value;
        }
        Div if instruction.op_kind(0) == OpKind::Register && instruction.op_register(0).size() >= 4 => {
            let number = |register: Register| match machine.scalar(register)? {
                Word::Number(number) if register.size() == 4 => Ok(number & 0xffff_ffff),
                Word::Number(number) => Ok(number),
                _ => Err("a scalar that depends on inputs".to_owned()),
            };
            let by = instruction.op_register(0);
            let [low, high] =
                if by.size() == 8 { [Register::RAX, Register::RDX] } else { [Register::EAX, Register::EDX] };
            let (low, high, by) = (number(low)?, number(high)?, number(by)?);
            if high != 0 || by == 0 {
                return Err("a division of more than a word".to_owned());
            }
            machine.scalars[Register::RAX.number()] = Some(Word::Number(low / by));
            machine.scalars[Register::RDX.number()] = Some(Word::Number(low % by));
            machine.flags = None;
        }
        Bswap if instruction.op_register(0).size() == 8 => {
            let number = instruction.op_register(0).number();
            let cell = match machine.scalar(instruction.op_register(0))? {
                Word::Cell(cell) => cell,
                Word::Number(number) => Cell::number(number),
                _ => return Err("a pointer in a vector".to_owned()),
            };
            machine.scalars[number] = Some(Word::Cell(cell.reversed(&mut machine.atoms)?));
        }
        // The highest bit of each lane.
        Vpmovq2m => {
            let lanes = signs(machine, instruction, 1, constants)?;
            machine.masks[instruction.op_register(0).number()] =
                Some(lanes.into_iter().chain(std::iter::repeat(constant(0))).take(64).collect());
        }
        Vtestpd if instruction.op_register(0) == instruction.op_register(1) => {
            let lanes = signs(machine, instruction, 0, constants)?;
            test(machine, lanes);
        }
        _ if format!("{:?}", instruction.mnemonic()).starts_with("Cmov") => {
            let (number, bits) = general(instruction.op_register(0))?;
            let flags = machine.flags.ok_or("a flag that depends on inputs")?;
            if instruction.op_kind(1) != OpKind::Register || bits != 64 {
                return Err("not modelled".to_owned());
            }
            if holds(instruction.condition_code(), flags)? {
                machine.scalars[number] = Some(machine.scalar(instruction.op_register(1))?);
            }
        }
        // Whether all lanes of both masks are 0.
        Kortestb | Kortestw | Kortestd | Kortestq
            if instruction.op_register(0) == instruction.op_register(1) =>
        {
            let lanes = machine
                .lanes_of_mask(instruction.op_register(0), width_of(instruction.mnemonic()) as usize)?;
            test(machine, lanes);
        }
        Vptest if instruction.op_register(0) == instruction.op_register(1) => {
            let bytes = Machine::bytes(instruction, 0);
            let mut lanes = machine.operand(instruction, 0, constants, 64, bytes)?;
            for lane in &mut lanes {
                *lane = unsigned(&mut machine.atoms, lane, 64)?;
            }
            test(machine, lanes);
        }
        Vmovq if instruction.op_kind(0) == OpKind::Register && instruction.op_register(0).is_gpr() => {
            let low = machine.vector(instruction.op_register(1), 8)?.remove(0);
            machine.scalars[general(instruction.op_register(0))?.0] = Some(word(machine, low)?);
        }
        Vpextrq if instruction.op_kind(0) == OpKind::Register => {
            let lane =
                machine.vector(instruction.op_register(1), 16)?.remove(instruction.immediate8() as usize & 1);
            machine.scalars[general(instruction.op_register(0))?.0] = Some(word(machine, lane)?);
        }
        Kmovd | Kmovw | Kmovb | Kmovq if instruction.op_register(0).is_gpr() => {
            let mut bits = 0;
            let lanes = machine
                .lanes_of_mask(instruction.op_register(1), width_of(instruction.mnemonic()) as usize)?;
            for (lane, one) in lanes.iter().enumerate() {
                bits |= (one.number().ok_or("a scalar that depends on inputs")? as u64) << lane;
            }
            machine.scalars[instruction.op_register(0).full_register().number()] = Some(Word::Number(bits));
        }
        Kmovd | Kmovw | Kmovb | Kmovq
            if instruction.op_register(0).is_k() && instruction.op_register(1).is_gpr() =>
        {
            let (bits, known) = match machine.scalar(instruction.op_register(1))? {
                Word::Number(bits) => (bits, 64),
                Word::Low { bits, value } => (value, bits),
                _ => return Err("a mask that depends on inputs".to_owned()),
            };
            let bits = match instruction.mnemonic() {
                Kmovb => bits & 0xff,
                Kmovw => bits & 0xffff,
                Kmovd => bits & 0xffff_ffff,
                _ => bits,
            };
            let lanes = (0..known).map(|lane| constant((bits >> lane & 1).into())).collect();
            machine.masks[instruction.op_register(0).number()] = Some(lanes);
        }
        Mov | Lea | Add | Sub | And | Or | Xor | Cmp | Test | Inc | Dec | Imul | Shl | Shr | Push | Pop => {
            scalar(machine, instruction, constants)?;
        }
        _ => vector(machine, instruction, constants)?,
    }
    Ok(Next::Following)
}

/// Returns a lane as a word: a number, if it is the same in all cases.
fn word(machine: &mut Machine, lane: Cell) -> Result<Word, Refused> {
    let whole = lane.whole(&mut machine.atoms)?;
    Ok(whole.number().map_or(Word::Cell(lane), |number| Word::Number(number as u64)))
}

/// Returns the highest bits of an operand's lanes of 64 bits.
fn signs(
    machine: &mut Machine,
    instruction: &Instruction,
    operand: u32,
    constants: Constants,
) -> Result<Vec<Value>, Refused> {
    let bytes = Machine::bytes(instruction, operand);
    let lanes = machine.operand(instruction, operand, constants, 64, bytes)?;
    let atoms = &mut machine.atoms;
    let sign = |lane: &Value| {
        let lane = signed(atoms, lane, 64)?;
        constant(0).minus(&atoms.split(&lane, 63)?.0)
    };
    lanes.iter().map(sign).collect()
}

/// Returns the bits of an instruction's lanes, or of the mask that it takes, by the last letter of its name.
fn width_of(mnemonic: Mnemonic) -> u32 {
    match format!("{mnemonic:?}").chars().last() {
        Some('b') => 8,
        Some('w') => 16,
        Some('d') => 32,
        _ => 64,
    }
}

/// Returns whether an instruction is one of bits, whose lanes have any width.
fn is_logic(mnemonic: Mnemonic) -> bool {
    let name = format!("{mnemonic:?}");
    name.contains("and") || name.contains("or")
}

/// Returns the number of the general register that a register of 16 bits is a part of.
fn general16(register: Register) -> usize {
    register.full_register().number()
}

/// Sets the flags by whether all lanes are 0, or keeps the lanes if that depends on inputs.
fn test(machine: &mut Machine, lanes: Vec<Value>) {
    let result = match lanes.iter().any(|lane| lane.low > 0 || lane.high < 0) {
        true => Some(1),
        false => lanes.iter().all(|lane| lane.number() == Some(0)).then_some(0),
    };
    machine.flags = result.map(|result| Flags { left: 0, right: 0, result, is_difference: false });
    machine.tested = Some(lanes);
}

fn holds(condition: ConditionCode, flags: Flags) -> Result<bool, Refused> {
    let (left, right) = (flags.left.cast_signed(), flags.right.cast_signed());
    Ok(match condition {
        ConditionCode::e => flags.result == 0,
        ConditionCode::ne => flags.result != 0,
        ConditionCode::s => flags.result.cast_signed() < 0,
        ConditionCode::ns => flags.result.cast_signed() >= 0,
        _ if !flags.is_difference => return Err("a condition that was not compared".to_owned()),
        ConditionCode::b => flags.left < flags.right,
        ConditionCode::ae => flags.left >= flags.right,
        ConditionCode::be => flags.left <= flags.right,
        ConditionCode::a => flags.left > flags.right,
        ConditionCode::l => left < right,
        ConditionCode::ge => left >= right,
        ConditionCode::le => left <= right,
        ConditionCode::g => left > right,
        other => return Err(format!("condition {other:?}")),
    })
}

/// Runs an instruction on numbers and pointers.
fn scalar(machine: &mut Machine, instruction: &Instruction, constants: Constants) -> Result<(), Refused> {
    use Mnemonic::*;
    let mnemonic = instruction.mnemonic();
    let operand = |machine: &Machine, i: u32| -> Result<Word, Refused> {
        match instruction.op_kind(i) {
            OpKind::Register => {
                let (_, bits) = general(instruction.op_register(i))?;
                match machine.scalar(instruction.op_register(i))? {
                    Word::Number(number) if bits == 32 => Ok(Word::Number(number & 0xffff_ffff)),
                    _ if bits == 32 => Err("half of a pointer".to_owned()),
                    word => Ok(word),
                }
            }
            OpKind::Memory => {
                if instruction.memory_size().size() != 8 {
                    return Err("a scalar in memory that has not 64 bits".to_owned());
                }
                let (region, at) = machine.address(instruction, constants)?;
                machine.read(region, at)
            }
            _ => Ok(Word::Number(instruction.immediate(i))),
        }
    };
    let rsp = Register::RSP.number();
    if instruction.op_count() > 0
        && instruction.op_kind(0) == OpKind::Memory
        && instruction.memory_size().size() != 8
    {
        return Err("a scalar in memory that has not 64 bits".to_owned());
    }
    match mnemonic {
        Push => {
            let Some(Word::Pointer { region, at }) = machine.scalars[rsp] else {
                return Err("no stack".to_owned());
            };
            // What a routine saves for its caller may be unknown.
            let saved = match instruction.op_kind(0) {
                OpKind::Register => machine.scalars[general(instruction.op_register(0))?.0].clone(),
                _ => return Err("a push that is not of a register".to_owned()),
            };
            machine.scalars[rsp] = Some(Word::Pointer { region, at: at - 8 });
            return machine.write(region, at - 8, saved.unwrap_or(Word::Saved(0)));
        }
        Pop => {
            let Some(Word::Pointer { region, at }) = machine.scalars[rsp] else {
                return Err("no stack".to_owned());
            };
            let word = machine.read(region, at)?;
            machine.scalars[rsp] = Some(Word::Pointer { region, at: at + 8 });
            machine.scalars[general(instruction.op_register(0))?.0] = Some(word);
            return Ok(());
        }
        Lea => {
            let word = match machine.address(instruction, constants) {
                Ok((region, at)) => Word::Pointer { region, at },
                Err(why) => match (machine.scalars_of(instruction), why) {
                    (Some(number), _) => Word::Number(number),
                    (None, why) => return Err(why),
                },
            };
            let (number, bits) = general(instruction.op_register(0))?;
            machine.scalars[number] = Some(match word {
                Word::Number(number) if bits == 32 => Word::Number(number & 0xffff_ffff),
                _ if bits == 32 => return Err("half of a pointer".to_owned()),
                word => word,
            });
            return Ok(());
        }
        _ => {}
    }
    let same = instruction.op_count() == 2
        && instruction.op_kind(1) == OpKind::Register
        && instruction.op_kind(0) == OpKind::Register
        && instruction.op_register(0) == instruction.op_register(1);
    let (left, right) = match mnemonic {
        Mov => (Word::Number(0), operand(machine, 1)?),
        Xor if same => (Word::Number(0), Word::Number(0)),
        Inc | Dec => (operand(machine, 0)?, Word::Number(1)),
        _ => (operand(machine, 0)?, operand(machine, 1)?),
    };
    let bits = match instruction.op_kind(0) {
        OpKind::Register => general(instruction.op_register(0))?.1,
        _ => 64,
    };
    let mask = if bits == 32 { 0xffff_ffff } else { u64::MAX };
    let result = match (mnemonic, left, right) {
        (Mov, _, word @ (Word::Pointer { .. } | Word::Number(_) | Word::Saved(_) | Word::Cell(_))) => word,
        (Add, Word::Pointer { region, at }, Word::Number(n))
        | (Add, Word::Number(n), Word::Pointer { region, at }) => {
            machine.flags = None;
            Word::Pointer { region, at: at.wrapping_add(n.cast_signed()) }
        }
        (Sub, Word::Pointer { region, at }, Word::Number(n)) => {
            machine.flags = None;
            Word::Pointer { region, at: at.wrapping_sub(n.cast_signed()) }
        }
        // The stack pointer, aligned.
        (And, Word::Pointer { region: STACK, at }, Word::Number(n)) if n >= 64_u64.wrapping_neg() => {
            machine.flags = None;
            Word::Pointer { region: STACK, at: ((at + machine.entry) & n.cast_signed()) - machine.entry }
        }
        (Cmp, Word::Pointer { region: a, at }, Word::Pointer { region: b, at: other }) if a == b => {
            let (left, right) = (at.cast_unsigned(), other.cast_unsigned());
            machine.flags =
                Some(Flags { left, right, result: left.wrapping_sub(right), is_difference: false });
            return Ok(());
        }
        (_, Word::Number(a), Word::Number(b)) => {
            let result = match mnemonic {
                Add | Inc => a.wrapping_add(b),
                Sub | Cmp | Dec => a.wrapping_sub(b),
                And | Test => a & b,
                Or => a | b,
                Imul if instruction.op_count() == 2 => a.wrapping_mul(b),
                Xor => a ^ b,
                Shl => a << (b & u64::from(bits - 1)),
                Shr => a >> (b & u64::from(bits - 1)),
                _ => return Err("not modelled".to_owned()),
            } & mask;
            // Comparisons of 32 bits are extended, which keeps their order.
            let extend = |n: u64| if bits == 32 { i64::from(n as i32).cast_unsigned() } else { n };
            let is_difference = matches!(mnemonic, Sub | Cmp);
            machine.flags =
                Some(Flags { left: extend(a), right: extend(b), result: extend(result), is_difference });
            // A shift by 0 leaves the earlier flags, which are not kept here.
            if mnemonic == Imul || matches!(mnemonic, Shl | Shr) && b & u64::from(bits - 1) == 0 {
                machine.flags = None;
            }
            Word::Number(result)
        }
        _ => return Err("a scalar that depends on inputs".to_owned()),
    };
    if matches!(mnemonic, Cmp | Test) {
        return Ok(());
    }
    match instruction.op_kind(0) {
        OpKind::Register => machine.scalars[general(instruction.op_register(0))?.0] = Some(result),
        _ => {
            let (region, at) = machine.address(instruction, constants)?;
            machine.write(region, at, result)?;
        }
    }
    Ok(())
}

impl Machine {
    /// Returns the sum of an address of numbers only.
    fn scalars_of(&self, instruction: &Instruction) -> Option<u64> {
        let mut sum = instruction.memory_displacement64();
        for (register, scale) in [
            (instruction.memory_base(), 1),
            (instruction.memory_index(), u64::from(instruction.memory_index_scale())),
        ] {
            if register != Register::None {
                let Ok(Word::Number(number)) = self.scalar(register) else { return None };
                sum = sum.wrapping_add(number.wrapping_mul(scale));
            }
        }
        Some(sum)
    }
}

pub type Binary = fn(&mut Atoms, u32, &Value, &Value) -> Result<Value, Refused>;

/// Returns the sum of two unsigned integers without a bit in common: a multiple of 2^k and a number below 2^k.
fn disjoint(atoms: &mut Atoms, a: &Value, b: &Value) -> Result<Value, Refused> {
    for (high, low) in [(a, b), (b, a)] {
        let bits = 128 - low.high.leading_zeros();
        if bits == 0 || atoms.split(high, bits)?.1.number() == Some(0) {
            return high.plus(low);
        }
    }
    Err("bits that may overlap".to_owned())
}

/// Returns the bits of both integers: an unknown integer with bounds, if they may have some in common.
fn any(atoms: &mut Atoms, width: u32, a: &Value, b: &Value) -> Result<Value, Refused> {
    or(atoms, width, a, b).or_else(|_| {
        let (a, b) = (unsigned(atoms, a, width)?, unsigned(atoms, b, width)?);
        let bits = 128 - a.high.max(b.high).leading_zeros();
        Ok(atoms.input(a.low.max(b.low), (1 << bits) - 1))
    })
}

/// Returns the bits of both integers, which have none in common or are constants.
pub fn or(atoms: &mut Atoms, width: u32, a: &Value, b: &Value) -> Result<Value, Refused> {
    let (a, b) = (unsigned(atoms, a, width)?, unsigned(atoms, b, width)?);
    match (a.number(), b.number()) {
        (Some(a), Some(b)) => Ok(constant(a | b)),
        _ => disjoint(atoms, &a, &b),
    }
}

/// Returns the bits that both integers have, of which one is a constant, or 0 or −1.
fn and(atoms: &mut Atoms, width: u32, a: &Value, b: &Value) -> Result<Value, Refused> {
    for (mask, value) in [(a, b), (b, a)] {
        let ones = (1 << width) - 1;
        let mask = &if mask.within(ones, ones + 1) { mask.minus(&constant(ones + 1))? } else { mask.clone() };
        if mask.number().is_none() && mask.within(-1, 0) {
            return atoms.chosen(&constant(0).minus(mask)?, value);
        }
    }
    for (mask, value) in [(a, b), (b, a)] {
        if let Some(mask) = mask.number() {
            let (mask, mut sum) = (mask & ((1 << width) - 1), constant(0));
            // Each run of ones is a difference of two residues.
            let mut from = 0;
            while from < width {
                let ones = (mask >> from).trailing_ones();
                if ones == 0 {
                    from += 1;
                    continue;
                }
                let low = atoms.split(value, from)?.1;
                let run = atoms.split(value, from + ones)?.1.minus(&low)?;
                let run = Value { low: 0, high: run.high.min(mask), ..run };
                (sum, from) = (sum.plus(&run)?, from + ones);
            }
            return Ok(sum);
        }
    }
    Err("bits of two integers".to_owned())
}

fn not(value: &Value) -> Result<Value, Refused> {
    constant(-1).minus(value)
}

fn xor(atoms: &mut Atoms, width: u32, a: &Value, b: &Value) -> Result<Value, Refused> {
    if a.poly == b.poly {
        return Ok(constant(0));
    }
    for (a, b) in [(a, b), (b, a)] {
        let ones = (1 << width) - 1;
        match a.number() {
            Some(0) => return Ok(b.clone()),
            Some(n) if n & ones == ones => return not(b),
            _ => {}
        }
    }
    let (a, b) = (unsigned(atoms, a, width)?, unsigned(atoms, b, width)?);
    match (a.number(), b.number()) {
        (Some(a), Some(b)) => Ok(constant(a ^ b)),
        _ => disjoint(atoms, &a, &b),
    }
}

/// Returns a function of three bits, by its table: those of the kind (x op y) op z, and a choice by a mask.
pub fn ternary(atoms: &mut Atoms, width: u32, table: u8, all: [&Value; 3]) -> Result<Value, Refused> {
    const BITS: [u8; 3] = [0xf0, 0xcc, 0xaa];
    type Bits = fn(u8, u8) -> u8;
    let functions: [(Bits, Binary); 4] = [
        (|a, b| a & b, and),
        (|a, b| a | b, or),
        (|a, b| a ^ b, xor),
        (|a, b| !a & b, |atoms, width, a, b| and(atoms, width, &not(a)?, b)),
    ];
    for (x, y, z) in [(0, 1, 2), (1, 0, 2), (0, 2, 1), (2, 0, 1), (1, 2, 0), (2, 1, 0)] {
        for (first, one) in functions {
            for (second, two) in functions {
                for swapped in [false, true] {
                    let pair = first(BITS[x], BITS[y]);
                    let whole = if swapped { second(BITS[z], pair) } else { second(pair, BITS[z]) };
                    if whole != table {
                        continue;
                    }
                    // Another form with the same table may be one that can be followed.
                    let Ok(pair) = one(atoms, width, all[x], all[y]) else { continue };
                    let (a, b) = if swapped { (all[z], &pair) } else { (&pair, all[z]) };
                    if let Ok(value) = two(atoms, width, a, b) {
                        return Ok(value);
                    }
                }
            }
        }
        if (BITS[x] & BITS[y]) | (!BITS[x] & BITS[z]) == table {
            let yes = and(atoms, width, all[x], all[y])?;
            let no = and(atoms, width, &not(all[x])?, all[z])?;
            return or(atoms, width, &yes, &no);
        }
    }
    if table == 0xfe {
        let pair = any(atoms, width, all[0], all[1])?;
        return any(atoms, width, &pair, all[2]);
    }
    Err(format!("the table {table:#04x} of three bits"))
}

/// Returns a shift to the left or right, by bits that are the same in all cases.
pub fn shifted(atoms: &mut Atoms, width: u32, how: Shift, value: &Value, by: i128) -> Result<Value, Refused> {
    let by = u32::try_from(by.clamp(0, width.into())).map_err(|why| why.to_string())?;
    match how {
        Shift::Left => atoms.split(value, width - by)?.1.scaled(by),
        Shift::Right => {
            let value = unsigned(atoms, value, width)?;
            Ok(atoms.split(&value, by)?.0)
        }
        Shift::Signed if by == width - 1 && !value.within(-(1 << by), (1 << by) - 1) => {
            // The highest bit, in all.
            let value = unsigned(atoms, value, width)?;
            constant(0).minus(&atoms.split(&value, by)?.0)
        }
        Shift::Signed => {
            let value = signed(atoms, value, width)?;
            Ok(atoms.split(&value, by.min(width - 1))?.0)
        }
    }
}

#[derive(Clone, Copy)]
pub enum Shift {
    Left,
    Right,
    Signed,
}

impl Shift {
    fn of(mnemonic: Mnemonic) -> Self {
        let name = format!("{mnemonic:?}");
        match name.get(..5) {
            Some("Vpsll") => Shift::Left,
            Some("Vpsrl") => Shift::Right,
            _ => Shift::Signed,
        }
    }
}

/// Returns 1 if a > b, otherwise 0; their difference is within ±2^width.
fn above(atoms: &mut Atoms, width: u32, a: &Value, b: &Value) -> Result<Value, Refused> {
    let less = a.minus(b)?.minus(&constant(1))?;
    constant(1).plus(&atoms.split(&less, width)?.0)
}

/// Returns 1 if a > b as signed integers, otherwise 0.
fn exceeds(atoms: &mut Atoms, width: u32, a: &Value, b: &Value) -> Result<Value, Refused> {
    let (a, b) = (signed(atoms, a, width)?, signed(atoms, b, width)?);
    above(atoms, width, &a, &b)
}

/// Returns 1 if the integers are equal, otherwise 0.
fn equal(atoms: &mut Atoms, width: u32, a: &Value, b: &Value) -> Result<Value, Refused> {
    let (a, b) = (unsigned(atoms, a, width)?, unsigned(atoms, b, width)?);
    match a.minus(&b)? {
        same if same.number() == Some(0) => Ok(constant(1)),
        other if other.low > 0 || other.high < 0 => Ok(constant(0)),
        other if other.within(0, 1) => constant(1).minus(&other),
        // Neither a − b nor b − a is below 0: their signs are 0 or −1, and not both −1.
        other => {
            let (below, above) =
                (atoms.split(&other, width)?.0, atoms.split(&constant(0).minus(&other)?, width)?.0);
            let both = constant(1).plus(&below)?.plus(&above)?;
            Ok(Value { low: 0, high: 1, ..both })
        }
    }
}

/// Returns the smaller of two unsigned integers. With x and x + c, where c > 0 and x is at least −c, that is x if x is
/// not negative, otherwise x + c.
fn smaller(atoms: &mut Atoms, width: u32, a: &Value, b: &Value) -> Result<Value, Refused> {
    for (x, other) in [(a, b), (b, a)] {
        let difference = other.minus(x)?.number();
        if let Some(c) =
            difference.filter(|c| (0..=1 << width).contains(c) && x.low >= -c && x.high + c < 1 << width)
        {
            let negative = constant(0).minus(&atoms.split(x, width)?.0)?;
            let value = x.plus(&negative.times(&constant(c))?)?;
            return Ok(Value { low: x.low.max(0), high: x.high.max(c - 1), ..value });
        }
    }
    let (a, b) = (unsigned(atoms, a, width)?, unsigned(atoms, b, width)?);
    let less = atoms.split(&a.minus(&b)?, width)?.0;
    selected(atoms, width, &constant(0).minus(&less)?, &a, &b)
}

/// Returns the instruction's function of two integers of a width, lane by lane.
pub fn binary(mnemonic: Mnemonic) -> Option<(u32, Binary)> {
    use Mnemonic::*;
    let add: Binary =
        |atoms, _, a, b| if b.poly.single().is_some() { atoms.sum(a, b) } else { atoms.sum(b, a) };
    let subtract: Binary = |atoms, _, a, b| atoms.difference(a, b);
    // Constants are signed here, for the bounds.
    let low_product: Binary = |atoms, width, a, b| {
        let small = |atoms: &mut Atoms, x: &Value| match x.number() {
            Some(_) => signed(atoms, x, width),
            None => Ok(x.clone()),
        };
        small(atoms, a)?.times(&small(atoms, b)?)
    };
    let high_signed: Binary = |atoms, width, a, b| {
        let product = signed(atoms, a, width)?.times(&signed(atoms, b, width)?)?;
        Ok(atoms.split(&product, width)?.0)
    };
    let high_unsigned: Binary = |atoms, width, a, b| {
        let product = unsigned(atoms, a, width)?.times(&unsigned(atoms, b, width)?)?;
        Ok(atoms.split(&product, width)?.0)
    };
    let and_not: Binary = |atoms, width, a, b| and(atoms, width, &not(a)?, b);
    let high_rounded: Binary = |atoms, width, a, b| {
        let product = signed(atoms, a, width)?.times(&signed(atoms, b, width)?)?;
        Ok(atoms.split(&product.plus(&constant(1 << (width - 2)))?, width - 1)?.0)
    };
    let minimum: Binary = |atoms, width, a, b| smaller(atoms, width, a, b);
    // All that is known of it is its bounds.
    let maximum: Binary = |atoms, width, a, b| {
        let (a, b) = (unsigned(atoms, a, width)?, unsigned(atoms, b, width)?);
        Ok(atoms.input(a.low.max(b.low), a.high.max(b.high)))
    };
    let saturated: Binary =
        |atoms, width, a, b| match unsigned(atoms, a, width)?.minus(&unsigned(atoms, b, width)?)? {
            difference if difference.high <= 0 => Ok(constant(0)),
            difference if difference.low >= 0 => Ok(difference),
            _ => Err("a difference that may saturate".to_owned()),
        };
    let greater: Binary = |atoms, width, a, b| constant(0).minus(&exceeds(atoms, width, a, b)?);
    let same: Binary = |atoms, width, a, b| constant(0).minus(&equal(atoms, width, a, b)?);
    let function = match mnemonic {
        Vpaddq | Vpaddd | Vpaddw => add,
        Vpsubq | Vpsubd | Vpsubw => subtract,
        Vpmullq | Vpmulld | Vpmullw => low_product,
        Vpmulhw => high_signed,
        Vpmulhuw => high_unsigned,
        Vpmulhrsw => high_rounded,
        Vpsubusw => saturated,
        Vpminud | Vpminuw => minimum,
        Vpmaxud | Vpmaxuw => maximum,
        Vpand | Vpandq | Vpandd | Vandps | Vandpd => and,
        Vpandn | Vpandnq | Vpandnd | Vandnps | Vandnpd => and_not,
        Vpor | Vporq | Vpord | Vorps | Vorpd => any,
        Vpxor | Vpxorq | Vpxord | Vxorps | Vxorpd => xor,
        Vpcmpgtq | Vpcmpgtd | Vpcmpgtw => greater,
        Vpcmpeqq | Vpcmpeqd => same,
        _ => return None,
    };
    Some((if is_logic(mnemonic) { 64 } else { width_of(mnemonic) }, function))
}

/// Runs an instruction on vectors.
fn vector(machine: &mut Machine, instruction: &Instruction, constants: Constants) -> Result<(), Refused> {
    use Mnemonic::*;
    let mnemonic = instruction.mnemonic();
    let bytes = Machine::bytes(instruction, 0);
    let last = instruction.op_count() - 1;
    let immediate = || instruction.immediate(last);
    let read =
        |machine: &mut Machine, i: u32, width: u32| machine.operand(instruction, i, constants, width, bytes);
    let is = |i: u32, j: u32| {
        instruction.op_kind(i) == OpKind::Register
            && instruction.op_kind(j) == OpKind::Register
            && instruction.op_register(i) == instruction.op_register(j)
    };
    // A comparison into a mask register has as many bytes as its operands.
    if instruction.op_kind(0) == OpKind::Register && instruction.op_register(0).is_k() {
        return comparison(machine, instruction, constants);
    }
    if let Some((width, function)) = binary(mnemonic) {
        let zero = matches!(mnemonic, Vpxor | Vpxorq | Vpxord | Vxorps | Vxorpd) && is(1, 2);
        let ones = matches!(mnemonic, Vpcmpeqd | Vpcmpeqq) && is(1, 2);
        let width = match is_logic(mnemonic) && !zero && instruction.op_mask() == Register::None {
            true => machine.smallest(instruction, [1, 2], constants, bytes)?,
            false => width,
        };
        let parts = if zero || ones {
            vec![constant(if ones { -1 } else { 0 }); bytes * 8 / width as usize]
        } else {
            let (a, b) = (read(machine, 1, width)?, read(machine, 2, width)?);
            let atoms = &mut machine.atoms;
            a.iter().zip(&b).map(|(a, b)| function(atoms, width, a, b)).collect::<Result<_, _>>()?
        };
        // Conditions are written by lanes of 32 or 64 bits.
        return machine.set_vector(instruction, constants, width, parts);
    }
    let (width, parts) = match mnemonic {
        Vmovdqu | Vmovdqa | Vmovups | Vmovaps | Vmovupd | Vmovapd | Vmovdqu64 | Vmovdqa64 | Vmovdqu32
        | Vmovdqa32 | Vmovdqu8 | Vmovdqu16 => {
            let width = match mnemonic {
                Vmovdqu32 | Vmovdqa32 => 32,
                Vmovdqu16 => 16,
                _ => 64,
            };
            if instruction.op_mask() != Register::None
                && !matches!(mnemonic, Vmovdqu64 | Vmovdqa64 | Vmovdqu32 | Vmovdqa32 | Vmovdqu16)
            {
                return Err("not modelled with a mask".to_owned());
            }
            let lanes = machine.lanes(instruction, 1, constants, width, bytes)?;
            return machine.set_lanes(instruction, constants, width, lanes);
        }
        Vpbroadcastq | Vbroadcastsd | Vpbroadcastd | Vbroadcastss | Vpbroadcastw => {
            let element = match mnemonic {
                Vpbroadcastq | Vbroadcastsd => 64,
                Vpbroadcastw => 16,
                _ => 32,
            };
            let parts = match instruction.op_kind(1) {
                OpKind::Memory => {
                    let (region, at) = machine.address(instruction, constants)?;
                    machine.broadcast(region, at, element, element, bytes)?
                }
                _ if instruction.op_register(1).is_vector_register() => {
                    let first = machine.vector(instruction.op_register(1), 8)?.remove(0);
                    let first = first.parts(&mut machine.atoms, element)?.remove(0);
                    vec![first; bytes * 8 / element as usize]
                }
                _ => match machine.scalar(instruction.op_register(1).full_register())? {
                    Word::Number(number) => {
                        let number = i128::from(number) & ((1 << element) - 1);
                        vec![constant(number); bytes * 8 / element as usize]
                    }
                    _ => return Err("a pointer in a vector".to_owned()),
                },
            };
            (element, parts)
        }
        Vbroadcasti128 | Vbroadcastf128 | Vbroadcasti32x4 | Vbroadcasti64x2 | Vbroadcasti64x4
        | Vbroadcastf32x4 => {
            let part = Machine::bytes(instruction, 1);
            let parts = machine.operand(instruction, 1, constants, 64, part)?;
            (64, parts.iter().cycle().take(bytes / 8).cloned().collect())
        }
        Vmovq | Vmovd if instruction.op_register(0).is_xmm() || instruction.op_kind(0) == OpKind::Memory => {
            let element = if mnemonic == Vmovq { 64 } else { 32 };
            let word = match instruction.op_kind(1) {
                OpKind::Register if instruction.op_register(1).is_vector_register() => machine
                    .vector(instruction.op_register(1), 8)?
                    .remove(0)
                    .parts(&mut machine.atoms, element)?
                    .remove(0),
                OpKind::Register => match machine.scalar(instruction.op_register(1).full_register())? {
                    Word::Number(number) => constant(i128::from(number) & ((1 << element) - 1)),
                    _ => return Err("a pointer in a vector".to_owned()),
                },
                _ if element == 64 => {
                    let (region, at) = machine.address(instruction, constants)?;
                    machine.read_cells(region, at, 8)?.remove(0).whole(&mut machine.atoms)?
                }
                _ => return Err("not modelled".to_owned()),
            };
            if instruction.op_kind(0) == OpKind::Memory {
                if element != 64 {
                    return Err("not modelled".to_owned());
                }
                (64, vec![word])
            } else {
                let word = unsigned(&mut machine.atoms, &word, element)?;
                (64, vec![word, constant(0)])
            }
        }
        Vpmuludq | Vpmuldq | Vpmaddwd => {
            let half = if mnemonic == Vpmaddwd { 16 } else { 32 };
            let convert = if mnemonic == Vpmuludq { unsigned } else { signed };
            let (a, b) = (read(machine, 1, half)?, read(machine, 2, half)?);
            let atoms = &mut machine.atoms;
            let products = a.iter().zip(&b).enumerate().filter(|(i, _)| half == 16 || i % 2 == 0);
            let products =
                products.map(|(_, (a, b))| convert(atoms, a, half)?.times(&convert(atoms, b, half)?));
            let products: Vec<Value> = products.collect::<Result<_, _>>()?;
            match mnemonic {
                Vpmaddwd => {
                    (32, products.chunks(2).map(|pair| pair[0].plus(&pair[1])).collect::<Result<_, _>>()?)
                }
                _ => (64, products),
            }
        }
        Vpmadd52luq | Vpmadd52huq => {
            let (sum, a, b) = (read(machine, 0, 64)?, read(machine, 1, 64)?, read(machine, 2, 64)?);
            let atoms = &mut machine.atoms;
            let mut parts = Vec::new();
            for ((sum, a), b) in sum.iter().zip(&a).zip(&b) {
                // Only the low 52 bits of a factor are multiplied.
                let product = atoms.split(a, 52)?.1.times(&atoms.split(b, 52)?.1)?;
                let (high, low) = atoms.split(&product, 52)?;
                parts.push(sum.plus(if mnemonic == Vpmadd52luq { &low } else { &high })?);
            }
            (64, parts)
        }
        Vpsllq | Vpsrlq | Vpsraq | Vpslld | Vpsrld | Vpsrad | Vpsllw | Vpsrlw | Vpsraw => {
            let (width, how) = (width_of(mnemonic), Shift::of(mnemonic));
            let by = match instruction.op_kind(last) {
                OpKind::Immediate8 => i128::from(immediate()),
                _ => {
                    let by = machine.vector(instruction.op_register(last), 8)?.remove(0);
                    let by = by.whole(&mut machine.atoms)?;
                    unsigned(&mut machine.atoms, &by, 64)?.number().ok_or("a shift that depends on inputs")?
                }
            };
            if by % 16 == 0 && (16..i128::from(width)).contains(&by) && !matches!(how, Shift::Signed) {
                // Whole integers move.
                let part = if by == 32 { 32 } else { 16 };
                let lanes = machine.lanes(instruction, 1, constants, part, bytes)?;
                let (count, by) = ((width / part) as usize, by as usize / part as usize);
                let zero = Cell { width: part, parts: vec![constant(0)] };
                let from = |i: usize| match how {
                    Shift::Left => (i % count).checked_sub(by).map(|place| i / count * count + place),
                    _ => Some(i + by).filter(|_| i % count + by < count),
                };
                let lane = |i: usize| from(i).map_or(zero.clone(), |from| lanes[from].clone());
                let moved: Vec<Cell> = (0..lanes.len()).map(lane).collect();
                if instruction.op_mask() != Register::None {
                    return Err("not modelled with a mask".to_owned());
                }
                return machine.set_lanes(instruction, constants, part, moved);
            }
            let parts = read(machine, 1, width)?;
            let atoms = &mut machine.atoms;
            (width, parts.iter().map(|part| shifted(atoms, width, how, part, by)).collect::<Result<_, _>>()?)
        }
        Vpsllvq | Vpsrlvq | Vpsravq | Vpsllvd | Vpsrlvd | Vpsravd => {
            let (width, how) = (width_of(mnemonic), Shift::of(mnemonic));
            let (parts, by) = (read(machine, 1, width)?, read(machine, 2, width)?);
            let mut all = Vec::new();
            for (part, by) in parts.iter().zip(&by) {
                let by = unsigned(&mut machine.atoms, by, width)?.number();
                let by = by.ok_or("a shift that depends on inputs")?;
                all.push(shifted(&mut machine.atoms, width, how, part, by & ((1 << width) - 1))?);
            }
            (width, all)
        }
        Vpternlogq | Vpternlogd => {
            let width = width_of(mnemonic);
            let table = immediate() as u8;
            if table == 0xff {
                (width, vec![constant(-1); bytes * 8 / width as usize])
            } else {
                let (a, b, c) =
                    (read(machine, 0, width)?, read(machine, 1, width)?, read(machine, 2, width)?);
                let mut all = Vec::new();
                for ((a, b), c) in a.iter().zip(&b).zip(&c) {
                    all.push(ternary(&mut machine.atoms, width, table, [a, b, c])?);
                }
                (width, all)
            }
        }
        Vpblendvb | Vblendvpd => {
            let (a, b, mask) = (read(machine, 1, 64)?, read(machine, 2, 64)?, read(machine, 3, 64)?);
            let mut all = Vec::new();
            for ((a, b), mask) in a.iter().zip(&b).zip(&mask) {
                if !mask.within(-1, 0) {
                    return Err("a mask that is neither 0 nor −1".to_owned());
                }
                all.push(selected(&mut machine.atoms, 64, &constant(0).minus(mask)?, b, a)?);
            }
            (64, all)
        }
        Vpblendmq | Vpblendmd | Vpblendmw => {
            let width = width_of(mnemonic);
            let (a, b) = (read(machine, 1, width)?, read(machine, 2, width)?);
            let mask = match instruction.op_mask() {
                Register::None => vec![constant(1); a.len()],
                mask => machine.lanes_of_mask(mask, a.len())?,
            };
            let mut all = Vec::new();
            for ((a, b), one) in a.iter().zip(&b).zip(&mask) {
                let no = if instruction.zeroing_masking() { &constant(0) } else { a };
                all.push(selected(&mut machine.atoms, width, one, b, no)?);
            }
            let cells =
                all.chunks(64 / width as usize).map(|parts| Cell { width, parts: parts.to_vec() }).collect();
            return machine.set_cells(instruction, constants, cells);
        }
        Vpmovsxwd | Vpmovsxdq | Vpmovzxwd | Vpmovzxdq => {
            let from = if matches!(mnemonic, Vpmovsxwd | Vpmovzxwd) { 16 } else { 32 };
            let convert = if matches!(mnemonic, Vpmovsxwd | Vpmovsxdq) { signed } else { unsigned };
            let parts = machine.operand(instruction, 1, constants, from, bytes / 2)?;
            let atoms = &mut machine.atoms;
            (2 * from, parts.iter().map(|part| convert(atoms, part, from)).collect::<Result<_, _>>()?)
        }
        Vpmovdw | Vpmovqd => {
            let to = if mnemonic == Vpmovdw { 16 } else { 32 };
            let whole = Machine::bytes(instruction, 1);
            let parts = machine.operand(instruction, 1, constants, to, whole)?;
            (to, parts.into_iter().step_by(2).collect())
        }
        Vpackssdw => {
            let (a, b) = (read(machine, 1, 32)?, read(machine, 2, 32)?);
            let mut all = Vec::new();
            for (a, b) in a.chunks(4).zip(b.chunks(4)) {
                for part in a.iter().chain(b) {
                    let part = signed(&mut machine.atoms, part, 32)?;
                    if !part.within(-(1 << 15), (1 << 15) - 1) {
                        return Err("an integer that may saturate".to_owned());
                    }
                    all.push(part);
                }
            }
            (16, all)
        }
        _ => {
            let (width, lanes) = permutation(machine, instruction, constants)?;
            return machine.set_lanes(instruction, constants, width, lanes);
        }
    };
    machine.set_vector(instruction, constants, width, parts)
}

/// Returns the result of an instruction that only moves integers between lanes.
fn permutation(
    machine: &mut Machine,
    instruction: &Instruction,
    constants: Constants,
) -> Result<(u32, Vec<Cell>), Refused> {
    use Mnemonic::*;
    let mnemonic = instruction.mnemonic();
    let bytes = Machine::bytes(instruction, 0);
    let immediate = instruction.immediate_if_any();
    let mut read = |i: u32, width: u32, bytes: usize| machine.lanes(instruction, i, constants, width, bytes);
    // The lanes of all operands, one after the other, and where each lane of the result comes from.
    let (width, lanes, from): (u32, Vec<Cell>, Vec<usize>) = match mnemonic {
        Vpermq | Vpermpd if instruction.op_kind(2) == OpKind::Immediate8 => {
            let lanes = read(1, 64, bytes)?;
            (64, lanes, (0..bytes / 8).map(|i| i & !3 | (immediate >> (2 * (i % 4)) & 3) as usize).collect())
        }
        Vpermq | Vpermd => {
            let width = width_of(mnemonic);
            let (order, lanes) = (read(1, width, bytes)?, read(2, width, bytes)?);
            let from = numbers(&mut machine.atoms, width, &order)?
                .into_iter()
                .map(|from| from as usize % lanes.len())
                .collect();
            (width, lanes, from)
        }
        Vpshufb => {
            let (mut lanes, order) = (read(1, 8, bytes)?, read(2, 8, bytes)?);
            let count = lanes.len();
            lanes.push(Cell { width: 8, parts: vec![constant(0)] });
            let from = numbers(&mut machine.atoms, 8, &order)?.into_iter().enumerate();
            let from = from.map(|(i, from)| if from >= 128 { count } else { i & !15 | from as usize & 15 });
            (8, lanes, from.collect())
        }
        Vpermt2q | Vpermi2q | Vpermt2d | Vpermi2d | Vpermt2w | Vpermi2w => {
            let width = width_of(mnemonic);
            let is_table = matches!(mnemonic, Vpermt2q | Vpermt2d | Vpermt2w);
            let (order, first) = if is_table { (1, 0) } else { (0, 1) };
            let (order, mut lanes) = (read(order, width, bytes)?, read(first, width, bytes)?);
            lanes.extend(read(2, width, bytes)?);
            let from = numbers(&mut machine.atoms, width, &order)?
                .into_iter()
                .map(|from| from as usize % lanes.len())
                .collect();
            (width, lanes, from)
        }
        Vpunpcklqdq | Vpunpckhqdq | Vpunpckldq | Vpunpckhdq | Vpunpcklwd | Vpunpckhwd | Vunpcklpd
        | Vunpckhpd => {
            let width = match mnemonic {
                Vpunpckldq | Vpunpckhdq => 32,
                Vpunpcklwd | Vpunpckhwd => 16,
                _ => 64,
            };
            let high = matches!(mnemonic, Vpunpckhqdq | Vpunpckhdq | Vpunpckhwd | Vunpckhpd);
            let mut lanes = read(1, width, bytes)?;
            let count = lanes.len();
            lanes.extend(read(2, width, bytes)?);
            let block = 128 / width as usize;
            let from = (0..count).map(|i| {
                let place = i % block / 2 + if high { block / 2 } else { 0 };
                i / block * block + place + if i % 2 == 1 { count } else { 0 }
            });
            (width, lanes, from.collect())
        }
        Vprold if immediate == 16 => {
            let lanes = read(1, 16, bytes)?;
            let from = (0..lanes.len()).map(|i| i ^ 1).collect();
            (16, lanes, from)
        }
        Vshufps => {
            let mut lanes = read(1, 32, bytes)?;
            let count = lanes.len();
            lanes.extend(read(2, 32, bytes)?);
            let from = (0..count).map(|i| {
                let place = (immediate >> (2 * (i % 4)) & 3) as usize;
                i & !3 | place | if i % 4 < 2 { 0 } else { count }
            });
            let from = from.map(|from| if from >= count { count + (from - count) } else { from }).collect();
            (32, lanes, from)
        }
        Vperm2i128 | Vperm2f128 => {
            let mut lanes = read(1, 64, 32)?;
            lanes.extend(read(2, 64, 32)?);
            if immediate & 0x88 != 0 {
                return Err("not modelled with zeros".to_owned());
            }
            let from = (0..4).map(|i| 2 * (immediate >> (4 * (i / 2)) & 3) as usize + i % 2);
            (64, lanes, from.collect())
        }
        Vshufi64x2 | Vshuff64x2 | Vshufi32x4 => {
            let mut lanes = read(1, 64, bytes)?;
            let count = lanes.len();
            lanes.extend(read(2, 64, bytes)?);
            let (blocks, bits) = (count / 2, if count == 8 { 2 } else { 1 });
            let from = (0..count).map(|i| {
                let block = (immediate >> (bits * (i / 2)) & ((1 << bits) - 1)) as usize;
                (if i / 2 < blocks / 2 { 0 } else { count }) + 2 * block + i % 2
            });
            (64, lanes, from.collect())
        }
        Vpblendd | Vpblendw => {
            let width = width_of(mnemonic);
            let mut lanes = read(1, width, bytes)?;
            let count = lanes.len();
            lanes.extend(read(2, width, bytes)?);
            let from = (0..count).map(|i| if immediate >> (i % 8) & 1 == 1 { count + i } else { i });
            (width, lanes, from.collect())
        }
        Vmovshdup | Vmovsldup => {
            let lanes = read(1, 32, bytes)?;
            let odd = usize::from(mnemonic == Vmovshdup);
            let from = (0..lanes.len()).map(|i| i & !1 | odd).collect();
            (32, lanes, from)
        }
        Vpshuflw | Vpshufhw => {
            let (lanes, first) = (read(1, 16, bytes)?, if mnemonic == Vpshufhw { 4 } else { 0 });
            let from = (0..lanes.len()).map(|i| match (i & 7).checked_sub(first) {
                Some(place) if place < 4 => i / 8 * 8 + first + (immediate >> (2 * place) & 3) as usize,
                _ => i,
            });
            let from = from.collect();
            (16, lanes, from)
        }
        Vpshufd | Vpermilps if instruction.op_kind(2) == OpKind::Immediate8 => {
            let lanes = read(1, 32, bytes)?;
            let from = (0..lanes.len()).map(|i| i & !3 | (immediate >> (2 * (i % 4)) & 3) as usize);
            let from = from.collect();
            (32, lanes, from)
        }
        Vinserti128 | Vinsertf128 | Vinserti64x4 | Vinserti64x2 | Vinserti32x4 => {
            let part = if mnemonic == Vinserti64x4 { 32 } else { 16 };
            let mut lanes = read(1, 64, bytes)?;
            let count = lanes.len();
            lanes.extend(read(2, 64, part)?);
            let place = immediate as usize % (bytes / part) * (part / 8);
            let from = (0..count)
                .map(|i| if (place..place + part / 8).contains(&i) { count + i - place } else { i });
            (64, lanes, from.collect())
        }
        Vextracti128 | Vextractf128 | Vextracti64x4 | Vextracti32x4 | Vextracti64x2 => {
            let whole = Machine::bytes(instruction, 1);
            let lanes = read(1, 64, whole)?;
            let place = immediate as usize % (whole / bytes) * (bytes / 8);
            (64, lanes, (place..place + bytes / 8).collect())
        }
        _ => return Err("not modelled".to_owned()),
    };
    let lane = |from: usize| lanes.get(from).cloned().ok_or_else(|| format!("no lane {from}"));
    Ok((width, from.into_iter().map(lane).collect::<Result<_, _>>()?))
}

fn numbers(atoms: &mut Atoms, width: u32, lanes: &[Cell]) -> Result<Vec<u64>, Refused> {
    let mut number = |lane: &Cell| -> Result<u64, Refused> {
        let part = lane.parts(atoms, width)?.remove(0);
        let part = unsigned(atoms, &part, width)?;
        Ok(part.number().ok_or("an order that depends on inputs")? as u64)
    };
    lanes.iter().map(&mut number).collect()
}

/// Runs a comparison into a mask register.
fn comparison(machine: &mut Machine, instruction: &Instruction, constants: Constants) -> Result<(), Refused> {
    use Mnemonic::*;
    if instruction.op_mask() != Register::None {
        return Err("not modelled with a mask".to_owned());
    }
    let bytes = Machine::bytes(instruction, 1);
    let mnemonic = instruction.mnemonic();
    let width = match mnemonic {
        Vpcmpgtq | Vpcmpeqq | Vpcmpq | Vpcmpuq | Vptestnmq | Vptestmq | Vpcmpgtd | Vpcmpeqd | Vpcmpd
        | Vpcmpud | Vpcmpgtw | Vpcmpeqw | Vpcmpw | Vpcmpuw => width_of(mnemonic),
        _ => return Err("not modelled".to_owned()),
    };
    // The predicate of the instruction, and whether the result is what it does not say.
    let (predicate, negated) = match (mnemonic, instruction.immediate_if_any()) {
        (Vpcmpgtq | Vpcmpgtd | Vpcmpgtw, _) => (2, true),
        (Vpcmpeqq | Vpcmpeqd | Vpcmpeqw | Vptestnmq, _) => (0, false),
        (Vptestmq, _) => (0, true),
        (_, immediate) => (immediate & 3, immediate & 4 != 0),
    };
    let a = machine.operand(instruction, 1, constants, width, bytes)?;
    let mut b = machine.operand(instruction, 2, constants, width, bytes)?;
    if matches!(mnemonic, Vptestnmq | Vptestmq) {
        if instruction.op_register(1) != instruction.op_register(2) {
            return Err("a test of two registers".to_owned());
        }
        b = vec![constant(0); b.len()];
    }
    let is_unsigned = matches!(mnemonic, Vpcmpuq | Vpcmpud | Vpcmpuw);
    let atoms = &mut machine.atoms;
    let mut lanes = Vec::new();
    for (a, b) in a.iter().zip(&b) {
        let convert = if is_unsigned { unsigned } else { signed };
        let (a, b) = (convert(atoms, a, width)?, convert(atoms, b, width)?);
        let one = match predicate {
            0 => equal(atoms, width, &a, &b)?,
            1 => above(atoms, width, &b, &a)?,
            2 => constant(1).minus(&above(atoms, width, &a, &b)?)?,
            _ => return Err("not modelled".to_owned()),
        };
        lanes.push(if negated { constant(1).minus(&one)? } else { one });
    }
    // The bits above are 0.
    lanes.resize(64, constant(0));
    machine.masks[instruction.op_register(0).number()] = Some(lanes);
    Ok(())
}

trait Immediate {
    /// Returns the last operand if it is a number, otherwise 0.
    fn immediate_if_any(&self) -> u64;
}

impl Immediate for Instruction {
    fn immediate_if_any(&self) -> u64 {
        let last = self.op_count() - 1;
        if self.op_kind(last) == OpKind::Immediate8 { self.immediate(last) } else { 0 }
    }
}
