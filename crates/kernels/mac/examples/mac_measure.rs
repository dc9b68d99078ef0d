//! Speeds of the MACs, by backend, size and runtime: `cargo run --release -p parcrypt-mac --example mac_measure --
//! [PART]`, PART one of `sizes` (one thread; the default), `keys` (set-up), `pieces` (the time of a piece, with the one
//! that the crate states), `rayon` and `openmp` (1 to 64 MiB compared with one thread, and with plain reading).
//!
//! All lines of a part take turns; a figure is the least time of all turns, or with threads their median, because the
//! bandwidth of the memory changes all the time. One runtime a program: OpenMP's workers spin for a while after their
//! work, on the processor that Rayon's would use.

use std::hint::black_box;
use std::time::Instant;

use parcrypt_cpu::{Backend, cores};
use parcrypt_mac::{Gmac, Vmac64, Vmac128};
use parcrypt_runtime::{Cost, Kind, Runtime, Serial, map_reduce};

/// Bytes of a piece.
const PIECE: usize = 128 << 10;

const NONCE: [u8; 12] = [9; 12];

struct Line<'a> {
    what: String,
    bytes: usize,
    run: Box<dyn Fn() + 'a>,
    /// The time that the crate states, where this is a piece.
    stated_ns: Option<u64>,
    ns: Vec<f64>,
}

impl<'a> Line<'a> {
    fn new(what: String, bytes: usize, run: impl Fn() + 'a) -> Self {
        Line { what, bytes, run: Box::new(run), stated_ns: None, ns: Vec::new() }
    }

    /// Sets the stated time of a piece, where `len` is the length of one.
    fn stated(mut self, piece_ns: u64, len: usize) -> Self {
        self.stated_ns = (len == PIECE).then_some(piece_ns);
        self
    }
}

/// Runs all lines in turns of some microseconds, and prints the result of `figure` for the times.
fn measure(mut lines: Vec<Line<'_>>, turns: usize, figure: fn(&mut [f64]) -> f64) {
    for turn in 0..turns {
        let count = lines.len();
        for i in 0..count {
            let line = &mut lines[if turn % 2 == 0 { i } else { count - 1 - i }];
            let repeats = (20_000 / (line.bytes / 32 + 20)).max(1);
            let start = Instant::now();
            (0..repeats).for_each(|_| (line.run)());
            line.ns.push(start.elapsed().as_secs_f64() * 1e9 / repeats as f64);
        }
    }
    for line in &mut lines {
        let ns = figure(&mut line.ns);
        let stated = line.stated_ns.map(|ns| format!("  stated {ns} ns")).unwrap_or_default();
        println!(
            "{:32} {:9} bytes {ns:11.1} ns {:7.2} GB/s{stated}",
            line.what,
            line.bytes,
            line.bytes as f64 / ns
        );
    }
}

fn least(ns: &mut [f64]) -> f64 {
    ns.iter().copied().fold(f64::MAX, f64::min)
}

fn median(ns: &mut [f64]) -> f64 {
    ns.sort_by(f64::total_cmp);
    ns[ns.len() / 2]
}

/// Reads every byte once, in pieces of 1 MiB, with the least arithmetic that proves it.
fn read(rt: &dyn Runtime, data: &[u8]) -> Option<u64> {
    let pieces: Vec<&[u8]> = data.chunks(1 << 20).collect();
    let xor = |i: usize| {
        let (blocks, _) = pieces[i].as_chunks::<512>();
        let mut all = [0u64; 64];
        for block in blocks {
            let (words, _) = block.as_chunks::<8>();
            all.iter_mut().zip(words).for_each(|(all, word)| *all ^= u64::from_ne_bytes(*word));
        }
        all.into_iter().fold(0, |a, b| a ^ b)
    };
    map_reduce(rt, pieces.len(), Cost::ns(26_000), xor, |a, b| a ^ b)
}

fn here(offered: Vec<Backend>) -> Vec<Backend> {
    offered.into_iter().filter(|b| b.is_available()).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let part = std::env::args().nth(1).unwrap_or_else(|| "sizes".to_owned());
    println!("{}", parcrypt_testkit::machine());
    let mut data = vec![0u8; 64 << 20];
    for (i, byte) in data.iter_mut().enumerate() {
        *byte = (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8;
    }
    let key = [7; 16];
    let gmacs: Vec<Gmac> =
        here(Gmac::backends()).into_iter().map(|b| Gmac::new(b.into(), &key)).collect::<Result<_, _>>()?;
    let vmac64: Vec<Vmac64> = here(Vmac64::backends())
        .into_iter()
        .map(|b| Vmac64::new(b.into(), &key))
        .collect::<Result<_, _>>()?;
    let vmac128: Vec<Vmac128> = here(Vmac128::backends())
        .into_iter()
        .map(|b| Vmac128::new(b.into(), &key))
        .collect::<Result<_, _>>()?;

    let lines_for = |len: usize, rt: &'static dyn Runtime, best: bool| {
        let message = &data[..len];
        let mut lines = Vec::new();
        let keep = |i: usize, count: usize| !best || i + 1 == count;
        for mac in gmacs.iter().enumerate().filter(|(i, _)| keep(*i, gmacs.len())).map(|(_, mac)| mac) {
            let what = format!("gmac {} {}", mac.backend(), rt.name());
            lines.push(
                Line::new(what, len, move || {
                    black_box(mac.tag(rt, black_box(&NONCE), black_box(message)).is_ok());
                })
                .stated(mac.piece_ns(), len),
            );
        }
        for mac in vmac64.iter().enumerate().filter(|(i, _)| keep(*i, vmac64.len())).map(|(_, mac)| mac) {
            let what = format!("vmac-64 {} {}", mac.backend(), rt.name());
            lines.push(
                Line::new(what, len, move || {
                    black_box(mac.tag(rt, black_box(&NONCE), black_box(message)).is_ok());
                })
                .stated(mac.piece_ns(), len),
            );
        }
        for mac in vmac128.iter().enumerate().filter(|(i, _)| keep(*i, vmac128.len())).map(|(_, mac)| mac) {
            let what = format!("vmac-128 {} {}", mac.backend(), rt.name());
            lines.push(
                Line::new(what, len, move || {
                    black_box(mac.tag(rt, black_box(&NONCE), black_box(message)).is_ok());
                })
                .stated(mac.piece_ns(), len),
            );
        }
        lines
    };
    // A processor that was idle is slow for a moment.
    let start = Instant::now();
    while start.elapsed().as_millis() < 500 {
        black_box(gmacs[0].tag(&Serial, &NONCE, &data[..4096]).is_ok());
    }
    match part.as_str() {
        "sizes" => {
            for len in [0, 16, 64, 256, 1024, 2048, 16 << 10, 1 << 20] {
                measure(lines_for(len, &Serial, false), 200, least);
            }
        }
        "keys" => {
            let mut lines = Vec::new();
            for backend in here(Gmac::backends()) {
                lines.push(Line::new(format!("gmac {backend}"), 0, move || {
                    black_box(Gmac::new(backend.into(), black_box(&key)).is_ok());
                }));
            }
            for backend in here(Vmac64::backends()) {
                lines.push(Line::new(format!("vmac-64 {backend}"), 0, move || {
                    black_box(Vmac64::new(backend.into(), black_box(&key)).is_ok());
                }));
                lines.push(Line::new(format!("vmac-128 {backend}"), 0, move || {
                    black_box(Vmac128::new(backend.into(), black_box(&key)).is_ok());
                }));
            }
            measure(lines, 200, least);
        }
        "pieces" => measure(lines_for(PIECE, &Serial, false), 2000, least),
        name => {
            let rt: &dyn Runtime = Box::leak(name.parse::<Kind>()?.build(cores())?);
            for len in [1 << 20, 4 << 20, 16 << 20, 64 << 20] {
                let mut lines = Vec::new();
                for rt in [&Serial, rt] {
                    let message = &data[..len];
                    lines.push(Line::new(format!("read {}", rt.name()), len, move || {
                        black_box(read(rt, black_box(message)));
                    }));
                    lines.extend(lines_for(len, rt, true));
                }
                measure(lines, 101, median);
            }
        }
    }
    Ok(())
}
