//! `scrypt`: keys from passwords, one or many.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::num::NonZeroUsize;

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Runtime, Serial};
use parcrypt_scrypt::{Item, Params, Scrypt};

use crate::workload::params::{Parameter, Values};
use crate::workload::{self, Aligned, Error, Known, Prepared, Workload, filled, known};

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

/// Length of a password and of a salt, in bytes.
const PART: usize = 32;
/// Length of a key, in bytes.
const KEY: usize = 64;

// The known answers, with fewer lanes than any vector has, the same number and more, rows of every kind, and less
// memory than the lanes need, are from Python (its hashlib calls OpenSSL), where `b` is the input:
//     def hashes(n): return b''.join(sha256(i.to_bytes(8, 'little')).digest() for i in range(-(-n // 32)))[:n]
//     k = [hashlib.scrypt(b[i:i+32], salt=b[i+32:i+64], n=1 << log_n, r=r, p=p, maxmem=1 << 30, dklen=64)
//          for i in range(0, len(b), 64)]
//     sha256(b''.join(k)).hexdigest()
const KNOWN: &[Known] = known! {
    hashes "log-n=1" "71ed8f23af5f99405b0286cdc875158db40935cfcd0e82b8222e4da8be98246c";
    hashes "log-n=4 r=1 p=5" "7b95d34d59c20ea026c6af015d39a7c286e28d91728664dc885d8a1df5d2baed";
    hashes "log-n=8 r=12 p=4" "e453e7aa5e78fd10cb679d9b72194cb9fdd78dea30013770a2690bff077abfcf";
    hashes "log-n=9 r=3 p=2 keys=5" "a930e8103ebbb54797448b5394b0620624a44591d0dd8e18454dc171fccd6b3c";
    hashes "log-n=7 keys=17" "737a8d993498190680ae34f753fc7e3be16b24357fc39c8a826f1bc4afe4fb58";
    hashes "log-n=10 p=4 keys=3 memory-mib=3" "01e788b29cf68f2d23aaea5e8823f2a00296addf164d54b63bb32a27b3f8697c";
    hashes "log-n=11" "fd23ad6f80748418a30475db1deaf536214afb41be3cfeacba73bcceab79424a";
    255 "log-n=9 p=3" "2b69f9e1c0bd4f060fb30c546a0b8f4422e384028b9389ec1e2fdf3ee4a22b5d";
    hashes "log-n=1 r=1" "1d057cf723d55885868ff2330de64b5138aca3521cd641bda02d96fb0af2e313";
    hashes "log-n=3 r=1 p=2" "0fba7a125a491216c30ab3a58f41e797526026984ea733868ebfa29d6470b4fc";
    hashes "log-n=6 r=2 keys=3" "8a2081202260e11d77230bd19750250577c044fca71318899bc78397c83dc3cb";
    hashes "log-n=7 r=5 p=4" "31d020d114050e0f39d86289da06e216e327e802902e2a4689436b05c10c4d55";
    hashes "log-n=8 r=8 keys=8" "72915b5caff35e43efcc50ad4e240e0e908d83b2994840bc08711dbcda072f1c";
    hashes "log-n=8 r=3 p=3 keys=3" "dd0d8667c1522be636cea09decea3c8b283d67d3704e8498a0f688fe77114efc";
    hashes "log-n=8 r=8 p=17" "6bf9abb32d1e0abc9bc695dd3ea358a90fcc914ee0bf16c9232594a93e30c87b";
    hashes "log-n=10 r=8 keys=5 memory-mib=2" "2dbb7c56fb9649435336700f8d04d045b24f06b9b47f6269ccedfb4c7ecd7372";
    hashes "log-n=8 keys=9 lanes=1" "109c6268e189af8fcd5fef89464bfbc1d485f76d78487ae78b5e3952e03eaea3";
    hashes "log-n=8 keys=9 lanes=2" "109c6268e189af8fcd5fef89464bfbc1d485f76d78487ae78b5e3952e03eaea3";
    hashes "log-n=8 p=9 lanes=4" "357b1c065c7290e4140c2c1ce35384ee4b4a4ab907a45d73b7a5cfa0113146cb";
    hashes "log-n=8 p=9 memory=new" "357b1c065c7290e4140c2c1ce35384ee4b4a4ab907a45d73b7a5cfa0113146cb";
};

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
        let scrypt = settings.make()?;
        let fresh = (values.name("memory") == "new").then_some(settings);
        let params = parameters(values)?;
        // An error is reported here, and not in a measurement.
        scrypt.requirements(&Serial, params, 1)?;
        let keys = filled(input.len() / (2 * PART) * KEY)?;
        workload::forget_peak();
        Ok(Box::new(Derivation { scrypt, fresh, params, input, keys }))
    },
    known: KNOWN,
}];

fn parameters(values: &Values) -> Result<Params, Error> {
    let number = |name| values.number(name) as u32;
    Ok(Params::new(1 << values.number("log-n"), number("r"), number("p"))?)
}

fn items(input: &[u8]) -> Vec<Item<'_>> {
    let both = input.chunks_exact(2 * PART).map(|both| both.split_at(PART));
    both.map(|(password, salt)| Item { password, salt }).collect()
}

/// The settings from which a `Scrypt` is made.
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

struct Derivation {
    scrypt: Scrypt,
    /// The settings, if each derivation has new memory.
    fresh: Option<Settings>,
    params: Params,
    input: Aligned<u8>,
    keys: Vec<u8>,
}

impl Prepared for Derivation {
    fn iterate(&mut self, rt: &dyn Runtime) {
        let items = items(black_box(&self.input));
        if let Some(settings) = &self.fresh {
            self.scrypt = settings.make().unwrap_or_else(|why| panic!("no memory: {why}"));
        }
        let done = self.scrypt.derive_many(rt, self.params, &items, &mut self.keys);
        done.unwrap_or_else(|why| panic!("no keys: {why}"));
        black_box(&mut self.keys);
    }

    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        take(&self.keys);
    }

    fn counts(&self) -> BTreeMap<String, u64> {
        workload::peak_count()
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_cpu::Request;

    use super::*;
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
        assert!(why("log-n=16 r=1").contains("below 2^(16 r)"), "{}", why("log-n=16 r=1"));
        assert!(
            why("log-n=20 memory-mib=512").contains("for one lane"),
            "{}",
            why("log-n=20 memory-mib=512")
        );
        for (text, bytes) in [
            ("log-n=10", 128 * 8 * 1027 + 128 + (1 << 20)),
            ("log-n=20 p=100 memory-mib=3000", (3000 << 20) + 128 + (1 << 20)),
        ] {
            assert_eq!((workload.memory)(&workload.values(&parse(text)).unwrap()), bytes, "{text}");
        }
    }
}
