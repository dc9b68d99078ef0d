#![doc = include_str!("../README.md")]

use std::fmt;

use parcrypt_bls12_381::dispatch::{self, FpRow, PairingRow};
use parcrypt_bls12_381::{Error, Fr, G1, G1Affine, G2Affine, msm, pairing};
use parcrypt_kzg::Settings;
use parcrypt_runtime::Serial;
use parcrypt_shadow::{Kzg, LoadError, Shadowed};
use revm_precompile::bls12_381::{G1Point, G1PointScalar, G2Point};
use revm_precompile::{Crypto, PrecompileHalt};

/// Parcrypt as a provider of cryptography. What it does not compute is left to revm's default.
pub struct Parcrypt {
    kzg: Shadowed,
    fp: &'static FpRow,
    pairing: &'static PairingRow,
}

impl fmt::Debug for Parcrypt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Parcrypt").field(&format_args!("{}", self.kzg.first().settings())).finish()
    }
}

impl Parcrypt {
    /// Returns the provider with the backends of `PARCRYPT_BACKEND`, or the best of this machine, and with the shadow
    /// of `PARCRYPT_SHADOW`.
    ///
    /// # Errors
    /// [`LoadError`] for an invalid variable, and if the library itself is damaged.
    pub fn new() -> Result<Self, LoadError> {
        let kzg = Shadowed::load(Settings::mainnet)?;
        let [(_, fp), _, (_, pairing), _] = kzg.first().settings().backends();
        let rows = || Ok((dispatch::select(fp.into())?, dispatch::select_pairing(pairing.into())?));
        let (fp, pairing) = rows().map_err(parcrypt_kzg::Error::Arithmetic)?;
        Ok(Parcrypt { kzg, fp, pairing })
    }

    /// Returns Σ scalars\[i\] · points\[i\] for points of the subgroup, in the way that takes less time.
    fn sum(&self, points: &[G1Affine], scalars: &[Fr]) -> Result<G1, Error> {
        msm::msm_fastest_vartime(&Serial, self.fp, msm::Scalars::Full, points, scalars)
    }
}

/// Makes Parcrypt revm's provider for the process, and returns whether it is: `false` if another was installed or
/// used before.
///
/// # Errors
/// As [`Parcrypt::new`].
pub fn install() -> Result<bool, LoadError> {
    Ok(revm_precompile::install_crypto(Parcrypt::new()?))
}

/// Names of the errors of a group.
struct Halts {
    not_on_curve: PrecompileHalt,
    not_in_subgroup: PrecompileHalt,
}

const G1_HALTS: Halts = Halts {
    not_on_curve: PrecompileHalt::Bls12381G1NotOnCurve,
    not_in_subgroup: PrecompileHalt::Bls12381G1NotInSubgroup,
};
const G2_HALTS: Halts = Halts {
    not_on_curve: PrecompileHalt::Bls12381G2NotOnCurve,
    not_in_subgroup: PrecompileHalt::Bls12381G2NotInSubgroup,
};

impl Halts {
    fn of(self, error: &Error) -> PrecompileHalt {
        match error {
            Error::Coordinate => PrecompileHalt::NonCanonicalFp,
            Error::NotInSubgroup => self.not_in_subgroup,
            _ => self.not_on_curve,
        }
    }
}

/// Returns a point of the curve, of any order.
fn g1((x, y): &G1Point) -> Result<G1Affine, PrecompileHalt> {
    G1Affine::from_coordinates([x, y]).map_err(|error| G1_HALTS.of(&error))
}

/// Returns a point of the subgroup.
fn g2((x0, x1, y0, y1): &G2Point) -> Result<G2Affine, PrecompileHalt> {
    let point = G2Affine::from_coordinates([x0, x1, y0, y1]).map_err(|error| G2_HALTS.of(&error))?;
    if point.is_in_subgroup() { Ok(point) } else { Err(G2_HALTS.not_in_subgroup) }
}

fn encode(point: G1Affine) -> [u8; 96] {
    let mut bytes = [0; 96];
    let coordinates = point.to_coordinates();
    bytes.copy_from_slice(coordinates.as_flattened());
    bytes
}

impl Crypto for Parcrypt {
    fn verify_kzg_proof(
        &self,
        z: &[u8; 32],
        y: &[u8; 32],
        commitment: &[u8; 48],
        proof: &[u8; 48],
    ) -> Result<(), PrecompileHalt> {
        match self.kzg.verify_kzg_proof(commitment, z, y, proof) {
            Ok(true) => Ok(()),
            _ => Err(PrecompileHalt::BlobVerifyKzgProofFailed),
        }
    }

    /// Returns the sum of two points of the curve, which need not be in the subgroup (EIP-2537).
    fn bls12_381_g1_add(&self, a: G1Point, b: G1Point) -> Result<[u8; 96], PrecompileHalt> {
        Ok(encode(g1(&a)?.add_vartime(g1(&b)?)))
    }

    /// Returns the sum of multiples of points, each of which is checked to be in the subgroup (EIP-2537).
    fn bls12_381_g1_msm(
        &self,
        pairs: &mut dyn Iterator<Item = Result<G1PointScalar, PrecompileHalt>>,
    ) -> Result<[u8; 96], PrecompileHalt> {
        let (mut points, mut scalars) = (Vec::new(), Vec::new());
        let read = || {
            for pair in pairs {
                let (point, scalar) = pair?;
                points.push(g1(&point)?);
                // Any integer of 32 bytes is a scalar.
                scalars.push(Fr::from_bytes_reduced(&scalar));
            }
            Ok(())
        };
        let read = read();
        // The error of the first pair that has one counts.
        if !G1Affine::are_in_subgroup(self.fp, &points) {
            return Err(G1_HALTS.not_in_subgroup);
        }
        read?;
        // The lists are equally long.
        let sum = self.sum(&points, &scalars).map_err(|error| G1_HALTS.of(&error))?;
        Ok(encode(sum.to_affine()))
    }

    /// Returns whether the product of the pairings is 1. All points are checked to be in their subgroups (EIP-2537).
    fn bls12_381_pairing_check(&self, pairs: &[(G1Point, G2Point)]) -> Result<bool, PrecompileHalt> {
        let mut all = Vec::with_capacity(pairs.len());
        for (p, q) in pairs {
            let p = g1(p)?;
            if !p.is_in_subgroup() {
                return Err(G1_HALTS.not_in_subgroup);
            }
            all.push((p, g2(q)?));
        }
        Ok(pairing::product_of_points_is_identity(self.pairing, &all))
    }
}
