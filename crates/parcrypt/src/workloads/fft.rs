//! `fft-g1` and `fft-fr`: the fast Fourier transform over the group G1 and over the scalar field of BLS12-381.

use std::hint::black_box;

use parcrypt_bls12_381::fft::Element;
use parcrypt_bls12_381::{Decomposition, Domain, Fr, G1, dispatch};
use parcrypt_cpu::Backend;
use parcrypt_runtime::{Cost, Runtime, for_each};

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Known, Prepared, Rows, Workload, filled, known};

const PARAMS: &[Parameter] = &[
    Parameter::number("scale", "2^scale elements are transformed", 0..=Fr::TWO_ADICITY as u64, None),
    Parameter::one_name(
        "direction",
        "forward: from coefficients to values; inverse: back",
        &["forward", "inverse"],
        Some("forward"),
    ),
    Parameter::one_name(
        "decomposition",
        "how the transform is split into tasks",
        &["recursive", "recursive-parallel-butterflies", "iterative"],
        Some("iterative"),
    )
    .way(),
];

/// Length of an element of the input, in bytes.
const ELEMENT_BYTES: u64 = 32;

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "fft-g1",
        about: "The fast Fourier transform of points of the group G1 of BLS12-381.",
        params: PARAMS,
        table: "fp",
        backends: |_| dispatch::BACKENDS.to_vec(),
        other_tables: &[],
        input: "32 * 2^scale bytes. Bytes 32*i to 32*i + 31 are a big-endian integer; reduced modulo r it is a_i, and \
                the point P_i = a_i * G, with the standard generator G. The points are made before the measurement.",
        output: "The transformed points in order, each in compressed form (48 bytes). With n = 2^scale and \
                 w = 7^((r-1)/n), forward: Q_i = sum over j of w^(i*j) * P_j; inverse: \
                 Q_i = 1/n * sum over j of w^(-i*j) * P_j.",
        input_bytes,
        memory: memory::<G1>,
        prepare: Transform::<G1>::prepare,
        known: G1_KNOWN,
    },
    Workload {
        name: "fft-fr",
        about: "The fast Fourier transform of elements of the scalar field of BLS12-381.",
        params: PARAMS,
        table: "fr",
        // blst selects its own code for the processor while it runs.
        backends: |_| vec![Backend::Blst],
        other_tables: &[],
        input: "32 * 2^scale bytes. Bytes 32*i to 32*i + 31 are a big-endian integer; reduced modulo r it is a_i.",
        output: "The transformed elements in order, each as 32 bytes, big-endian, below r. With n = 2^scale and \
                 w = 7^((r-1)/n), forward: b_i = sum over j of w^(i*j) * a_j; inverse: \
                 b_i = 1/n * sum over j of w^(-i*j) * a_j.",
        input_bytes,
        memory: memory::<Fr>,
        prepare: Transform::<Fr>::prepare,
        known: FR_KNOWN,
    },
];

/// Bytes 0 make all points infinity; bytes 1 and 255 make all equal, so that sums double and cancel. A test below
/// recomputes the digests with arkworks.
const G1_KNOWN: &[Known] = known! {
    hashes "scale=0 direction=forward" "2270d306db8fd7dcc0181ccc3d5e01715fe4ed9b61bb13ecacf7d0c38f383ff0";
    0 "scale=3 direction=forward" "987787578cb4de228360ab376d3a0208711895cbd2e61f7aaff10ddbfde11618";
    1 "scale=3 direction=forward" "0ff95e35d3d087e09b65f0d6615f9c53303a956f577a52992755dae7833fc960";
    255 "scale=3 direction=inverse" "8d9f4cf8788616fdcd54574666ed30dae8bf96ae9a819b5e5fd60e528c2220cc";
    hashes "scale=7 direction=forward" "dc783ae6a90a814f878b4c6b12ba1c086e72b0d8262059a9e56d9bd96a78727c";
    hashes "scale=7 direction=inverse" "4b523892a3c23d4a36ed59aac25efad540c3253038fdd53aa9b3829def17e935";
    hashes "scale=0 direction=inverse" "2270d306db8fd7dcc0181ccc3d5e01715fe4ed9b61bb13ecacf7d0c38f383ff0";
    hashes "scale=1" "64544b52ac4b348589d8c183a4ad05cf0ae3dbea9f083718a68751886de0963e";
    hashes "scale=2" "c0370cf39ca9935302bd7b44edfdcc756d312b8e2b984ef10d6ae4ce85923f1c";
    hashes "scale=4" "e4e50594a8b24db61cdb316bb9f7a49acc1c9a1a12673c6779a614dfe31ae598";
    hashes "scale=4 direction=inverse" "85cf43aa501a351c7372fbb4d9e603ef1b601d1c54ddfe839ff298b4b6e737a2";
};

/// Computed by twenty lines of Python; a test below recomputes them with arkworks.
const FR_KNOWN: &[Known] = known! {
    hashes "scale=0 direction=forward" "87054acc901a7c0f67cb3dd2c566e419e931af2401a63ce56af40286bc2d324a";
    hashes "scale=1 direction=inverse" "128f933a487b6e87c534a410fdc03e8e8d45e94e3118a58de26aed9daf8643e4";
    hashes "scale=12 direction=forward" "eeb621fb99876e26f275063edb5db4fbe9ce90055b76df7ffedc5f199386814d";
    hashes "scale=12 direction=inverse" "43064417a139b3103029e231b63db2d52551c319dc7c8fb3e6910c4eb01df089";
    hashes "scale=16 direction=forward" "4d87e3b232f8a4de25414628b21a0e9ae7c56e7107786fde6c88230938a2063b";
    hashes "scale=16 direction=inverse" "27a2e25f32d79dcbdd6c3469e3204441782aa3ceaa1ab94216609efbbe42e54d";
    hashes "scale=0 direction=inverse" "87054acc901a7c0f67cb3dd2c566e419e931af2401a63ce56af40286bc2d324a";
    hashes "scale=1" "8e8a9da21b474085c8805e56b591bf1215495acd61b03d31d79df0a851b7c13a";
    hashes "scale=2 direction=inverse" "bcd9a5566f1377320dbccf8b96b3def7d769ba18a2e8e3dc26db16d9296a9efc";
    hashes "scale=3" "fd4ff75fb328ff9a5ed8948bc198ef988023809e84c54a09adfacd0dc1a06526";
    hashes "scale=8" "873ab00c94356937d0578c8e856f1456325dd4f8885d32f89a3678d096340b43";
    hashes "scale=8 direction=inverse" "e040fb9e6d35752a21053aa3265cca591eaa2b966db4f6bc34316bde551f7add";
};

fn input_bytes(values: &Values) -> u64 {
    ELEMENT_BYTES << values.number("scale")
}

/// Returns the memory of the input, the elements before and after, and the table of roots.
fn memory<T>(values: &Values) -> u64 {
    let element = ELEMENT_BYTES + 2 * size_of::<T>() as u64 + size_of::<Fr>() as u64 / 2;
    element << values.number("scale")
}

/// An element of an input and of an output.
trait Operand: Element {
    /// Returns the operand for 32 bytes of the input.
    fn from_input(bytes: &[u8]) -> Self;
    /// Time of [`Operand::from_input`], in ns.
    const FROM_INPUT: Cost;
    /// Passes the canonical forms to `take`.
    fn canonical(all: &[Self], take: &mut dyn FnMut(&[u8]));
}

impl Operand for Fr {
    const FROM_INPUT: Cost = Cost::ns(50);

    fn from_input(bytes: &[u8]) -> Self {
        Fr::from_bytes_reduced(bytes)
    }

    fn canonical(all: &[Self], take: &mut dyn FnMut(&[u8])) {
        all.iter().for_each(|x| take(&x.to_bytes()));
    }
}

impl Operand for G1 {
    const FROM_INPUT: Cost = parcrypt_bls12_381::costs::G1_PRODUCT;

    fn from_input(bytes: &[u8]) -> Self {
        G1::generator() * Fr::from_bytes_reduced(bytes)
    }

    fn canonical(all: &[Self], take: &mut dyn FnMut(&[u8])) {
        // In parts, so that the affine forms of a large output need little memory.
        for part in all.chunks(1 << 12) {
            G1::compress_all(part).iter().for_each(|point| take(point));
        }
    }
}

/// Returns the operands of an input, computed in parallel.
fn operands<T: Operand>(input: &[u8], rt: &dyn Runtime) -> Result<Vec<T>, Error> {
    const GRAIN: usize = 32;
    let bytes = ELEMENT_BYTES as usize;
    let mut all = filled::<T>(input.len() / bytes)?;
    // 4096 pieces balance the load.
    let grain = GRAIN.max(all.len() / (1 << 12));
    let pieces = all.chunks_mut(grain).zip(input.chunks(grain * bytes)).collect();
    let cost = grain * T::FROM_INPUT;
    for_each(rt, pieces, cost, |(all, input): (&mut [T], &[u8])| {
        for (x, bytes) in all.iter_mut().zip(input.chunks(bytes)) {
            *x = T::from_input(bytes);
        }
    });
    Ok(all)
}

#[derive(Clone, Copy)]
enum Direction {
    Forward,
    Inverse,
}

impl Direction {
    fn of(values: &Values) -> Self {
        if values.name("direction") == "inverse" { Direction::Inverse } else { Direction::Forward }
    }
}

struct Transform<T> {
    domain: Domain,
    decomposition: Decomposition,
    direction: Direction,
    input: Vec<T>,
    output: Vec<T>,
}

impl<T: Operand + 'static> Transform<T> {
    fn prepare(
        values: &Values,
        input: Aligned<u8>,
        rt: &dyn Runtime,
        rows: &Rows,
    ) -> Result<Box<dyn Prepared>, Error> {
        let scale = values.number("scale") as u32;
        let input: Vec<T> = operands(&input, rt)?;
        Ok(Box::new(Transform {
            domain: Domain::new(rows.backend().into(), scale)?,
            decomposition: values.name("decomposition").parse::<Decomposition>()?,
            direction: Direction::of(values),
            output: filled(input.len())?,
            input,
        }))
    }
}

impl<T: Operand> Prepared for Transform<T> {
    fn iterate(&mut self, rt: &dyn Runtime) {
        let (input, output) = (black_box(&self.input[..]), &mut self.output[..]);
        let done = match self.direction {
            Direction::Forward => self.domain.fft(rt, self.decomposition, input, output),
            Direction::Inverse => self.domain.inverse_fft(rt, self.decomposition, input, output),
        };
        // The preparation chose the lengths of the domain.
        assert_eq!(done, Ok(()), "a prepared transform has the right lengths");
        black_box(&self.output[..]);
    }

    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        T::canonical(&self.output, take);
    }
}

#[cfg(test)]
mod tests {
    use ark_ec::{CurveGroup, PrimeGroup};
    use ark_ff::{BigInteger, PrimeField};
    use ark_poly::domain::DomainCoeff;
    use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
    use ark_serialize::CanonicalSerialize;
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::text::hex;
    use crate::workload::params::{Kind, parse};

    #[test]
    fn the_names_equal_the_librarys() {
        let Kind::Name { of, .. } = &PARAMS[2].kind else { panic!("decomposition is a name") };
        assert!(of.iter().copied().eq(Decomposition::ALL.map(Decomposition::name)));
    }

    /// Recomputes the known answers of a workload with arkworks, from the same stream.
    fn agrees_with_arkworks<T: DomainCoeff<ark_bls12_381::Fr>>(
        workload: &'static Workload,
        operand: fn(ark_bls12_381::Fr) -> T,
        canonical: fn(T) -> Vec<u8>,
    ) {
        let mut wrong = Vec::new();
        for known in workload.known {
            let values = workload.values(&parse(known.params)).unwrap();
            let n = 1usize << values.number("scale");
            let input = known.input.bytes(32 * n);
            let elements = input.chunks(32).map(ark_bls12_381::Fr::from_be_bytes_mod_order);
            let operands: Vec<T> = elements.map(operand).collect();
            let domain = Radix2EvaluationDomain::<ark_bls12_381::Fr>::new(n).unwrap();
            let output = match values.name("direction") {
                "forward" => domain.fft(&operands),
                _ => domain.ifft(&operands),
            };
            let mut hash = Sha256::new();
            output.into_iter().for_each(|x| hash.update(canonical(x)));
            let digest = hex(&hash.finalize());
            if digest != known.sha256 {
                wrong.push(format!("{known:?} has the digest {digest}"));
            }
        }
        assert!(wrong.is_empty(), "{}:\n{}", workload.name, wrong.join("\n"));
    }

    #[test]
    fn known_answers_over_fr_match_arkworks() {
        agrees_with_arkworks(&WORKLOADS[1], |x| x, |x| x.into_bigint().to_bytes_be());
    }

    #[test]
    fn known_answers_over_g1_match_arkworks() {
        let canonical = |p: ark_bls12_381::G1Projective| {
            let mut bytes = Vec::new();
            p.into_affine().serialize_compressed(&mut bytes).unwrap();
            bytes
        };
        agrees_with_arkworks(&WORKLOADS[0], |x| ark_bls12_381::G1Projective::generator() * x, canonical);
    }
}
