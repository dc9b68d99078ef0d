//! Search for the wrong claims of a batch that does not verify.
//!
//! A claim k is right if e_k = 1 for its value e_k in the target group, and a batch verifies if E0 = Π e_k^(a_k) = 1
//! with random factors a_k. The second value E1 = Π e_k^(k·a_k) finds a single wrong claim j: then E1 = E0^j, a
//! discrete logarithm below the number of claims, by baby steps and giant steps. Otherwise the claims are halved.
//! The values of one half are computed, and division gives the values of the other. (Exponentiation method: Law, Matt,
//! "Finding invalid signatures in pairing-based batches", 2007; on the nodes of a tree: Matt, "Identification of
//! multiple invalid signatures in pairing-based batched signatures", PKC 2009, single pruning search.)
//!
//! E1 is only a hint, and is used after its check: the value of claim j is computed, which is not 1 if and only if j is
//! wrong, and has to be the value of all of its node, so that the others of the node verify. So no right claim is
//! named.
//!
//! A value takes about as long as the verification of one claim. [`Search`] bounds the number of values: at most 1/16
//! of the claims, and 1/4 of the claims that it has found to be right. After that, the remaining claims are verified
//! singly.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use parcrypt_bls12_381::pairing::Gt;

use crate::Error;

/// An item of a batch that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongItem {
    /// The index of the item in the caller's lists.
    pub index: usize,
    /// What is wrong with it.
    pub why: Reason,
}

/// Reason why an item of a batch is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Its bytes are refused, with the error of verifying the item by itself. The error's index is the item's.
    Malformed(Error),
    /// Its proof does not verify.
    DoesNotVerify,
}

impl fmt::Display for WrongItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            // The error names the index.
            Reason::Malformed(error) => error.fmt(f),
            Reason::DoesNotVerify => write!(f, "item {}: the proof does not verify", self.index),
        }
    }
}

/// Exponents of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exponents {
    /// The random factors.
    Factors,
    /// The random factors times the index of the unit.
    Indexed,
}

impl Exponents {
    /// Returns the number by which the factors of a unit are multiplied.
    pub(crate) fn multiplier(self, unit: usize) -> u64 {
        match self {
            Exponents::Factors => 1,
            Exponents::Indexed => unit as u64,
        }
    }
}

/// Claims that are searched, cut into units: single claims, or groups of them.
pub(crate) trait Claims {
    /// Returns the product of the values of these units with these exponents.
    fn value(&self, units: Range<usize>, exponents: Exponents) -> Result<Gt, Error>;

    /// Returns the number of claims of these units.
    fn count(&self, units: Range<usize>) -> usize {
        units.len()
    }

    /// Searches a unit whose value is not 1.
    fn open(&self, unit: usize, value: Gt, search: &mut Search) -> Result<(), Error>;

    /// Leaves units to be verified singly.
    fn give_up(&self, units: Range<usize>, search: &mut Search);
}

/// State of a search.
#[derive(Debug)]
pub(crate) struct Search {
    /// The number of values that it may still compute.
    pub(crate) credit: usize,
    /// The wrong claims that were found.
    pub(crate) wrong: Vec<usize>,
    /// The claims that are left to be verified singly.
    pub(crate) undecided: Vec<usize>,
}

impl Search {
    /// Units that are verified singly if two or more of them are wrong.
    const FEW: usize = 4;

    /// Returns the state before the search of this number of claims.
    pub(crate) fn new(claims: usize) -> Self {
        Search { credit: 2 + claims / 16, wrong: Vec::new(), undecided: Vec::new() }
    }

    /// Takes note that claims are right.
    fn are_right(&mut self, claims: usize) {
        self.credit += claims / 4;
    }

    /// Returns whether a value may be computed.
    fn may_compute(&mut self) -> bool {
        let left = self.credit.checked_sub(1);
        self.credit = left.unwrap_or(0);
        left.is_some()
    }

    /// Searches units by their values: with the random factors, and the indexed one if it is known.
    pub(crate) fn find(
        &mut self,
        claims: &dyn Claims,
        units: Range<usize>,
        value: Gt,
        indexed: Option<Gt>,
    ) -> Result<(), Error> {
        use Exponents::{Factors, Indexed};
        let all = claims.count(units.clone());
        if value == Gt::one() {
            self.are_right(all);
            return Ok(());
        }
        if units.len() == 1 {
            return claims.open(units.start, value, self);
        }
        if indexed.is_none() && !self.may_compute() {
            claims.give_up(units, self);
            return Ok(());
        }
        let indexed = indexed.map_or_else(|| claims.value(units.clone(), Indexed), Ok)?;
        if let Some(unit) = logarithm(value, indexed, units.clone()) {
            let one = unit..unit + 1;
            if claims.value(one.clone(), Factors)? == value {
                self.are_right(all - claims.count(one));
                return claims.open(unit, value, self);
            }
        }
        if all <= Self::FEW || !self.may_compute() {
            claims.give_up(units, self);
            return Ok(());
        }
        let middle = units.start + units.len() / 2;
        let (left, right) = (units.start..middle, middle..units.end);
        let left_value = claims.value(left.clone(), Factors)?;
        let right_value = value * left_value.inverse();
        let left_indexed = if left_value == Gt::one() {
            Gt::one()
        } else if right_value == Gt::one() {
            indexed
        } else if self.may_compute() {
            claims.value(left.clone(), Indexed)?
        } else {
            claims.give_up(units, self);
            return Ok(());
        };
        let right_indexed = indexed * left_indexed.inverse();
        self.find(claims, left, left_value, Some(left_indexed))?;
        self.find(claims, right, right_value, Some(right_indexed))
    }
}

/// Returns the exponent in a range for which `base` to it is `power`, if there is one, in about 2·√n products for n
/// exponents.
fn logarithm(base: Gt, power: Gt, exponents: Range<usize>) -> Option<usize> {
    let steps = (exponents.len() as f64).sqrt().ceil() as usize;
    let mut baby_steps = HashMap::with_capacity(steps);
    let mut product = Gt::one();
    for i in 0..steps {
        baby_steps.entry(product).or_insert(i);
        product *= base;
    }
    // base^(start + g·steps + i) = power, for the giant step g and the baby step i.
    let giant = product.inverse();
    let mut rest = power * base.pow_vartime(exponents.start as u64).inverse();
    for first in exponents.clone().step_by(steps.max(1)) {
        if let Some(i) = baby_steps.get(&rest) {
            return Some(first + i).filter(|exponent| exponents.contains(exponent));
        }
        rest *= giant;
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

    use std::cell::Cell;

    use parcrypt_bls12_381::pairing::multi_pairing;
    use parcrypt_bls12_381::{G1Affine, G2Affine, dispatch};
    use parcrypt_cpu::Request;
    use parcrypt_runtime::Serial;

    use super::*;

    /// Claims whose errors, times their factors, are known, and the number of values that were computed.
    struct Known {
        base: Gt,
        errors: Vec<u64>,
        values: Cell<usize>,
    }

    impl Claims for Known {
        fn value(&self, units: Range<usize>, exponents: Exponents) -> Result<Gt, Error> {
            self.values.set(self.values.get() + 1);
            let sum: u64 = units.map(|unit| self.errors[unit] * exponents.multiplier(unit)).sum();
            Ok(self.base.pow_vartime(sum))
        }

        fn open(&self, unit: usize, _: Gt, search: &mut Search) -> Result<(), Error> {
            search.wrong.push(unit);
            Ok(())
        }

        fn give_up(&self, units: Range<usize>, search: &mut Search) {
            search.undecided.extend(units);
        }
    }

    fn base() -> Gt {
        let row = dispatch::select_pairing(Request::Auto).unwrap();
        multi_pairing(&Serial, row, &[(G1Affine::generator(), &G2Affine::generator().prepare())]).unwrap()
    }

    #[test]
    fn logarithms_are_found_in_their_range_only() {
        let base = base().pow_vartime(0x1234_5678_9abc);
        for range in [0..1, 0..2, 3..4, 0..7, 5..30, 100..164, 8000..8192] {
            for exponent in range.clone() {
                assert_eq!(logarithm(base, base.pow_vartime(exponent as u64), range.clone()), Some(exponent));
            }
            for outside in [range.start.wrapping_sub(1), range.end, range.end + 1, range.end + 1000] {
                if let Ok(exponent) = u32::try_from(outside) {
                    assert_eq!(logarithm(base, base.pow_vartime(exponent.into()), range.clone()), None);
                }
            }
        }
    }

    /// Two wrong claims in different halves: E0, E1, both of the left half, and the value of each claim.
    #[test]
    fn two_wrong_claims_take_six_values() {
        let mut errors = vec![0; 1000];
        (errors[100], errors[900]) = (3, 4);
        let known = Known { base: base(), errors, values: Cell::new(0) };
        let mut search = Search::new(1000);
        let value = known.value(0..1000, Exponents::Factors).unwrap();
        search.find(&known, 0..1000, value, None).unwrap();
        assert_eq!((search.wrong, search.undecided.len(), known.values.get()), (vec![100, 900], 0, 6));
    }

    /// One wrong claim takes two values after the first, and the number of values stays within its bound for any
    /// number of wrong claims; all of them are found or left.
    #[test]
    fn the_number_of_values_is_bounded() {
        let base = base();
        for claims in [1, 2, 5, 16, 100, 1024] {
            for wrong in [1, 2, 3, 4, 8, 20, 64, 512, 1024] {
                let mut errors = vec![0; claims];
                for i in 0..wrong {
                    let random = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    let random = (random ^ random >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                    let place = if wrong < claims { random as usize >> 40 } else { i };
                    errors[place % claims] = random >> 44 | 1;
                }
                let known = Known { base, errors, values: Cell::new(0) };
                let mut search = Search::new(claims);
                let value = known.value(0..claims, Exponents::Factors).unwrap();
                search.find(&known, 0..claims, value, None).unwrap();
                let all: Vec<usize> = (0..claims).filter(|k| known.errors[*k] != 0).collect();
                let undecided = &search.undecided;
                let mut found = search.wrong.clone();
                assert!(found.iter().all(|k| known.errors[*k] != 0), "no right claim is named");
                // The single verification of those that are left.
                found.extend(undecided.iter().filter(|k| known.errors[**k] != 0));
                found.sort_unstable();
                assert_eq!(found, all, "{wrong} of {claims}");
                let right = claims - all.len();
                let most = 1 + 2 + claims / 16 + right / 4 + search.wrong.len();
                assert!(known.values.get() <= most, "{wrong} of {claims}: {} values", known.values.get());
                if all.len() == 1 && claims > 1 {
                    assert_eq!((known.values.get(), undecided.len()), (3, 0), "{claims}");
                }
                if claims == 1024 && wrong <= 20 {
                    assert!(undecided.len() <= 8 * wrong, "{wrong}: {} left", undecided.len());
                }
            }
        }
    }
}
