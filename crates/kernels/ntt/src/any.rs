//! Any ring: its tables, and the transform in plain Rust.

#[cfg(any(test, target_arch = "aarch64", target_arch = "x86_64"))]
pub(crate) mod vectors;

use crate::modulus::{Constants, Modulus, ShoupConstant};
use crate::{Convolution, Error, Ring};

/// A ring with its tables of roots, 16·n bytes.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub(crate) modulus: Modulus,
    pub(crate) n: usize,
    pub(crate) convolution: Convolution,
    /// See [`Ring::root`].
    pub(crate) root: u32,
    /// Coefficients of a slot: 1 or 2.
    pub(crate) degree: usize,
    /// For layer k and block b, at 2^k + b, the root s by which the block splits: X^(2m) − s² = (X^m − s)(X^m + s).
    roots: Constants,
    /// Inverses of the roots.
    inverses: Constants,
    /// The factors of the sums and of the differences of layer 0, both divided by the number of slots.
    last: [ShoupConstant; 2],
    /// The same times 2^32.
    last_of_product: [ShoupConstant; 2],
    /// If the degree is 2, the γ of each modulus X² − γ.
    gammas: Constants,
}

impl Tables {
    /// Returns the tables of a ring.
    ///
    /// # Errors
    /// As [`Ring::new`], except [`Error::Backend`].
    pub(crate) fn new(modulus: u32, n: usize, convolution: Convolution) -> Result<Self, Error> {
        let modulus = Modulus::new(modulus)?;
        if !n.is_power_of_two() || n > Ring::MAX_N {
            return Err(Error::Size { n });
        }
        // The logarithm of the order of the roots of `layers` layers. Where there are no layers, only ω = 1 or −1 = ω
        // is needed, which every field has; in the field of two elements they are the same.
        let order = |layers: u32| match convolution {
            Convolution::Cyclic => layers,
            Convolution::Negacyclic if layers == 0 => 0,
            Convolution::Negacyclic => layers + 1,
        };
        let log = n.trailing_zeros();
        let layers = [log, log.saturating_sub(1)].into_iter().find(|k| order(*k) <= modulus.two_adicity());
        let no_roots = Error::NoRoots { modulus: modulus.q(), n, convolution };
        let Some(layers) = layers else { return Err(no_roots) };
        let root = match convolution {
            Convolution::Negacyclic if layers == 0 => modulus.q() - 1,
            _ => modulus.root(order(layers)).ok_or(no_roots)?,
        };
        let slots = 1usize << layers;

        let powers: Vec<u32> = std::iter::successors(Some(1 % modulus.q()), |x| Some(modulus.mul(*x, root)))
            .take(2 * slots)
            .collect();
        // e(i) for K = k, see `Ring`.
        let exponent = |k: u32, i: usize| convolution.exponent(k, i);
        // Where there are two slots or more, q is odd, so that their number is not zero in the field.
        let scale = match layers {
            0 => 1 % modulus.q(),
            _ => modulus.invert_vartime((slots as u64 % u64::from(modulus.q())) as u32),
        };
        // Index 0 belongs to no block.
        let (mut roots, mut inverses) = (vec![0], vec![0]);
        for k in 0..layers {
            for b in 0..1 << k {
                let exponent = exponent(k, b) << (layers - 1 - k);
                roots.push(powers[exponent]);
                inverses.push(powers[((1 << order(layers)) - exponent) % (1 << order(layers))]);
            }
        }
        let degree = n / slots;
        let gammas = match degree {
            1 => Vec::new(),
            // Both coefficients of a slot have it.
            _ => (0..n).map(|i| powers[exponent(layers, i / 2)]).collect(),
        };
        let last = [scale, modulus.mul(inverses.get(1).copied().unwrap_or(scale), scale)];
        let by = |factor: ShoupConstant| last.map(|x| modulus.constant(modulus.scale(x, factor)));
        let (last, last_of_product) = (by(modulus.constant(1 % modulus.q())), by(modulus.montgomery()));
        let [roots, inverses, gammas] = [roots, inverses, gammas].map(|all| modulus.constants(all));
        Ok(Tables { modulus, n, convolution, root, degree, roots, inverses, last, last_of_product, gammas })
    }

    /// Returns the number of layers.
    fn layers(&self) -> u32 {
        (self.n / self.degree).trailing_zeros()
    }
}

/// Layer by layer, every block of 2m coefficients is taken modulo X^m − s and X^m + s.
pub(crate) fn forward(tables: &Tables, x: &mut [u32]) {
    let q = tables.modulus;
    let mut m = tables.n;
    for k in 0..tables.layers() {
        m /= 2;
        for (block, root) in x.chunks_exact_mut(2 * m).zip(tables.roots.layer(k)) {
            let (low, high) = block.split_at_mut(m);
            for (low, high) in low.iter_mut().zip(high) {
                let t = q.scale(*high, root);
                (*low, *high) = (q.add(*low, t), q.sub(*low, t));
            }
        }
    }
}

/// Undoes [`forward`].
pub(crate) fn inverse(tables: &Tables, x: &mut [u32]) {
    let q = tables.modulus;
    let mut m = tables.degree;
    for k in (0..tables.layers()).rev() {
        for (block, inverse) in x.chunks_exact_mut(2 * m).zip(tables.inverses.layer(k)) {
            let (low, high) = block.split_at_mut(m);
            for (low, high) in low.iter_mut().zip(high) {
                let (sum, difference) = (q.add(*low, *high), q.sub(*low, *high));
                (*low, *high) = match k {
                    0 => (q.scale(sum, tables.last[0]), q.scale(difference, tables.last[1])),
                    _ => (sum, q.scale(difference, inverse)),
                };
            }
        }
        m *= 2;
    }
}

/// Multiplies a transform by another one.
pub(crate) fn pointwise(tables: &Tables, a: &mut [u32], b: &[u32]) {
    let q = tables.modulus;
    if tables.degree == 1 {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = q.mul(*a, *b));
        return;
    }
    let ((a, _), (b, _)) = (a.as_chunks_mut::<2>(), b.as_chunks::<2>());
    for ((a, b), gamma) in a.iter_mut().zip(b).zip(tables.gammas.iter().step_by(2)) {
        let wrapped = q.scale(q.mul(a[1], b[1]), gamma);
        *a = [q.add(q.mul(a[0], b[0]), wrapped), q.mul_add([a[0], b[1]], [a[1], b[0]])];
    }
}

/// Multiplies a polynomial by another one, and leaves anything in that.
pub(crate) fn product(tables: &Tables, a: &mut [u32], b: &mut [u32]) {
    forward(tables, a);
    forward(tables, b);
    pointwise(tables, a, b);
    inverse(tables, a);
}

/// Returns whether all values are below q.
pub(crate) fn all_below(q: u32, x: &[u32]) -> bool {
    // All are compared, so that the time does not depend on valid values.
    !x.iter().fold(false, |bad, x| bad | (*x >= q))
}
