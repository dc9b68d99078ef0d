//! Integers as polynomials.
//!
//! The value of a lane is an integer polynomial in atoms, with an interval. An atom is an input, the low k bits of a
//! polynomial (a residue), or what is left of one without them, divided by 2^k (a quotient). A register holds its
//! polynomial modulo 2^width: sums, differences and products are exact polynomials, and whatever depends on the size of
//! an integer (a shift, a mask, a truncated product) is a split into quotient and residue.

use std::collections::{BTreeMap, BTreeSet, HashMap};
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
    let mut all = [0; 8];
    all[..4].copy_from_slice(a);
    all[4..].copy_from_slice(b);
    all.sort_unstable_by(|a, b| b.cmp(a));
    match all {
        [a, b, c, d, 0, ..] => Ok([a, b, c, d]),
        _ => Err("a product of more than four atoms".to_owned()),
    }
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
            sum.add(*monomial, coefficient.checked_mul(factor))?;
        }
        Ok(sum)
    }

    fn add(&mut self, monomial: Monomial, more: Option<i128>) -> Result<(), Refused> {
        let now = more.and_then(|more| self.0.get(&monomial).copied().unwrap_or(0).checked_add(more));
        match now.ok_or("a coefficient of more than 127 bits")? {
            0 => self.0.remove(&monomial),
            now => self.0.insert(monomial, now),
        };
        Ok(())
    }

    fn times(&self, other: &Poly) -> Result<Self, Refused> {
        let mut product = Poly::default();
        for (a, x) in &self.0 {
            for (b, y) in &other.0 {
                product.add(times(a, b)?, x.checked_mul(*y))?;
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

    /// Returns the value with these bounds, where they are narrower.
    fn narrowed(self, low: BigInt, high: BigInt) -> Value {
        let (low, high) =
            (i128::try_from(low).unwrap_or(self.low), i128::try_from(high).unwrap_or(self.high));
        Value { low: self.low.max(low), high: self.high.min(high), ..self }
    }

    pub fn scaled(&self, bits: u32) -> Result<Value, Refused> {
        self.times(&constant(1 << bits))
    }
}

#[derive(PartialEq)]
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
    /// Where atoms were split first: above, and below.
    parts: HashMap<u32, (u32, Value, Value)>,
    /// Residues that were split, as the sums of their parts.
    halves: BTreeMap<u32, Poly>,
    /// Residues, and what they were the low bits of.
    wholes: HashMap<u32, Poly>,
    /// Quotients of two values that chose between integers.
    conditions: BTreeSet<u32>,
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

    /// Returns whether both have the same atoms up to this one.
    pub fn agree(&self, other: &Self, atom: u32) -> bool {
        self.atoms.get(..atom as usize).is_some_and(|atoms| other.atoms.starts_with(atoms))
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
        let mut at = 0;
        while let Some((atom, parts)) = rest.0.keys().find_map(|monomial| match monomial {
            [atom, 0, 0, 0] if *atom > at => Some((*atom, self.halves.get(atom)?)),
            _ => None,
        }) {
            let c = rest.0.remove(&[atom, 0, 0, 0])?;
            (rest, at) = (rest.plus(parts, c).ok()?, atom);
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
        sum = self.by_cases(sum);
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

    /// Returns one · value, for a condition.
    pub fn chosen(&mut self, one: &Value, value: &Value) -> Result<Value, Refused> {
        for atom in one.poly.0.keys().map(|monomial| monomial[0]).filter(|atom| *atom != 0) {
            if matches!(self.get(atom), (Atom::Quotient { .. }, low, high) if *high == low + 1) {
                self.conditions.insert(atom);
            }
        }
        let product = one.times(value)?;
        Ok(Value { low: value.low.min(0), high: value.high.max(0), ..product })
    }

    /// Returns a value with the bounds that its polynomial has in both cases of a condition.
    fn by_cases(&self, value: Value) -> Value {
        if !value.poly.0.keys().flatten().any(|atom| self.conditions.contains(atom)) {
            return value;
        }
        let bounds = self.cases(&big(&value.poly)).into_iter().map(|(number, _)| self.interval(&number));
        let (lows, highs): (Vec<_>, Vec<_>) = bounds.unzip();
        let (Some(low), Some(high)) = (lows.into_iter().min(), highs.into_iter().max()) else { return value };
        value.narrowed(low, high)
    }

    /// Returns a number for both values of a condition in it, each with a number that is 0 then.
    fn cases(&self, number: &Number) -> Vec<(Number, Number)> {
        let mut atoms = number.terms.keys().flatten();
        let Some(condition) = atoms.find(|atom| self.conditions.contains(atom)) else {
            return vec![(number.clone(), Number::default())];
        };
        let (Atom::Quotient { k, of }, low, high) = self.get(*condition) else {
            return vec![(number.clone(), Number::default())];
        };
        let case = |value: i128| {
            let mut set = Number { bits: number.bits, ..Number::default() };
            for (monomial, c) in &number.terms {
                let (mut rest, mut factor, mut at) = (CONSTANT, c.clone(), 0);
                for atom in monomial {
                    if atom == condition {
                        factor *= value;
                    } else {
                        (rest[at], at) = (*atom, at + 1);
                    }
                }
                set.add(rest, factor);
            }
            let mut zero = big(of);
            zero.add(CONSTANT, -(BigInt::from(value) << *k));
            (set, zero)
        };
        (*low..=*high).map(case).collect()
    }

    /// Returns whether a polynomial is a residue of these bits.
    fn is_residue(&self, poly: &Poly, bits: u32) -> bool {
        let Some((atom, 1)) = poly.single() else { return false };
        matches!(self.get(atom).0, Atom::Residue { k, .. } if k <= bits)
    }

    /// Returns floor(value / 2^k) and value modulo 2^k.
    pub fn split(&mut self, value: &Value, k: u32) -> Result<(Value, Value), Refused> {
        if k == 0 {
            return Ok((value.clone(), constant(0)));
        }
        if value.low >> k == value.high >> k {
            let quotient = constant(value.low >> k);
            return Ok((quotient.clone(), value.minus(&quotient.scaled(k)?)?));
        }
        if let Some((atom, 1)) = value.poly.single() {
            let (quotient, residue) = self.split_atom(atom, k)?;
            let (low, high) = (quotient.low.max(value.low >> k), quotient.high.min(value.high >> k));
            return Ok((Value { low, high, ..quotient }, residue));
        }
        let residue = self.residue(&value.poly, k)?;
        if let Some((atom, 1)) = residue.single() {
            self.keep_whole(atom, &value.poly);
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

    /// Returns high · 2^k + low: what was split if these are its parts.
    pub fn joined(&self, low: &Value, high: &Value, k: u32) -> Result<Value, Refused> {
        let joined = low.plus(&high.scaled(k)?)?;
        let Some((atom, 1)) = high.poly.single() else { return Ok(joined) };
        let Atom::Quotient { k: bits, of } = &self.get(atom).0 else { return Ok(joined) };
        if *bits != k {
            return Ok(joined);
        }
        let whole = of.plus(&low.poly, 1)?;
        let (least, most) = self.interval(&big(&whole));
        Ok(Value { poly: Rc::new(whole), ..joined }.narrowed(least, most))
    }

    /// Returns what is above and below bit k of an atom, by the parts into which it was split first.
    fn split_atom(&mut self, atom: u32, k: u32) -> Result<(Value, Value), Refused> {
        let (low, high) = (self.get(atom).1, self.get(atom).2);
        let whole = Value { poly: Rc::new(Poly::atom(atom)), low, high };
        if low >> k == high >> k {
            let quotient = constant(low >> k);
            return Ok((quotient.clone(), whole.minus(&quotient.scaled(k)?)?));
        }
        if let Some((at, upper, lower)) = self.parts.get(&atom).cloned() {
            if k < at {
                let (quotient, residue) = self.split(&lower, k)?;
                return Ok((quotient.plus(&upper.scaled(at - k)?)?, residue));
            }
            let (quotient, residue) = self.split(&upper, k - at)?;
            return Ok((quotient, lower.plus(&residue.scaled(at)?)?));
        }
        let key = self.key(&whole.poly, k)?;
        let residue = match self.residues.get(&(k, key.clone())) {
            Some(known) => known.clone(),
            None => self.add(Atom::Residue { k, key: key.clone() }, 0, (1 << k) - 1),
        };
        self.keep(k, key, &residue)?;
        let of = whole.poly.plus(&residue, -1)?;
        let quotient = self.add(Atom::Quotient { k, of }, low >> k, high >> k);
        if matches!(self.get(atom).0, Atom::Residue { .. }) {
            self.halves.insert(atom, residue.plus(&quotient, 1 << k)?);
        }
        let single = residue.single();
        let quotient = Value::new(quotient, Some(low >> k), Some(high >> k))?;
        let residue = Value::new(residue, Some(0), Some((1 << k) - 1))?;
        if let Some((part, 1)) = single {
            self.keep_whole(part, &Poly::atom(atom));
            self.parts.insert(atom, (k, quotient.clone(), residue.clone()));
        }
        Ok((quotient, residue))
    }

    /// Keeps what a residue is the low bits of, if that has older atoms only.
    fn keep_whole(&mut self, residue: u32, whole: &Poly) {
        if whole.0.keys().all(|monomial| monomial[0] < residue) {
            self.wholes.entry(residue).or_insert_with(|| whole.clone());
        }
    }

    /// Keeps the low k bits of a polynomial. All the other bits are those of −x − 1.
    fn keep(&mut self, k: u32, key: Poly, residue: &Poly) -> Result<(), Refused> {
        let other = self.key(&Poly::constant(-1).plus(&key, -1)?, k)?;
        self.residues.insert((k, other), Poly::constant((1 << k) - 1).plus(residue, -1)?);
        self.residues.insert((k, key), residue.clone());
        Ok(())
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
        if let Some((atom, 1)) = key.single() {
            return Ok(self.split_atom(atom, k)?.1.poly.as_ref().clone());
        }
        if let Some(known) = self.residues.get(&(k, key.clone())) {
            return Ok(known.clone());
        }
        let residue = match self.concatenated(&key, k)? {
            Some(residue) => residue,
            None => self.add(Atom::Residue { k, key: key.clone() }, 0, (1 << k) - 1),
        };
        self.keep(k, key, &residue)?;
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
        let mask = (1_u128 << k) - 1;
        let terms = poly.0.iter().map(|(monomial, c)| (*monomial, c.cast_unsigned() & mask));
        let (mut left, mut key) = (terms.collect::<BTreeMap<Monomial, u128>>(), Poly::default());
        // The newest atoms are last, and a residue is of older ones.
        while let Some((monomial, c)) = left.pop_last() {
            // A residue of enough bits is the polynomial that it is a residue of.
            let enough = |(at, atom): (usize, &u32)| match &self.get(*atom).0 {
                Atom::Residue { k: more, key } if more + c.trailing_zeros() >= k => Some((at, key)),
                _ => None,
            };
            let mut atoms = monomial.iter().enumerate().filter(|(_, atom)| **atom != 0 && c != 0);
            let Some((at, of)) = atoms.find_map(enough) else {
                key.insert(monomial, c.cast_signed());
                continue;
            };
            let mut rest = monomial;
            rest[at] = 0;
            for (other, more) in &of.0 {
                let sum = left.entry(times(&rest, other)?).or_insert(0);
                *sum = sum.wrapping_add(c.wrapping_mul(more.cast_unsigned())) & mask;
            }
        }
        Ok(key)
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

    /// Returns a number that is the same modulo 2^total, in which residues are replaced by what they are the low bits
    /// of, and quotients by what they divide, wherever their coefficients allow it. Coefficients become small if
    /// `centered`.
    fn lifted(&self, number: &Number, total: usize, centered: bool, oldest: u32) -> Result<Number, Refused> {
        let (unit, mut left, mut lifted) = (BigInt::from(1) << total, number.clone(), Number::default());
        let half: BigInt = &unit >> 1;
        while let Some((monomial, c)) = left.terms.pop_last() {
            let has_conditions_only =
                monomial.iter().all(|atom| *atom == 0 || self.conditions.contains(atom));
            let c = if centered || has_conditions_only { (c + &half).mod_floor(&unit) - &half } else { c };
            let part = monomial.iter().enumerate().find_map(|(at, atom)| match atom {
                atom if *atom <= oldest || self.conditions.contains(atom) => None,
                atom => match &self.get(*atom).0 {
                    Atom::Residue { k, .. } => {
                        let whole = self.wholes.get(atom).filter(|_| (&c << *k).is_multiple_of(&unit));
                        whole.map(|whole| (at, whole, c.clone()))
                    }
                    Atom::Quotient { k, of } => {
                        c.is_multiple_of(&(BigInt::from(1) << *k)).then(|| (at, of, &c >> *k))
                    }
                    Atom::Input => None,
                },
            });
            match part {
                _ if c == BigInt::ZERO => {}
                Some((at, by, c)) => left.replace(monomial, at, by, &c)?,
                None => lifted.add(monomial, c),
            }
        }
        Ok(lifted)
    }

    /// Shows that a number times `unit` is `sum` modulo an odd modulus, and that it is in [0, bound · modulus), where
    /// the sum is in [0, most]. If the number is known modulo 2^total only, the caller knows that it is in [0,
    /// 2^total).
    pub fn check(&self, number: &Number, total: Option<usize>, like: &Expected) -> Result<(), Refused> {
        match total {
            None => self.check_integer(number, like),
            Some(total) if like.bound * &like.modulus > BigInt::from(1) << total => {
                Err("a bound above what is known of the number".to_owned())
            }
            Some(total) => {
                let lifted = |centered| self.lifted(number, total, centered, like.oldest);
                let exact = self.check_integer(&lifted(false)?, like);
                exact.or_else(|why| self.check_integer(&lifted(true)?, like).map_err(|_| why))
            }
        }
    }

    fn check_integer(&self, number: &Number, like: &Expected) -> Result<(), Refused> {
        let Expected { unit, sum, most, modulus, bound, .. } = like;
        let sum = self.normal(sum)?;
        for (number, zero) in self.cases(number) {
            let number = self.normal(&number)?;
            let (mut low, mut high, mut wrong) = (None, None, None);
            let mut all = vec![number.clone()];
            for zero in like.zeros.iter().chain([&zero]) {
                all.extend(number.without(&self.normal(zero)?));
            }
            for number in all {
                let difference = number.combined(unit, &sum, &BigInt::from(-1));
                match self.not_divisible(&difference, modulus)? {
                    None => wrong = Some(None),
                    Some(left) => _ = wrong.get_or_insert(Some(left)),
                }
                let (least, largest) = self.interval(&difference);
                let direct = self.interval(&number.combined(unit, &Number::default(), &BigInt::ZERO));
                for (least, largest) in [(least, largest + most), direct] {
                    low = low.max(Some(least));
                    high = Some(high.map_or(largest.clone(), |high: BigInt| high.min(largest)));
                }
            }
            if let Some(left) = wrong.flatten() {
                return Err(format!("the result is wrong modulo {modulus:x}: {left}"));
            }
            let (low, high) = (low.unwrap_or_default(), high.unwrap_or_default());
            if low < BigInt::ZERO || high >= *bound * modulus * unit {
                let (a, b) = (low.div_floor(&(unit * modulus)), high.div_floor(&(unit * modulus)));
                return Err(format!(
                    "the result may be from {a} to {b} times the modulus, not below {bound}"
                ));
            }
        }
        Ok(())
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

/// What is expected of a number; see [`Atoms::check`].
#[derive(Default)]
pub struct Expected {
    pub unit: BigInt,
    pub sum: Number,
    pub most: BigInt,
    pub modulus: BigInt,
    /// In units of the modulus.
    pub bound: u64,
    /// Numbers that are known to be 0.
    pub zeros: Vec<Number>,
    /// Atoms up to this are not expressed by older ones.
    pub oldest: u32,
}

/// Returns the number of the newest atom of these values.
pub fn newest(values: &[Value]) -> u32 {
    values.iter().flat_map(|value| value.poly.0.keys()).map(|monomial| monomial[0]).max().unwrap_or(0)
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

    /// Returns factor · self + more · other.
    fn combined(&self, factor: &BigInt, other: &Number, more: &BigInt) -> Self {
        let mut sum = Number { bits: self.bits.max(other.bits), ..Number::default() };
        for (number, factor) in [(self, factor), (other, more)] {
            let factor = factor << (sum.bits - number.bits);
            number.terms.iter().for_each(|(monomial, c)| sum.add(*monomial, c * &factor));
        }
        sum
    }

    /// Returns self plus a multiple of a number that is 0, which cancels the newest term that both have.
    fn without(&self, zero: &Number) -> Option<Self> {
        let (monomial, c) =
            zero.terms.iter().rev().find(|(monomial, _)| self.terms.contains_key(*monomial))?;
        let twos = u32::try_from(c.trailing_zeros()?).ok()?;
        let (quotient, rest) = self.terms.get(monomial)?.div_rem(&(c >> twos));
        let zero = Number { terms: zero.terms.clone(), bits: self.bits + twos };
        (rest == BigInt::ZERO).then(|| self.combined(&BigInt::from(1), &zero, &-quotient))
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
