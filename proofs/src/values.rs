//! Integers as polynomials.
//!
//! The value of a lane is an integer polynomial in atoms, with an interval. An atom is an input, the low k bits of a
//! polynomial (a residue), or what is left of one without them, divided by 2^k (a quotient). A register holds its
//! polynomial modulo 2^width: sums, differences and products are exact polynomials, and whatever depends on the size of
//! an integer (a shift, a mask, a truncated product) is a split into quotient and residue.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use num_bigint::BigInt;
use num_integer::Integer;

/// Atoms of a product, the newest first; 0 is none.
type Monomial = [u32; 4];

/// The reason why a proof does not go on.
pub type Refused = String;

/// A polynomial with integer coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Poly(BTreeMap<Monomial, i128>);

const CONSTANT: Monomial = [0; 4];

fn times(a: &Monomial, b: &Monomial) -> Result<Monomial, Refused> {
    let mut all: Vec<u32> = a.iter().chain(b).copied().filter(|atom| *atom != 0).collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    let mut product = CONSTANT;
    product.get_mut(..all.len()).ok_or("a product of more than four atoms")?.copy_from_slice(&all);
    Ok(product)
}

impl Poly {
    fn constant(number: i128) -> Self {
        let mut poly = Poly::default();
        poly.insert(CONSTANT, number);
        poly
    }

    fn atom(atom: u32) -> Self {
        Poly(BTreeMap::from([([atom, 0, 0, 0], 1)]))
    }

    fn insert(&mut self, monomial: Monomial, coefficient: i128) {
        if coefficient != 0 {
            self.0.insert(monomial, coefficient);
        }
    }

    /// Returns the number, if the polynomial has no atoms.
    fn number(&self) -> Option<i128> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&CONSTANT).copied(),
            _ => None,
        }
    }

    /// Returns self + factor · other.
    fn plus(&self, other: &Poly, factor: i128) -> Result<Self, Refused> {
        let mut sum = self.clone();
        for (monomial, coefficient) in &other.0 {
            let more = coefficient.checked_mul(factor);
            let now = more.and_then(|more| sum.0.get(monomial).copied().unwrap_or(0).checked_add(more));
            match now.ok_or("a coefficient of more than 127 bits")? {
                0 => sum.0.remove(monomial),
                now => sum.0.insert(*monomial, now),
            };
        }
        Ok(sum)
    }

    fn times(&self, other: &Poly) -> Result<Self, Refused> {
        let mut product = Poly::default();
        for (a, x) in &self.0 {
            for (b, y) in &other.0 {
                let term = Poly(BTreeMap::from([(times(a, b)?, x.checked_mul(*y).ok_or("a large coefficient")?)]));
                product = product.plus(&term, 1)?;
            }
        }
        Ok(product)
    }

    /// Returns the polynomial divided by 2^k, if that divides its coefficients.
    fn divided(&self, k: u32) -> Option<Self> {
        let all = self.0.iter().map(|(monomial, c)| (c % (1 << k) == 0).then_some((*monomial, c >> k)));
        all.collect::<Option<_>>().map(Poly)
    }
}

/// An integer in a lane: its polynomial, and the bounds of its values.
#[derive(Clone, Debug)]
pub struct Value {
    pub poly: Rc<Poly>,
    pub low: i128,
    pub high: i128,
}

/// Returns the integer in all cases.
pub fn constant(number: i128) -> Value {
    Value { poly: Rc::new(Poly::constant(number)), low: number, high: number }
}

impl Value {
    fn new(poly: Poly, low: Option<i128>, high: Option<i128>) -> Result<Self, Refused> {
        let too_large = "a bound of more than 127 bits";
        Ok(Value { poly: Rc::new(poly), low: low.ok_or(too_large)?, high: high.ok_or(too_large)? })
    }

    /// Returns the number, if it is the same in all cases.
    pub fn number(&self) -> Option<i128> {
        self.poly.number()
    }

    /// Returns whether the value is in [low, high] in all cases.
    pub fn within(&self, low: i128, high: i128) -> bool {
        low <= self.low && self.high <= high
    }

    pub fn plus(&self, other: &Value) -> Result<Value, Refused> {
        let poly = self.poly.plus(&other.poly, 1)?;
        Value::new(poly, self.low.checked_add(other.low), self.high.checked_add(other.high))
    }

    pub fn minus(&self, other: &Value) -> Result<Value, Refused> {
        let poly = self.poly.plus(&other.poly, -1)?;
        // The same atoms are the same number.
        if let Some(number) = poly.number() {
            return Ok(constant(number));
        }
        Value::new(poly, self.low.checked_sub(other.high), self.high.checked_sub(other.low))
    }

    pub fn times(&self, other: &Value) -> Result<Value, Refused> {
        let corners = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        let corners: Option<Vec<i128>> = corners.into_iter().map(|(a, b)| a.checked_mul(b)).collect();
        let poly = self.poly.times(&other.poly)?;
        let corners = corners.ok_or("a product of more than 127 bits")?;
        Value::new(poly, corners.iter().min().copied(), corners.iter().max().copied())
    }

    pub fn scaled(&self, bits: u32) -> Result<Value, Refused> {
        self.times(&constant(1 << bits))
    }
}

enum Atom {
    /// Any integer of the interval.
    Input,
    /// The low k bits of integers that are this polynomial modulo 2^k.
    Residue { k: u32, key: Poly },
    /// A polynomial divided by 2^k, which divides its values.
    Quotient { k: u32, of: Poly },
}

/// All atoms of a proof.
#[derive(Default)]
pub struct Atoms {
    atoms: Vec<(Atom, i128, i128)>,
    residues: HashMap<(u32, Poly), Poly>,
    quotients: HashMap<(u32, Poly), Poly>,
}

impl Atoms {
    fn add(&mut self, atom: Atom, low: i128, high: i128) -> Poly {
        self.atoms.push((atom, low, high));
        Poly::atom(self.atoms.len() as u32)
    }

    fn get(&self, atom: u32) -> &(Atom, i128, i128) {
        &self.atoms[atom as usize - 1]
    }

    /// Returns the number of atoms.
    pub fn len(&self) -> usize {
        self.atoms.len()
    }

    /// Returns an integer about which only its bounds are known.
    pub fn input(&mut self, low: i128, high: i128) -> Value {
        Value { poly: Rc::new(self.add(Atom::Input, low, high)), low, high }
    }

    /// Returns floor(value / 2^k) and value modulo 2^k.
    pub fn split(&mut self, value: &Value, k: u32) -> Result<(Value, Value), Refused> {
        if value.low >> k == value.high >> k {
            let quotient = constant(value.low >> k);
            return Ok((quotient.clone(), value.minus(&quotient.scaled(k)?)?));
        }
        let residue = self.residue(&value.poly, k)?;
        let of = value.poly.plus(&residue, -1)?;
        let quotient = match of.divided(k) {
            Some(exact) => exact,
            None => match self.quotients.get(&(k, of.clone())) {
                Some(known) => known.clone(),
                None => {
                    let atom = self.add(Atom::Quotient { k, of: of.clone() }, value.low >> k, value.high >> k);
                    self.quotients.insert((k, of), atom.clone());
                    atom
                }
            },
        };
        let quotient = match quotient.number() {
            Some(number) => constant(number),
            None => Value::new(quotient, Some(value.low >> k), Some(value.high >> k))?,
        };
        let residue = match residue.number() {
            Some(number) => constant(number),
            None => Value::new(residue, Some(0), Some((1 << k) - 1))?,
        };
        Ok((quotient, residue))
    }

    /// Returns the low k bits of a polynomial.
    fn residue(&mut self, poly: &Poly, k: u32) -> Result<Poly, Refused> {
        if k == 0 {
            return Ok(Poly::default());
        }
        let key = self.key(poly, k)?;
        if let Some(number) = key.number() {
            return Ok(Poly::constant(number));
        }
        if let Some(known) = self.residues.get(&(k, key.clone())) {
            return Ok(known.clone());
        }
        let residue = match self.concatenated(&key, k)? {
            Some(residue) => residue,
            None => {
                let residue = self.add(Atom::Residue { k, key: key.clone() }, 0, (1 << k) - 1);
                // −x − 1 has all the other bits.
                let other = self.key(&Poly::constant(-1).plus(&key, -1)?, k)?;
                self.residues.insert((k, other), Poly::constant((1 << k) - 1).plus(&residue, -1)?);
                residue
            }
        };
        self.residues.insert((k, key), residue.clone());
        Ok(residue)
    }

    /// Returns the low k bits of high · 2^j + low, where low is in [0, 2^j) and j is not 0: the low k − j bits of
    /// `high`, and `low`.
    fn concatenated(&mut self, key: &Poly, k: u32) -> Result<Option<Poly>, Refused> {
        if key.0.len() > 6 {
            return Ok(None);
        }
        let mut zeros: Vec<u32> = key.0.values().map(|c| c.trailing_zeros()).filter(|j| (1..k).contains(j)).collect();
        zeros.sort_unstable();
        zeros.dedup();
        for j in zeros {
            let (high, low): (BTreeMap<_, _>, BTreeMap<_, _>) = key.0.iter().partition(|(_, c)| c.trailing_zeros() >= j);
            let (high, low) = (Poly(high), Poly(low));
            let (least, most) = self.interval(&big(&low));
            if least >= BigInt::ZERO && most < BigInt::from(1u128 << j) {
                let high = high.divided(j).ok_or("not divisible")?;
                let residue = self.residue(&high, k - j)?;
                return Ok(Some(low.plus(&residue, 1 << j)?));
            }
        }
        Ok(None)
    }

    /// Returns a polynomial modulo 2^k, the same one for polynomials that are the same modulo 2^k by the definitions of
    /// residues.
    fn key(&self, poly: &Poly, k: u32) -> Result<Poly, Refused> {
        let (mask, mut key) = ((1_u128 << k) - 1, BTreeMap::<Monomial, u128>::new());
        let mut terms: Vec<(Monomial, u128)> = poly.0.iter().map(|(m, c)| (*m, c.cast_unsigned())).collect();
        while let Some((monomial, coefficient)) = terms.pop() {
            let coefficient = coefficient & mask;
            if coefficient == 0 {
                continue;
            }
            let residue = monomial.iter().enumerate().find_map(|(at, atom)| match atom {
                0 => None,
                atom => match &self.get(*atom).0 {
                    Atom::Residue { k: more, key } if *more >= k => Some((at, key)),
                    _ => None,
                },
            });
            let Some((at, of)) = residue else {
                let sum = key.entry(monomial).or_insert(0);
                *sum = sum.wrapping_add(coefficient) & mask;
                continue;
            };
            let mut rest = monomial;
            rest[at] = 0;
            for (monomial, more) in &of.0 {
                terms.push((times(&rest, monomial)?, coefficient.wrapping_mul(more.cast_unsigned())));
            }
        }
        Ok(Poly(key.into_iter().filter(|(_, c)| *c != 0).map(|(m, c)| (m, c.cast_signed())).collect()))
    }

    /// Returns the bounds of a number's values, from the bounds of its atoms.
    pub fn interval(&self, number: &Number) -> (BigInt, BigInt) {
        let (mut low, mut high) = (BigInt::ZERO, BigInt::ZERO);
        for (monomial, coefficient) in &number.terms {
            let mut bounds = (coefficient.clone(), coefficient.clone());
            for atom in monomial.iter().filter(|atom| **atom != 0) {
                let (_, low, high) = self.get(*atom);
                let corners = [&bounds.0 * low, &bounds.0 * high, &bounds.1 * low, &bounds.1 * high];
                let [a, b, c, d] = corners;
                bounds = ((&a).min(&b).min((&c).min(&d)).clone(), a.max(b).max(c.max(d)));
            }
            (low, high) = (low + bounds.0, high + bounds.1);
        }
        // Bounds stay bounds when they are rounded outwards.
        let unit = BigInt::from(1) << number.bits;
        (low.div_floor(&unit), -((-high).div_floor(&unit)))
    }

    /// Returns the number without quotients.
    pub fn normal(&self, number: &Number) -> Result<Number, Refused> {
        let mut number = number.clone();
        let is_quotient = |atom: &u32| *atom != 0 && matches!(self.get(*atom).0, Atom::Quotient { .. });
        while let Some(newest) = number.terms.keys().flatten().copied().filter(is_quotient).max() {
            let Atom::Quotient { k, of } = &self.get(newest).0 else { unreachable!("a quotient") };
            let (with, without): (BTreeMap<_, _>, BTreeMap<_, _>) =
                number.terms.into_iter().partition(|(monomial, _)| monomial.contains(&newest));
            let unit = BigInt::from(1) << k;
            let exact = with.values().all(|c| c.is_multiple_of(&unit));
            let scale = if exact { BigInt::from(1) } else { unit.clone() };
            number = Number { terms: BTreeMap::new(), bits: number.bits + if exact { 0 } else { *k } };
            for (monomial, c) in without {
                number.add(monomial, c * &scale);
            }
            for (mut monomial, c) in with {
                let c = c * &scale / &unit;
                let at = monomial.iter().position(|atom| *atom == newest).ok_or("no such atom")?;
                monomial[at] = 0;
                for (other, more) in &of.0 {
                    number.add(times(&monomial, other)?, &c * more);
                }
            }
        }
        Ok(number)
    }

    /// Returns the first coefficient that is no multiple of the modulus, in words; `None` if the number is 0 modulo it
    /// in all cases. The modulus is odd.
    pub fn not_divisible(&self, number: &Number, modulus: &BigInt) -> Result<Option<String>, Refused> {
        let number = self.normal(number)?;
        let left = number.terms.iter().filter(|(_, c)| !c.is_multiple_of(modulus));
        let left: Vec<String> = left.map(|(monomial, c)| format!("{c} · {}", self.named(monomial))).collect();
        Ok(left.first().map(|first| format!("{} terms are left, such as {first}", left.len())))
    }

    fn named(&self, monomial: &Monomial) -> String {
        let name = |atom: &u32| match self.get(*atom).0 {
            Atom::Input => format!("x{atom}"),
            Atom::Residue { k, .. } => format!("r{atom} (of {k} bits)"),
            Atom::Quotient { k, .. } => format!("q{atom} (by 2^{k})"),
        };
        let names: Vec<String> = monomial.iter().filter(|atom| **atom != 0).map(name).collect();
        if names.is_empty() { "1".to_owned() } else { names.join(" · ") }
    }
}

/// A number of any size: a polynomial divided by 2^bits.
#[derive(Clone, Default)]
pub struct Number {
    terms: BTreeMap<Monomial, BigInt>,
    bits: u32,
}

fn big(poly: &Poly) -> Number {
    Number { terms: poly.0.iter().map(|(m, c)| (*m, BigInt::from(*c))).collect(), bits: 0 }
}

impl Number {
    fn add(&mut self, monomial: Monomial, coefficient: BigInt) {
        let sum = self.terms.entry(monomial).or_default();
        *sum += coefficient;
        if *sum == BigInt::ZERO {
            self.terms.remove(&monomial);
        }
    }

    /// Returns Σ limbs[i] · 2^(bits·i).
    pub fn from_limbs(limbs: &[Value], bits: usize) -> Self {
        let mut number = Number::default();
        for (i, limb) in limbs.iter().enumerate() {
            number = number.plus(&big(&limb.poly), &(BigInt::from(1) << (bits * i)));
        }
        number
    }

    /// Returns self + factor · other, both without a denominator.
    pub fn plus(mut self, other: &Number, factor: &BigInt) -> Self {
        assert!(self.bits == 0 && other.bits == 0, "numbers before `normal`");
        for (monomial, coefficient) in &other.terms {
            self.add(*monomial, coefficient * factor);
        }
        self
    }

    pub fn times(&self, other: &Number) -> Result<Self, Refused> {
        let mut product = Number::default();
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                product.add(times(a, b)?, x * y);
            }
        }
        Ok(product)
    }
}
