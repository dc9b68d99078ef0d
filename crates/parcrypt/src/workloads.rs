//! The registry of workloads. A new one is a file in `workloads/`, its `mod` line and its name in [`all`].

mod fft;
mod field;
mod hash;
mod kzg;
mod mac;
mod msm;
mod ntt;
#[cfg(feature = "rw")]
mod rw;
mod scrypt;
mod sum;

use parcrypt_cpu::Backend;

use crate::requests;
use crate::workload::{Error, Workload};

pub(crate) fn all() -> impl Iterator<Item = &'static Workload> {
    const ALL: &[&[Workload]] = &[
        sum::WORKLOADS,
        fft::WORKLOADS,
        msm::WORKLOADS,
        ntt::WORKLOADS,
        kzg::WORKLOADS,
        scrypt::WORKLOADS,
        mac::WORKLOADS,
        #[cfg(feature = "rw")]
        rw::WORKLOADS,
        hash::WORKLOADS,
        field::WORKLOADS,
    ];
    ALL.iter().copied().flatten()
}

pub(crate) fn find(name: &str) -> Result<&'static Workload, Error> {
    all().find(|workload| workload.name == name).ok_or_else(|| {
        if cfg!(not(feature = "rw")) && matches!(name, "rw-sign" | "rw-verify") {
            return Error::Unsupported(format!(
                "this build has no `{name}`: it lacks the feature `rw`, which `make full` builds"
            ));
        }
        let similar = all().map(|workload| (strsim::jaro_winkler(name, workload.name), workload.name));
        let similar = similar.filter(|(likeness, _)| *likeness > 0.85).max_by(|a, b| a.0.total_cmp(&b.0));
        let similar = similar.map(|(_, name)| format!(" (did you mean `{name}`?)")).unwrap_or_default();
        let known: Vec<String> = all().map(|workload| format!("`{}`", workload.name)).collect();
        Error::Wrong(format!("unknown workload `{name}`{similar}: it can be {}", known.join(", ")))
    })
}

/// Returns the tables of all workloads with their backends in rising order of preference, in the order of
/// [`requests::TABLES`].
pub(crate) fn tables() -> Vec<(&'static str, Vec<Backend>)> {
    let mut tables: Vec<(&str, Vec<Backend>)> = Vec::new();
    let mut add =
        |name: &'static str, backends: &[Backend]| match tables.iter_mut().find(|table| table.0 == name) {
            // The table with the most rows is the complete one; a workload may lack some.
            Some(table) if backends.len() > table.1.len() => table.1 = backends.to_vec(),
            Some(_) => {}
            None => tables.push((name, backends.to_vec())),
        };
    for workload in all() {
        add(workload.table, &(workload.backends)(None));
        workload.other_tables.iter().for_each(|(name, backends)| add(name, backends));
    }
    tables.sort_by_key(|table| requests::TABLES.iter().position(|name| *name == table.0));
    tables
}

#[cfg(test)]
mod tests {
    use parcrypt_cpu::Request;
    use parcrypt_runtime::Kind;

    use super::*;
    use crate::runtimes;
    use crate::text::hex;
    use crate::workload::{Aligned, KNOWN_ANSWERS, digest, known, params};

    #[test]
    fn a_workload_that_a_build_leaves_out_names_its_feature() {
        for name in ["rw-sign", "rw-verify"] {
            assert_eq!(find(name).is_ok(), cfg!(feature = "rw"));
            if let Err(error) = find(name) {
                assert!(matches!(error, Error::Unsupported(_)));
                assert!(error.to_string().contains("lacks the feature `rw`"), "{error}");
            }
        }
        assert!(matches!(find("rw"), Err(Error::Wrong(_))));
    }

    #[test]
    fn names_and_parameters_are_unique() {
        for workload in all() {
            assert_eq!(all().filter(|other| other.name == workload.name).count(), 1, "{}", workload.name);
            for p in workload.params {
                assert_eq!(workload.params.iter().filter(|q| q.name == p.name).count(), 1, "{}", p.name);
                if let Some(default) = p.default() {
                    let mut given = known(KNOWN_ANSWERS, workload.name).remove(0).params;
                    given.insert(p.name.to_owned(), default);
                    workload.values(&given).unwrap();
                }
            }
            assert!((workload.backends)(None)[0].is_everywhere(), "{} has no reference", workload.name);
        }
    }

    #[test]
    fn verify_computes_with_every_backend() {
        for workload in all() {
            let of_known = known(KNOWN_ANSWERS, workload.name).into_iter().flat_map(|known| {
                let values = workload.values(&known.params).unwrap();
                (workload.backends)(Some(&values))
            });
            let (mut of_known, mut all) = (of_known.collect::<Vec<_>>(), (workload.backends)(None));
            of_known.sort_by_key(|backend| *backend as usize);
            of_known.dedup();
            all.sort_by_key(|backend| *backend as usize);
            assert_eq!(of_known, all, "{}", workload.name);
        }
    }

    /// Windows gives a main thread this stack.
    #[test]
    fn every_workload_fits_a_stack_of_1_mib() {
        let run = || {
            for workload in all() {
                let known = known(KNOWN_ANSWERS, workload.name).remove(0);
                let values = workload.values(&known.params).unwrap();
                let input = known.input.bytes(usize::try_from((workload.input_bytes)(&values)).unwrap());
                let backends = workload.all_backends().into_iter().filter(|backend| backend.is_available());
                for backend in backends {
                    let requests = Request::from(backend).into();
                    let Ok(rows) = workload.rows(Some(&values), Some(&requests)) else { continue };
                    for kind in [Kind::Serial, Kind::Rayon] {
                        let rt = runtimes::build(kind, 2 - usize::from(kind == Kind::Serial)).unwrap();
                        let input = Aligned::new(input.clone());
                        let mut prepared = (workload.prepare)(&values, input, &*rt, &rows).unwrap();
                        prepared.iterate(&*rt);
                        let digest = hex(&digest(&*prepared));
                        assert_eq!(digest, known.sha256, "{} {backend} {}", workload.name, rt.name());
                    }
                }
            }
        };
        let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(run);
        thread.unwrap().join().unwrap();
    }

    #[test]
    fn the_ranges_in_the_documents_match_the_workloads() {
        let document = include_str!("../../../docs/reference/workloads.md");
        let mut found = 0;
        for workload in all() {
            let start = format!("| `{}` |", workload.name);
            let Some(row) = document.lines().find(|line| line.starts_with(&start)) else { continue };
            for p in workload.params {
                // Such as `scale`: 0 to 40.
                let Some((_, rest)) = row.split_once(&format!("`{}`: ", p.name)) else { continue };
                let words: Vec<&str> = rest.split([' ', ',', ';']).take(3).collect();
                let params::Kind::Number { least, most, .. } = p.kind else { continue };
                let right = [&*least.to_string(), "to", &*most.to_string()];
                assert_eq!(words, right, "{} {}", workload.name, p.name);
                found += 1;
            }
        }
        assert!(found >= 10, "{found}");
    }

    #[test]
    fn every_table_can_be_named() {
        let names: Vec<&str> = tables().iter().map(|table| table.0).collect();
        let known = requests::TABLES.into_iter().filter(|name| cfg!(feature = "rw") || *name != "rw");
        assert!(known.eq(names.iter().copied()), "{names:?}");
    }

    #[test]
    fn too_large_scales_are_errors_with_a_scale_that_fits() {
        let workload = find("fft-g1").unwrap();
        let values = workload.values(&params::parse("scale=32")).unwrap();
        let error = workload.check_memory(&values, Some(22 << 30)).unwrap_err();
        let why =
            "scale 32 of fft-g1 needs 1.3 TiB, and 22 GiB are available: the largest scale that fits is 26";
        assert_eq!(error.to_string(), why);
        assert!(matches!(error, Error::Unsupported(_)));
        assert!(workload.check_memory(&values, None).is_ok());
        let none = workload.check_memory(&values, Some(0)).unwrap_err().to_string();
        assert!(none.ends_with("0 bytes are available: no scale fits"), "{none}");
    }
}
