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

    /// Returns the atom and the coefficient of a multiple of one atom.
    pub fn single(&self) -> Option<(u32, i128)> {
        match (self.0.len(), self.0.first_key_value()?) {
            (1, ([atom, 0, 0, 0], c)) if *atom != 0 => Some((*atom, *c)),
            _ => None,
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
                let term =
                    Poly(BTreeMap::from([(times(a, b)?, x.checked_mul(*y).ok_or("a large coefficient")?)]));
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
        let corners =
            [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
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
    /// Residues that were split, as the sums of their parts.
    halves: BTreeMap<u32, Poly>,
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

    /// Returns a − b. If quotients of multiples of a are in b, which is how a multiple of a modulus is subtracted, a
    /// cancels for the most part: the bounds are those of a times what is left, and of the remainders.
    pub fn difference(&self, a: &Value, b: &Value) -> Result<Value, Refused> {
        let difference = a.minus(b)?;
        let (low, high) = self.narrower(a, b).unwrap_or((difference.low, difference.high));
        Ok(Value { low: difference.low.max(low), high: difference.high.min(high), ..difference })
    }

    /// Returns the bounds of [`Atoms::difference`], if it has such quotients and the numbers are small enough.
    fn narrower(&self, a: &Value, b: &Value) -> Option<(i128, i128)> {
        const UNIT: u32 = 32;
        let (leading, of_a) = a.poly.0.last_key_value().filter(|(monomial, _)| **monomial != CONSTANT)?;
        // All in units of 2^−32.
        let (mut factor, mut rest) = (1_i128 << UNIT, Poly::default());
        for (monomial, c) in &b.poly.0 {
            let term = Poly(BTreeMap::from([(*monomial, 1)]));
            let (mut by, mut term) = (c.checked_mul(1 << UNIT)?, term);
            if let Some((atom, _)) = term.single()
                && let Atom::Quotient { k, of } = &self.get(atom).0
                && let Some(m) = of.0.get(leading).and_then(|c| c.checked_div(*of_a)).filter(|_| *k <= UNIT)
            {
                // m·a + what is left of it.
                by >>= k;
                term = of.plus(&a.poly, -m).ok()?;
                factor = factor.checked_sub(by.checked_mul(m)?)?;
            }
            rest = rest.plus(&term, by.checked_neg()?).ok()?;
        }
        for (residue, parts) in &self.halves {
            let monomial = [*residue, 0, 0, 0];
            if let Some(c) = rest.0.remove(&monomial) {
                rest = rest.plus(parts, c).ok()?;
            }
        }
        let (low, high) = self.interval(&big(&rest));
        let ends = [a.low.checked_mul(factor)?, a.high.checked_mul(factor)?];
        let low = ends[0].min(ends[1]).checked_add(i128::try_from(low).ok()?)?;
        let high = ends[0].max(ends[1]).checked_add(i128::try_from(high).ok()?)?;
        Some((low >> UNIT, -(-high >> UNIT)))
    }

    /// Returns a + b. For b = c if a is negative, otherwise 0, and a at least −c, it is not negative.
    pub fn sum(&self, a: &Value, b: &Value) -> Result<Value, Refused> {
        let mut sum = a.plus(b)?;
        if let Some((low, high)) = self.narrower(a, &constant(0).minus(b)?) {
            (sum.low, sum.high) = (sum.low.max(low), sum.high.min(high));
        }
        if let Some((atom, c)) = b.poly.single()
            && let Atom::Quotient { k, of } = &self.get(atom).0
            && (-(1 << k)..=0).contains(&c)
            && a.within(c, (1 << k) - 1)
            && let Ok(residue) = a.poly.plus(of, -1)
            && self.is_residue(&residue, *k)
        {
            return Ok(Value { low: sum.low.max(0), high: sum.high.min(a.high.max(-c - 1)), ..sum });
        }
        Ok(sum)
    }

    /// Returns whether a polynomial is a residue of these bits.
    fn is_residue(&self, poly: &Poly, bits: u32) -> bool {
        let Some((atom, 1)) = poly.single() else { return false };
        matches!(self.get(atom).0, Atom::Residue { k, .. } if k <= bits)
    }

    /// Returns floor(value / 2^k) and value modulo 2^k.
    pub fn split(&mut self, value: &Value, k: u32) -> Result<(Value, Value), Refused> {
        if value.low >> k == value.high >> k {
            let quotient = constant(value.low >> k);
            return Ok((quotient.clone(), value.minus(&quotient.scaled(k)?)?));
        }
        let residue = self.residue(&value.poly, k)?;
        if let Some((atom, 1)) = value.poly.single()
            && let Atom::Residue { k: bits, .. } = self.get(atom).0
            && k < bits
        {
            // A residue of more bits: both parts of it are known by their own bounds.
            return self.parts_of_residue(atom, bits, k, residue);
        }
        let of = value.poly.plus(&residue, -1)?;
        let quotient = match of.divided(k) {
            Some(exact) => exact,
            None => match self.quotients.get(&(k, of.clone())) {
                Some(known) => known.clone(),
                None => {
                    let atom =
                        self.add(Atom::Quotient { k, of: of.clone() }, value.low >> k, value.high >> k);
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

    /// Returns the parts of a residue above and below bit k.
    fn parts_of_residue(
        &mut self,
        atom: u32,
        bits: u32,
        k: u32,
        low: Poly,
    ) -> Result<(Value, Value), Refused> {
        let of = Poly::atom(atom).plus(&low, -1)?;
        let most = (1 << (bits - k)) - 1;
        let high = match self.quotients.get(&(k, of.clone())) {
            Some(known) => known.clone(),
            None => {
                let high = self.add(Atom::Quotient { k, of: of.clone() }, 0, most);
                self.quotients.insert((k, of), high.clone());
                self.halves.entry(atom).or_insert(low.plus(&high, 1 << k)?);
                high
            }
        };
        Ok((Value::new(high, Some(0), Some(most))?, Value::new(low, Some(0), Some((1 << k) - 1))?))
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
        let all = key.0.values().map(|c| c.trailing_zeros()).min().unwrap_or(0);
        if let (1.., Some(high)) = (all, key.divided(all)) {
            let residue = self.residue(&high, k - all)?;
            return Ok(Some(Poly::default().plus(&residue, 1 << all)?));
        }
        if key.0.len() > 6 {
            return Ok(None);
        }
        let mut zeros: Vec<u32> =
            key.0.values().map(|c| c.trailing_zeros()).filter(|j| (1..k).contains(j)).collect();
        zeros.sort_unstable();
        zeros.dedup();
        for j in zeros {
            let (high, low): (BTreeMap<_, _>, BTreeMap<_, _>) =
                key.0.iter().partition(|(_, c)| c.trailing_zeros() >= j);
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
        loop {
            while let Some((monomial, coefficient)) = terms.pop() {
                let sum = key.entry(monomial).or_insert(0);
                *sum = sum.wrapping_add(coefficient) & mask;
            }
            // A residue of enough bits is the polynomial that it is a residue of.
            let expanded = key.iter().rev().find_map(|(monomial, c)| {
                let enough = |atom: u32| match &self.get(atom).0 {
                    Atom::Residue { k: more, key } if more + c.trailing_zeros() >= k => Some(key),
                    _ => None,
                };
                let atoms = monomial.iter().enumerate().filter(|(_, atom)| **atom != 0 && *c != 0);
                atoms.into_iter().find_map(|(at, atom)| enough(*atom).map(|of| (*monomial, *c, at, of)))
            });
            let Some((monomial, coefficient, at, of)) = expanded else { break };
            key.remove(&monomial);
            let mut rest = monomial;
            rest[at] = 0;
            for (other, more) in &of.0 {
                terms.push((times(&rest, other)?, coefficient.wrapping_mul(more.cast_unsigned())));
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
        let (mut left, mut normal) = (number.clone(), Number { bits: number.bits, ..Number::default() });
        // The newest atoms are last, and a quotient is of older ones.
        while let Some((monomial, mut c)) = left.terms.pop_last() {
            let Some((at, k, of)) = self.quotient(&monomial) else {
                normal.add(monomial, c);
                continue;
            };
            let unit = BigInt::from(1) << k;
            if !c.is_multiple_of(&unit) {
                left.terms.values_mut().chain(normal.terms.values_mut()).for_each(|c| *c *= &unit);
                (c, normal.bits) = (c * &unit, normal.bits + k);
            }
            left.replace(monomial, at, of, &(c / unit))?;
        }
        Ok(normal)
    }

    /// Returns the place of the first quotient of a product, its bits, and what it divides.
    fn quotient(&self, monomial: &Monomial) -> Option<(usize, u32, &Poly)> {
        monomial.iter().enumerate().find_map(|(at, atom)| match atom {
            0 => None,
            atom => match &self.get(*atom).0 {
                Atom::Quotient { k, of } => Some((at, *k, of)),
                _ => None,
            },
        })
    }

    /// Returns the first coefficient that is no multiple of an odd modulus, in words; `None` if the number is 0 modulo
    /// it in all cases.
    pub fn not_divisible(&self, number: &Number, modulus: &BigInt) -> Result<Option<String>, Refused> {
        let half: BigInt = (modulus + 1u32) / 2u32;
        let (mut left, mut terms) = (number.clone(), Vec::new());
        while let Some((monomial, c)) = left.terms.pop_last() {
            let c = c.mod_floor(modulus);
            match self.quotient(&monomial) {
                _ if c == BigInt::ZERO => {}
                Some((at, k, of)) => {
                    left.replace(monomial, at, of, &(c * half.modpow(&BigInt::from(k), modulus) % modulus))?
                }
                None => terms.push(format!("{c} · {}", self.named(&monomial))),
            }
        }
        Ok(terms.first().map(|first| format!("{} terms are left, such as {first}", terms.len())))
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

    /// Adds a coefficient times a product in which a polynomial replaces the atom at a place.
    fn replace(
        &mut self,
        mut monomial: Monomial,
        at: usize,
        by: &Poly,
        coefficient: &BigInt,
    ) -> Result<(), Refused> {
        monomial[at] = 0;
        for (other, more) in &by.0 {
            self.add(times(&monomial, other)?, coefficient * more);
        }
        Ok(())
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

#[cfg(test)]
impl Atoms {
    /// Returns numbers for all atoms, of random inputs, often at their bounds.
    pub fn numbers(&self, random: &mut dyn FnMut() -> u64) -> Vec<BigInt> {
        let mut numbers: Vec<BigInt> = Vec::new();
        for (atom, low, high) in &self.atoms {
            let number = match atom {
                Atom::Input => BigInt::from(match random() % 4 {
                    0 => *low,
                    1 => *high,
                    _ => low + i128::from(random()) % (high - low + 1),
                }),
                Atom::Residue { k, key } => key.at(&numbers).mod_floor(&(BigInt::from(1) << *k)),
                Atom::Quotient { k, of } => {
                    let (quotient, rest) = of.at(&numbers).div_mod_floor(&(BigInt::from(1) << *k));
                    assert_eq!(rest, BigInt::ZERO, "a quotient that is not exact");
                    quotient
                }
            };
            assert!(
                BigInt::from(*low) <= number && number <= BigInt::from(*high),
                "an atom outside of its bounds"
            );
            numbers.push(number);
        }
        numbers
    }
}

#[cfg(test)]
impl Value {
    /// Returns the number for numbers of all atoms.
    pub fn at(&self, numbers: &[BigInt]) -> BigInt {
        self.poly.at(numbers)
    }
}

#[cfg(test)]
impl Poly {
    fn at(&self, numbers: &[BigInt]) -> BigInt {
        let term = |(monomial, c): (&Monomial, &i128)| {
            let atoms = monomial.iter().filter(|atom| **atom != 0);
            atoms.fold(BigInt::from(*c), |product, atom| product * &numbers[*atom as usize - 1])
        };
        self.0.iter().map(term).sum()
    }
}
