//! Addition chains of powers in Fp, for backends that compute the same power in each lane.

use crate::constants::X_ABS;

/// A step of a power.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    /// Squares the power.
    Square,
    /// Multiplies it by one that was kept.
    Times(u8),
    /// Keeps it.
    Keep(u8),
    /// Goes back to one that was kept.
    Load(u8),
}

/// Number of powers that are kept at a time.
pub(crate) const KEPT: usize = 3;

/// The steps of a power.
pub(crate) struct Steps {
    all: [Step; 512],
    count: usize,
}

impl Steps {
    /// Returns no steps, for the power to 1.
    pub(crate) const fn new() -> Self {
        Steps { all: [Step::Square; 512], count: 0 }
    }

    /// Appends a step.
    pub(crate) const fn push(&mut self, step: Step) {
        self.all[self.count] = step;
        self.count += 1;
    }

    /// Appends squarings.
    pub(crate) const fn squares(&mut self, count: u32) {
        let mut i = 0;
        while i < count {
            self.push(Step::Square);
            i += 1;
        }
    }

    /// Appends the steps for bits of an exponent, from bit `from` − 1 down to bit `to`, with the base in the place 0.
    pub(crate) const fn bits(&mut self, exponent: u64, from: u32, to: u32) {
        let mut bit = from;
        while bit > to {
            bit -= 1;
            self.push(Step::Square);
            if exponent >> bit & 1 == 1 {
                self.push(Step::Times(0));
            }
        }
    }

    /// Appends the steps of a power, which keeps its base in the place 0.
    pub(crate) const fn power(&mut self, exponent: u64) {
        self.push(Step::Keep(0));
        self.bits(exponent, exponent.ilog2(), 0);
    }

    /// Returns all steps.
    pub(crate) fn all(&self) -> &[Step] {
        &self.all[..self.count]
    }
}

/// The steps of a square root, the power to (3p − 1) / 4: twice that is 1 modulo (p − 1) / 2.
///
/// With z = |x| it is z / 4 · (z − 1) · (z·(z + 1)³ + 1), whose factors have few bits that are 1 or one run of them:
/// 378 squarings and 38 products, where windows of five bits of (p + 1) / 4 take 79 products.
pub(crate) static SQUARE_ROOT: Steps = {
    let mut steps = Steps::new();
    steps.power(X_ABS / 4);
    // The lower 16 bits of z − 1 are 1, in four windows.
    steps.power(0b11);
    steps.push(Step::Keep(1));
    steps.squares(2);
    steps.push(Step::Times(1));
    steps.push(Step::Keep(2));
    steps.push(Step::Load(1));
    steps.bits(X_ABS - 1, 62, 16);
    let mut window = 0;
    while window < 4 {
        steps.squares(4);
        steps.push(Step::Times(2));
        window += 1;
    }
    steps.push(Step::Keep(1));
    steps.power(X_ABS + 1);
    steps.power(X_ABS + 1);
    steps.power(X_ABS + 1);
    steps.power(X_ABS);
    steps.push(Step::Times(1));
    steps
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps of the root are those of (3p − 1) / 4, as exponents modulo 2^64 and two more moduli, and few products.
    #[test]
    fn the_root_is_a_power_of_few_products() {
        let (mut squares, mut products) = (0, 0);
        // Modulo primes of 61 and 31 bits, and 2^64 − 59.
        for modulus in [(1u128 << 61) - 1, (1 << 31) - 1, (1 << 64) - 59] {
            let (mut exponent, mut kept) = (1, [1; KEPT]);
            (squares, products) = (0, 0);
            for step in SQUARE_ROOT.all() {
                match *step {
                    Step::Square => (exponent, squares) = (2 * exponent % modulus, squares + 1),
                    Step::Times(k) => {
                        (exponent, products) = ((exponent + kept[usize::from(k)]) % modulus, products + 1);
                    }
                    Step::Keep(k) => kept[usize::from(k)] = exponent,
                    Step::Load(k) => exponent = kept[usize::from(k)],
                }
            }
            let p =
                crate::constants::P.iter().rev().fold(0, |p, word| ((p << 64) + u128::from(*word)) % modulus);
            assert_eq!(4 * exponent % modulus, (3 * p + modulus - 1) % modulus);
        }
        assert_eq!((squares, products), (378, 38));
    }
}
