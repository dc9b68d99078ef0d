//! Two polynomials in step.

use super::{Factor, Lanes};

/// Two vectors side by side, so that two polynomials go through a schedule together: each fills the other's latencies.
#[derive(Clone, Copy)]
pub(crate) struct Two<L>(pub(crate) L);

impl<L: Lanes<W>, const W: usize> Lanes<W> for Two<L> {
    type Lane = L::Lane;
    type V = [L::V; 2];
    type Wide = [L::Wide; 2];
    const IN_STEP: usize = L::IN_STEP.div_ceil(2);
    const SLOT: usize = L::SLOT;

    #[inline(always)]
    fn splat(self, x: L::Lane) -> Self::V {
        [self.0.splat(x); 2]
    }
    #[inline(always)]
    fn load(self, lanes: &[L::Lane; W]) -> Self::V {
        [self.0.load(lanes); 2]
    }
    #[inline(always)]
    fn add(self, a: Self::V, b: Self::V) -> Self::V {
        [self.0.add(a[0], b[0]), self.0.add(a[1], b[1])]
    }
    #[inline(always)]
    fn sub(self, a: Self::V, b: Self::V) -> Self::V {
        [self.0.sub(a[0], b[0]), self.0.sub(a[1], b[1])]
    }
    #[inline(always)]
    fn exchange(self, block: usize, u: Self::V, v: Self::V) -> (Self::V, Self::V) {
        let ((u0, v0), (u1, v1)) = (self.0.exchange(block, u[0], v[0]), self.0.exchange(block, u[1], v[1]));
        ([u0, u1], [v0, v1])
    }
    #[inline(always)]
    fn mul(self, a: Self::V, by: Factor<Self::V>) -> Self::V {
        let [by0, by1] = each(by);
        [self.0.mul(a[0], by0), self.0.mul(a[1], by1)]
    }
    #[inline(always)]
    fn reduced(self, x: Self::V) -> Self::V {
        [self.0.reduced(x[0]), self.0.reduced(x[1])]
    }
    #[inline(always)]
    fn canonical(self, x: Self::V) -> Self::V {
        [self.0.canonical(x[0]), self.0.canonical(x[1])]
    }
    #[inline(always)]
    fn mul_slots(self, a: Self::V, b: Self::V, gamma: Factor<Self::V>) -> Self::V {
        let [gamma0, gamma1] = each(gamma);
        [self.0.mul_slots(a[0], b[0], gamma0), self.0.mul_slots(a[1], b[1], gamma1)]
    }
    #[inline(always)]
    fn prepared(self, degree: usize, b: Self::V, gamma: Factor<Self::V>) -> [Self::V; 2] {
        let [gamma0, gamma1] = each(gamma);
        let ([x0, y0], [x1, y1]) =
            (self.0.prepared(degree, b[0], gamma0), self.0.prepared(degree, b[1], gamma1));
        [[x0, x1], [y0, y1]]
    }
    #[inline(always)]
    fn no_products(self) -> Self::Wide {
        [self.0.no_products(); 2]
    }
    #[inline(always)]
    fn add_products(self, degree: usize, sum: Self::Wide, a: Self::V, b: [Self::V; 2]) -> Self::Wide {
        let [x, y] = b;
        [
            self.0.add_products(degree, sum[0], a[0], [x[0], y[0]]),
            self.0.add_products(degree, sum[1], a[1], [x[1], y[1]]),
        ]
    }
    #[inline(always)]
    fn montgomery(self, degree: usize, sum: Self::Wide) -> Self::V {
        [self.0.montgomery(degree, sum[0]), self.0.montgomery(degree, sum[1])]
    }
}

#[inline(always)]
fn each<V: Copy>(by: Factor<[V; 2]>) -> [Factor<V>; 2] {
    [
        Factor { value: by.value[0], companion: by.companion[0] },
        Factor { value: by.value[1], companion: by.companion[1] },
    ]
}
