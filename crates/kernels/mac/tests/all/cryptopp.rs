//! Comparison of VMAC's tags with Crypto++, where a C++ compiler and its headers are installed (Debian:
//! libcrypto++-dev).

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use parcrypt_mac::{Vmac64, Vmac128};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::RngCore;
use parcrypt_testkit::{backends, rng, skip};

const CRATE: &str = "parcrypt-mac";

/// Returns the compiled program, or the reason why it could not be compiled.
fn program() -> Result<PathBuf, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cryptopp.cpp");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cryptopp");
    let mut compiler = Command::new("c++");
    compiler.arg("-O1").arg("-o").arg(&program).arg(source).arg("-lcryptopp");
    let output = compiler.output().map_err(|why| format!("c++ does not start: {why}"))?;
    if output.status.success() {
        return Ok(program);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    // A program that does not compile although the header is installed is a failure and is not skipped.
    let missing = said.contains("cryptopp/") && said.contains("No such file") || said.contains("-lcryptopp");
    assert!(missing, "{said}");
    Err("Crypto++ is not here (Debian: libcrypto++-dev)".to_owned())
}

struct Record {
    key: Vec<u8>,
    nonce: Vec<u8>,
    message: Vec<u8>,
    tag: u8,
}

/// Returns the tags by Crypto++.
fn answers(program: &Path, records: &[Record]) -> Vec<u8> {
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for Record { key, nonce, message, tag } in records {
                let size = u32::try_from(message.len()).expect("short").to_le_bytes();
                let head = [key.len() as u8, nonce.len() as u8, *tag, size[0], size[1], size[2], size[3]];
                for part in [&head[..], key, nonce, message] {
                    input.write_all(part).expect("it reads");
                }
            }
        });
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success());
        output.stdout
    })
}

#[test]
fn vmac_equals_cryptopps() {
    let program = match program() {
        Ok(program) => program,
        Err(why) => return skip(CRATE, "cryptopp", &why),
    };
    let mut rng = rng();
    let mut lengths: Vec<usize> = (0..=2000).collect();
    lengths.extend([2047, 2048, 2049, 3072, 4096, 65_535, 65_536, 300_001]);
    let mut records = Vec::new();
    for len in lengths {
        for tag in [8, 16] {
            let mut random = |len: usize| {
                let mut bytes = vec![0; len];
                rng.fill_bytes(&mut bytes);
                bytes
            };
            let key = random([16, 24, 32][len % 3]);
            // Crypto++ also takes nonces of any length up to 16 bytes, and the first bit of 16 has to be zero.
            let mut nonce = random(1 + len % 16);
            nonce[0] &= 0x7f;
            let message = match len % 7 {
                0 => vec![0xff; len],
                1 => vec![0; len],
                _ => random(len),
            };
            records.push(Record { key, nonce, message, tag });
        }
    }
    let answers = answers(&program, &records);
    let total: usize = records.iter().map(|record| usize::from(record.tag)).sum();
    assert_eq!(answers.len(), total);
    for backend in backends(CRATE, &Vmac64::backends()) {
        let mut at = 0;
        for Record { key, nonce, message, tag } in &records {
            let expected = &answers[at..at + usize::from(*tag)];
            at += expected.len();
            let what = format!("{backend}, {} bytes, tag of {tag}, nonce of {}", message.len(), nonce.len());
            if *tag == 8 {
                let vmac = Vmac64::new(backend.into(), key).expect("available");
                assert_eq!(vmac.tag(&Serial, nonce, message).expect("a tag"), expected, "{what}");
            } else {
                let vmac = Vmac128::new(backend.into(), key).expect("available");
                assert_eq!(vmac.tag(&Serial, nonce, message).expect("a tag"), expected, "{what}");
            }
        }
    }
}
