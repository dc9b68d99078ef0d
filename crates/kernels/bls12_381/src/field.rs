//! The two prime fields: [`fr`], integers modulo the order r of the groups, and `fp`, integers modulo the
//! characteristic p of the curve's coordinates; and integers in limbs.

pub(crate) mod fp;
pub mod fr;
pub(crate) mod limbs;
