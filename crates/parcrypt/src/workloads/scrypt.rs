//! `scrypt`: keys from passwords, one or many.

use std::hint::black_box;
use std::num::NonZeroUsize;

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Runtime, Serial};
use parcrypt_scrypt::{Item, Params, Scrypt};

use crate::workload::params::Parameter;
use crate::workload::{self, Work, Workload, filled};

const PARAMS: &[Parameter] = &[
    Parameter::number("log-n", "log2 of N, the cost in time and memory", 1..=30, None),
    Parameter::number("r", "block size in 128 bytes", 1..=4096, Some(8)),
    Parameter::number("p", "lanes of each key", 1..=65536, Some(1)),
    Parameter::number("keys", "how many passwords there are", 1..=65536, Some(1)),
    Parameter::number("memory-mib", "MiB of all lanes at once; the others wait", 1..=1 << 20, Some(2048))
        .way(),
    Parameter::number(
        "lanes",
        "most lanes that a thread has in its vectors; 0: as many as the kernel prefers",
        0..=16,
        Some(0),
    )
    .way(),
    Parameter::one_name(
        "memory",
        "kept from one derivation to the next, or new for each, as in a process that derives one key",
        &["kept", "new"],
        Some("kept"),
    )
    .way(),
];

const PART: usize = 32;
const KEY: usize = 64;

pub(super) const WORKLOADS: &[Workload] = &[Workload {
    name: "scrypt",
    about: "Keys from passwords by scrypt (RFC 7914).",
    params: PARAMS,
    table: "scrypt",
    backends: |_| Scrypt::backends(),
    other_tables: &[],
    input: "64 * keys bytes of any value: for each key 32 bytes of password, then 32 bytes of salt.",
    output: "The keys in order, 64 bytes each.",
    input_bytes: |values| 2 * PART as u64 * values.number("keys"),
    memory: |values| {
        let lane = 128 * values.number("r") * ((1 << values.number("log-n")) + 3);
        let lanes = values.number("keys") * values.number("p");
        let rows = lanes.saturating_mul(lane).min(values.number("memory-mib") << 20).max(lane);
        rows + (2 * PART + KEY) as u64 * values.number("keys") + (1 << 20)
    },
    prepare: |values, input, _, rows| {
        let settings = Settings {
            backend: rows.backend(),
            bound: values.number("memory-mib") << 20,
            lanes: NonZeroUsize::new(values.number("lanes") as usize),
        };
        let mut scrypt = settings.make()?;
        let is_new = values.name("memory") == "new";
        let number = |name| values.number(name) as u32;
        let params = Params::new(1 << values.number("log-n"), number("r"), number("p"))?;
        // An error is reported here, and not in a measurement.
        scrypt.requirements(&Serial, params, 1)?;
        let keys = filled(input.len() / (2 * PART) * KEY)?;
        workload::forget_peak();
        let derive = move |keys: &mut Vec<u8>, rt: &dyn Runtime| {
            let items = items(black_box(&input));
            if is_new {
                scrypt = settings.make().unwrap_or_else(|why| panic!("no memory: {why}"));
            }
            let done = scrypt.derive_many(rt, params, &items, keys);
            done.unwrap_or_else(|why| panic!("no keys: {why}"));
        };
        let work = Work::new(keys, derive, |keys, take| take(keys));
        Ok(Box::new(Work { counts_peak: true, ..work }))
    },
}];

fn items(input: &[u8]) -> Vec<Item<'_>> {
    let both = input.chunks_exact(2 * PART).map(|both| both.split_at(PART));
    both.map(|(password, salt)| Item { password, salt }).collect()
}

struct Settings {
    backend: Backend,
    bound: u64,
    lanes: Option<NonZeroUsize>,
}

impl Settings {
    fn make(&self) -> Result<Scrypt, parcrypt_scrypt::Error> {
        let scrypt = Scrypt::new(self.backend.into(), self.bound)?;
        Ok(match self.lanes {
            Some(most) => scrypt.with_lanes(most),
            None => scrypt,
        })
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_cpu::Request;

    use super::*;
    use crate::workload::Aligned;
    use crate::workload::params::parse;

    #[test]
    fn unavailable_resources_are_errors_before_the_work() {
        let workload = &WORKLOADS[0];
        let why = |text: &str| {
            let values = workload.values(&parse(text)).unwrap();
            let input = vec![0; (workload.input_bytes)(&values) as usize];
            let rows = workload.rows(None, Some(&Request::Baseline.into())).unwrap();
            (workload.prepare)(&values, Aligned::new(input), &Serial, &rows)
                .err()
                .expect("an error")
                .to_string()
        };
        for (text, part) in [("log-n=16 r=1", "below 2^(16 r)"), ("log-n=20 memory-mib=512", "for one lane")]
        {
            assert!(why(text).contains(part), "{}", why(text));
        }
        for (text, bytes) in [
            ("log-n=10", 128 * 8 * 1027 + 128 + (1 << 20)),
            ("log-n=20 p=100 memory-mib=3000", (3000 << 20) + 128 + (1 << 20)),
        ] {
            assert_eq!((workload.memory)(&workload.values(&parse(text)).unwrap()), bytes, "{text}");
        }
    }
}
