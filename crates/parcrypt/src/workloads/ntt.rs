//! `ntt-product`: products of polynomials in the rings of `parcrypt_ntt`.

mod matrix;

use std::hint::black_box;

use parcrypt_cpu::Backend;
use parcrypt_ntt::{Convolution, MlDsa, MlKem, Ring, Small, Tuned, schoolbook};
use parcrypt_runtime::{Cost, Runtime, for_each};

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Known, Prepared, Rows, Workload, filled, known};

const PARAMS: &[Parameter] = &[
    Parameter::one_name("ring", "small: Z_3329[X]/(X^128 - 1); ml-kem: Z_3329[X]/(X^256 + 1); ml-dsa: Z_8380417[X]/(X^256 + 1); any-1024 and any-4096: Z_8380417[X]/(X^n + 1), by the kernels for any modulus", &["small", "ml-kem", "ml-dsa", "any-1024", "any-4096"], None),
    Parameter::number("products", "how many products", 1..=1 << 24, Some(1)),
    Parameter::one_name("algorithm", "tuned: the kernels of the ring; generic: the transform for any ring in plain Rust; schoolbook: the definition; both by `portable` alone", &["tuned", "generic", "schoolbook"], Some("tuned")).way(),
];

/// Length of a coefficient in the input and in the output, in bytes.
const WORD: usize = 4;

// The known answers, with sizes around the pieces of a batch and two in one vector, are from Python, where `b` is the
// input and `s` is 1 or -1:
//     w = [x % q for x in memoryview(b).cast('I')]
//     for k in range(0, len(w), 2 * n):
//         c = [0] * n
//         for i in range(n):
//             for j in range(n): c[(i + j) % n] += (s if i + j >= n else 1) * w[k + i] * w[k + n + j]
//         out += b''.join((x % q).to_bytes(4, 'little') for x in c)
//     sha256(out).hexdigest()
const KNOWN: &[Known] = known! {
    hashes "ring=small products=1" "7fbfae56945b6d13c3acc35e819d1517c7d45e8444a67a9418eef050a8955b82";
    hashes "ring=small products=50" "37ecbe857282b894867ee9abb29676d08d0be2e0c6db7aab5816bbc8af0d4bfb";
    0 "ring=small products=1" "076a27c79e5ace2a3d47f9dd2e83e4ff6ea8872b3c2218f66c92b89b55f36560";
    255 "ring=small products=2" "9aeb89a8445d4546f18cc65926aec6d13fe2e8f0228d25cc457e42d3fb2e832a";
    hashes "ring=ml-kem products=1" "4e8991712f2fbaa8b1f1c06ce61d4d2453630aac0063abf0642e505354611fa1";
    hashes "ring=ml-kem products=50" "29448fb0d5ac21b660482d0824a0800a332a9f6997e4c0cdfd4faa7467cbcbd8";
    0 "ring=ml-kem products=1" "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef";
    255 "ring=ml-kem products=2" "8e5aa2a7a353177ddd7081187c77fb3a414ca621e53e6935a22af20c6004667b";
    hashes "ring=ml-dsa products=1" "4b1b7e3da2af154505972b7593e42f5ed08b3251304298d1302d6c917161ccf2";
    hashes "ring=ml-dsa products=50" "937ac69115c1435e7f7bb123b1ea4b167e255a309df472f3bd71c0f3f1403748";
    0 "ring=ml-dsa products=1" "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef";
    255 "ring=ml-dsa products=2" "5321ede41df356229ec6aad93d7584bf449cb29da2a120169d840837fb01fa0e";
    hashes "ring=any-1024 products=3" "ab2c3b13dec5ae1dfeb250991c058ddc41aca5dda19029126a9c47ca9fc8e175";
    255 "ring=any-1024 products=1" "9504edd5a6e1bf329b77e4b2c695d82739ecf231625bdef691c6a59718ee9744";
    hashes "ring=any-4096 products=3" "a50d8d9de6718d77a8b09112c81c682e7d5579680d4713ae3c95506765781793";
    255 "ring=any-4096 products=1" "b130db6af35d67b907ea622b7d7b6611027d4d9e96dcbf5d55659f9f87d9f700";
    hashes "ring=small products=67" "340c0cfadb2751b39e53719c367cf6b13d5bcf42d37c98ca020add9d20772a73";
    hashes "ring=ml-kem products=34" "b73cd30ba925e7c2ff4950198f07d30f8353f9b3b193f4d2eae21de42f33a204";
    hashes "ring=ml-dsa products=33" "af44ec6af60b0c09c71c551d27ecfc183b6482e77e804ad84a4ac7ab2621be2a";
    hashes "ring=any-1024 products=1" "78c59a98962650693c0a0f27d91532cd0cf1714b9cf3ab420c02cba76b95437f";
    hashes "ring=any-1024 products=5" "79f0b0a8ad8d52f8ef709972f7230fcd78208b988360e35aed755aa6b9a2ec91";
    hashes "ring=any-4096 products=2" "82e3bc348ce481cbcdde9bb4f9ebc76929b298e5089584380a4150fd0cf2c042";
};

pub(super) const WORKLOADS: &[Workload] = &[PRODUCT, matrix::WORKLOAD];

const PRODUCT: Workload = Workload {
    name: "ntt-product",
    about: "Products of polynomials in one of five rings, by the number-theoretic transform.",
    params: PARAMS,
    table: "ntt",
    backends,
    other_tables: &[],
    input: "8 * n * products bytes, n = 128 for `small`, 1024 and 4096 for `any-1024` and `any-4096`, else 256. Words of 4 bytes, little-endian, each reduced modulo q: \
            the n coefficients of a and of b for each product in turn.",
    output: "The n coefficients of each product in order, each as 4 bytes, little-endian, below q.",
    input_bytes,
    memory: |values| 4 * input_bytes(values),
    prepare,
    known: KNOWN,
};

/// Returns the backends of a ring, or of the ring that has the most.
fn backends(values: Option<&Values>) -> Vec<Backend> {
    match values.map(|values| values.name("ring")) {
        Some("small") => Small::backends(),
        Some("ml-kem") => MlKem::backends(),
        Some(any @ ("any-1024" | "any-4096")) => Ring::backends(length(any)),
        Some(_) => MlDsa::backends(),
        None => {
            let rings = [MlDsa::backends(), MlKem::backends(), Small::backends()];
            rings.into_iter().max_by_key(Vec::len).unwrap_or_default()
        }
    }
}

/// Returns the modulus, the number of coefficients, and the kind of the convolution.
fn ring(values: &Values) -> (u32, usize, Convolution) {
    match values.name("ring") {
        "small" => (3329, 128, Convolution::Cyclic),
        "ml-kem" => (3329, 256, Convolution::Negacyclic),
        name => (8_380_417, length(name), Convolution::Negacyclic),
    }
}

/// Returns the number of coefficients in a ring modulo 8380417.
fn length(ring: &str) -> usize {
    match ring {
        "any-1024" => 1024,
        "any-4096" => 4096,
        _ => 256,
    }
}

fn input_bytes(values: &Values) -> u64 {
    (2 * WORD * ring(values).1) as u64 * values.number("products")
}

fn words(data: &[u8], q: u32) -> Vec<u32> {
    let (words, _) = data.as_chunks::<WORD>();
    words.iter().map(|word| u32::from_le_bytes(*word) % q).collect()
}

fn prepare(
    values: &Values,
    data: Aligned<u8>,
    _: &dyn Runtime,
    rows: &Rows,
) -> Result<Box<dyn Prepared>, Error> {
    let backend = rows.backend();
    let (q, n, convolution) = ring(values);
    let words = words(&data, q);
    let narrow = || Operands::new(&words, n, |word| word as u16);
    let wide = || Operands::new(&words, n, |word| word);
    Ok(match (values.name("algorithm"), values.name("ring")) {
        ("tuned", "small") => {
            let (operands, ring) = (narrow()?, Small::new(backend.into())?);
            Box::new(InRing { operands, ring })
        }
        ("tuned", "ml-kem") => {
            let (operands, ring) = (narrow()?, MlKem::new(backend.into())?);
            Box::new(InRing { operands, ring })
        }
        ("tuned", "any-1024" | "any-4096") => {
            Box::new(Generic { operands: wide()?, ring: Ring::new(backend.into(), q, n, convolution)? })
        }
        ("tuned", _) => {
            let (operands, ring) = (wide()?, MlDsa::new(backend.into())?);
            Box::new(InRing { operands, ring })
        }
        ("generic", _) => Box::new(Generic {
            operands: wide()?,
            ring: Ring::any(Backend::Portable.into(), q, n, convolution)?,
        }),
        _ => Box::new(Schoolbook { operands: wide()?, q, n, convolution }),
    })
}

/// The factors and the products.
struct Operands<T> {
    a: Aligned<T>,
    b: Aligned<T>,
    out: Aligned<T>,
}

impl<T: Copy + Default> Operands<T> {
    fn new(words: &[u32], n: usize, from: impl Fn(u32) -> T) -> Result<Self, Error> {
        let len = words.len() / 2;
        let (mut a, mut b) = (Aligned::new(filled(len)?), Aligned::new(filled(len)?));
        let pairs = words.chunks_exact(2 * n).zip(a.chunks_mut(n).zip(b.chunks_mut(n)));
        for (pair, (a, b)) in pairs {
            a.iter_mut().zip(&pair[..n]).for_each(|(to, word)| *to = from(*word));
            b.iter_mut().zip(&pair[n..]).for_each(|(to, word)| *to = from(*word));
        }
        Ok(Operands { a, b, out: Aligned::new(filled(len)?) })
    }
}

/// Passes the canonical bytes of coefficients to `take`.
fn write<T: Copy + Into<u32>>(out: &[T], take: &mut dyn FnMut(&[u8])) {
    out.iter().for_each(|coefficient| take(&(*coefficient).into().to_le_bytes()));
}

/// Products by the kernels of a ring.
struct InRing<T: 'static, const N: usize> {
    operands: Operands<T>,
    ring: Tuned<T, N>,
}

impl<T, const N: usize> Prepared for InRing<T, N>
where
    T: Copy + Default + std::fmt::Debug + Into<u32> + Send + Sync,
{
    fn iterate(&mut self, rt: &dyn Runtime) {
        let Operands { a, b, out } = black_box(&mut self.operands);
        let ((a, _), (b, _)) = (a.as_chunks::<N>(), b.as_chunks::<N>());
        let (out, _) = out.as_chunks_mut::<N>();
        // A single call, as for a caller whose next product depends on this one.
        let done = match (a, b, &mut *out) {
            ([a], [b], [out]) => self.ring.product(a, b, out),
            _ => self.ring.products(rt, a, b, out),
        };
        assert!(done.is_ok(), "the operands were reduced");
    }

    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        write(&self.operands.out, take);
    }
}

/// Products by the transform of any ring.
struct Generic {
    operands: Operands<u32>,
    ring: Ring,
}

impl Prepared for Generic {
    fn iterate(&mut self, rt: &dyn Runtime) {
        let Operands { a, b, out } = black_box(&mut self.operands);
        let done = self.ring.products(rt, a, b, out);
        assert!(done.is_ok(), "the operands were reduced");
    }

    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        write(&self.operands.out, take);
    }

    fn backend(&self) -> Option<Backend> {
        Some(self.ring.backend())
    }
}

/// Products by the definition.
struct Schoolbook {
    operands: Operands<u32>,
    q: u32,
    n: usize,
    convolution: Convolution,
}

impl Prepared for Schoolbook {
    fn iterate(&mut self, rt: &dyn Runtime) {
        /// Time of a term on a slow machine.
        const TERM_NS: f64 = 0.5;
        let (q, n, convolution) = (self.q, self.n, self.convolution);
        let Operands { a, b, out } = black_box(&mut self.operands);
        let pieces = a.chunks(n).zip(b.chunks(n)).zip(out.chunks_mut(n)).collect();
        let cost = Cost::ns((TERM_NS * (n * n) as f64) as u64);
        for_each(rt, pieces, cost, |((a, b), out): ((&[u32], &[u32]), &mut [u32])| {
            let product = schoolbook::product_vartime(q, convolution, a, b);
            out.copy_from_slice(&product.unwrap_or_default());
        });
    }

    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        write(&self.operands.out, take);
    }

    fn backend(&self) -> Option<Backend> {
        Some(Backend::Portable)
    }
}
