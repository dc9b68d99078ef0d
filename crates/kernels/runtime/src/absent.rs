//! The replacement of `rayon.rs` in a build whose feature `rayon` is off: the type without values.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::num::NonZeroUsize;

use crate::{Error, ForkCost, Runtime};

/// Work stealing by Rayon, which this build lacks: [`Rayon::new`] returns an error.
#[derive(Debug)]
pub struct Rayon<'pool> {
    never: Infallible,
    pool: PhantomData<&'pool ()>,
}

impl Rayon<'static> {
    /// Returns the error that this build has no Rayon.
    ///
    /// # Errors
    /// [`Error::Unavailable`] always.
    pub fn new(_: NonZeroUsize) -> Result<Self, Error> {
        Err(Error::Unavailable { runtime: "rayon", why: "this build has the feature `rayon` off" })
    }

    /// Returns the runtime with another cost of a fork.
    #[must_use]
    pub fn with_fork_cost(self, _: ForkCost) -> Self {
        self
    }
}

impl Runtime for Rayon<'_> {
    fn name(&self) -> &'static str {
        match self.never {}
    }

    fn threads(&self) -> NonZeroUsize {
        match self.never {}
    }

    fn fork_cost(&self) -> ForkCost {
        match self.never {}
    }

    fn run(&self, _: usize, _: &(dyn Fn(usize) + Sync)) {
        match self.never {}
    }

    fn join(&self, _: &mut (dyn FnMut() + Send), _: &mut (dyn FnMut() + Send)) {
        match self.never {}
    }
}
