//! Text about the machine for `parcrypt doctor` and `parcrypt verify`: features, backends, runtimes.

pub(super) mod features;

use std::num::NonZeroUsize;

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Error, OpenMpLibrary};

use crate::text::paragraph;

/// The version of Rayon in the lock file.
const RAYON: &str = env!("PARCRYPT_RAYON");

/// Returns the version of Rayon in this build, or the reason why it is missing.
pub(super) fn rayon() -> Result<&'static str, &'static str> {
    if cfg!(feature = "rayon") {
        Ok(RAYON)
    } else {
        Err("not in this build, which was made without the feature rayon")
    }
}

/// Returns the names of the processor's features.
pub(super) fn features() -> String {
    let all = features::detect();
    if all.is_empty() { "none that a kernel uses".to_owned() } else { all.join(" ") }
}

/// Returns the names of the backends that are available, and of those that are not.
pub(super) fn backend_names() -> [Vec<&'static str>; 2] {
    let (here, absent): (Vec<Backend>, Vec<Backend>) =
        Backend::ALL.into_iter().partition(|backend| backend.is_available());
    [here, absent].map(|all| all.into_iter().map(Backend::name).collect())
}

/// Returns the available backends, then the others.
pub(super) fn backends() -> String {
    let [here, absent] = backend_names().map(|names| names.join(", "));
    if absent.is_empty() { here } else { format!("{here}; not here: {absent}") }
}

/// Returns a paragraph for each runtime with its version and its threads, or the reason why it is missing.
pub(super) fn runtimes(cores: NonZeroUsize, openmp: &Result<OpenMpLibrary, Error>) -> String {
    let threads = format!("{cores} thread{} by default", if cores.get() == 1 { "" } else { "s" });
    let mut text = paragraph("serial", "available, 1 thread");
    match rayon() {
        Ok(version) => text += &paragraph("rayon", &format!("Rayon {version}, {threads}")),
        Err(why) => text += &paragraph("rayon", why),
    }
    match openmp {
        Ok(library) => {
            let version = openmp_version(library.version);
            text += &paragraph("openmp", &format!("{}, OpenMP {version}, {threads}", library.name));
            text += &paragraph("", &library.file);
            text += &paragraph("", &library.wait_policy);
        }
        Err(why) => text += &paragraph("openmp", &why.to_string()),
    }
    text
}

/// Returns the version of the specification for a value of `_OPENMP`, the date on its title page.
pub(super) fn openmp_version(date: u32) -> String {
    let known = match date {
        200505 => "2.5",
        200805 => "3.0",
        201107 => "3.1",
        201307 => "4.0",
        201511 => "4.5",
        201811 => "5.0",
        202011 => "5.1",
        202111 => "5.2",
        202411 => "6.0",
        _ => return format!("of the date {date}"),
    };
    format!("{known} ({date})")
}

#[cfg(test)]
mod tests {
    use parcrypt_runtime::{Kind, OpenMp};

    use super::*;

    #[test]
    fn rayon_is_available_exactly_if_it_is_built() {
        let there = Kind::Rayon.build(NonZeroUsize::MIN).is_ok();
        assert_eq!(rayon().is_ok(), there);
        let text = runtimes(NonZeroUsize::MIN, &OpenMp::library());
        assert_eq!(text.contains(&format!("Rayon {RAYON}, 1 thread by default")), there, "{text}");
    }

    #[test]
    fn every_backend_is_named_once_and_rayon_has_a_version() {
        let text = backends();
        let names: Vec<&str> = text.split([' ', ',', ';', ':']).collect();
        for backend in Backend::ALL {
            assert_eq!(names.iter().filter(|name| **name == backend.name()).count(), 1, "{text}");
        }
        assert!(RAYON.split('.').count() == 3 && RAYON.starts_with(|c: char| c.is_ascii_digit()), "{RAYON}");
    }
}
