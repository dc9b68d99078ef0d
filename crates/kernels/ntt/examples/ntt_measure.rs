//! Times of transforms and products, by ring and backend, compared with the generic ring, schoolbook and another crate:
//! `cargo run --release -p parcrypt-ntt --example ntt_measure -- [turns]`.
//!
//! Each figure is the least of many turns, in nanoseconds for one operation; the operations of a turn do not depend on
//! each other, except under 'in a row', where each product is an operand of the next. All lines of a ring take turns,
//! so that disturbances affect all of them, and all results are compared. The time that the crate states for a product
//! is printed beside it.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hint::black_box;
use std::time::Instant;

use concrete_ntt::prime32::Plan;
use parcrypt_cpu::{Backend, Request};
use parcrypt_ntt::{Error, MlDsa, MlKem, Ring, Small, Tuned, schoolbook};
use parcrypt_runtime::Serial;

/// Operations of a turn.
const COUNT: usize = 32;

/// A measured function.
struct Line<'a> {
    what: String,
    turn: Box<dyn FnMut() + 'a>,
    operations: usize,
    least: f64,
}

/// Polynomials that begin with a cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
struct Aligned<T, const N: usize>([T; N]);

/// Polynomials one after the other, of which the first begins with a cache line.
struct Many<T, const N: usize> {
    values: Vec<T>,
    start: usize,
}

impl<T: Copy, const N: usize> Many<T, N> {
    fn new(polynomials: &[Aligned<T, N>]) -> Self {
        let mut values: Vec<T> = polynomials.iter().flat_map(|x| x.0).collect();
        let count = values.len();
        values.extend_from_within(..64);
        let start = values.as_ptr().align_offset(64);
        values.copy_within(..count, start);
        values.truncate(start + count);
        Many { values, start }
    }

    fn get(&self) -> &[[T; N]] {
        black_box(self.values[self.start..].as_chunks().0)
    }

    fn get_mut(&mut self) -> &mut [[T; N]] {
        self.values[self.start..].as_chunks_mut().0
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let turns = std::env::args().nth(1).map_or(Ok(3000), |turns| turns.parse())?;
    println!("{}; least of {turns} turns, in nanoseconds", parcrypt_testkit::machine());
    ring("small: modulus 3329, 128 coefficients, cyclic", Small::new, |x| x as u16, turns)?;
    ring("ML-KEM: modulus 3329, 256 coefficients, negacyclic, incomplete", MlKem::new, |x| x as u16, turns)?;
    ring("ML-DSA: modulus 8380417, 256 coefficients, negacyclic", MlDsa::new, |x| x, turns)?;
    Ok(())
}

fn ring<T: Copy + Debug + Into<u32> + Send + Sync + PartialEq + 'static, const N: usize>(
    title: &str,
    new: fn(Request) -> Result<Tuned<T, N>, Error>,
    narrow: fn(u32) -> T,
    turns: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    println!("\n{title}");
    let shape = new(Backend::Portable.into())?;
    let (q, convolution) = (shape.modulus(), shape.convolution());
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((state >> 33) % u64::from(q)) as u32
    };
    let wide_a: Vec<Vec<u32>> = (0..COUNT).map(|_| (0..N).map(|_| random()).collect()).collect();
    let wide_b: Vec<Vec<u32>> = (0..COUNT).map(|_| (0..N).map(|_| random()).collect()).collect();
    let arrays = |x: &[Vec<u32>]| -> Vec<Aligned<T, N>> {
        x.iter().map(|x| Aligned(std::array::from_fn(|i| narrow(x[i])))).collect()
    };
    let (a, b) = (arrays(&wide_a), arrays(&wide_b));
    let generic = Ring::generic(q, N, convolution)?;
    let expected: Vec<Vec<u32>> = wide_a
        .iter()
        .zip(&wide_b)
        .map(|(a, b)| schoolbook::product_vartime(q, convolution, a, b))
        .collect::<Result<_, _>>()?;

    // The times that the crate states, by the line.
    let mut stated = BTreeMap::from([("product, generic ring".to_owned(), generic.product_ns())]);
    let mut lines = Vec::new();
    let mut add = |what: String, operations, turn: Box<dyn FnMut()>| {
        lines.push(Line { what, turn, operations, least: f64::MAX });
    };
    for backend in Small::backends().into_iter().rev().filter(|backend| backend.is_available()) {
        let ring = new(backend.into())?;
        assert_eq!(ring.backend(), backend);
        stated.insert(format!("product, {backend}"), ring.product_ns());
        type Unary<T, const N: usize> = fn(&Tuned<T, N>, &[T; N], &mut [T; N]) -> Result<(), Error>;
        let unary: [(&str, Unary<T, N>); 2] =
            [("forward", Tuned::forward_into), ("inverse", Tuned::inverse_into)];
        for (name, f) in unary {
            let (a, mut out) = (a.clone(), a.clone());
            let turn = move || {
                for (a, out) in a.iter().zip(&mut out) {
                    let done = f(&ring, black_box(&a.0), &mut out.0);
                    debug_assert_eq!(done, Ok(()));
                    black_box(out);
                }
            };
            add(format!("{name}, {backend}"), COUNT, Box::new(turn));
        }
        type Binary<T, const N: usize> = fn(&Tuned<T, N>, &[T; N], &[T; N], &mut [T; N]) -> Result<(), Error>;
        let binary: [(&str, Binary<T, N>); 2] =
            [("pointwise", Tuned::pointwise), ("product", Tuned::product)];
        for (name, f) in binary {
            let (a, b, mut out, expected) = (a.clone(), b.clone(), a.clone(), expected.clone());
            let mut first = name == "product";
            let turn = move || {
                for ((a, b), out) in a.iter().zip(&b).zip(&mut out) {
                    let done = f(&ring, black_box(&a.0), black_box(&b.0), &mut out.0);
                    debug_assert_eq!(done, Ok(()));
                    black_box(out);
                }
                if std::mem::take(&mut first) {
                    for (out, expected) in out.iter().zip(&expected) {
                        assert_eq!(&out.0.map(Into::into)[..], expected);
                    }
                }
            };
            add(format!("{name}, {backend}"), COUNT, Box::new(turn));
        }
        let (mut x, y) = (a[0], b[0]);
        let turn = move || {
            for _ in 0..COUNT {
                let done = ring.product_assign(&mut x.0, &y.0);
                debug_assert_eq!(done, Ok(()));
            }
            black_box(&x);
        };
        add(format!("product in a row, {backend}"), COUNT, Box::new(turn));
        let (many_a, many_b, mut out) = (Many::new(&a), Many::new(&b), Many::new(&a));
        let turn = move || {
            let done = ring.products(&Serial, many_a.get(), many_b.get(), out.get_mut());
            debug_assert_eq!(done, Ok(()));
            black_box(out.get());
        };
        add(format!("product in a batch, {backend}"), COUNT, Box::new(turn));
        let slices = Ring::new(backend.into(), q, N, convolution)?;
        stated.insert(format!("product of slices of u32, {backend}"), slices.product_ns());
        add(
            format!("product of slices of u32, {backend}"),
            COUNT,
            slice_products(slices, &wide_a, &wide_b, &expected),
        );
    }
    add("product, generic ring".into(), COUNT, slice_products(generic, &wide_a, &wide_b, &expected));
    if let Some(plan) = (q == 8380417).then(|| Plan::try_new(N, q)).flatten() {
        let (a, b, mut out, mut other, expected) =
            (wide_a.clone(), wide_b.clone(), wide_a.clone(), vec![0; N], expected.clone());
        let mut first = true;
        let turn = move || {
            for ((a, b), out) in a.iter().zip(&b).zip(&mut out) {
                out.copy_from_slice(black_box(a));
                other.copy_from_slice(black_box(b));
                plan.fwd(out);
                plan.fwd(&mut other);
                plan.mul_assign_normalize(out, &other);
                plan.inv(out);
                black_box(out);
            }
            if std::mem::take(&mut first) {
                assert_eq!(out, expected, "concrete-ntt");
            }
        };
        add("product, crate concrete-ntt 0.2".into(), COUNT, Box::new(turn));
    }
    let (x, y) = (wide_a[0].clone(), wide_b[0].clone());
    let turn = move || {
        black_box(schoolbook::product_vartime(q, convolution, black_box(&x), black_box(&y))).ok();
    };
    add("product, schoolbook".into(), 1, Box::new(turn));

    for turn in 0..turns {
        for line in &mut lines {
            // Once is enough to see that schoolbook is slower; it would take most of the time.
            if line.operations == 1 && turn % 50 != 0 {
                continue;
            }
            let begun = Instant::now();
            (line.turn)();
            line.least = line.least.min(begun.elapsed().as_nanos() as f64 / line.operations as f64);
        }
    }
    for line in lines {
        let stated = stated.get(&line.what).map(|ns| format!("  (stated {ns})")).unwrap_or_default();
        println!("{:>10.1}  {}{stated}", line.least, line.what);
    }
    Ok(())
}

/// Products by a ring of slices.
fn slice_products(ring: Ring, a: &[Vec<u32>], b: &[Vec<u32>], expected: &[Vec<u32>]) -> Box<dyn FnMut()> {
    let (a, b, mut out, expected) = (a.to_vec(), b.to_vec(), a.to_vec(), expected.to_vec());
    let mut first = true;
    Box::new(move || {
        for ((a, b), out) in a.iter().zip(&b).zip(&mut out) {
            let done = ring.product(black_box(a), black_box(b), out);
            debug_assert_eq!(done, Ok(()));
            black_box(out);
        }
        if std::mem::take(&mut first) {
            assert_eq!(out, expected);
        }
    })
}
