//! Transforms and products of rings Z_q[X]/(X^n + 1), as whole functions.

use iced_x86::Register;
use num_bigint::BigInt;

use crate::claims::Proof;
use crate::code::Routine;
use crate::instructions::run;
use crate::machine::{Cell, Machine, Word};
use crate::values::{Number, Refused, Value};

/// A ring whose transform has n / degree slots: remainders modulo X^degree − γ. Where X^n is −1, γ is ζ^(2·r + 1), where
/// r is the number of the slot with its bits reversed (FIPS 203 and 204); where X^n is 1, it is ζ^r.
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
    Ring { name: "ML-DSA", module: "ml_dsa", q: 8_380_417, zeta: 1753, n: 256, degree: 1, cyclic: false, width: 32 },
    Ring { name: "128 coefficients modulo 3329", module: "small", q: 3329, zeta: 33, n: 128, degree: 1, cyclic: true, width: 16 },
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

impl RingClaim {
    pub fn symbol(&self) -> (&'static str, &'static str) {
        let function = match self.function {
            Function::Forward => "forward::enabled",
            Function::Inverse => "inverse::enabled",
            Function::Pointwise => "pointwise::enabled",
        };
        (self.ring.module, function)
    }

    pub fn statement(&self) -> String {
        let Ring { q, zeta, n, degree, cyclic, .. } = self.ring;
        let slot = if degree == 1 { "a(γ)".to_owned() } else { format!("a mod X^{degree} − γ") };
        let what = match self.function {
            Function::Forward => format!("{slot} for all γ = {zeta}^{}, in place", if cyclic { "r" } else { "(2·r + 1)" }),
            Function::Inverse => format!("the a of degree {} with these {slot}, in place", n - 1),
            Function::Pointwise => format!("a·b modulo X^{degree} − γ for all γ"),
        };
        format!("{what}, below {q}")
    }

    pub fn prove(&self, routine: &Routine) -> Result<Proof, Refused> {
        let Ring { q, n, width, .. } = self.ring;
        let mut machine = Machine::new();
        let per_cell = 64 / width as usize;
        let mut polynomial = |machine: &mut Machine, writable| {
            let values: Vec<Value> = (0..n).map(|_| machine.atoms.input(0, i128::from(q) - 1)).collect();
            let cells = values.chunks(per_cell).map(|parts| Word::Cell(Cell { width, parts: parts.to_vec() })).collect();
            (values, machine.region(cells, writable))
        };
        let pointwise = self.function == Function::Pointwise;
        let (a, first) = polynomial(&mut machine, !pointwise);
        let mut output = first;
        let mut b = Vec::new();
        machine.scalars[Register::RDI.number()] = Some(Word::Pointer { region: first, at: 0 });
        if pointwise {
            let (second, region) = polynomial(&mut machine, false);
            (b, output) = (second, machine.output(n / per_cell));
            machine.scalars[Register::RSI.number()] = Some(Word::Pointer { region, at: 0 });
            machine.scalars[Register::RDX.number()] = Some(Word::Pointer { region: output, at: 0 });
        }
        let mut seen = vec![false; routine.instructions.len()];
        let steps = run(&mut machine, routine, &mut seen)?;
        for i in 0..n {
            let found = machine.read_part(output, (i * width as usize / 8) as i64, width)?;
            if !found.within(0, i128::from(q) - 1) {
                return Err(format!("coefficient {i} may be in [{}, {}]", found.low, found.high));
            }
            let difference = Number::from_limbs(&[found], 0).plus(&self.expected(i, &a, &b)?, &BigInt::from(-1));
            if let Some(left) = machine.atoms.not_divisible(&difference, &BigInt::from(q))? {
                return Err(format!("coefficient {i} is not right modulo {q}: {left}"));
            }
        }
        Ok(Proof { steps, atoms: machine.atoms.len(), seen })
    }

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
