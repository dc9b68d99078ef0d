//! Pairings in eight lanes over intervals: each step takes all elements within their bounds to such elements, so that
//! no limb overflows in any number of steps.

use super::super::fp4::bounds::{Model, all, check};
use super::*;

fn any() -> Fp12<Model> {
    Fp12 { a: all(), bc: all() }
}

fn check_both(value: &Fp12<Model>) {
    check(&value.a);
    check(&value.bc);
}

#[test]
fn steps_of_a_miller_loop_do_not_overflow() {
    check_both(&Fp12::one());
    check_both(&any().squared());
    check_both(&any().times_line(&LineFactors::of(&all::<2, 9>().carry())));
}

#[test]
fn steps_of_a_power_do_not_overflow() {
    check_both(&any().times(&any()));
    check_both(&any().cyclotomic_squared());
    check_both(&any().conjugate());
}
