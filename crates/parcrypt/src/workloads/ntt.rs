//! `ntt-product`: products of polynomials in the rings of `parcrypt_ntt`.

mod matrix;

use parcrypt_cpu::Backend;
use parcrypt_ntt::{Convolution, MlDsa, MlKem, Ring, Small, Tuned, schoolbook};
use parcrypt_runtime::{Cost, Runtime, for_each};

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Prepared, Rows, Work, Workload, filled, work};

const PARAMS: &[Parameter] = &[
    Parameter::one_name("ring", "small: Z_3329[X]/(X^128 - 1); ml-kem: Z_3329[X]/(X^256 + 1); ml-dsa: Z_8380417[X]/(X^256 + 1); any-1024 and any-4096: Z_8380417[X]/(X^n + 1), by the kernels for any modulus", &["small", "ml-kem", "ml-dsa", "any-1024", "any-4096"], None),
    Parameter::number("products", "how many products", 1..=1 << 24, Some(1)),
    Parameter::one_name("algorithm", "tuned: the kernels of the ring; generic: the transform for any ring in plain Rust; schoolbook: the definition; both by `portable` alone", &["tuned", "generic", "schoolbook"], Some("tuned")).way(),
];

const WORD: usize = 4;

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

fn ring(values: &Values) -> (u32, usize, Convolution) {
    match values.name("ring") {
        "small" => (3329, 128, Convolution::Cyclic),
        "ml-kem" => (3329, 256, Convolution::Negacyclic),
        name => (8_380_417, length(name), Convolution::Negacyclic),
    }
}

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
    let (backend, (q, n, convolution)) = (rows.backend(), ring(values));
    let words = words(&data, q);
    let narrow = || Operands::new(&words, n, |word| word as u16);
    let wide = || Operands::new(&words, n, |word| word);
    let any = |ring: Ring| {
        let backend = ring.backend();
        let multiply = move |Operands { a, b, out }: &mut Operands<u32>, rt: &dyn Runtime| {
            assert!(ring.products(rt, a, b, out).is_ok(), "the operands were reduced");
        };
        let work = Work { backend: Some(backend), ..Work::new(wide()?, multiply, write_products) };
        Ok(Box::new(work) as Box<dyn Prepared>)
    };
    match (values.name("algorithm"), values.name("ring")) {
        ("tuned", "small") => tuned(narrow()?, Small::new(backend.into())?),
        ("tuned", "ml-kem") => tuned(narrow()?, MlKem::new(backend.into())?),
        ("tuned", "any-1024" | "any-4096") => any(Ring::new(backend.into(), q, n, convolution)?),
        ("tuned", _) => tuned(wide()?, MlDsa::new(backend.into())?),
        ("generic", _) => any(Ring::any(Backend::Portable.into(), q, n, convolution)?),
        _ => {
            /// Time of a term on a slow machine.
            const TERM_NS: f64 = 0.5;
            let cost = Cost::ns((TERM_NS * (n * n) as f64) as u64);
            let multiply = move |Operands { a, b, out }: &mut Operands<u32>, rt: &dyn Runtime| {
                let pieces = a.chunks(n).zip(b.chunks(n)).zip(out.chunks_mut(n)).collect();
                for_each(rt, pieces, cost, |((a, b), out): ((&[u32], &[u32]), &mut [u32])| {
                    let product = schoolbook::product_vartime(q, convolution, a, b);
                    out.copy_from_slice(&product.unwrap_or_default());
                });
            };
            let work = Work::new(wide()?, multiply, write_products);
            Ok(Box::new(Work { backend: Some(Backend::Portable), ..work }))
        }
    }
}

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

fn write<T: Copy + Into<u32>>(out: &[T], take: &mut dyn FnMut(&[u8])) {
    out.iter().for_each(|coefficient| take(&(*coefficient).into().to_le_bytes()));
}

fn write_products<T: Copy + Into<u32>>(operands: &Operands<T>, take: &mut dyn FnMut(&[u8])) {
    write(&operands.out, take);
}

fn tuned<T, const N: usize>(operands: Operands<T>, ring: Tuned<T, N>) -> Result<Box<dyn Prepared>, Error>
where
    T: Copy + Default + std::fmt::Debug + Into<u32> + Send + Sync + 'static,
{
    let multiply = move |Operands { a, b, out }: &mut Operands<T>, rt: &dyn Runtime| {
        let ((a, _), (b, _), (out, _)) = (a.as_chunks::<N>(), b.as_chunks::<N>(), out.as_chunks_mut::<N>());
        // A single call, as for a caller whose next product depends on this one.
        let done = match (a, b, &mut *out) {
            ([a], [b], [out]) => ring.product(a, b, out),
            _ => ring.products(rt, a, b, out),
        };
        assert!(done.is_ok(), "the operands were reduced");
    };
    work(operands, multiply, write_products)
}
