//! Our settings and runtimes, which an input chooses.

use std::sync::LazyLock;

use parcrypt_kzg::{Request, Settings};
pub use parcrypt_oracles::Input;
use parcrypt_oracles::Parcrypt;
use parcrypt_runtime::{Kind, Runtime};

/// Our settings, on the thread of a call and on two threads of Rayon.
pub static OURS: LazyLock<[Parcrypt; 2]> = LazyLock::new(|| {
    let settings = Settings::mainnet(Request::Auto).expect("the setup inside the library is whole");
    let ours = Parcrypt::new(settings);
    let on_two = Parcrypt::new(ours.settings().clone());
    let two = 2.try_into().expect("2 is not 0");
    on_two.set_runtime(Kind::Rayon.build(two).expect("two threads can be started"));
    [ours, on_two]
});

/// Returns our settings on one thread or on two.
pub fn ours(input: &mut Input<'_>) -> &'static Parcrypt {
    &OURS[input.below(2)]
}

/// Returns the serial runtime, or Rayon with two threads.
pub fn runtime(input: &mut Input<'_>) -> &'static dyn Runtime {
    ours(input).runtime()
}
