//! Prints the speed at which this machine reads memory, and that of the sum, per backend, runtime and threads.
//!
//! ```text
//! cargo run --release -p parcrypt-sum --example bandwidth -- [log2 of the bytes = 29] [rounds = 21] [huge]
//! ```
//!
//! The measured functions take turns, forwards and backwards, so that disturbances affect all of them; the figures are
//! medians, in 10^9 bytes a second, and ratios are medians of the ratios within a round. Every answer is checked. The
//! time of a piece is printed with the one by which the crate decides when parallel pays (in the last cache: 24). With
//! `huge` the buffer requests huge pages. A buffer below 1 MiB is read many times in a sample.

use std::hint::black_box;
use std::time::Instant;

use memmap2::MmapMut;
use parcrypt_cpu::{Backend, cores};
use parcrypt_runtime::{Kind, Runtime};
use parcrypt_sum::{GRAIN, ReadLimit, Sum};

type Measured<'a> = Box<dyn Fn(&[u8]) -> u64 + 'a>;

struct Line<'a> {
    what: &'static str,
    backend: Backend,
    run: Measured<'a>,
    /// Time that the crate states for a piece in the last cache, in ns.
    piece_ns: u64,
    answer: u64,
    seconds: Vec<f64>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (huge, numbers): (Vec<_>, Vec<_>) = args.into_iter().partition(|a| a == "huge");
    let mut numbers = numbers.iter().map(|a| a.parse::<usize>());
    let bytes = 1usize << numbers.next().transpose()?.unwrap_or(29);
    let rounds = numbers.next().transpose()?.unwrap_or(21).max(1);
    let repeats = ((1usize << 20) / bytes).max(1);

    let mut data = MmapMut::map_anon(bytes)?;
    advise(&data, !huge.is_empty())?;
    for (i, byte) in data.iter_mut().enumerate() {
        *byte = (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8;
    }

    println!("{}, {bytes} bytes, {rounds} rounds", parcrypt_testkit::machine());
    let runtimes = runtimes();
    for rt in &runtimes {
        let mut lines = lines(&**rt, &data)?;
        for round in 0..rounds {
            for turn in 0..lines.len() {
                // Forwards and backwards: no line always follows the same neighbour, or finds its caches.
                let turn = if round % 2 == 0 { turn } else { lines.len() - 1 - turn };
                let line = &mut lines[turn];
                let start = Instant::now();
                let mut answer = 0;
                for _ in 0..repeats {
                    answer = (line.run)(black_box(&data[..]));
                }
                line.seconds.push(start.elapsed().as_secs_f64() / repeats as f64);
                assert_eq!(answer, line.answer, "{} {}", line.what, line.backend);
            }
        }
        println!("\n{} with {} threads", rt.name(), rt.threads());
        // The best reader of a round is the limit of the machine in that round.
        let best: Vec<f64> = (0..rounds)
            .map(|r| {
                lines.iter().filter(|l| l.what == "limit").map(|l| l.seconds[r]).fold(f64::MAX, f64::min)
            })
            .collect();
        let same = |b: Backend| lines.iter().find(|l| l.what == "limit" && l.backend == b);
        for line in &lines {
            let of =
                |seconds: &[f64]| median(seconds.iter().zip(&line.seconds).map(|(a, b)| a / b).collect());
            let speed = bytes as f64 / median(line.seconds.clone()) / 1e9;
            let own = same(line.backend).map_or(f64::NAN, |l| of(&l.seconds));
            println!(
                "{:5} {:8} {speed:7.1} GB/s {:9.0} ns   {own:.3} of its limit, {:.3} of the best; a piece {:7.0} ns, stated {:6}",
                line.what,
                line.backend,
                median(line.seconds.clone()) * 1e9,
                of(&best),
                median(line.seconds.clone()) * 1e9 * GRAIN as f64 / bytes as f64,
                line.piece_ns
            );
        }
    }
    Ok(())
}

/// Requests huge pages or refuses them, so that the result does not depend on the machine's setting.
#[cfg(target_os = "linux")]
fn advise(data: &MmapMut, huge: bool) -> std::io::Result<()> {
    data.advise(if huge { memmap2::Advice::HugePage } else { memmap2::Advice::NoHugePage })
}

/// Does nothing: only Linux has this choice.
#[cfg(not(target_os = "linux"))]
fn advise(_: &MmapMut, _: bool) -> std::io::Result<()> {
    Ok(())
}

/// Returns the serial runtime, and each other runtime of this build with all cores.
fn runtimes() -> Vec<Box<dyn Runtime>> {
    let mut all: Vec<Box<dyn Runtime>> = vec![Box::new(parcrypt_runtime::Serial)];
    for kind in [Kind::Rayon, Kind::OpenMp] {
        match kind.build(cores()) {
            Ok(rt) => all.push(rt),
            Err(why) => println!("no {kind}: {why}"),
        }
    }
    all
}

/// Returns the measured functions over `rt`, with the expected results, which plain loops compute.
fn lines<'a>(rt: &'a dyn Runtime, data: &[u8]) -> Result<Vec<Line<'a>>, parcrypt_sum::Error> {
    let sum_of_all = data.iter().map(|&b| u64::from(b)).sum();
    let (words, tail) = data.as_chunks::<8>();
    let mut last = [0; 8];
    last[..tail.len()].copy_from_slice(tail);
    let xor_of_all = words.iter().fold(u64::from_le_bytes(last), |x, w| x ^ u64::from_le_bytes(*w));
    let mut lines = Vec::new();
    for backend in Sum::backends().into_iter().filter(|b| b.is_available()) {
        let (limit, sum) = (ReadLimit::new(backend.into())?, Sum::new(backend.into())?);
        let (limit_ns, sum_ns) = (limit.piece_ns(), sum.piece_ns());
        let run: Measured = Box::new(move |data| limit.run(rt, data));
        lines.push(Line {
            what: "limit",
            backend,
            run,
            piece_ns: limit_ns,
            answer: xor_of_all,
            seconds: Vec::new(),
        });
        let run: Measured = Box::new(move |data| sum.run(rt, data));
        lines.push(Line {
            what: "sum",
            backend,
            run,
            piece_ns: sum_ns,
            answer: sum_of_all,
            seconds: Vec::new(),
        });
    }
    Ok(lines)
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    let half = of.len() / 2;
    if of.len() % 2 == 1 { of[half] } else { (of[half - 1] + of[half]) / 2.0 }
}
