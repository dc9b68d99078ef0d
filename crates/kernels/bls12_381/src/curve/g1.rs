//! The group G1: the points of order r on y² = x³ + 4 over the field of 381 bits.

#[cfg(feature = "compute")]
mod sum;

use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use blst::{blst_p1, blst_p1_affine};

use crate::field::fp;
use crate::{Error, Fr, ffi};

/// A point of G1 in affine coordinates, or the point at infinity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct G1Affine(pub(crate) blst_p1_affine);

/// A point of G1 in Jacobian coordinates. Two values are equal if they are the same point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct G1(pub(crate) blst_p1);

impl G1 {
    /// Returns the point at infinity, the neutral element.
    pub fn identity() -> Self {
        G1::default()
    }

    /// Returns whether this is the point at infinity, in less time than a comparison.
    pub fn is_identity(&self) -> bool {
        ffi::p1_is_inf(&self.0)
    }

    /// Returns the standard generator.
    pub fn generator() -> Self {
        G1(ffi::p1_generator())
    }

    /// Decompresses a point (48 bytes: x, big-endian, with three flag bits) and checks that it is in the subgroup.
    ///
    /// # Errors
    /// [`Error::NotOnCurve`] for bytes that are not a point, [`Error::NotInSubgroup`] for a point of another order.
    pub fn from_compressed(bytes: &[u8; 48]) -> Result<Self, Error> {
        G1Affine::from_compressed(bytes).map(G1::from)
    }

    /// Returns 2 · self.
    pub fn double(mut self) -> Self {
        ffi::p1_double(&mut self.0);
        self
    }

    /// Returns the affine form of each point, in order, with one inversion for all (Montgomery's trick).
    pub fn batch_to_affine(points: &[G1]) -> Vec<G1Affine> {
        // blst's batch inversion does not take the point at infinity, whose z is 0.
        let finite: Vec<blst_p1> = points.iter().filter(|p| !p.is_identity()).map(|p| p.0).collect();
        let mut affines = ffi::p1s_to_affine(&finite).into_iter();
        let mut affine = |point: &G1| match point.is_identity() {
            true => G1Affine::identity(),
            false => affines.next().map(G1Affine).unwrap_or_default(),
        };
        points.iter().map(&mut affine).collect()
    }

    /// Returns the affine form.
    pub fn to_affine(&self) -> G1Affine {
        let mut affine = G1Affine::default();
        // Infinity becomes zeros.
        ffi::p1_to_affine(&mut affine.0, &self.0);
        affine
    }

    /// Returns the compressed form of each point, in order, with one inversion for all.
    pub fn compress_all(points: &[G1]) -> Vec<[u8; 48]> {
        G1::batch_to_affine(points).iter().map(G1Affine::to_compressed).collect()
    }

    /// Returns the compressed form: 48 bytes.
    pub fn to_compressed(&self) -> [u8; 48] {
        self.to_affine().to_compressed()
    }

    /// Returns X, Y and Z in Montgomery form, times 2^384 modulo p, as 6 little-endian words each; x = X/Z² and y =
    /// Y/Z³, and Z is 0 at infinity.
    pub fn to_raw(&self) -> [u8; 144] {
        let mut bytes = [0; 144];
        let words = self.0.x.l.iter().chain(&self.0.y.l).chain(&self.0.z.l);
        bytes.chunks_exact_mut(8).zip(words).for_each(|(out, word)| out.copy_from_slice(&word.to_le_bytes()));
        bytes
    }

    /// Reads the form that [`G1::to_raw`] returns. It checks that the point is on the curve, not that it is in the
    /// subgroup.
    ///
    /// # Errors
    /// [`Error::NotOnCurve`] if a coordinate is not below p, or they are not a point.
    pub fn from_raw(bytes: &[u8; 144]) -> Result<Self, Error> {
        let coordinate = |at: usize| fp::from_raw(&bytes[at..at + 48]).ok_or(Error::NotOnCurve);
        let point = blst_p1 { x: coordinate(0)?, y: coordinate(48)?, z: coordinate(96)? };
        if ffi::p1_is_on_curve_or_inf(&point) { Ok(G1(point)) } else { Err(Error::NotOnCurve) }
    }
}

impl G1Affine {
    /// Returns the point at infinity.
    pub fn identity() -> Self {
        G1Affine::default()
    }

    /// Returns the standard generator.
    pub fn generator() -> Self {
        G1Affine(ffi::p1_affine_generator())
    }

    /// Returns whether this is the point at infinity.
    pub fn is_identity(&self) -> bool {
        ffi::p1_affine_is_inf(&self.0)
    }

    /// Decompresses a point (48 bytes: x, big-endian, with three flag bits) and checks that it is in the subgroup.
    ///
    /// # Errors
    /// [`Error::NotOnCurve`] for bytes that are not a point, [`Error::NotInSubgroup`] for a point of another order.
    pub fn from_compressed(bytes: &[u8; 48]) -> Result<Self, Error> {
        let point = G1Affine::on_curve_from_compressed(bytes)?;
        if point.is_in_subgroup() { Ok(point) } else { Err(Error::NotInSubgroup) }
    }

    /// Decompresses a point of the curve, of any order.
    ///
    /// # Errors
    /// [`Error::NotOnCurve`] for bytes that are not a point, [`Error::NotInSubgroup`] where x is 0.
    pub fn on_curve_from_compressed(bytes: &[u8; 48]) -> Result<Self, Error> {
        let mut affine = blst_p1_affine::default();
        ffi::decompressed(ffi::p1_uncompress(&mut affine, bytes)).map(|()| G1Affine(affine))
    }

    /// Returns the compressed form: 48 bytes.
    pub fn to_compressed(&self) -> [u8; 48] {
        let mut bytes = [0; 48];
        ffi::p1_affine_compress(&mut bytes, &self.0);
        bytes
    }

    /// Returns the point with these coordinates x and y, big-endian; infinity for zeros. It is on the curve, and may be
    /// outside of the subgroup. The encoding is that of EIP-2537, without its padding.
    ///
    /// # Errors
    /// [`Error::Coordinate`] for a coordinate that is not below p, [`Error::NotOnCurve`] if they are not a point.
    pub fn from_coordinates([x, y]: [&[u8; 48]; 2]) -> Result<Self, Error> {
        let coordinate = |bytes| fp::from_bytes(bytes).ok_or(Error::Coordinate);
        let affine = blst_p1_affine { x: coordinate(x)?, y: coordinate(y)? };
        if ffi::p1_affine_is_on_curve_or_inf(&affine) { Ok(G1Affine(affine)) } else { Err(Error::NotOnCurve) }
    }

    /// Returns the coordinates x and y, big-endian; zeros at infinity.
    pub fn to_coordinates(&self) -> [[u8; 48]; 2] {
        [fp::to_bytes(&self.0.x), fp::to_bytes(&self.0.y)]
    }

    /// Returns x and y in Montgomery form, times 2^384 modulo p, as 6 little-endian words each; zeros at infinity.
    pub fn to_raw(&self) -> [u8; 96] {
        let mut bytes = [0; 96];
        let words = self.0.x.l.iter().chain(&self.0.y.l);
        bytes.chunks_exact_mut(8).zip(words).for_each(|(out, word)| out.copy_from_slice(&word.to_le_bytes()));
        bytes
    }

    /// Reads the form that [`G1Affine::to_raw`] returns. It checks that the point is on the curve, not that it is in
    /// the subgroup.
    ///
    /// # Errors
    /// [`Error::NotOnCurve`] if a coordinate is not below p, or they are not a point.
    pub fn from_raw(bytes: &[u8; 96]) -> Result<Self, Error> {
        let coordinate = |at: usize| fp::from_raw(&bytes[at..at + 48]).ok_or(Error::NotOnCurve);
        let affine = blst_p1_affine { x: coordinate(0)?, y: coordinate(48)? };
        if ffi::p1_affine_is_on_curve_or_inf(&affine) { Ok(G1Affine(affine)) } else { Err(Error::NotOnCurve) }
    }
}

impl From<G1Affine> for G1 {
    fn from(affine: G1Affine) -> G1 {
        let mut point = G1::default();
        ffi::p1_from_affine(&mut point.0, &affine.0);
        point
    }
}

impl From<G1> for G1Affine {
    fn from(point: G1) -> G1Affine {
        point.to_affine()
    }
}

impl Neg for G1Affine {
    type Output = G1Affine;
    fn neg(mut self) -> G1Affine {
        ffi::fp_neg(&mut self.0.y);
        self
    }
}

impl AddAssign for G1 {
    fn add_assign(&mut self, other: G1) {
        ffi::p1_add_assign(&mut self.0, &other.0);
    }
}

impl Neg for G1 {
    type Output = G1;
    fn neg(mut self) -> G1 {
        ffi::p1_neg(&mut self.0);
        self
    }
}

impl SubAssign for G1 {
    fn sub_assign(&mut self, other: G1) {
        *self += -other;
    }
}

impl MulAssign<Fr> for G1 {
    fn mul_assign(&mut self, scalar: Fr) {
        let (point, scalar) = (self.0, scalar.to_scalar());
        ffi::p1_mult(&mut self.0, &point, &scalar);
    }
}

impl Add for G1 {
    type Output = G1;
    fn add(mut self, other: G1) -> G1 {
        self += other;
        self
    }
}

impl Add<G1Affine> for G1 {
    type Output = G1;
    fn add(mut self, other: G1Affine) -> G1 {
        ffi::p1_add_affine_assign(&mut self.0, &other.0);
        self
    }
}

impl Sub for G1 {
    type Output = G1;
    fn sub(mut self, other: G1) -> G1 {
        self -= other;
        self
    }
}

impl Mul<Fr> for G1 {
    type Output = G1;
    fn mul(mut self, scalar: Fr) -> G1 {
        self *= scalar;
        self
    }
}
