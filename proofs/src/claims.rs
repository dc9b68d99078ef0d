//! What routines compute, in the field's notation, and how that is shown.

use num_bigint::BigInt;
use num_integer::Integer;

use crate::code::Routine;
use crate::instructions::run;
use crate::machine::{Cell, Machine, Word};
use crate::values::{Expected, Number, Refused, Value};

/// Order of the lanes of the second factor of product k: a lane of each four, by lane.
type Order = [[usize; 4]; 4];

const IN_ORDER: Order = [[0, 1, 2, 3]; 4];
const IN_SQUARE: Order = [[0, 1, 2, 3], [2, 2, 1, 1], [3; 4], [3; 4]];
const EACH_LANE: Order = [[0; 4], [1; 4], [2; 4], [3; 4]];

/// Limbs of a prime field's elements.
#[derive(Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    modulus: &'static str,
    pub count: usize,
    pub bits: usize,
    /// Whether a product reads the low bits of limbs only.
    masked: bool,
    /// Bound of Σ a·b, and of the result, in units of the modulus.
    products: u64,
    result: u64,
    /// Bound of Σ L·L2, where limbs are up to L·MASK, of a limb, and of a limb of the result before it is carried.
    limbs: u64,
    limb: u64,
    result_limb: u64,
    /// A bit of the modulus that is wrong, for tests.
    flipped: Option<u64>,
}

impl Field {
    /// Returns the field with a wrong bit of the modulus.
    pub fn flipped(self, bit: u64) -> Self {
        Field { flipped: Some(bit), ..self }
    }

    pub fn modulus(&self) -> BigInt {
        let mut modulus = BigInt::parse_bytes(self.modulus.as_bytes(), 16).unwrap_or_default();
        if let Some(bit) = self.flipped {
            modulus.set_bit(bit, !modulus.bit(bit));
        }
        modulus
    }
}

const P: &str =
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";

/// Fp in 52-bit limbs: sums of products up to 2^35·p², results below 9·p in limbs up to 32·MASK.
const FP52: Field = Field {
    name: "Fp, 8 × 52",
    modulus: P,
    count: 8,
    bits: 52,
    masked: true,
    products: 1 << 35,
    result: 9,
    limbs: 0,
    limb: 0,
    result_limb: 32,
    flipped: None,
};
/// Fp in 28-bit limbs: sums of products up to 2520·p², results below 4·p.
pub const FP28: Field = Field {
    name: "Fp, 14 × 28",
    modulus: P,
    count: 14,
    bits: 28,
    masked: false,
    products: 2520,
    result: 4,
    limbs: 17,
    limb: 15,
    result_limb: 1,
    flipped: None,
};

/// Where a routine finds its arguments, the pointer to its result being the first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arguments {
    /// Pointers in registers.
    Direct,
    /// A pointer to pointers.
    Struct,
}

/// An argument of a routine: a buffer, a pointer to pointers to buffers, or a number.
pub enum Argument {
    Buffer(usize),
    Pointers(Vec<usize>),
    Number(u64),
}

/// What a routine is called with: buffers by their numbers of words, the result being buffer 0, and the arguments in
/// registers.
pub struct Layout {
    pub buffers: Vec<usize>,
    pub arguments: Vec<Argument>,
}

/// A statement on a routine.
pub trait Claim: Sync {
    /// Returns the name of the field or ring.
    fn subject(&self) -> &'static str;

    /// Returns the claim in the field's notation.
    fn statement(&self) -> String;

    /// Returns whether it may be a claim on a routine of this name.
    fn is_for(&self, name: &str) -> bool;

    /// Shows the claim for a routine.
    fn prove(&self, routine: &Routine) -> Result<Proof, Refused>;

    /// Returns claims that differ a little, and do not hold.
    fn wrong(&self) -> Vec<(&'static str, Box<dyn Claim>)>;

    /// Returns whether each routine of such a name has to be proved.
    fn is_for_all(&self) -> bool {
        false
    }

    /// Returns how many conditional jumps check the inputs first, which no claim is about.
    fn checks(&self) -> usize {
        0
    }

    fn layout(&self) -> Layout;

    /// Returns buffers within the bounds of the claim, often at their edges, from random words.
    fn inputs(&self, random: &mut dyn FnMut() -> u64) -> Vec<Vec<u64>>;

    /// Returns whether the claim holds for one call, by the buffers before it and the result.
    fn holds(&self, before: &[Vec<u64>], result: &[u64]) -> bool;
}

/// A sum of products, divided by 2^(count · bits).
#[derive(Clone, Copy)]
pub struct FieldClaim {
    pub field: Field,
    terms: usize,
    square: bool,
    more: bool,
    carried: bool,
    order: Order,
    arguments: Arguments,
    pub lanes: usize,
}

/// Returns all claims on fields.
pub fn claims() -> Vec<FieldClaim> {
    let mut claims = Vec::new();
    for lanes in [8, 4] {
        let one = FieldClaim {
            field: FP52,
            terms: 1,
            square: false,
            more: true,
            carried: false,
            order: IN_ORDER,
            arguments: Arguments::Struct,
            lanes,
        };
        claims.push(one);
        claims.push(FieldClaim { more: false, carried: true, ..one });
        claims.push(FieldClaim { square: true, arguments: Arguments::Direct, ..one });
        let product = FieldClaim { field: FP28, more: false, arguments: Arguments::Direct, ..one };
        claims.push(product);
        for (terms, order) in [(2, IN_ORDER), (3, IN_SQUARE), (4, EACH_LANE)] {
            claims.push(FieldClaim { terms, order, ..one });
            claims.push(FieldClaim { field: FP28, more: false, terms, order, ..one });
        }
    }
    claims
}

/// A routine for which a claim was shown.
pub struct Proof {
    pub steps: usize,
    pub atoms: usize,
    /// Instructions that were executed.
    pub seen: Vec<bool>,
}

impl Claim for FieldClaim {
    fn subject(&self) -> &'static str {
        self.field.name
    }

    fn statement(&self) -> String {
        let Field { name, count, bits, result, .. } = self.field;
        let terms: Vec<String> = (0..self.terms)
            .map(|k| {
                let order = match self.order[k] {
                    [0, 1, 2, 3] => String::new(),
                    lanes => format!("{lanes:?}"),
                };
                if self.square { "a²".to_owned() } else { format!("a{0}·b{0}{order}", k + 1) }
            })
            .collect();
        let more = if self.more { " + c" } else { "" };
        let carried = if self.carried { ", carried, in limbs below 2^64" } else { "" };
        let prime = &name[1..2];
        format!(
            "({}) / 2^{}{more} mod {prime}, below {result}·{prime}{more}{carried}",
            terms.join(" + "),
            count * bits
        )
    }

    fn is_for(&self, name: &str) -> bool {
        let lanes = if self.lanes == 8 { "U64x8" } else { "U64x4" };
        let function = if self.field.masked { "outlined_52::" } else { "outlined::" };
        name.contains(lanes) && name.contains(function)
    }

    // For all distributions of limbs over the terms.
    fn prove(&self, routine: &Routine) -> Result<Proof, Refused> {
        let mut proof = self.prove_for(routine, &self.bounds()[0])?;
        for bounds in &self.bounds()[1..] {
            let other = self.prove_for(routine, bounds)?;
            proof =
                Proof { steps: proof.steps.max(other.steps), atoms: proof.atoms.max(other.atoms), ..proof };
        }
        Ok(proof)
    }

    fn wrong(&self) -> Vec<(&'static str, Box<dyn Claim>)> {
        let with = |field: Field| -> Box<dyn Claim> { Box::new(FieldClaim { field, ..*self }) };
        let field = self.field;
        let mut wrong = vec![
            ("half of the bound of the result", with(Field { result: field.result / 2, ..field })),
            ("another bit of the modulus", with(field.flipped(200))),
            ("another low bit of the modulus", with(field.flipped(1))),
        ];
        if field.masked && !self.carried {
            wrong.push((
                "half of the bound of the limbs",
                with(Field { result_limb: field.result_limb / 4, ..field }),
            ));
        }
        if !field.masked {
            wrong.push((
                "four times the limbs",
                with(Field { limbs: 4 * field.limbs, limb: 4 * field.limb, ..field }),
            ));
        }
        wrong
    }

    fn layout(&self) -> Layout {
        let pointers = self.terms * if self.square { 1 } else { 2 } + usize::from(self.more || self.carried);
        let buffers = vec![self.field.count * self.lanes; pointers + 1];
        let arguments = match self.arguments {
            Arguments::Direct => (0..=pointers).map(Argument::Buffer).collect(),
            Arguments::Struct => vec![Argument::Buffer(0), Argument::Pointers((1..=pointers).collect())],
        };
        Layout { buffers, arguments }
    }

    fn inputs(&self, random: &mut dyn FnMut() -> u64) -> Vec<Vec<u64>> {
        let Field { count, bits, masked, .. } = self.field;
        let mask = (1_u64 << bits) - 1;
        let layout = self.layout();
        let last = layout.buffers.len() - 1;
        let shapes = self.bounds();
        let shape = shapes[random() as usize % shapes.len()].clone();
        let element = |buffer: usize, random: &mut dyn FnMut() -> u64| {
            let buffer = buffer.max(1);
            let is_more = buffer == last && (self.more || self.carried);
            let limbs = (0..count * self.lanes).map(|i| {
                let edge = random();
                let mut any = || match edge % 4 {
                    0 => mask,
                    1 => 0,
                    _ => random() & mask,
                };
                // The highest limb keeps the value in its bounds: below 2^17·p, or 17·p for the shorter limbs.
                let top = match (i / self.lanes + 1 == count, masked) {
                    (false, _) => u64::MAX,
                    (true, true) => (1 << 34) - 1,
                    (true, false) => (1 << 21) - 1,
                };
                match (is_more, masked) {
                    (true, true) if self.terms > 1 => 0,
                    (true, true) => random() >> 2,
                    (true, false) => any(),
                    (false, true) => any() & top | random() << bits,
                    // Of the bounds of one distribution.
                    (false, false) => (any() * shape[buffer.div_ceil(2) - 1][(buffer + 1) % 2]).min(top),
                }
            });
            limbs.collect()
        };
        (0..layout.buffers.len()).map(|buffer| element(buffer, random)).collect()
    }

    fn holds(&self, before: &[Vec<u64>], result: &[u64]) -> bool {
        let Field { count, bits, masked, .. } = self.field;
        let (modulus, mask) = (self.field.modulus(), (1_u64 << bits) - 1);
        let value = |words: &[u64], lane: usize, keep: &dyn Fn(usize) -> u64| {
            let limbs = (0..count).rev().map(|i| words[i * self.lanes + lane] & keep(i));
            limbs.fold(BigInt::from(0), |sum, limb| (sum << bits) + limb)
        };
        (0..self.lanes).all(|lane| {
            let keep = |_: usize| if masked { mask } else { u64::MAX };
            let mut sum = BigInt::from(0);
            for k in 0..self.terms {
                let from = lane & !3 | self.order[k][lane % 4];
                let [a, b] = if self.square { [1, 1] } else { [2 * k + 1, 2 * k + 2] };
                sum += value(&before[a], lane, &keep) * value(&before[b], from, &keep);
            }
            let kept = |i: usize| if self.carried && i + 1 < count { mask } else { u64::MAX };
            let mut found = value(result, lane, &kept);
            if self.more {
                found -= value(&before[before.len() - 1], lane, &|_| u64::MAX);
            }
            let bound = BigInt::from(self.field.result) * &modulus;
            let difference = (&found << (count * bits)) - sum;
            difference.is_multiple_of(&modulus) && found >= BigInt::from(0) && found < bound
        })
    }
}

impl FieldClaim {
    /// Returns the bound of the limbs that are added to the result.
    fn more_limb(&self) -> i128 {
        match self.field.masked {
            true if self.terms > 1 => 0,
            true => 1 << 62,
            false => 7 * ((1 << self.field.bits) - 1),
        }
    }

    /// Returns bounds of the limbs of both factors of each term, in units of MASK, that add up to what is allowed.
    fn bounds(&self) -> Vec<Vec<[u64; 2]>> {
        let Field { limbs, limb, .. } = self.field;
        if self.field.masked {
            return vec![vec![[0, 0]; self.terms]];
        }
        let rest = limbs - (self.terms as u64 - 1);
        let mut all = Vec::new();
        for first in 1..=limb.min(rest) {
            let most = [first, (rest / first).min(limb)];
            // Not below another one.
            if (first + 1) * most[1] > rest || first == limb {
                for at in 0..self.terms {
                    let mut bounds = vec![[1, 1]; self.terms];
                    bounds[at] = most;
                    all.push(bounds);
                }
            }
        }
        // All terms alike, or nearly, and those of a square in Fp4.
        let each = limbs / self.terms as u64;
        if self.terms > 1 {
            all.push(vec![[2, each / 2]; self.terms]);
            all.push(vec![[each, 1]; self.terms]);
            all.push(vec![[1, each]; self.terms]);
        }
        if self.terms == 3 {
            all.push(vec![[3, 2], [4, 1], [4, 1]]);
            all.push(vec![[2, 2], [2, 2], [3, 3]]);
        }
        all
    }

    fn prove_for(&self, routine: &Routine, bounds: &[[u64; 2]]) -> Result<Proof, Refused> {
        let Field { count, bits, .. } = self.field;
        let mut machine = Machine::new(routine.entry);
        let mask = (1_i128 << bits) - 1;
        // A limb in each lane, and the pointer to them.
        let element = |machine: &mut Machine, high: i128| {
            let values: Vec<Value> = (0..count * self.lanes).map(|_| machine.atoms.input(0, high)).collect();
            let words = values.iter().map(|value| Word::Cell(Cell::integer(value.clone())));
            let region = machine.region(words.collect(), false);
            (values, Word::Pointer { region, at: 0 })
        };
        let mut factors = Vec::new();
        let mut buffers = vec![Word::Pointer { region: machine.output(count * self.lanes), at: 0 }];
        for [a, b] in bounds {
            let high = |limb: u64| if self.field.masked { (1 << 64) - 1 } else { i128::from(limb) * mask };
            let (a, at) = element(&mut machine, high(*a));
            buffers.push(at);
            if self.square {
                factors.push([a.clone(), a]);
            } else {
                let (b, at) = element(&mut machine, high(*b));
                buffers.push(at);
                factors.push([a, b]);
            }
        }
        let more = self.more.then(|| element(&mut machine, self.more_limb()));
        // If nothing is added there may be a place for it, which is not read.
        buffers.push(more.as_ref().map_or(Word::Saved(0), |(_, at)| at.clone()));
        let output = machine.call(&self.layout(), &buffers)?;
        let mut seen = vec![false; routine.instructions.len()];
        let steps = run(&mut machine, routine, &mut seen)?;
        for lane in 0..self.lanes {
            self.check(&mut machine, output, &factors, more.as_ref().map(|(more, _)| more.as_slice()), lane)?;
        }
        Ok(Proof { steps, atoms: machine.atoms.len(), seen })
    }

    /// Checks the result in one lane.
    fn check(
        &self,
        machine: &mut Machine,
        output: usize,
        factors: &[[Vec<Value>; 2]],
        more: Option<&[Value]>,
        lane: usize,
    ) -> Result<(), Refused> {
        let Field { count, bits, masked, .. } = self.field;
        let modulus = self.field.modulus();
        let mut limbs = Vec::new();
        for i in 0..count {
            let at = 8 * (i * self.lanes + lane) as i64;
            let cell = machine.read_cells(output, at, 8)?.remove(0);
            limbs.push(cell.whole(&mut machine.atoms)?);
        }
        let mask = (1_i128 << bits) - 1;
        let extra = if more.is_some() && masked { self.more_limb() } else { 0 };
        for (i, limb) in limbs.iter_mut().enumerate() {
            // The highest limb follows from the bound of the value.
            let high = match self.carried {
                _ if !masked && i == count - 1 => (1 << 64) - 1,
                _ if !masked => mask,
                true => (1 << 64) - 1,
                false => i128::from(self.field.result_limb) * self.terms as i128 * mask + extra,
            };
            if !limb.within(0, high) {
                return Err(format!(
                    "limb {i} of the result may be in [{}, {}], not in [0, {high}]",
                    limb.low, limb.high
                ));
            }
            if self.carried && i < count - 1 {
                *limb = machine.atoms.split(limb, bits as u32)?.1;
            }
        }
        let mut value = Number::from_limbs(&limbs, bits);
        if let Some(more) = more {
            let more: Vec<Value> = (0..count).map(|i| more[i * self.lanes + lane].clone()).collect();
            value = value.plus(&Number::from_limbs(&more, bits), &BigInt::from(-1));
        }
        let mut sum = Number::default();
        for (k, [a, b]) in factors.iter().enumerate() {
            let mut factor = |limbs: &[Value], lane: usize| -> Result<Number, Refused> {
                let mut all = Vec::new();
                for i in 0..count {
                    let limb = &limbs[i * self.lanes + lane];
                    all.push(if masked { machine.atoms.split(limb, bits as u32)?.1 } else { limb.clone() });
                }
                Ok(Number::from_limbs(&all, bits))
            };
            let from = lane & !3 | self.order[k][lane % 4];
            sum = sum.plus(&factor(a, lane)?.times(&factor(b, from)?)?, &BigInt::from(1));
        }
        let unit = BigInt::from(1) << (count * bits);
        let most = BigInt::from(self.field.products) * &modulus * &modulus;
        let like = Expected { unit, sum, most, modulus, bound: self.field.result, ..Expected::default() };
        machine.atoms.check(&value, None, &like)
    }
}
