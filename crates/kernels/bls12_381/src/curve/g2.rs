//! The group G2: the points of order r on y² = x³ + 4(1 + i) over the quadratic extension of the base field.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use blst::{blst_fp2, blst_p2, blst_p2_affine};

use crate::field::fp;
use crate::{Error, Fr, ffi};

/// A point of G2 in affine coordinates, or the point at infinity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct G2Affine(pub(crate) blst_p2_affine);

/// A point of G2 in Jacobian coordinates. Two values are equal if they are the same point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct G2(blst_p2);

/// A point of G2, prepared for many pairings.
#[derive(Clone)]
pub struct G2Prepared {
    point: G2Affine,
    #[cfg(feature = "compute")]
    pub(crate) lines: super::miller_loop::Lines,
}

impl G2Prepared {
    /// Returns the point.
    pub fn point(&self) -> G2Affine {
        self.point
    }
}

impl std::fmt::Debug for G2Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("G2Prepared").field(&self.point).finish()
    }
}

impl G2Affine {
    /// Prepares the point for many pairings, by the lines of its Miller loop.
    pub fn prepare(&self) -> G2Prepared {
        G2Prepared {
            point: *self,
            #[cfg(feature = "compute")]
            lines: super::miller_loop::Lines::new(self),
        }
    }
}

impl G2 {
    /// Returns the point at infinity.
    pub fn identity() -> Self {
        G2::default()
    }

    /// Returns the standard generator.
    pub fn generator() -> Self {
        G2(ffi::p2_generator())
    }

    /// Returns the affine form.
    pub fn to_affine(&self) -> G2Affine {
        let mut affine = G2Affine::default();
        ffi::p2_to_affine(&mut affine.0, &self.0);
        affine
    }
}

impl G2Affine {
    /// Returns the point at infinity.
    pub fn identity() -> Self {
        G2Affine::default()
    }

    /// Returns the standard generator.
    pub fn generator() -> Self {
        G2Affine(ffi::p2_affine_generator())
    }

    /// Returns whether this is the point at infinity.
    pub fn is_identity(&self) -> bool {
        ffi::p2_affine_is_inf(&self.0)
    }

    /// Decompresses a point (96 bytes: x, big-endian, with three flag bits) and checks that it is in the subgroup.
    ///
    /// # Errors
    /// [`Error::NotOnCurve`] for bytes that are not a point, [`Error::NotInSubgroup`] for a point of another order.
    pub fn from_compressed(bytes: &[u8; 96]) -> Result<Self, Error> {
        let mut affine = blst_p2_affine::default();
        ffi::decompressed(ffi::p2_uncompress(&mut affine, bytes))?;
        let point = G2Affine(affine);
        if point.is_in_subgroup() { Ok(point) } else { Err(Error::NotInSubgroup) }
    }

    /// Returns the compressed form: 96 bytes.
    pub fn to_compressed(&self) -> [u8; 96] {
        let mut bytes = [0; 96];
        ffi::p2_affine_compress(&mut bytes, &self.0);
        bytes
    }

    /// Returns the point with the coordinates x₀ + x₁·u and y₀ + y₁·u, big-endian; infinity for zeros. It is on the
    /// curve, and may be outside of the subgroup. The encoding is that of EIP-2537, without its padding.
    ///
    /// # Errors
    /// [`Error::Coordinate`] for an element that is not below p, [`Error::NotOnCurve`] if they are not a point.
    pub fn from_coordinates([x0, x1, y0, y1]: [&[u8; 48]; 4]) -> Result<Self, Error> {
        let element = |bytes| fp::from_bytes(bytes).ok_or(Error::Coordinate);
        let coordinate = |a, b| Ok::<_, Error>(blst_fp2 { fp: [element(a)?, element(b)?] });
        let affine = blst_p2_affine { x: coordinate(x0, x1)?, y: coordinate(y0, y1)? };
        if ffi::p2_affine_is_on_curve_or_inf(&affine) { Ok(G2Affine(affine)) } else { Err(Error::NotOnCurve) }
    }

    /// Returns the coordinates that [`G2Affine::from_coordinates`] takes; zeros at infinity.
    pub fn to_coordinates(&self) -> [[u8; 48]; 4] {
        let [[x0, x1], [y0, y1]] = [&self.0.x, &self.0.y].map(|x| x.fp.map(|element| fp::to_bytes(&element)));
        [x0, x1, y0, y1]
    }

    /// Returns x and y in Montgomery form: two elements each, times 2^384 modulo p, as 6 little-endian words an
    /// element; zeros at infinity.
    pub fn to_raw(&self) -> [u8; 192] {
        let mut bytes = [0; 192];
        let words = [&self.0.x, &self.0.y].into_iter().flat_map(|x| &x.fp).flat_map(|x| &x.l);
        bytes.chunks_exact_mut(8).zip(words).for_each(|(out, word)| out.copy_from_slice(&word.to_le_bytes()));
        bytes
    }

    /// Reads the form that [`G2Affine::to_raw`] returns. It checks that the point is on the curve, not that it is in
    /// the subgroup.
    ///
    /// # Errors
    /// [`Error::NotOnCurve`] if a coordinate is not below p, or they are not a point.
    pub fn from_raw(bytes: &[u8; 192]) -> Result<Self, Error> {
        let element = |at: usize| fp::from_raw(&bytes[at..at + 48]).ok_or(Error::NotOnCurve);
        let coordinate = |at| Ok::<_, Error>(blst_fp2 { fp: [element(at)?, element(at + 48)?] });
        let affine = blst_p2_affine { x: coordinate(0)?, y: coordinate(96)? };
        if ffi::p2_affine_is_on_curve_or_inf(&affine) { Ok(G2Affine(affine)) } else { Err(Error::NotOnCurve) }
    }
}

impl From<G2Affine> for G2 {
    fn from(affine: G2Affine) -> G2 {
        let mut point = G2::default();
        ffi::p2_from_affine(&mut point.0, &affine.0);
        point
    }
}

impl AddAssign for G2 {
    fn add_assign(&mut self, other: G2) {
        ffi::p2_add_assign(&mut self.0, &other.0);
    }
}

impl Add for G2 {
    type Output = G2;
    fn add(mut self, other: G2) -> G2 {
        self += other;
        self
    }
}

impl Neg for G2 {
    type Output = G2;
    fn neg(mut self) -> G2 {
        ffi::p2_neg(&mut self.0);
        self
    }
}

impl Sub for G2 {
    type Output = G2;
    fn sub(self, other: G2) -> G2 {
        self + -other
    }
}

impl Mul<Fr> for G2 {
    type Output = G2;
    fn mul(self, scalar: Fr) -> G2 {
        let (mut product, scalar) = (G2::default(), scalar.to_scalar());
        ffi::p2_mult(&mut product.0, &self.0, &scalar);
        product
    }
}
