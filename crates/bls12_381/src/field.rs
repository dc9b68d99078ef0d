//! The two prime fields: [`fr`], integers modulo the order r of the groups, and `fp`, integers modulo the
//! characteristic p of the curve's coordinates.

pub(crate) mod fp;
pub mod fr;
