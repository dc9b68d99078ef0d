//! The two prime fields: [`fr`], integers modulo the order r of the groups, and `fp`, integers modulo the
//! characteristic p of the curve's coordinates; and integers in limbs.

pub(crate) mod fp;
pub mod fr;
#[cfg(feature = "compute")]
pub(crate) mod limbs;
#[cfg(feature = "compute")]
pub(crate) mod power;
#[cfg(feature = "compute")]
pub(crate) mod vartime;

/// Inverts elements of a field, none of which is 0, with one inversion (Montgomery's trick).
pub(crate) fn invert_all<T: Copy>(all: &mut [T], product: impl Fn(&T, &T) -> T, inverse: impl Fn(&T) -> T) {
    let Some((first, rest)) = all.split_first() else { return };
    // Running products, the last of which is that of all.
    let mut products = vec![*first];
    rest.iter().for_each(|element| products.push(product(&products[products.len() - 1], element)));
    let mut left = inverse(&products[products.len() - 1]);
    for i in (1..all.len()).rev() {
        let element = std::mem::replace(&mut all[i], product(&left, &products[i - 1]));
        left = product(&left, &element);
    }
    all[0] = left;
}
