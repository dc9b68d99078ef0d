//! What is here, in words: the processor's features, the backends, the runtimes.
//!
//! `parcrypt doctor` and `parcrypt verify` show the same, so it has one place.

pub(crate) mod features;

use std::num::NonZeroUsize;

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Error, Library};

use crate::text::paragraph;

/// The version of Rayon that the sources are locked to.
const RAYON: &str = env!("PARCRYPT_RAYON");

/// The version of Rayon in this build, or that there is none.
pub(crate) fn rayon() -> Result<&'static str, &'static str> {
    if cfg!(feature = "rayon") {
        Ok(RAYON)
    } else {
        Err("not in this build, which was made without the feature rayon")
    }
}

/// The processor's features by name.
pub(crate) fn features() -> String {
    let all = features::features();
    if all.is_empty() { "none that a kernel here could use".to_owned() } else { all.join(" ") }
}

/// The backends that can run, and those that cannot.
pub(crate) fn backends() -> String {
    let (here, absent): (Vec<Backend>, Vec<Backend>) =
        Backend::ALL.into_iter().partition(|b| b.is_available());
    let names = |all: &[Backend]| all.iter().map(|b| b.name()).collect::<Vec<_>>().join(", ");
    let absent = if absent.is_empty() { String::new() } else { format!("; not here: {}", names(&absent)) };
    names(&here) + &absent
}

/// A paragraph for each runtime: whether it is here, its version, its threads.
pub(crate) fn runtimes(cores: NonZeroUsize, openmp: &Result<Library, Error>) -> String {
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

/// The version of the specification that a value of `_OPENMP` stands for (the dates are on the specifications' titles).
pub(crate) fn openmp_version(date: u32) -> String {
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
    fn rayon_is_said_to_be_there_where_it_is() {
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
