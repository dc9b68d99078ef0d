//! Arithmetic in Fr and Fp on vectors, with an element in each lane.
//!
//! It is written over [`Words`], vectors of 64-bit words of any instruction set, and over [`Limbs`](fr::Limbs), the
//! size of the limbs: of [29 bits](limbs29) where products have 64 bits, and of [52](limbs52) where the instruction set
//! has products of these. A plain array of words is a vector too, so that all of it is tested where an instruction set
//! is missing.

pub(crate) mod combination;
pub(crate) mod encoding;
pub(crate) mod evaluation;
pub(crate) mod fp;
pub(crate) mod fp4;
pub(crate) mod fr;
pub(crate) mod g1;
#[cfg(test)]
pub(crate) mod intervals;
pub(crate) mod limbs29;
pub(crate) mod limbs52;
pub(crate) mod pairing;
pub(crate) mod quotient;
pub(crate) mod transform;

pub(crate) use parcrypt_simd::{MAX_LANES, Words};

pub(crate) use crate::fr_lanes::{FrLanes, Roots};

#[cfg(test)]
pub(crate) mod tests {
    use std::marker::PhantomData;

    use parcrypt_cpu::{Backend, Row};
    use parcrypt_testkit::skip;

    use super::encoding::BYTES;
    use super::fr::{Limbs, montgomery_words};
    use super::limbs29::Limbs29;
    use super::limbs52::Limbs52;
    use super::*;
    use crate::Fr;
    use crate::costs::FrCosts;
    use crate::dispatch::{self, FrFunctions, FrRow};

    /// The model as a backend, with limbs of each size.
    #[derive(Debug)]
    struct Model<V>(PhantomData<fn() -> V>);

    impl<V: Limbs> FrLanes for Model<V> {
        fn lanes(&self) -> usize {
            V::LANES
        }

        fn words(&self, element: Fr) -> [u64; 4] {
            montgomery_words::<V>(element)
        }

        fn decode(&self, factor: Fr, encodings: &[[u8; BYTES]], out: &mut [Fr]) -> bool {
            encoding::decode::<V>(factor, encodings, out)
        }

        fn encode(&self, factor: Fr, elements: &[Fr], out: &mut [[u8; BYTES]]) {
            encoding::encode::<V>(factor, elements, out);
        }

        fn scale(&self, factors: &[Fr], rows: &mut [Fr]) {
            encoding::scale::<V>(factors, rows);
        }

        fn combine(&self, length: usize, weights: &[Fr], rows: &[Fr], out: &mut [Fr]) {
            combination::combine::<V>(length, weights, rows, out);
        }

        fn fold(&self, table: &[u64], z: Fr, encodings: &[u8], out: &mut [Fr]) -> bool {
            evaluation::fold::<V>(table, z, encodings, out)
        }

        fn divide(&self, roots: &[Fr], z: Fr, y: Fr, values: &mut [Fr]) -> bool {
            quotient::divide::<V>(roots, z, y, values)
        }

        fn forward(&self, roots: &Roots, block: usize, levels: u32, data: &mut [Fr]) {
            transform::forward::<V>(roots, block, levels, data);
        }

        fn inverse(&self, inverses: &Roots, block: usize, levels: u32, data: &mut [Fr]) {
            transform::inverse::<V>(inverses, block, levels, data);
        }
    }

    /// The models as rows.
    static MODELS: [FrRow; 2] = [
        Row::new(
            Backend::Portable,
            FrFunctions::in_lanes(&Model::<Limbs29<[u64; 4]>>(PhantomData), FrCosts::BLST),
        ),
        Row::new(
            Backend::Portable,
            FrFunctions::in_lanes(&Model::<Limbs52<[u64; 4]>>(PhantomData), FrCosts::BLST),
        ),
    ];

    /// Returns all rows that can run here, and the models; says which cannot.
    pub(crate) fn rows() -> Vec<&'static FrRow> {
        let mut rows: Vec<&'static FrRow> = MODELS.iter().collect();
        #[cfg(target_arch = "x86_64")]
        rows.extend(crate::arch::x86_64::tests::other_encoding());
        for backend in dispatch::FR_BACKENDS {
            match dispatch::select_fr((*backend).into()) {
                Ok(row) => rows.push(row),
                Err(why) => skip("parcrypt-bls12-381", backend.name(), &why.to_string()),
            }
        }
        rows
    }
}
