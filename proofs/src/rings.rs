//! Transforms and products of rings Z_q[X]/(X^n + 1), as whole functions.

use num_bigint::BigInt;

use crate::claims::{Argument, Claim, Layout, Proof};
use crate::code::Routine;
use crate::instructions::run;
use crate::machine::{Cell, Machine, Word};
use crate::values::{Number, Refused, Value};

/// A ring whose transform has n / degree slots: remainders modulo X^degree − γ. With r, the number of the slot with its
/// bits reversed, γ is ζ^(2·r + 1) if X^n is −1 (FIPS 203 and 204), and ζ^r if X^n is 1.
#[derive(Clone, Copy)]
pub struct Ring {
    pub name: &'static str,
    /// In the path of its functions.
    pub module: &'static str,
    q: u64,
    zeta: u64,
    n: usize,
    degree: usize,
    cyclic: bool,
    width: u32,
}

pub const RINGS: [Ring; 3] = [
    Ring { name: "ML-KEM", module: "ml_kem", q: 3329, zeta: 17, n: 256, degree: 2, cyclic: false, width: 16 },
    Ring {
        name: "ML-DSA",
        module: "ml_dsa",
        q: 8_380_417,
        zeta: 1753,
        n: 256,
        degree: 1,
        cyclic: false,
        width: 32,
    },
    Ring {
        name: "128 coefficients modulo 3329",
        module: "small",
        q: 3329,
        zeta: 33,
        n: 128,
        degree: 1,
        cyclic: true,
        width: 16,
    },
];

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Function {
    Forward,
    Inverse,
    Pointwise,
}

/// A function of a ring, of polynomials whose coefficients are below q.
#[derive(Clone, Copy)]
pub struct RingClaim {
    pub ring: Ring,
    pub function: Function,
}

impl Ring {
    fn power(&self, base: u64, exponent: u64) -> u64 {
        let q = u128::from(self.q);
        let (mut power, mut base, mut exponent) = (1_u128, u128::from(base) % q, exponent);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = power * base % q;
            }
            (base, exponent) = (base * base % q, exponent >> 1);
        }
        power as u64
    }

    /// Returns γ of a slot.
    fn gamma(&self, slot: usize) -> u64 {
        let bits = (self.n / self.degree).trailing_zeros();
        let reversed = (slot as u64).reverse_bits() >> (64 - bits);
        self.power(self.zeta, if self.cyclic { reversed } else { 2 * reversed + 1 })
    }
}

/// Returns all claims on rings.
pub fn claims() -> Vec<RingClaim> {
    let functions = [Function::Forward, Function::Inverse, Function::Pointwise];
    RINGS.iter().flat_map(|ring| functions.map(|function| RingClaim { ring: *ring, function })).collect()
}

impl Claim for RingClaim {
    fn subject(&self) -> &'static str {
        self.ring.name
    }

    fn statement(&self) -> String {
        let Ring { q, zeta, n, degree, cyclic, .. } = self.ring;
        let slot = if degree == 1 { "a(γ)".to_owned() } else { format!("a mod X^{degree} − γ") };
        let what = match self.function {
            Function::Forward => {
                format!("{slot} for all γ = {zeta}^{}, in place", if cyclic { "r" } else { "(2·r + 1)" })
            }
            Function::Inverse => format!("the a of degree {} with these {slot}, in place", n - 1),
            Function::Pointwise => format!("a·b modulo X^{degree} − γ for all γ"),
        };
        format!("{what}, below {q}; returns true")
    }

    fn is_for(&self, name: &str) -> bool {
        let function = match self.function {
            Function::Forward => "::forward::enabled",
            Function::Inverse => "::inverse::enabled",
            Function::Pointwise => "::pointwise::enabled",
        };
        name.contains(self.ring.module) && name.contains(function)
    }

    fn prove(&self, routine: &Routine) -> Result<Proof, Refused> {
        let Ring { q, n, width, .. } = self.ring;
        let mut machine = Machine::new(routine.entry);
        let per_cell = 64 / width as usize;
        let layout = self.layout();
        let (mut polynomials, mut buffers) = (Vec::new(), Vec::new());
        for buffer in 0..layout.buffers.len() {
            let values: Vec<Value> = (0..n).map(|_| machine.atoms.input(0, i128::from(q) - 1)).collect();
            let cells = values
                .chunks(per_cell)
                .map(|parts| Word::Cell(Cell { width, parts: parts.to_vec() }))
                .collect();
            // What is only written has no values before.
            let region = match (buffer, self.function) {
                (0, Function::Pointwise) => machine.output(n / per_cell),
                _ => machine.region(cells, buffer == 0),
            };
            buffers.push(Word::Pointer { region, at: 0 });
            polynomials.push(values);
        }
        let output = machine.call(&layout, &buffers)?;
        let mut seen = vec![false; routine.instructions.len()];
        let steps = run(&mut machine, routine, &mut seen)?;
        if machine.returned() != Some(1) {
            return Err("`true` is not returned".to_owned());
        }
        let (a, b) = match self.function {
            Function::Pointwise => (&polynomials[1], &polynomials[2]),
            _ => (&polynomials[0], &polynomials[0]),
        };
        for i in 0..n {
            let found = machine.read_part(output, (i * width as usize / 8) as i64, width)?;
            if !found.within(0, i128::from(q) - 1) {
                return Err(format!("coefficient {i} may be in [{}, {}]", found.low, found.high));
            }
            let difference =
                Number::from_limbs(&[found], 0).plus(&self.expected(i, a, b)?, &BigInt::from(-1));
            if let Some(left) = machine.atoms.not_divisible(&difference, &BigInt::from(q))? {
                return Err(format!("coefficient {i} is not right modulo {q}: {left}"));
            }
        }
        Ok(Proof { steps, atoms: machine.atoms.len(), seen })
    }

    fn wrong(&self) -> Vec<(&'static str, Box<dyn Claim>)> {
        let with = |ring: Ring| -> Box<dyn Claim> { Box::new(RingClaim { ring, ..*self }) };
        let ring = self.ring;
        let mut wrong = vec![("another modulus", with(Ring { q: ring.q + 2, ..ring }))];
        if self.function != Function::Pointwise || ring.degree > 1 {
            wrong.push(("another root", with(Ring { zeta: ring.zeta * ring.zeta % ring.q, ..ring })));
        }
        wrong
    }

    fn is_for_all(&self) -> bool {
        true
    }

    fn checks(&self) -> usize {
        if self.function == Function::Pointwise { 2 } else { 1 }
    }

    fn layout(&self) -> Layout {
        let words = self.ring.n * self.ring.width as usize / 64;
        match self.function {
            Function::Pointwise => {
                Layout { buffers: vec![words; 3], arguments: [1, 2, 0].map(Argument::Buffer).into() }
            }
            _ => Layout { buffers: vec![words], arguments: vec![Argument::Buffer(0)] },
        }
    }

    fn inputs(&self, random: &mut dyn FnMut() -> u64) -> Vec<Vec<u64>> {
        let Ring { q, width, .. } = self.ring;
        let mut word = || {
            let parts = (0..64 / width).map(|_| match random() % 8 {
                0 => q - 1,
                1 => 0,
                _ => random() % q,
            });
            parts.fold(0, |word, part| word << width | part)
        };
        self.layout().buffers.iter().map(|words| (0..*words).map(|_| word()).collect()).collect()
    }

    fn holds(&self, before: &[Vec<u64>], result: &[u64]) -> bool {
        let Ring { q, n, degree, width, .. } = self.ring;
        let (per, mask) = (64 / width as usize, (1 << width) - 1);
        let at = |words: &[u64], i: usize| words[i / per] >> (i % per * width as usize) & mask;
        let evaluated = |words: &[u64], slot: usize, place: usize| {
            let gamma = u128::from(self.ring.gamma(slot));
            let coefficients = (place..n).step_by(degree).rev();
            coefficients.fold(0, |sum, j| (sum * gamma + u128::from(at(words, j))) % u128::from(q)) as u64
        };
        (0..n).all(|i| {
            let (slot, place, found) = (i / degree, i % degree, at(result, i));
            let right = match self.function {
                Function::Forward => found == evaluated(&before[0], slot, place),
                Function::Inverse => at(&before[0], i) == evaluated(result, slot, place),
                Function::Pointwise => {
                    let product = |x: usize, y: usize| {
                        u128::from(at(&before[1], slot * degree + x))
                            * u128::from(at(&before[2], slot * degree + y))
                            % u128::from(q)
                    };
                    let gamma = u128::from(self.ring.gamma(slot));
                    let terms = (0..degree).flat_map(|x| (0..degree).map(move |y| (x, y)));
                    let terms = terms.filter(|(x, y)| (x + y) % degree == place);
                    let sum: u128 =
                        terms.map(|(x, y)| product(x, y) * if x + y < degree { 1 } else { gamma }).sum();
                    u128::from(found) == sum % u128::from(q)
                }
            };
            right && found < q
        })
    }
}

impl RingClaim {
    /// Returns coefficient i of the result.
    fn expected(&self, i: usize, a: &[Value], b: &[Value]) -> Result<Number, Refused> {
        let Ring { q, n, degree, .. } = self.ring;
        let number = |value: &Value| Number::from_limbs(std::slice::from_ref(value), 0);
        let mut sum = Number::default();
        let (slot, place) = (i / degree, i % degree);
        match self.function {
            Function::Forward => {
                for j in (place..n).step_by(degree) {
                    let factor = self.ring.power(self.ring.gamma(slot), (j / degree) as u64);
                    sum = sum.plus(&number(&a[j]), &factor.into());
                }
            }
            Function::Inverse => {
                let slots = n / degree;
                let over = self.ring.power(slots as u64, q - 2);
                for slot in 0..slots {
                    // γ^(−j / degree) over the number of slots.
                    let gamma = self.ring.power(self.ring.gamma(slot), q - 2);
                    let factor = u128::from(self.ring.power(gamma, (i / degree) as u64)) * u128::from(over);
                    sum = sum.plus(&number(&a[slot * degree + place]), &(factor % u128::from(q)).into());
                }
            }
            Function::Pointwise => {
                for (x, y) in (0..degree).flat_map(|x| (0..degree).map(move |y| (x, y))) {
                    if (x + y) % degree == place {
                        let factor = if x + y < degree { 1 } else { self.ring.gamma(slot) };
                        let product = number(&a[slot * degree + x]).times(&number(&b[slot * degree + y]))?;
                        sum = sum.plus(&product, &factor.into());
                    }
                }
            }
        }
        Ok(sum)
    }
}
