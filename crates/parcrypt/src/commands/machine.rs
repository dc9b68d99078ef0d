//! The machine for `parcrypt doctor` and `parcrypt list`: backends, versions of runtimes.

use parcrypt_cpu::Backend;

const RAYON: &str = env!("PARCRYPT_RAYON");

/// Returns the version of Rayon in this build, or the reason why it is missing.
pub(super) fn rayon() -> Result<&'static str, &'static str> {
    if cfg!(feature = "rayon") {
        Ok(RAYON)
    } else {
        Err("not in this build, which was made without the feature rayon")
    }
}

pub(super) fn backend_names() -> [Vec<&'static str>; 2] {
    let (here, absent): (Vec<Backend>, Vec<Backend>) =
        Backend::ALL.into_iter().partition(|backend| backend.is_available());
    [here, absent].map(|all| all.into_iter().map(Backend::name).collect())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use parcrypt_runtime::Kind;

    use super::*;

    #[test]
    fn rayon_is_available_exactly_if_it_is_built() {
        assert_eq!(rayon().is_ok(), Kind::Rayon.build(NonZeroUsize::MIN).is_ok());
        assert!(RAYON.split('.').count() == 3 && RAYON.starts_with(|c: char| c.is_ascii_digit()), "{RAYON}");
    }
}
