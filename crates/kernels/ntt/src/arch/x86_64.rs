//! The kernels for x86-64: the operations of a schedule as instructions, and the functions for the tables.

/// Methods of lanes: their operands, and the result as an expression of instructions, which `with!` calls.
macro_rules! instructions {
    ($($name:ident($($operand:ident),*) = $result:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($operand: Self::V),*) -> Self::V {
            with!(self, $result)
        }
    )*};
}

pub(crate) mod avx2;
pub(crate) mod avx512;
