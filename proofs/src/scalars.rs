//! Functions over lists of elements of Fr, as whole functions: they read, multiply, reduce and write.

use std::ops::RangeInclusive;

use num_bigint::BigInt;

use crate::claims::{Argument, Claim, Layout, Proof};
use crate::code::Routine;
use crate::instructions::run;
use crate::machine::{Cell, Machine, Word};
use crate::values::{Expected, Number, Refused, Value};

/// The modulus, as words, the least significant first.
const R: [u64; 4] =
    [0xffff_ffff_0000_0001, 0x53bd_a402_fffe_5bfe, 0x3339_d808_09a1_d805, 0x73ed_a753_299d_7d48];

/// The highest bit of a word.
const SIGN: u64 = 1 << 63;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Function {
    /// Reads encodings.
    Decode,
    /// Writes encodings.
    Encode,
    /// Multiplies in place.
    Scale,
}

/// A function of an instruction set, called for two vectors of elements, in each of two rows of `Scale`.
#[derive(Clone, Copy)]
pub struct ListClaim {
    function: Function,
    row: &'static str,
    lanes: usize,
    /// Of the claim; another one is wrong.
    modulus: [u64; 4],
    exponent: u32,
}

/// Returns all claims on lists.
pub fn claims() -> Vec<ListClaim> {
    let rows = [("Avx2", 4), ("AvxIfma", 4), ("Avx512", 8), ("Ifma", 8)];
    let functions = [Function::Decode, Function::Encode, Function::Scale];
    let claim = |function, (row, lanes)| ListClaim { function, row, lanes, modulus: R, exponent: 256 };
    functions.into_iter().flat_map(|function| rows.map(|row| claim(function, row))).collect()
}

fn number(words: &[u64]) -> BigInt {
    words.iter().rev().fold(BigInt::ZERO, |sum, word| (sum << 64) + word)
}

impl ListClaim {
    /// Returns the number of elements: two vectors, in each of two rows of `scale`.
    fn count(&self) -> usize {
        if self.function == Function::Scale { 4 * self.lanes } else { 2 * self.lanes }
    }

    /// Returns the factor's number for an element.
    fn row_of(&self, element: usize) -> usize {
        element / (2 * self.lanes)
    }

    /// Returns whether a buffer has encodings, whose bytes are the most significant first.
    fn is_encoded(&self, buffer: usize) -> bool {
        matches!((self.function, buffer), (Function::Decode, 2) | (Function::Encode, 0))
    }

    /// Returns the buffer that is multiplied.
    fn source(&self) -> usize {
        if self.function == Function::Scale { 0 } else { 2 }
    }

    /// Returns the words of an element in a buffer, the least significant first.
    fn element(&self, buffer: usize, words: &[u64], element: usize) -> Vec<u64> {
        let words = &words[4 * element..4 * element + 4];
        match self.is_encoded(buffer) {
            true => words.iter().rev().map(|word| word.swap_bytes()).collect(),
            false => words.to_vec(),
        }
    }
}

/// What a call did.
struct Run {
    machine: Machine,
    /// The words of each buffer before it.
    values: Vec<Vec<Value>>,
    output: usize,
    steps: usize,
    returned: Option<u64>,
}

impl ListClaim {
    /// Runs the routine on elements below r, with highest words of encodings below R[3]; or on an encoding whose
    /// highest word is in a range, and any others.
    fn run(
        &self,
        routine: &Routine,
        large: Option<(usize, RangeInclusive<u64>)>,
        seen: &mut [bool],
    ) -> Result<Run, Refused> {
        let mut machine = Machine::new(routine.entry);
        let layout = self.layout();
        let (mut values, mut buffers) = (Vec::new(), Vec::new());
        for (buffer, words) in layout.buffers.iter().enumerate() {
            if buffer == 0 && self.source() != 0 {
                values.push(Vec::new());
                buffers.push(Word::Pointer { region: machine.output(*words), at: 0 });
                continue;
            }
            let encoded = self.is_encoded(buffer);
            let bounds = |i: usize| match &large {
                _ if i % 4 < 3 => 0..=u64::MAX,
                Some((element, range)) if encoded && i / 4 == *element => range.clone(),
                Some(_) if encoded => 0..=u64::MAX,
                _ => 0..=R[3] - u64::from(encoded),
            };
            let mut word =
                |i: usize| machine.atoms.input((*bounds(i).start()).into(), (*bounds(i).end()).into());
            let limbs: Vec<Value> = (0..*words).map(&mut word).collect();
            let mut cells: Vec<Cell> = limbs.iter().map(|value| Cell::integer(value.clone())).collect();
            if encoded {
                turn(&mut machine, &mut cells)?;
            }
            values.push(limbs);
            let region = machine.region(cells.into_iter().map(Word::Cell).collect(), buffer == 0);
            buffers.push(Word::Pointer { region, at: 0 });
        }
        let output = machine.call(&layout, &buffers)?;
        let steps = run(&mut machine, routine, seen)?;
        let returned = machine.returned();
        Ok(Run { machine, values, output, steps, returned })
    }
}

/// Exchanges the words of elements with their encodings'.
fn turn(machine: &mut Machine, cells: &mut [Cell]) -> Result<(), Refused> {
    for element in cells.chunks_mut(4) {
        element.reverse();
        for cell in element {
            *cell = cell.reversed(&mut machine.atoms)?;
        }
    }
    Ok(())
}

impl Claim for ListClaim {
    fn subject(&self) -> &'static str {
        "Fr, lists"
    }

    fn statement(&self) -> String {
        let (what, more) = match self.function {
            Function::Decode => ("decoded", ", if all a are below 2^192·⌊r / 2^192⌋, which it returns"),
            Function::Encode => ("encoded", ""),
            Function::Scale => ("in place, two rows", ""),
        };
        format!("f·a / 2^256 mod r, below r, {what}, of {} elements{more}", self.count())
    }

    fn is_for(&self, name: &str) -> bool {
        let function = match self.function {
            Function::Decode => "decode",
            Function::Encode => "encode",
            Function::Scale => "scale",
        };
        name.contains(&format!("FrLanes for parcrypt_cpu::sets::{}>::{function}::enabled", self.row))
    }

    fn is_for_all(&self) -> bool {
        true
    }

    fn prove(&self, routine: &Routine) -> Result<Proof, Refused> {
        let mut seen = vec![false; routine.instructions.len()];
        let Run { mut machine, values, output, steps, returned } = self.run(routine, None, &mut seen)?;
        let r = number(&R);
        for element in 0..self.count() {
            let mut words = machine.read_cells(output, 32 * element as i64, 32)?;
            if self.is_encoded(0) {
                turn(&mut machine, &mut words)?;
            }
            let mut limbs = Vec::new();
            for word in words {
                let limb = word.whole(&mut machine.atoms)?;
                limbs.push(crate::machine::unsigned(&mut machine.atoms, &limb, 64)?);
            }
            let integer = |limbs: &[Value], at: usize| Number::from_limbs(&limbs[4 * at..4 * at + 4], 64);
            let factor = integer(&values[1], self.row_of(element));
            let like = Expected {
                unit: BigInt::from(1) << self.exponent,
                sum: factor.times(&integer(&values[self.source()], element))?,
                most: &r * &r,
                modulus: number(&self.modulus),
                bound: 1,
                ..Expected::default()
            };
            machine.atoms.check(&Number::from_limbs(&limbs, 64), Some(256), &like)?;
        }
        if self.function == Function::Decode {
            if returned != Some(1) {
                return Err("`true` is not returned".to_owned());
            }
            // Each element that is too large is refused, whatever the others are.
            for (element, range) in
                (0..self.count()).flat_map(|i| [(i, R[3]..=SIGN - 1), (i, SIGN..=u64::MAX)])
            {
                if self.run(routine, Some((element, range)), &mut seen)?.returned != Some(0) {
                    return Err(format!("`false` is not returned if element {element} is too large"));
                }
            }
        }
        Ok(Proof { steps, atoms: machine.atoms.len(), seen })
    }

    fn wrong(&self) -> Vec<(&'static str, Box<dyn Claim>)> {
        let [a, b, c, d] = self.modulus;
        let other = ListClaim { modulus: [a, b ^ 4, c, d], ..*self };
        let divided = ListClaim { exponent: self.exponent - 4, ..*self };
        vec![("another bit of the modulus", Box::new(other)), ("another power of two", Box::new(divided))]
    }

    fn layout(&self) -> Layout {
        let (words, count) = (4 * self.count(), self.count() as u64);
        use Argument::{Buffer, Number};
        match self.function {
            Function::Scale => Layout {
                buffers: vec![words, 8],
                arguments: vec![Buffer(1), Number(2), Buffer(0), Number(count)],
            },
            _ => Layout {
                buffers: vec![words, 4, words],
                arguments: vec![Buffer(1), Buffer(2), Number(count), Buffer(0), Number(count)],
            },
        }
    }

    fn inputs(&self, random: &mut dyn FnMut() -> u64) -> Vec<Vec<u64>> {
        let mut element = |encoded: bool| {
            let mut words = [0; 4].map(|_: u64| match random() % 4 {
                0 => u64::MAX,
                1 => 0,
                _ => random(),
            });
            words[3] = match random() % 4 {
                0 if !encoded && number(&words[..3]) < number(&R[..3]) => R[3],
                0 | 1 => R[3] - 1,
                2 => 0,
                _ => random() % R[3],
            };
            if encoded {
                words.reverse();
                words = words.map(u64::swap_bytes);
            }
            words
        };
        let layout = self.layout();
        let buffers = layout.buffers.iter().enumerate();
        buffers.map(|(i, words)| (0..words / 4).flat_map(|_| element(self.is_encoded(i))).collect()).collect()
    }

    fn holds(&self, before: &[Vec<u64>], result: &[u64]) -> bool {
        (0..self.count()).all(|i| {
            let factor = number(&self.element(1, &before[1], self.row_of(i)));
            let a = number(&self.element(self.source(), &before[self.source()], i));
            let (found, r) = (number(&self.element(0, result, i)), number(&R));
            found < r && ((found << 256) - factor * a) % &r == BigInt::ZERO
        })
    }
}
