//! Routines that were changed a little, each of which has to be refused.

use iced_x86::{Code, Instruction, OpKind, Register};

use crate::code::Routine;

/// Instructions, and what to put instead, by parts of their names.
const OTHERS: [(&str, &str); 11] = [
    ("52luq", "52huq"),
    ("52huq", "52luq"),
    ("Vpaddq", "Vpsubq"),
    ("Vpaddd", "Vpsubd"),
    ("Vpaddw", "Vpsubw"),
    ("Vpsubw", "Vpaddw"),
    ("Vpsubd", "Vpaddd"),
    ("Vpmulhw", "Vpmullw"),
    ("Vpmullw", "Vpmulhw"),
    ("Vpsrlq", "Vpsllq"),
    ("Vpminuw", "Vpmaxuw"),
];

/// A change, in words, and what it makes of a routine.
pub type Change = (String, Routine);

/// Returns up to `count` changes of each kind, at places that are spread over the instructions that were executed after
/// this many conditional jumps.
pub fn changes(routine: &Routine, seen: &[bool], jumps: usize, count: usize) -> Vec<Change> {
    let numbered = || routine.instructions.iter().enumerate();
    let jumped = numbered().filter(|(_, instruction)| instruction.is_jcc_short_or_near()).map(|(i, _)| i + 1);
    // If nothing follows the last of them, it belonged to a loop.
    let starts: Vec<usize> = std::iter::once(0).chain(jumped.take(jumps)).collect();
    let after = |first: usize| -> Vec<usize> {
        let executed = numbered()
            .filter(|(i, other)| *i >= first && seen[*i] && other.op_count() > 1 && is_arithmetic(other));
        executed.map(|(i, _)| i).collect()
    };
    let vectors = starts.into_iter().rev().map(after).find(|found| found.len() > 20).unwrap_or_default();
    let mut all = Vec::new();
    let kinds: [fn(&Routine, usize) -> Option<Change>; 5] = [left_out, other, exchanged, shifted, constant];
    for (k, kind) in kinds.into_iter().enumerate() {
        // From another place for each kind.
        let start = k * vectors.len() / kinds.len();
        let places = (0..vectors.len()).map(|i| vectors[(start + i) % vectors.len()]);
        let possible: Vec<Change> = places.filter_map(|place| kind(routine, place)).collect();
        let step = possible.len().div_ceil(count).max(1);
        all.extend(possible.into_iter().step_by(step));
    }
    all
}

fn is_arithmetic(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic());
    name.starts_with('V') && !name.starts_with("Vmov") && name != "Vzeroupper"
}

fn changed(routine: &Routine, at: usize, what: &str, instruction: Instruction) -> Option<Change> {
    let mut routine = routine.clone();
    let name = format!("{} at {:#x}: {what}", routine.instructions[at], routine.instructions[at].ip());
    routine.instructions[at] = instruction;
    Some((name, routine))
}

fn left_out(routine: &Routine, at: usize) -> Option<Change> {
    let mut nothing = Instruction::new();
    nothing.set_code(Code::Nopd);
    nothing.set_ip(routine.instructions[at].ip());
    nothing.set_len(routine.instructions[at].len());
    changed(routine, at, "left out", nothing)
}

fn other(routine: &Routine, at: usize) -> Option<Change> {
    let mut instruction = routine.instructions[at];
    let name = format!("{:?}", instruction.code());
    let (from, to) = OTHERS.iter().find(|(from, _)| name.contains(from))?;
    let wanted = name.replace(from, to);
    let code = Code::values().find(|code| format!("{code:?}") == wanted)?;
    instruction.set_code(code);
    changed(routine, at, to, instruction)
}

/// Another register as the second operand, with what an earlier instruction wrote.
fn exchanged(routine: &Routine, at: usize) -> Option<Change> {
    let mut instruction = routine.instructions[at];
    let operand = instruction.op_count() - 1;
    let operand = if instruction.op_kind(operand) == OpKind::Register { operand } else { 1 };
    if instruction.op_kind(operand) != OpKind::Register
        || !instruction.op_register(operand).is_vector_register()
    {
        return None;
    }
    let old = instruction.op_register(operand);
    let earlier = routine.instructions[..at].iter().rev().filter(|other| other.op_count() > 0);
    let mut written =
        earlier.filter(|other| other.op_kind(0) == OpKind::Register).map(|other| other.op_register(0));
    let new = written.find(|new| new.size() == old.size() && *new != old && new.is_vector_register())?;
    if instruction.op_register(0) == Register::None {
        return None;
    }
    instruction.set_op_register(operand, new);
    changed(routine, at, &format!("{new:?} instead of {old:?}"), instruction)
}

fn shifted(routine: &Routine, at: usize) -> Option<Change> {
    let mut instruction = routine.instructions[at];
    let last = instruction.op_count() - 1;
    let is_shift = ["Vpsll", "Vpsrl", "Vpsra"]
        .iter()
        .any(|name| format!("{:?}", instruction.mnemonic()).starts_with(name));
    if !is_shift || instruction.op_kind(last) != OpKind::Immediate8 {
        return None;
    }
    let other = instruction.immediate8() ^ 1;
    instruction.set_immediate8(other);
    changed(routine, at, &format!("{other} instead of {}", other ^ 1), instruction)
}

/// A constant with one of its low bits changed.
fn constant(routine: &Routine, at: usize) -> Option<Change> {
    let instruction = routine.instructions[at];
    let constant = routine.constants.get(&instruction.ip()).filter(|constant| !constant.is_address)?;
    let mut routine = routine.clone();
    *routine.sections[constant.section].get_mut(usize::try_from(constant.at).ok()?)? ^= 0x80;
    Some((format!("{instruction} at {:#x}: another constant", instruction.ip()), routine))
}
