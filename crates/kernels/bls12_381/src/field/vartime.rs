//! The inverse in Fp of public elements, in a time that depends on them.
//!
//! Bernstein and Yang, *Fast constant-time gcd computation and modular inversion* (2019): division steps on the low
//! bits of f and g, which begin as p and x. 62 steps are a matrix of single words, applied to f and g, and modulo p to
//! d and e with d·x = f·c and e·x = g·c, where c is the factor of the result. As in `modinv64` of libsecp256k1, a
//! step takes several bits of g at once, and f and g lose limbs as they become smaller. blst's inversion is in constant
//! time and always takes all steps.

use super::limbs;
use crate::constants::P;
use crate::ffi::Words;

/// Number of limbs: 434 bits hold a sign and twice p.
const LIMBS: usize = 7;
/// Bits of a limb, and division steps of a matrix.
const BITS: u32 = 62;
const MASK: u64 = (1 << BITS) - 1;

/// An integer of limbs of 62 bits, of which the highest in use has the sign.
type Limbs = [i64; LIMBS];

const MODULUS: Limbs = signed(&P);
/// 1 / p modulo 2^62.
const P_INVERSE: u64 = limbs::inverse(P[0]) & MASK;
/// The factor of the result. The form of x is 2^384·x, so that its inverse times this has the form of 1 / x.
const FACTOR: Limbs = signed(&super::fp::power_of_two(2 * 384));

const fn signed(words: &Words) -> Limbs {
    let (split, mut signed) = (limbs::split::<6, LIMBS>(words, LIMBS, BITS), [0; LIMBS]);
    let mut i = 0;
    while i < LIMBS {
        signed[i] = split[i].cast_signed();
        i += 1;
    }
    signed
}

/// 62 division steps: 2^62 times the new f and g are u·f + v·g and q·f + r·g, and |u| + |v| and |q| + |r| are at most
/// 2^62.
struct Steps {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

/// Returns 1 / a in the Montgomery form of blst, in which a is; 0 for 0. The time depends on a.
pub(crate) fn inverse_vartime(a: &Words) -> Words {
    let (mut d, mut e): (Limbs, Limbs) = ([0; LIMBS], FACTOR);
    let (mut f, mut g): (Limbs, Limbs) = (MODULUS, signed(a));
    let (mut eta, mut used) = (-1, LIMBS);
    while g[..used].iter().any(|limb| *limb != 0) {
        let steps = steps(&mut eta, f[0].cast_unsigned(), g[0].cast_unsigned());
        update_modulo_p(&steps, &mut d, &mut e);
        update(&steps, &mut f[..used], &mut g[..used]);
        // Limbs that only repeat the sign of the one below are left out.
        let [high_f, high_g] = [f[used - 1], g[used - 1]];
        if used > 1 && [high_f, high_g].iter().all(|high| *high == *high >> 63) {
            used -= 1;
            f[used - 1] |= high_f << BITS;
            g[used - 1] |= high_g << BITS;
        }
    }
    // f is 1 or −1 now (p for a = 0, where d is still 0), and d between −2p and p.
    reduced(&d, f[used - 1] < 0)
}

/// Does 62 division steps on the low words of f and g. `eta` is −δ of the paper.
#[inline(always)]
fn steps(eta: &mut i64, mut f: u64, mut g: u64) -> Steps {
    let (mut u, mut v, mut q, mut r) = (1u64, 0u64, 0u64, 1u64);
    let mut left = BITS;
    loop {
        let zeros = (g | u64::MAX << left).trailing_zeros();
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        *eta -= i64::from(zeros);
        left -= zeros;
        if left == 0 {
            let [u, v, q, r] = [u, v, q, r].map(u64::cast_signed);
            return Steps { u, v, q, r };
        }
        debug_assert!(f & 1 == 1 && g & 1 == 1);
        // The factor w makes the low bits of g + w·f zero: six bits by one Newton step for −1 / f, or four by a
        // closed formula. No more than eta + 1, after which f and g are exchanged, and no more than are left.
        let (mask, factor);
        if *eta < 0 {
            *eta = -*eta;
            (f, g) = (g, f.wrapping_neg());
            (u, q) = (q, u.wrapping_neg());
            (v, r) = (r, v.wrapping_neg());
            mask = bits(*eta, left) & 63;
            factor = f.wrapping_mul(g).wrapping_mul(f.wrapping_mul(f).wrapping_sub(2));
        } else {
            mask = bits(*eta, left) & 15;
            let inverse = f.wrapping_add((f.wrapping_add(1) & 4) << 1);
            factor = inverse.wrapping_neg().wrapping_mul(g);
        }
        let w = factor & mask;
        g = g.wrapping_add(f.wrapping_mul(w));
        q = q.wrapping_add(u.wrapping_mul(w));
        r = r.wrapping_add(v.wrapping_mul(w));
        debug_assert_eq!(g & mask, 0);
    }
}

/// Returns a mask of min(eta + 1, left) bits.
#[inline(always)]
fn bits(eta: i64, left: u32) -> u64 {
    debug_assert!(eta >= 0 && left >= 1);
    u64::MAX >> (64 - (eta + 1).min(i64::from(left)))
}

fn product(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}

/// Returns the low 62 bits.
fn low(sum: i128) -> i64 {
    (sum as u64 & MASK).cast_signed()
}

/// Sets f and g to (u·f + v·g) / 2^62 and (q·f + r·g) / 2^62, which are integers.
#[inline(always)]
fn update(Steps { u, v, q, r }: &Steps, f: &mut [i64], g: &mut [i64]) {
    let (mut carry_f, mut carry_g) = (0, 0);
    for i in 0..f.len() {
        carry_f += product(*u, f[i]) + product(*v, g[i]);
        carry_g += product(*q, f[i]) + product(*r, g[i]);
        if i == 0 {
            debug_assert!(low(carry_f) == 0 && low(carry_g) == 0);
        } else {
            (f[i - 1], g[i - 1]) = (low(carry_f), low(carry_g));
        }
        (carry_f, carry_g) = (carry_f >> BITS, carry_g >> BITS);
    }
    (f[f.len() - 1], g[f.len() - 1]) = (carry_f as i64, carry_g as i64);
}

/// Sets d and e to (u·d + v·e) / 2^62 and (q·d + r·e) / 2^62 modulo p. All are above −2p and below p.
#[inline(always)]
fn update_modulo_p(Steps { u, v, q, r }: &Steps, d: &mut Limbs, e: &mut Limbs) {
    // A negative d or e counts as d + p or e + p, so that what is added below keeps the bounds.
    let negative = |limbs: &Limbs| limbs[LIMBS - 1] >> 63;
    let mut p_d = (u & negative(d)) + (v & negative(e));
    let mut p_e = (q & negative(d)) + (r & negative(e));
    let (mut carry_d, mut carry_e) = (0, 0);
    for i in 0..LIMBS {
        carry_d += product(*u, d[i]) + product(*v, e[i]);
        carry_e += product(*q, d[i]) + product(*r, e[i]);
        if i == 0 {
            // The multiples of p that make the lowest limbs 0.
            let cancelling = |carry: i128, p: i64| {
                p - (P_INVERSE.wrapping_mul(carry as u64).wrapping_add(p as u64) & MASK).cast_signed()
            };
            (p_d, p_e) = (cancelling(carry_d, p_d), cancelling(carry_e, p_e));
        }
        carry_d += product(MODULUS[i], p_d);
        carry_e += product(MODULUS[i], p_e);
        if i == 0 {
            debug_assert!(low(carry_d) == 0 && low(carry_e) == 0);
        } else {
            (d[i - 1], e[i - 1]) = (low(carry_d), low(carry_e));
        }
        (carry_d, carry_e) = (carry_d >> BITS, carry_e >> BITS);
    }
    (d[LIMBS - 1], e[LIMBS - 1]) = (carry_d as i64, carry_e as i64);
    let high = MODULUS[LIMBS - 1];
    debug_assert!([d, e].iter().all(|x| (-2 * high - 2..=high).contains(&x[LIMBS - 1])));
}

/// Returns d, or −d, modulo p, for d above −2p and below p.
fn reduced(d: &Limbs, negated: bool) -> Words {
    let mut sum = *d;
    let mut add_p_if_negative = |negated: bool| {
        let is_negative = sum[LIMBS - 1] < 0;
        let mut carry = 0;
        for (limb, p) in sum.iter_mut().zip(MODULUS) {
            let value = *limb + if is_negative { p } else { 0 };
            carry += if negated { -value } else { value };
            *limb = (carry.cast_unsigned() & MASK).cast_signed();
            carry >>= BITS;
        }
        // The highest limb keeps the sign.
        sum[LIMBS - 1] += carry << BITS;
    };
    add_p_if_negative(negated);
    add_p_if_negative(false);
    debug_assert!(sum.iter().all(|limb| *limb >= 0));
    let mut words = [0; 6];
    for (i, word) in words.iter_mut().enumerate() {
        let (limb, bit) = (i * 64 / BITS as usize, i as u32 * 64 % BITS);
        let both = (sum[limb + 1] as u128) << BITS | sum[limb] as u128;
        *word = (both >> bit) as u64;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::fp;
    use super::*;

    #[test]
    fn inverses_are_those_of_blst() {
        let mut some = vec![fp::ONE, fp::neg(&fp::ONE), [1, 0, 0, 0, 0, 0], fp::neg(&[1, 0, 0, 0, 0, 0])];
        // Powers of two, their neighbours and negatives.
        for exponent in 0..381 {
            let mut power = [0; 6];
            power[exponent / 64] = 1 << (exponent % 64);
            let near = [power, fp::add(&power, &[1, 0, 0, 0, 0, 0]), fp::sub(&power, &[1, 0, 0, 0, 0, 0])];
            some.extend(near.iter().flat_map(|x| [*x, fp::neg(x)]));
        }
        let mut random = fp::power_of_two(1000);
        for _ in 0..2_000 {
            random = fp::add(&fp::product(&random, &random), &fp::ONE);
            some.push(random);
        }
        for a in some.iter().filter(|a| !fp::is_zero(a)) {
            let mut expected = [0; 6];
            crate::ffi::fp_inverse(&mut expected, a);
            assert_eq!(inverse_vartime(a), expected, "{a:x?}");
        }
        assert_eq!(inverse_vartime(&[0; 6]), [0; 6]);
    }
}
