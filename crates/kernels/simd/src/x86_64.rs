//! Vectors of x86-64. Each has a parameter P, which can be named only where its instruction set is enabled.
#![allow(unsafe_code, reason = "instruction sets, loads and stores")]

/// Returns the result of instructions without pointers as a vector.
macro_rules! vector {
    ($Vector:ident, $instructions:expr) => {
        // SAFETY: the type of the vector can be named only in functions that enable its instruction set.
        $Vector(unsafe { $instructions }, PhantomData)
    };
}

/// Implements operations on vectors by instructions.
macro_rules! instructions {
    ($Vector:ident; $($name:ident $(<const $N:ident: $T:ty>)? ($a:ident $(, $operand:ident)*) = $result:expr;)*) => {$(
        #[inline(always)]
        fn $name $(<const $N: $T>)? (self $(, $operand: Self)*) -> Self {
            let ($a, $($operand),*) = (self.0, $($operand.0),*);
            vector!($Vector, $result)
        }
    )*};
}

pub(crate) mod avx2;
pub(crate) mod avx512;
pub(crate) mod words32;
