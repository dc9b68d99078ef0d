//! Arithmetic modulo a prime below 2^31, without branches or look-ups that depend on operands.

use crate::Error;

/// A prime below 2^31.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Modulus {
    q: u32,
    /// ⌊(2^64 − 1) / q⌋.
    reciprocal: u64,
}

/// A constant with its Shoup quotient, which makes multiplying by it cheap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShoupConstant {
    pub(crate) value: u32,
    /// ⌊value · 2^32 / q⌋.
    pub(crate) quotient: u32,
}

/// Constants of a table, with their Shoup quotients in an array of their own, as vectors load them.
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    values: Vec<u32>,
    quotients: Vec<u32>,
}

impl Constants {
    /// Words after the last one, so that a vector can be loaded from any place.
    const AFTER: usize = 16;

    /// Returns the constant at an index.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> ShoupConstant {
        ShoupConstant { value: self.values[index], quotient: self.quotients[index] }
    }

    /// Returns the constants of layer `k`, from 2^k to 2^(k + 1).
    pub(crate) fn layer(&self, k: u32) -> impl Iterator<Item = ShoupConstant> {
        (1 << k..2 << k).map(|index| self.at(index))
    }

    /// Returns all constants.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ShoupConstant> {
        (0..self.values.len() - Self::AFTER).map(|index| self.at(index))
    }

    /// Returns the `W` values, at most 16, from an index on, and their quotients. Those after the last one are 0.
    #[inline]
    pub(crate) fn from<const W: usize>(&self, index: usize) -> [[u32; W]; 2] {
        const { assert!(W <= Self::AFTER) };
        [&self.values, &self.quotients].map(|all| all[index..index + W].as_chunks().0[0])
    }
}

impl Modulus {
    pub(crate) fn new(q: u32) -> Result<Self, Error> {
        if q >= 1 << 31 {
            return Err(Error::ModulusTooLarge { modulus: q });
        }
        if !is_prime(q) {
            return Err(Error::NotPrime { modulus: q });
        }
        Ok(Modulus { q, reciprocal: u64::MAX / u64::from(q) })
    }

    pub(crate) fn q(self) -> u32 {
        self.q
    }

    /// Returns the canonical form of a value below 2q.
    #[inline]
    fn below(self, x: u32) -> u32 {
        debug_assert!(u64::from(x) < 2 * u64::from(self.q));
        // Where x < q the difference wraps to at least 2^32 − q > x, because 2q < 2^32.
        x.min(x.wrapping_sub(self.q))
    }

    #[inline]
    pub(crate) fn add(self, a: u32, b: u32) -> u32 {
        debug_assert!(a < self.q && b < self.q);
        self.below(a + b)
    }

    #[inline]
    pub(crate) fn sub(self, a: u32, b: u32) -> u32 {
        debug_assert!(a < self.q && b < self.q);
        let difference = a.wrapping_sub(b);
        // Where a < b the difference has wrapped to at least 2^32 − q, and q more brings it back below q.
        difference.min(difference.wrapping_add(self.q))
    }

    /// Returns the canonical form of a value below 2^63.
    #[inline]
    pub(crate) fn reduce(self, x: u64) -> u32 {
        debug_assert!(x < 1 << 63);
        // The reciprocal is at most 1 below 2^64 / q, so the product is less than x / 2^64 < 1/2 below x / q before it
        // is rounded down: the remainder is below 1.5 q.
        let quotient = (u128::from(x) * u128::from(self.reciprocal)) >> 64;
        self.below((x - quotient as u64 * u64::from(self.q)) as u32)
    }

    #[inline]
    pub(crate) fn mul(self, a: u32, b: u32) -> u32 {
        debug_assert!(a < self.q && b < self.q);
        self.reduce(u64::from(a) * u64::from(b))
    }

    /// Returns a·b + c·d.
    #[inline]
    pub(crate) fn mul_add(self, [a, b]: [u32; 2], [c, d]: [u32; 2]) -> u32 {
        debug_assert!([a, b, c, d].iter().all(|x| *x < self.q));
        // 2 · (2^31 − 1)² < 2^63.
        self.reduce(u64::from(a) * u64::from(b) + u64::from(c) * u64::from(d))
    }

    /// Returns the power by a public exponent.
    pub(crate) fn pow_vartime(self, base: u32, mut exponent: u32) -> u32 {
        let (mut square, mut power) = (base, 1 % self.q);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = self.mul(power, square);
            }
            square = self.mul(square, square);
            exponent >>= 1;
        }
        power
    }

    /// Returns the inverse of an element that is not zero.
    pub(crate) fn invert_vartime(self, a: u32) -> u32 {
        debug_assert!(a != 0);
        self.pow_vartime(a, self.q - 2)
    }

    pub(crate) fn constant(self, value: u32) -> ShoupConstant {
        debug_assert!(value < self.q);
        ShoupConstant { value, quotient: ((u64::from(value) << 32) / u64::from(self.q)) as u32 }
    }

    /// Returns a table of constants.
    pub(crate) fn constants(self, mut values: Vec<u32>) -> Constants {
        values.resize(values.len() + Constants::AFTER, 0);
        let quotients = values.iter().map(|value| self.constant(*value).quotient).collect();
        Constants { values, quotients }
    }

    /// Returns 1/q modulo 2^32 of an odd q.
    pub(crate) fn inverse(self) -> u32 {
        // Each step doubles the number of right bits, of which q has three.
        (0..4).fold(self.q, |x, _| x.wrapping_mul(2u32.wrapping_sub(self.q.wrapping_mul(x))))
    }

    /// Returns 2^32 modulo q.
    pub(crate) fn montgomery(self) -> ShoupConstant {
        self.constant(self.reduce(1 << 32))
    }

    /// Returns the product by a constant.
    #[inline]
    pub(crate) fn scale(self, a: u32, by: ShoupConstant) -> u32 {
        // The quotient is less than 1 below value · 2^32 / q, so that a · quotient / 2^32 is less than 1 below the true
        // one before it is rounded down: the remainder is below 2q < 2^32, and may be computed modulo 2^32.
        let quotient = ((u64::from(a) * u64::from(by.quotient)) >> 32) as u32;
        self.below(a.wrapping_mul(by.value).wrapping_sub(quotient.wrapping_mul(self.q)))
    }

    /// Returns the largest s for which 2^s divides q − 1.
    pub(crate) fn two_adicity(self) -> u32 {
        if self.q == 2 { 0 } else { (self.q - 1).trailing_zeros() }
    }

    /// Returns the smallest primitive root of unity of order 2^log, or `None` if the field has none.
    pub(crate) fn root(self, log: u32) -> Option<u32> {
        if log > self.two_adicity() {
            return None;
        }
        if log == 0 {
            return Some(1);
        }
        // Half of all elements have no square root; one of these to the odd part of q − 1 has the order 2^adicity.
        let odd = (self.q - 1) >> self.two_adicity();
        let any = (2..self.q).find(|x| self.pow_vartime(*x, (self.q - 1) / 2) == self.q - 1)?;
        let any = self.pow_vartime(any, odd << (self.two_adicity() - log));
        // The primitive roots are the odd powers of any of them.
        let square = self.mul(any, any);
        std::iter::successors(Some(any), |x| Some(self.mul(*x, square))).take(1 << (log - 1)).min()
    }
}

/// Returns whether a number is prime: the test of Miller and Rabin, with bases of which at least one is a witness for
/// every composite number below 3,215,031,751 (Jaeschke, 'On strong pseudoprimes to several bases', 1993).
fn is_prime(n: u32) -> bool {
    const BASES: [u32; 4] = [2, 3, 5, 7];
    if n < 2 || BASES.contains(&n) {
        return n >= 2;
    }
    if BASES.iter().any(|base| n.is_multiple_of(*base)) {
        return false;
    }
    let mul = |a: u32, b: u32| (u64::from(a) * u64::from(b) % u64::from(n)) as u32;
    let twos = (n - 1).trailing_zeros();
    BASES.iter().all(|&base| {
        let (mut power, mut square, mut exponent) = (1, base, (n - 1) >> twos);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = mul(power, square);
            }
            square = mul(square, square);
            exponent >>= 1;
        }
        let mut all = std::iter::successors(Some(power), |x| Some(mul(*x, *x))).take(twos as usize);
        power == 1 || all.any(|x| x == n - 1)
    })
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use super::*;

    /// The extreme primes, some with many roots of unity, and some between them.
    const PRIMES: [u32; 16] = [
        2, 3, 5, 7, 17, 97, 257, 3329, 7681, 12289, 65537, 8380417, 998244353, 2013265921, 2147483629,
        2147483647,
    ];

    #[test]
    fn primes_are_distinguished_from_composites() {
        let mut composite = vec![false; 1 << 17];
        for n in 2..1 << 17u32 {
            assert_eq!(is_prime(n), !composite[n as usize], "{n}");
            (n as usize * n as usize..1 << 17).step_by(n as usize).for_each(|m| composite[m] = true);
        }
        assert!(!is_prime(0) && !is_prime(1));
        assert!(PRIMES.iter().all(|q| is_prime(*q)));
        // By trial division, up to the greatest modulus.
        let primes: Vec<u32> = (2..46341).filter(|n| !composite[*n as usize]).collect();
        for n in (1 << 31) - 2000..1 << 31 {
            assert_eq!(is_prime(n), primes.iter().all(|p| n % p != 0), "{n}");
        }
        // Carmichael numbers, and strong pseudoprimes to the bases 2; 2 and 3; 2, 3 and 5.
        for n in [561, 1105, 1729, 252601, 2047, 3277, 1373653, 1530787, 25326001, 161304001, 960946321] {
            assert!(!is_prime(n), "{n}");
        }
    }

    #[test]
    fn operations_agree_with_division() {
        let mut rng = rng();
        for q in PRIMES {
            let m = Modulus::new(q).unwrap();
            let wide = u64::from(q);
            let ends = [0, 1, 2, 3, q / 2, q / 2 + 1, q - 1].map(|x| x % q);
            let random: Vec<u32> = (0..50).map(|_| rng.random_range(0..q)).collect();
            let all: Vec<u32> = ends.into_iter().chain(random).collect();
            for &a in &all {
                for &b in &all {
                    let (x, y) = (u64::from(a), u64::from(b));
                    assert_eq!(u64::from(m.add(a, b)), (x + y) % wide);
                    assert_eq!(u64::from(m.sub(a, b)), (x + wide - y) % wide);
                    assert_eq!(u64::from(m.mul(a, b)), x * y % wide);
                    assert_eq!(u64::from(m.scale(a, m.constant(b))), x * y % wide);
                    let c = all[(x as usize * 7 + y as usize) % all.len()];
                    let expected = (x * y + u64::from(c) * (wide - 1)) % wide;
                    assert_eq!(u64::from(m.mul_add([a, b], [c, q - 1])), expected);
                }
                assert!(a == 0 || m.mul(a, m.invert_vartime(a)) == 1 % q);
            }
            for x in [0, 1, wide - 1, wide, 2 * wide, (1 << 63) - 1, (1 << 63) - (1 << 63) % wide - 1] {
                assert_eq!(u64::from(m.reduce(x)), x % wide, "{x} modulo {q}");
            }
            for _ in 0..1000 {
                let x = rng.random_range(0..1 << 63);
                assert_eq!(u64::from(m.reduce(x)), x % wide, "{x} modulo {q}");
                // A constant may be multiplied by any word.
                let (a, b) = (rng.random::<u32>(), rng.random_range(0..q));
                assert_eq!(u64::from(m.scale(a, m.constant(b))), u64::from(a) * u64::from(b) % wide);
            }
        }
    }

    #[test]
    fn constants_of_products_are_right() {
        for q in PRIMES {
            let m = Modulus::new(q).unwrap();
            assert!(q == 2 || q.wrapping_mul(m.inverse()) == 1);
            assert_eq!(u64::from(m.montgomery().value), (1 << 32) % u64::from(q));
            let table = m.constants(vec![0, 1, q - 1]);
            assert_eq!(table.iter().map(|one| one.value).collect::<Vec<u32>>(), [0, 1, q - 1]);
            assert_eq!(table.from(2), [[q - 1, 0], [m.constant(q - 1).quotient, 0]]);
        }
    }

    #[test]
    fn roots_are_the_smallest_primitive_ones() {
        for q in PRIMES {
            let m = Modulus::new(q).unwrap();
            assert_eq!(m.root(m.two_adicity() + 1), None);
            for log in 0..=m.two_adicity().min(12) {
                let root = m.root(log).unwrap();
                let primitive = |x| {
                    m.pow_vartime(x, 1 << log) == 1 % q && (log == 0 || m.pow_vartime(x, 1 << (log - 1)) != 1)
                };
                assert!(primitive(root), "{root} modulo {q}");
                assert!((1..root).rev().take(100_000).all(|x| !primitive(x)), "{q}, 2^{log}");
            }
        }
        // The constants of FIPS 203, section 4.3, and FIPS 204, section 2.5.
        assert_eq!(Modulus::new(3329).unwrap().root(8), Some(17));
        assert_eq!(Modulus::new(8380417).unwrap().root(9), Some(1753));
    }

    #[test]
    fn only_primes_below_2_to_the_31_are_accepted() {
        for modulus in [0, 1, 4, 3328, 1 << 30, (1 << 31) - 2] {
            assert_eq!(Modulus::new(modulus), Err(Error::NotPrime { modulus }));
        }
        for modulus in [1 << 31, 2147483659, u32::MAX] {
            assert_eq!(Modulus::new(modulus), Err(Error::ModulusTooLarge { modulus }));
        }
    }
}
