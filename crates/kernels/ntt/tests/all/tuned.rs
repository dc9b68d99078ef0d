//! The rings with kernels of their own: every backend against the generic ring, bit for bit. `ring.rs` compares that
//! with schoolbook, for these rings too.

use std::fmt::Debug;

use parcrypt_cpu::{Backend, Request};
use parcrypt_ntt::{Convolution, Error, Form, Matrix, MlDsa, MlKem, Ring, Small, Tuned, Vector};
use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::{backends, rng, runtimes};

const CRATE: &str = "parcrypt-ntt";

/// The type of a coefficient of a tuned ring.
trait Coefficient: Copy + Debug + Default + PartialEq + Into<u32> + Send + Sync {
    fn from_u32(x: u32) -> Self;
}

impl Coefficient for u16 {
    fn from_u32(x: u32) -> Self {
        x as u16
    }
}

impl Coefficient for u32 {
    fn from_u32(x: u32) -> Self {
        x
    }
}

/// A tuned ring on each backend, and the generic one.
struct Rings<T: 'static, const N: usize> {
    tuned: Vec<Tuned<T, N>>,
    generic: Ring,
}

type New<T, const N: usize> = fn(Request) -> Result<Tuned<T, N>, Error>;

impl<T: Coefficient, const N: usize> Rings<T, N> {
    fn new(new: New<T, N>, offered: &[Backend]) -> Self {
        let tuned: Vec<_> = backends(CRATE, offered)
            .into_iter()
            .map(|backend| {
                let ring = new(backend.into()).expect("available");
                assert_eq!(ring.backend(), backend);
                ring
            })
            .collect();
        let generic = Ring::any(Backend::Portable.into(), tuned[0].modulus(), N, tuned[0].convolution())
            .expect("a ring");
        Rings { tuned, generic }
    }

    /// Checks all functions of two polynomials, or two transforms.
    #[track_caller]
    fn check(&self, a: &[u32], b: &[u32], what: &str) {
        let expected = all_functions(&self.generic, a, b);
        for ring in &self.tuned {
            let (a, b) = (narrow::<T, N>(a), narrow::<T, N>(b));
            let [mut forward, mut inverse, mut pointwise, mut product] = [a; 4];
            ring.forward(&mut forward).expect("valid");
            ring.inverse(&mut inverse).expect("valid");
            ring.pointwise(&a, &b, &mut pointwise).expect("valid");
            ring.product(&a, &b, &mut product).expect("valid");
            let all = [forward, inverse, pointwise, product].map(|x| wide(&x));
            assert!(all == expected, "forward, inverse, pointwise or product by {}, {what}", ring.backend());
        }
    }

    fn random(&self, rng: &mut impl RngCore) -> Vec<u32> {
        let q = self.generic.modulus();
        (0..N).map(|_| rng.random_range(0..q)).collect()
    }

    /// Checks random polynomials, and every pattern of extreme coefficients: each period and phase of two extremes,
    /// blocks, single ones.
    fn all(&self) {
        let mut rng = rng();
        let q = self.generic.modulus();
        for i in 0..2000 {
            let (a, b) = (self.random(&mut rng), self.random(&mut rng));
            self.check(&a, &b, &format!("random {i}"));
        }
        let ends = [0, 1, 2, q / 2, q / 2 + 1, q - 2, q - 1];
        let constant = |x: u32| vec![x; N];
        for a in ends {
            for b in ends {
                self.check(&constant(a), &constant(b), &format!("all {a}, all {b}"));
            }
        }
        // Each bit of the index in turn selects one of two extremes, in each operand.
        let bits = N.trailing_zeros();
        let pattern = |mask: usize, x: u32, y: u32| -> Vec<u32> {
            (0..N).map(|i| [x, y][(i & mask).count_ones() as usize % 2]).collect()
        };
        for mask in 0..N {
            let other = rng.random_range(0..N);
            self.check(&pattern(mask, q - 1, 0), &pattern(other, q - 1, 0), &format!("signs {mask} {other}"));
            self.check(&pattern(mask, 0, q - 1), &pattern(mask, q - 1, 1), &format!("signs {mask}"));
        }
        for bit in 0..bits {
            for (x, y) in [(0, q - 1), (1, q - 1), (q / 2, q / 2 + 1)] {
                for other in 0..bits {
                    let what = format!("bits {bit} {other} {x} {y}");
                    self.check(&pattern(1 << bit, x, y), &pattern(1 << other, y, x), &what);
                }
            }
        }
        for i in 0..N {
            let mut single = constant(0);
            single[i] = q - 1;
            self.check(&single, &constant(q - 1), &format!("only {i}"));
            let mut all_but_one = constant(q - 1);
            all_but_one[i] = 0;
            self.check(&all_but_one, &single, &format!("all but {i}"));
        }
        for i in 0..500 {
            let mut extreme = || (0..N).map(|_| ends[rng.random_range(0..ends.len())]).collect::<Vec<_>>();
            let (a, b) = (extreme(), extreme());
            self.check(&a, &b, &format!("extreme {i}"));
        }
        // Polynomials that make a value of the transform as large as possible: the coefficients follow the signs of a
        // row of the matrix.
        for slot in (0..N).step_by(3) {
            let mut unit = constant(0);
            unit[slot] = 1;
            let mut row = unit;
            self.generic.inverse(&mut row).expect("valid");
            let signs: Vec<u32> = row.iter().map(|x| if *x > q / 2 { 0 } else { q - 1 }).collect();
            let others: Vec<u32> = row.iter().map(|x| if *x > q / 2 { q - 1 } else { 0 }).collect();
            self.check(&signs, &others, &format!("against slot {slot}"));
        }
    }

    /// Checks every position and many values that are not below q, in each operand.
    fn refused(&self) {
        let q = self.generic.modulus();
        let zero = [T::from_u32(0); N];
        let most = if size_of::<T>() == 2 { u32::from(u16::MAX) } else { u32::MAX };
        for ring in &self.tuned {
            for index in 0..N {
                for value in [q, q + 1, 2 * q, 4 * q, most / 2, most / 2 + 1, most - 1, most] {
                    let mut bad = zero;
                    bad[index..].fill(T::from_u32(value));
                    let error = |operand| Err(Error::NotReduced { operand, index, modulus: q });
                    let marked = [T::from_u32(7); N];
                    let mut out = marked;
                    for f in [Tuned::pointwise, Tuned::product] {
                        assert_eq!(f(ring, &bad, &zero, &mut out), error(0));
                        assert_eq!(f(ring, &zero, &bad, &mut out), error(1));
                        assert_eq!(f(ring, &bad, &bad, &mut out), error(0));
                    }
                    assert_eq!(out, marked, "{} has written", ring.backend());
                    let mut out = bad;
                    assert_eq!(ring.forward(&mut out), error(0));
                    assert_eq!(ring.inverse(&mut out), error(0));
                    assert_eq!(out, bad, "{} has written", ring.backend());
                }
            }
        }
    }

    /// Checks batches on every runtime, also with a polynomial that is refused.
    fn batches(&self) {
        let mut rng = rng();
        let mut polynomials =
            |count: usize| -> Vec<[T; N]> { (0..count).map(|_| narrow(&self.random(&mut rng))).collect() };
        let zero = [T::from_u32(0); N];
        for count in [0, 1, 31, 32, 33, 100, 5000] {
            let (a, mut b) = (polynomials(count), polynomials(count));
            let mut expected = vec![zero; count];
            for ((a, b), out) in a.iter().zip(&b).zip(&mut expected) {
                self.tuned[0].product(a, b, out).expect("valid");
            }
            let bad = (count > 0).then(|| count * 2 / 3);
            for refuse in [false, true] {
                if let (true, Some(bad)) = (refuse, bad) {
                    b[bad][N - 2] = T::from_u32(self.generic.modulus());
                    expected[bad] = zero;
                }
                for ring in &self.tuned {
                    for rt in runtimes(CRATE) {
                        let mut out = vec![zero; count];
                        let done = ring.products(&*rt, &a, &b, &mut out);
                        let what = format!("{count} by {} {} {}", ring.backend(), rt.name(), rt.threads());
                        match bad.filter(|_| refuse) {
                            None => assert_eq!(done, Ok(()), "{what}"),
                            Some(bad) => {
                                let (index, modulus) = (bad * N + N - 2, self.generic.modulus());
                                assert_eq!(
                                    done,
                                    Err(Error::NotReduced { operand: 1, index, modulus }),
                                    "{what}"
                                );
                            }
                        }
                        assert!(out == expected, "{what}");
                    }
                }
            }
        }
        let ring = &self.tuned[0];
        let products = |a, b, out| {
            ring.products(&parcrypt_runtime::Serial, &vec![zero; a], &vec![zero; b], &mut vec![zero; out])
        };
        let length = |operand, got: usize| Err(Error::Length { operand, expected: 2 * N, got: got * N });
        assert_eq!(products(2, 3, 2), length(1, 3));
        assert_eq!(products(2, 2, 1), length(2, 1));
    }

    /// Returns the sum of products in the generic ring.
    fn sum(&self, a: &[[T; N]], b: &[[T; N]]) -> [T; N] {
        let mut sum = vec![0; N];
        for (a, b) in a.iter().zip(b) {
            let mut product = vec![0; N];
            self.generic.product(&wide(a), &wide(b), &mut product).expect("valid");
            sum.iter_mut().zip(product).for_each(|(sum, x)| *sum = (*sum + x) % self.generic.modulus());
        }
        narrow(&sum)
    }

    /// Checks the shapes of ML-KEM and ML-DSA, larger ones on every runtime, and rows of more terms than a kernel adds
    /// before it reduces, also of the largest values.
    fn matrices(&self) {
        let (mut rng, most) = (rng(), T::from_u32(self.generic.modulus() - 1));
        let shapes = [(1, 1), (2, 2), (3, 3), (4, 4), (6, 5), (8, 7), (5, 2), (99, 1), (2, 65)];
        let terms = [0, 3, 15, 16, 17, 33, 100].map(|terms| (1, terms));
        for ((rows, columns), extreme) in
            shapes.into_iter().chain(terms).flat_map(|x| [(x, false), (x, true)])
        {
            let mut operand = |count: usize| -> Vec<[T; N]> {
                let one = |_| if extreme { [most; N] } else { narrow(&self.random(&mut rng)) };
                (0..count).map(one).collect()
            };
            let (entries, polynomials) = (operand(rows * columns), operand(columns));
            let row = |i: usize| self.sum(&entries[i * columns..][..columns], &polynomials);
            let expected: Vec<_> = (0..rows).map(row).collect();
            let mut transforms = entries.clone();
            transforms.iter_mut().for_each(|x| self.tuned[0].forward(x).expect("valid"));
            for ring in &self.tuned {
                for (form, entries) in [(Form::Polynomial, &entries), (Form::Transform, &transforms)] {
                    let matrix = Matrix::new(*ring, rows, columns, form, entries).expect("valid");
                    assert_eq!((matrix.rows(), matrix.columns()), (rows, columns));
                    for rt in runtimes(CRATE) {
                        let vector = Vector::new(&*rt, *ring, &polynomials).expect("valid");
                        let mut out = vec![[most; N]; rows];
                        matrix.product(&*rt, &vector, &mut out).expect("valid");
                        assert!(out == expected, "{rows} × {columns} by {} {}", ring.backend(), rt.name());
                    }
                }
            }
        }
    }

    /// Checks the errors of matrices and vectors.
    fn refused_by_matrices(&self) {
        let (zero, modulus) = ([T::default(); N], self.generic.modulus());
        let serial = &parcrypt_runtime::Serial;
        let length = |operand, expected: usize, got: usize| {
            Err(Error::Length { operand, expected: expected * N, got: got * N })
        };
        for ring in &self.tuned {
            let new = |rows, columns, form, entries: &[[T; N]]| {
                Matrix::new(*ring, rows, columns, form, entries).map(|_| ())
            };
            let matrix = Matrix::new(*ring, 2, 3, Form::Polynomial, &[zero; 6]).expect("valid");
            assert_eq!(new(2, 3, Form::Polynomial, &[zero; 5]), length(0, 6, 5));
            let too_many = Error::Length { operand: 0, expected: usize::MAX, got: N };
            assert_eq!(new(usize::MAX, 2, Form::Polynomial, &[zero]), Err(too_many));
            let mut vector = Vector::new(serial, *ring, &[zero; 3]).expect("valid");
            assert_eq!(matrix.product(serial, &vector, &mut [zero; 3]), length(1, 2, 3));
            let short = Vector::new(serial, *ring, &[zero; 2]).expect("valid");
            assert_eq!(matrix.product(serial, &short, &mut [zero; 2]), length(0, 3, 2));
            assert_eq!(vector.replace(serial, &[zero; 4]), length(0, 3, 4));
            for bad in 0..6 {
                let mut entries = [zero; 6];
                entries[bad][N - 1] = T::from_u32(modulus);
                let error = Err(Error::NotReduced { operand: 0, index: bad * N + N - 1, modulus });
                assert_eq!(new(3, 2, Form::Polynomial, &entries), error);
                assert_eq!(new(3, 2, Form::Transform, &entries), error);
                let mut vector = Vector::new(serial, *ring, &[zero; 6]).expect("valid");
                assert_eq!(vector.replace(serial, &entries), error);
                let mut one = zero;
                one[0] = T::from_u32(1);
                let ones = Matrix::new(*ring, 1, 6, Form::Polynomial, &[one; 6]).expect("valid");
                let mut product = [[T::from_u32(7); N]];
                ones.product(serial, &vector, &mut product).expect("valid");
                assert_eq!(product, [zero], "what is left of a refused vector");
            }
            for other in &self.tuned {
                let vector = Vector::new(serial, *other, &[zero; 3]).expect("valid");
                let (matrix_of, vector_of) = (ring.backend(), other.backend());
                let expected = if matrix_of == vector_of {
                    Ok(())
                } else {
                    Err(Error::OtherBackend { matrix: matrix_of, vector: vector_of })
                };
                assert_eq!(matrix.product(serial, &vector, &mut [zero; 2]), expected);
            }
        }
    }

    /// Checks arrays at every offset from a cache line.
    fn unaligned(&self) {
        let mut rng = rng();
        let (a, b) = (self.random(&mut rng), self.random(&mut rng));
        let mut expected = vec![0; N];
        self.generic.product(&a, &b, &mut expected).expect("valid");
        for ring in &self.tuned {
            for offset in 0..64 {
                let place = |x: &[u32]| -> Vec<T> {
                    (0..N + 64)
                        .map(|i| {
                            T::from_u32(if (offset..offset + N).contains(&i) { x[i - offset] } else { 0 })
                        })
                        .collect()
                };
                let (a, b) = (place(&a), place(&b));
                let mut out = place(&vec![0; N]);
                ring.product(array(&a, offset), array(&b, offset), array_mut(&mut out, offset))
                    .expect("valid");
                assert_eq!(wide(array::<T, N>(&out, offset)), expected, "{} at {offset}", ring.backend());
                let around = out[..offset].iter().chain(&out[offset + N..]);
                assert!(around.into_iter().all(|x| (*x).into() == 0), "{} wrote outside", ring.backend());
            }
        }
    }

    /// Checks that the ring of slices uses the kernels.
    fn slices(&self) {
        let mut rng = rng();
        let (q, convolution) = (self.generic.modulus(), self.generic.convolution());
        for ring in &self.tuned {
            let slices = Ring::new(ring.backend().into(), q, N, convolution).expect("a ring");
            assert_eq!(slices.backend(), ring.backend());
            for _ in 0..50 {
                let (a, b) = (self.random(&mut rng), self.random(&mut rng));
                let expected = all_functions(&self.generic, &a, &b);
                assert!(all_functions(&slices, &a, &b) == expected, "{}", ring.backend());
                let mut products = vec![0; 40 * N];
                let rt = &parcrypt_runtime::Serial;
                slices.products(rt, &a.repeat(40), &b.repeat(40), &mut products).expect("valid");
                assert!(products == expected[3].repeat(40), "{}", ring.backend());
            }
            let mut bad = vec![0; N];
            bad[N / 2] = 1 << 16;
            bad[N - 1] = u32::MAX;
            let index = if q < 1 << 16 { N / 2 } else { N - 1 };
            assert_eq!(slices.forward(&mut bad), Err(Error::NotReduced { operand: 0, index, modulus: q }));
        }
    }
}

/// Returns the transform of `a`, its inverse transform, and both products of two polynomials or transforms.
fn all_functions(ring: &Ring, a: &[u32], b: &[u32]) -> [Vec<u32>; 4] {
    let [mut forward, mut inverse, mut pointwise, mut product] = [(); 4].map(|()| a.to_vec());
    ring.forward(&mut forward).expect("valid");
    ring.inverse(&mut inverse).expect("valid");
    ring.pointwise(a, b, &mut pointwise).expect("valid");
    ring.product(a, b, &mut product).expect("valid");
    [forward, inverse, pointwise, product]
}

fn narrow<T: Coefficient, const N: usize>(x: &[u32]) -> [T; N] {
    std::array::from_fn(|i| T::from_u32(x[i]))
}

fn wide<T: Coefficient, const N: usize>(x: &[T; N]) -> Vec<u32> {
    x.iter().map(|x| (*x).into()).collect()
}

fn array<T, const N: usize>(x: &[T], offset: usize) -> &[T; N] {
    x[offset..].first_chunk().expect("long enough")
}

fn array_mut<T, const N: usize>(x: &mut [T], offset: usize) -> &mut [T; N] {
    x[offset..].first_chunk_mut().expect("long enough")
}

macro_rules! suite {
    ($name:ident, $ring:ident) => {
        mod $name {
            use super::*;

            #[test]
            fn agrees_with_the_generic_ring() {
                Rings::new($ring::new, &$ring::backends()).all();
            }

            #[test]
            fn refuses_what_is_not_reduced() {
                Rings::new($ring::new, &$ring::backends()).refused();
            }

            #[test]
            fn batches_on_every_runtime() {
                Rings::new($ring::new, &$ring::backends()).batches();
            }

            #[test]
            fn matrices_on_every_runtime() {
                Rings::new($ring::new, &$ring::backends()).matrices();
            }

            #[test]
            fn matrices_refuse_wrong_lengths_and_values() {
                Rings::new($ring::new, &$ring::backends()).refused_by_matrices();
            }

            #[test]
            fn arrays_at_any_offset() {
                Rings::new($ring::new, &$ring::backends()).unaligned();
            }

            #[test]
            fn slices_take_the_kernels() {
                Rings::new($ring::new, &$ring::backends()).slices();
            }
        }
    };
}

suite!(small, Small);
suite!(ml_kem, MlKem);
suite!(ml_dsa, MlDsa);

#[test]
fn a_backend_that_is_not_there_is_an_error() {
    let not_offered = |result: Result<Backend, Error>| {
        matches!(result, Err(Error::Backend(parcrypt_cpu::Error::NotOffered { backend: Backend::Blst, .. })))
    };
    assert!(not_offered(Small::new(Backend::Blst.into()).map(|ring| ring.backend())));
    assert!(not_offered(MlKem::new(Backend::Blst.into()).map(|ring| ring.backend())));
    assert!(not_offered(MlDsa::new(Backend::Blst.into()).map(|ring| ring.backend())));
    let rings = [(3329, 128, Convolution::Cyclic), (17, 8, Convolution::Negacyclic)];
    for (q, n, convolution) in rings {
        let ring = Ring::new(Backend::Blst.into(), q, n, convolution);
        assert!(not_offered(ring.map(|ring| ring.backend())));
    }
    // There is no fallback for a missing kernel.
    let any = Ring::new(Backend::Avx2.into(), 17, 8, Convolution::Negacyclic);
    assert!(matches!(any, Err(Error::Backend(parcrypt_cpu::Error::NotOffered { .. }))));
    assert_eq!(
        Ring::new(Backend::Portable.into(), 17, 8, Convolution::Negacyclic).unwrap().backend(),
        Backend::Portable
    );
    for backend in Small::backends() {
        assert_eq!(Small::new(backend.into()).is_ok(), backend.is_available());
    }
    // The assembly for RISC-V is of two rings, and of one at some lengths of vectors.
    if cfg!(not(target_arch = "riscv64")) {
        assert_eq!(Small::backends(), MlKem::backends());
        assert_eq!(Small::backends(), MlDsa::backends());
    }
}
