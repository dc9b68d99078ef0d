//! Reductions of Fp's elements in 28-bit limbs: below 2·p, or to the number below p.

use num_bigint::BigInt;
use num_integer::Integer;

use crate::claims::{Argument, Claim, FP28, Field, Layout, Proof};
use crate::code::Routine;
use crate::instructions::run;
use crate::machine::{Cell, Machine, Word};
use crate::values::{Expected, Number, Refused, Value, newest};

/// Bound of what is reduced, in units of p, and of its limbs.
const VALUES: u64 = 100;
const LIMB: u64 = 1 << 48;

#[derive(Clone, Copy)]
pub struct ReducedClaim {
    field: Field,
    lanes: usize,
    /// In units of p.
    result: u64,
}

/// Returns all claims on reductions.
pub fn claims() -> Vec<ReducedClaim> {
    let claim = |(lanes, result)| ReducedClaim { field: FP28, lanes, result };
    [(8, 2), (8, 1), (4, 2), (4, 1)].map(claim).into()
}

impl ReducedClaim {
    /// Returns the bound of the highest limb: the other ones are not negative.
    fn top(&self) -> u64 {
        let most: BigInt = (FP28.modulus() * VALUES) >> (FP28.bits * (FP28.count - 1));
        u64::try_from(most).unwrap_or(u64::MAX)
    }

    /// Runs the routine, with these choices at its branches. Returns the state, the limbs before and after, and the
    /// steps.
    fn run(
        &self,
        routine: &Routine,
        choices: &[bool],
        seen: &mut [bool],
    ) -> Result<(Machine, [Vec<Value>; 2], usize), Refused> {
        let mut machine = Machine::new(routine.entry);
        machine.choices = choices.to_vec();
        let words = FP28.count * self.lanes;
        let is_top = |i: usize| i / self.lanes + 1 == FP28.count;
        let most = |i: usize| if is_top(i) { self.top() } else { LIMB };
        let before: Vec<Value> = (0..words).map(|i| machine.atoms.input(0, most(i).into())).collect();
        let cells = before.iter().map(|value| Word::Cell(Cell::integer(value.clone())));
        let region = machine.region(cells.collect(), false);
        let output = machine.output(words);
        let buffers = [output, region].map(|region| Word::Pointer { region, at: 0 });
        machine.call(&self.layout(), &buffers)?;
        let steps = run(&mut machine, routine, seen)?;
        let mut after = Vec::new();
        for cell in machine.read_cells(output, 0, 8 * words)? {
            let limb = cell.whole(&mut machine.atoms)?;
            if !limb.within(0, (1 << FP28.bits) - 1) {
                return Err(format!("a limb of the result may be in [{}, {}]", limb.low, limb.high));
            }
            after.push(limb);
        }
        if !machine.choices.is_empty()
            || machine.zeros.iter().any(|lanes| !(lanes.is_empty() || lanes.len() >= self.lanes))
        {
            return Err("another test than one of each lane".to_owned());
        }
        Ok((machine, [before, after], steps))
    }

    /// Returns the number of a lane.
    fn number(&self, limbs: &[Value], lane: usize) -> Number {
        let limbs: Vec<Value> = limbs.iter().skip(lane).step_by(self.lanes).cloned().collect();
        Number::from_limbs(&limbs, FP28.bits)
    }
}

impl Claim for ReducedClaim {
    fn subject(&self) -> &'static str {
        FP28.name
    }

    fn statement(&self) -> String {
        let bound = if self.result == 1 { "p" } else { "2·p" };
        format!("c mod p, below {bound}, for c below {VALUES}·p in limbs up to 2^48")
    }

    fn is_for(&self, name: &str) -> bool {
        let lanes = if self.lanes == 8 { "U64x8" } else { "U64x4" };
        name.contains(lanes) && name.contains("outlined::")
    }

    fn prove(&self, routine: &Routine) -> Result<Proof, Refused> {
        let mut seen = vec![false; routine.instructions.len()];
        let branches = self.result == 1;
        let (machine, [before, after], steps) =
            self.run(routine, if branches { &[true] } else { &[] }, &mut seen)?;
        let unit = BigInt::from(1);
        let modulus = self.field.modulus();
        let like = |sum: Number, values: u64, bound: u64| Expected {
            unit: unit.clone(),
            sum,
            most: &modulus * values - 1,
            modulus: modulus.clone(),
            bound,
            ..Expected::default()
        };
        let total = Some(FP28.bits * FP28.count);
        for lane in 0..self.lanes {
            let found = self.number(&after, lane);
            let whole = like(self.number(&before, lane), VALUES, 2);
            machine.atoms.check(&found, total, &whole)?;
            if branches {
                // No lane was tested to be large.
                let zeros =
                    machine.zeros.iter().map(|lanes| Number::from_limbs(&lanes[lane..=lane], 0)).collect();
                machine.atoms.check(
                    &found,
                    None,
                    &Expected { zeros, ..like(found.clone(), 2, self.result) },
                )?;
            }
        }
        if branches {
            // The same up to the test.
            let oldest = newest(&after);
            let (other, [_, last], _) = self.run(routine, &[false], &mut seen)?;
            if !other.atoms.agree(&machine.atoms, oldest) {
                return Err("other integers before the test".to_owned());
            }
            for lane in 0..self.lanes {
                let like = Expected { oldest, ..like(self.number(&after, lane), 2, self.result) };
                other.atoms.check(&self.number(&last, lane), total, &like)?;
            }
        }
        Ok(Proof { steps, atoms: machine.atoms.len(), seen })
    }

    fn wrong(&self) -> Vec<(&'static str, Box<dyn Claim>)> {
        let with = |flipped: u64| -> Box<dyn Claim> {
            Box::new(ReducedClaim { field: self.field.flipped(flipped), ..*self })
        };
        let mut wrong =
            vec![("another bit of the modulus", with(200)), ("another low bit of the modulus", with(1))];
        if self.result == 2 {
            wrong.push(("half of the bound", Box::new(ReducedClaim { result: 1, ..*self })));
        }
        wrong
    }

    fn layout(&self) -> Layout {
        let words = FP28.count * self.lanes;
        Layout { buffers: vec![words; 2], arguments: [0, 1].map(Argument::Buffer).into() }
    }

    // Numbers next to multiples of p, with a part of each limb in the one below.
    fn inputs(&self, random: &mut dyn FnMut() -> u64) -> Vec<Vec<u64>> {
        let (modulus, words) = (FP28.modulus(), FP28.count * self.lanes);
        let mut buffers = vec![vec![0; words]; 2];
        for lane in 0..self.lanes {
            let small = BigInt::from(random() % 7) << (random() % 370);
            let past = [BigInt::ZERO, &modulus - 1, small % &modulus][random() as usize % 3].clone();
            let mut rest = &modulus * (random() % VALUES) + past;
            let mut limbs = [0; FP28.count];
            for limb in &mut limbs[..FP28.count - 1] {
                *limb = u64::try_from(&rest % (1_u64 << FP28.bits)).unwrap_or_default();
                rest >>= FP28.bits;
            }
            limbs[FP28.count - 1] = u64::try_from(rest).unwrap_or_default();
            for i in (1..FP28.count).rev() {
                let moved = (random() % (limbs[i] + 1)).min((1 << 20) - 1);
                limbs[i] -= moved;
                limbs[i - 1] += moved << FP28.bits;
            }
            (0..FP28.count).for_each(|i| buffers[1][i * self.lanes + lane] = limbs[i]);
        }
        buffers
    }

    fn holds(&self, before: &[Vec<u64>], result: &[u64]) -> bool {
        let modulus = self.field.modulus();
        let value = |words: &[u64], lane: usize| {
            let limbs = words.iter().skip(lane).step_by(self.lanes).rev();
            limbs.fold(BigInt::ZERO, |sum, limb| (sum << FP28.bits) + limb)
        };
        (0..self.lanes).all(|lane| {
            let found = value(result, lane);
            let difference = &found - value(&before[1], lane);
            found < self.result * &modulus && difference.is_multiple_of(&modulus)
        })
    }
}
