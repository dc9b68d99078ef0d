//! Cubes of Fp, which tell whether a point of the curve is three times another: see
//! [`msm_checked_vartime`](crate::msm::msm_checked_vartime).

use crate::constants::X_ABS;
use crate::field::power::{Step, Steps};

/// e = (|x| + 1) / 3, for which (p − 1) / 3 is e·(e·(x⁴ − x² + 1) − 1).
pub(crate) const THIRD: u64 = X_ABS / 3 + 1;

/// Rows of products for 64 bits of a weight: two digits of base 3 for each three bits, and one for the last bit.
pub(crate) const HALF_ROWS: usize = 43;

/// Rows of products.
pub(crate) const ROWS: usize = 2 * HALF_ROWS;

/// Returns the digit of base 3 of a weight in a row. Weights that differ have other digits in some row, because three
/// bits are less than two digits.
pub(crate) fn digit(weight: &[u64; 2], row: usize) -> u64 {
    let (half, row) = (row / HALF_ROWS, row % HALF_ROWS);
    let bits = weight[half] >> (3 * (row / 2)) & 7;
    if row % 2 == 0 { bits % 3 } else { bits / 3 }
}

/// The steps of the power to e = (|x| + 1) / 3, whose lower 48 bits are 0x5555_5555_aaab.
pub(crate) static THIRD_STEPS: Steps = {
    let mut steps = Steps::new();
    steps.power(0b101);
    steps.push(Step::Keep(1));
    steps.squares(4);
    steps.push(Step::Times(1));
    steps.push(Step::Keep(2));
    steps.push(Step::Load(0));
    steps.bits(THIRD, 62, 48);
    let mut byte = 0;
    while byte < 4 {
        steps.squares(8);
        steps.push(Step::Times(2));
        byte += 1;
    }
    // 0xaaab is 0x5555 and a bit 1.
    steps.squares(7);
    steps.push(Step::Times(2));
    steps.squares(8);
    steps.push(Step::Times(2));
    steps.squares(1);
    steps.push(Step::Times(0));
    steps
};

/// The steps of the power to x².
pub(crate) static SQUARE_OF_PARAMETER: Steps = {
    let mut steps = Steps::new();
    steps.power(X_ABS);
    steps.power(X_ABS);
    steps
};
