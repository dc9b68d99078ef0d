//! The polynomial that vanishes at given points: a tree of products, by transforms where they are long.

use parcrypt_bls12_381::{Decomposition, Domain, Fr, Request};
use parcrypt_runtime::{Cost, Runtime, enter, join};

use crate::Error;
use crate::pieces::{FR_PRODUCT_NS, TIMES_PLUS_NS, for_pieces, padded};

/// Up to this many linear factors are multiplied one after the other.
const DIRECT_FACTORS: usize = 32;

/// Returns the coefficients of the product of X − root over all `roots`, 1 for none: O(n·log² n).
///
/// # Errors
/// [`Error::Bls`] and [`Error::Memory`] where the product is too long for transforms or memory.
pub(crate) fn from_roots(rt: &dyn Runtime, roots: &[Fr]) -> Result<Vec<Fr>, Error> {
    if roots.len() <= DIRECT_FACTORS {
        let mut coefficients = vec![Fr::one()];
        for root in roots {
            coefficients.insert(0, Fr::zero());
            for i in 1..coefficients.len() {
                coefficients[i - 1] = coefficients[i - 1] - coefficients[i] * *root;
            }
        }
        return Ok(coefficients);
    }
    // Halves of equal length, the power of two from half the length on: a product of them has one coefficient more
    // than a transform.
    let (left, right) = roots.split_at(roots.len().next_power_of_two() / 2);
    let levels = u64::from(roots.len().ilog2());
    let cost = Cost::ns((roots.len() as u64).saturating_mul(40 * TIMES_PLUS_NS).saturating_mul(levels));
    let (left, right) = join(rt, cost, || from_roots(rt, left), || from_roots(rt, right));
    let (left, right) = (left?, right?);
    if direct_ns(left.len(), right.len()) <= fft_ns(left.len() + right.len()) {
        Ok(mul_direct(rt, &left, &right))
    } else {
        mul_fft(rt, &left, &right)
    }
}

/// Returns the product by its definition, a·b multiplications for a and b coefficients.
fn mul_direct(rt: &dyn Runtime, a: &[Fr], b: &[Fr]) -> Vec<Fr> {
    let mut product = vec![Fr::zero(); a.len() + b.len() - 1];
    let ns = TIMES_PLUS_NS.saturating_mul(a.len().min(b.len()) as u64);
    for_pieces(rt, &mut product, ns, |start, piece| {
        for (k, out) in (start..).zip(piece) {
            // The i for which both a[i] and b[k − i] exist.
            let from = (k + 1).saturating_sub(b.len());
            let to = a.len().min(k + 1);
            *out = (from..to).fold(Fr::zero(), |sum, i| sum + a[i] * b[k - i]);
        }
    });
    product
}

/// Returns the product of two polynomials whose last coefficients are 1, and which have a root each, by three
/// transforms: of both factors, and back.
fn mul_fft(rt: &dyn Runtime, a: &[Fr], b: &[Fr]) -> Result<Vec<Fr>, Error> {
    // The product has degree d. Transforms of n ≥ d elements give it modulo Xⁿ − 1; where n = d, its last coefficient,
    // 1, is added to its first.
    let d = (a.len() - 1) + (b.len() - 1);
    let scale = d.checked_next_power_of_two().map_or(usize::BITS, |n| n.ilog2());
    // The requested row is for points, and these transforms are over Fr.
    let domain = Domain::new(Request::Baseline, scale)?;
    let n = domain.size();
    let cost = Cost::ns((3 * n as u64).saturating_mul(TIMES_PLUS_NS * u64::from(n.ilog2() + 1)));
    enter(rt, cost, || {
        let (a, b) = (padded(a, n)?, padded(b, n)?);
        let (mut product, mut values) = (vec![Fr::zero(); n], vec![Fr::zero(); n]);
        domain.fft(rt, Decomposition::Iterative, &a, &mut product)?;
        domain.fft(rt, Decomposition::Iterative, &b, &mut values)?;
        for_pieces(rt, &mut product, FR_PRODUCT_NS, |start, piece| {
            piece.iter_mut().zip(&values[start..]).for_each(|(x, y)| *x *= *y);
        });
        domain.inverse_fft(rt, Decomposition::Iterative, &product, &mut values)?;
        if d == n {
            values[0] -= Fr::one();
            values.push(Fr::one());
        }
        values.truncate(d + 1);
        Ok(values)
    })
}

/// Returns the cost of a product by its definition.
fn direct_ns(a: usize, b: usize) -> u64 {
    (a as u64).saturating_mul(b as u64).saturating_mul(TIMES_PLUS_NS)
}

/// Returns the cost of a product of this number of coefficients by transforms: three of them, the roots, and n
/// products.
fn fft_ns(len: usize) -> u64 {
    let n = len.checked_next_power_of_two().map_or(u64::MAX, |n| n as u64);
    n.saturating_mul(3 * u64::from(n.ilog2()) + 3).saturating_mul(TIMES_PLUS_NS / 2)
}

#[cfg(test)]
mod tests {
    use parcrypt_runtime::Serial;
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::{rng, runtimes};

    use super::*;
    use crate::Polynomial;

    /// Returns random roots. Of many, two are equal and one is 0.
    fn random_roots(n: usize, rng: &mut impl Rng) -> Vec<Fr> {
        let mut roots: Vec<Fr> = (0..n).map(|_| Fr::from_bytes_reduced(&rng.random::<[u8; 32]>())).collect();
        if n > 3 {
            roots[1] = roots[2];
            roots[3] = Fr::zero();
        }
        roots
    }

    /// Returns the product of all X − root, one after the other.
    fn by_definition(roots: &[Fr]) -> Vec<Fr> {
        roots.iter().fold(vec![Fr::one()], |product, root| {
            let times_x = std::iter::once(Fr::zero()).chain(product.iter().copied());
            let below = product.iter().copied().chain([Fr::zero()]);
            times_x.zip(below).map(|(above, c)| above - c * *root).collect()
        })
    }

    /// Lengths around powers of two and where the algorithm changes.
    #[test]
    fn roots_make_a_product() {
        let mut rng = rng();
        for n in [0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 100, 129, 300] {
            let roots = random_roots(n, &mut rng);
            assert_eq!(from_roots(&Serial, &roots).unwrap(), by_definition(&roots), "{n} roots");
        }
        let roots = random_roots(3000, &mut rng);
        let p = from_roots(&Serial, &roots).unwrap();
        assert_eq!((p.len(), p[3000]), (3001, Fr::one()));
        let p = Polynomial::new(p);
        assert!(roots.iter().all(|root| p.evaluate(&Serial, *root) == Fr::zero()));
        for rt in runtimes("parcrypt-kzg10") {
            assert!(from_roots(&*rt, &roots).unwrap() == p.coefficients(), "{}", rt.name());
        }
    }

    #[test]
    fn both_ways_give_the_same_product() {
        let mut rng = rng();
        let lengths = [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65, 513];
        let all = lengths.map(|n| by_definition(&random_roots(n, &mut rng)));
        for a in &all {
            for b in &all {
                let direct = mul_direct(&Serial, a, b);
                assert_eq!(mul_fft(&Serial, a, b).unwrap(), direct, "{} × {}", a.len(), b.len());
            }
        }
        let both: Vec<Fr> = (0..9).map(Fr::from).collect();
        let (a, b) = (by_definition(&both[..4]), by_definition(&both[4..]));
        assert_eq!(mul_direct(&Serial, &a, &b), by_definition(&both));
    }
}
