//! The facts of a run: its machine, its rounds, how its figures were computed, and what disturbed it.

use parcrypt_lab::method::BUSY;
use parcrypt_lab::outdated;
use parcrypt_lab::record::{Case, Cost, Entry, Machine, Record, Summary};
use parcrypt_lab::stats::{self, CONFIDENCE, RESOLUTION};
use serde_json::json;

use crate::format;
use crate::say::confidence;
use crate::sheet::{Note, Sheet, fields};

/// Adds the facts of a record to its sheet.
pub(super) fn describe(record: &Record, sheet: &mut Sheet) {
    let machine = &record.machine;
    let timed = record.cases.iter().any(|case| case.measure.is_time());
    let (is_suite, is_commands) = (record.suite.is_some(), record.cases.iter().all(Case::is_of_commands));
    let (rounds, most) = rounds_done(record, timed);
    let warnings = [partial(record, &rounds, most), missing(record), busy(record)];
    let (left_out, statistics, outdated) = (left_out(record), statistics(record), outdated(record));
    let (processor, command, about) = (processor(machine), command(record), paragraphs(&record.about));
    let head = &mut sheet.head;
    head.warnings = warnings.into_iter().flatten().collect();
    let title = if record.title.trim().is_empty() { &record.plan } else { &record.title };
    // Of commands, the rows may say the same.
    let is_said = |case: &Case| {
        let names: Vec<&str> = case.entries.iter().map(|entry| &*entry.candidate).collect();
        case.is_of_commands() && names.join(", ") == title.trim()
    };
    if !record.cases.iter().any(is_said) {
        head.title = format::one_line(title.trim());
    }
    // What is compared has commits and compilers of its own if it is a suite or commands: these are parlab's.
    let of_parlab = is_suite || record.cases.iter().any(Case::is_of_commands);
    let name_of = |name: &str| match name {
        "parcrypt" if of_parlab => "parlab's version".to_owned(),
        name if of_parlab => format!("parlab's {name}"),
        name => name.to_owned(),
    };
    let cores = (machine.cores > 0).then(|| format::counted(machine.cores, "core"));
    let parts = [
        Some(record.started.clone()),
        Some(processor),
        cores,
        machine.virtual_machine.then(|| "virtual machine".to_owned()),
        Some(if rounds == "1" { "1 round".to_owned() } else { format!("{rounds} rounds") }),
        Some(format!("took {}", format::seconds(record.took_s))),
        record.build.get("commit").map(|commit| format!("{} {commit}", name_of("commit"))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    head.facts = format::one_line(&parts.join(" · "));
    let floor = stats::record_noise_floor(record);
    let shown = format!("Noise floor: {}.", floor.map_or("not known".to_owned(), format::percent));
    let is_of_plan = timed && !is_suite;
    let has_result = sheet.rows.rows.iter().any(|row| row.missing.is_none());
    let has_floor = has_result && (floor.is_some() || is_of_plan && !is_commands);
    sheet.notes.extend(has_floor.then(|| Note::new(shown.clone())));
    if outdated.is_some() && record.questions.iter().any(|question| question.at_most.is_some()) {
        let why = "Claims are not judged: this was measured with an earlier method of the lab.";
        sheet.notes.push(Note::new(why));
    }
    let counts =
        "These are counts, not times: they do not say how long a processor takes for what was counted.";
    let method = [
        is_of_plan.then(|| (&*shown, noise_floor(floor))),
        (!timed && !record.cases.is_empty()).then(|| ("Counts.", counts.to_owned())),
        Some(("Statistics.", statistics)),
        left_out.map(|said| ("Samples.", said)),
        outdated.map(|why| ("Method.", why)),
    ];
    let run = &mut sheet.run;
    run.about = about;
    run.method = method.into_iter().flatten().map(|(name, text)| (name.to_owned(), text)).collect();
    let caches = machine.caches.iter().map(|(name, size)| format!("{name} {}", format::bytes(*size)));
    let is_virtual = if machine.virtual_machine { "yes" } else { "none that shows itself" };
    let facts = [
        ("processor", machine.processor.clone()),
        ("architecture", machine.arch.clone()),
        ("cores", machine.cores.to_string()),
        ("memory", format::bytes(machine.memory)),
        ("caches", caches.collect::<Vec<_>>().join(", ")),
        ("backends", machine.backends.join(", ")),
        ("system", machine.system.clone()),
        ("virtual machine", is_virtual.to_owned()),
    ];
    // Unknown facts are empty or 0.
    let facts = facts.into_iter().filter(|(_, value)| !["", "0", "0 B"].contains(&&**value));
    run.facts.extend(facts.map(|(name, value)| (name.to_owned(), value)));
    let build = record.build.iter();
    run.facts.extend(build.map(|(name, value)| (format::one_line(&name_of(name)), value.clone())));
    run.facts.push(("rounds".to_owned(), rounds));
    run.command = format::command_line(&command);
    run.plan = record.plan_text.clone();
    let of_suite = std::mem::take(&mut run.fields);
    run.fields = fields([
        ("plan", json!(record.plan)),
        ("title", json!(record.title)),
        ("started", json!(record.started)),
        ("processor", json!(machine.processor)),
        ("cores", json!(machine.cores)),
        ("build", json!(record.build)),
        ("method", json!(record.method)),
        ("confidence", json!(CONFIDENCE)),
        ("noise_floor", json!(floor)),
    ]);
    run.fields.extend(of_suite);
}

/// Returns the paragraphs of a text, each on one line.
fn paragraphs(text: &str) -> Vec<String> {
    let joined = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    text.split("\n\n").map(joined).filter(|paragraph| !paragraph.is_empty()).collect()
}

/// Returns the numbers of complete rounds of the cases, such as `16 to 40`, and the largest. Counts are taken in the
/// first rounds only, and are ignored if there are times.
fn rounds_done(record: &Record, timed: bool) -> (String, usize) {
    let cases = record.cases.iter().filter(|case| case.measure.is_time() == timed);
    let is_compared =
        |case: &&Case| record.suite.is_none() || case.entries.iter().all(|of| of.failure.is_none());
    let complete = |case: &Case| {
        let entries = case.entries.iter().filter(|entry| entry.failure.is_none());
        entries.map(Entry::rounds_done).min()
    };
    let done: Vec<usize> = cases.filter(is_compared).filter_map(complete).collect();
    let [low, high] = [done.iter().min(), done.iter().max()].map(|of| of.copied().unwrap_or(0));
    (if low == high { low.to_string() } else { format!("{low} to {high}") }, high)
}

/// Returns why a partial record ended and how many rounds it has, in a sentence.
fn partial(record: &Record, rounds: &str, most: usize) -> Option<String> {
    let why = record.partial.as_ref()?.trim_end_matches('.');
    let of = record.rounds.map_or(String::new(), |all| format!(" of {all}"));
    let noun = if record.rounds.unwrap_or(most) == 1 { "round" } else { "rounds" };
    Some(format::one_line(&format!("PARTIAL: {why}; {rounds}{of} {noun} in this record.")))
}

/// Returns what the system did not let the lab do or measure, in a sentence.
fn missing(record: &Record) -> Option<String> {
    let all = record.missing.iter().map(|one| format::one_line(one)).collect::<Vec<_>>().join(", ");
    (!all.is_empty())
        .then(|| format!("Missing on this system: {all}. Other programs disturb such a run more."))
}

/// Returns which part of the time of the processors that the lab may use the hypervisor took.
fn stolen(record: &Record) -> f64 {
    let sum = |part: fn(&Cost) -> u64| {
        record.cases.iter().filter_map(|case| case.cost.as_ref()).map(part).sum::<u64>() as f64
    };
    sum(|c| c.steal_ns) / (sum(|c| c.rounds_ns) * record.machine.cores.max(1) as f64).max(1.0)
}

/// Returns the share of the samples of timed cases that `part` counts.
fn share_of_samples(record: &Record, part: fn(&Summary) -> usize) -> f64 {
    let timed = record.cases.iter().filter(|case| case.measure.is_time());
    let replicates = || timed.clone().flat_map(|case| &case.entries).flat_map(|entry| &entry.replicates);
    replicates().map(part).sum::<usize>() as f64
        / replicates().map(|one| one.samples).sum::<usize>().max(1) as f64
}

/// Returns a warning that other work ran on the machine; `None` if little did, or it is not known.
fn busy(record: &Record) -> Option<String> {
    // A turn counts for each of its entries, whichever of them waited.
    let waited = share_of_samples(record, |one| one.dropped + one.disturbed);
    let stolen = stolen(record);
    let waited = (waited >= BUSY[0])
        .then(|| format!("a thread waited for a processor in {:.0} % of the turns", 100.0 * waited));
    let stolen = (stolen >= BUSY[1])
        .then(|| format!("the hypervisor took the processors away for {:.0} % of the time", 100.0 * stolen));
    let found: Vec<String> = waited.into_iter().chain(stolen).collect();
    (!found.is_empty())
        .then(|| format!("On this machine {}; intervals are wider for it.", found.join(", and ")))
}

/// Returns how to read the noise floor, or what it would take.
fn noise_floor(floor: Option<f64>) -> String {
    match floor {
        Some(floor) => format!(
            "An A/A control is the baseline's own program, measured a second time like another candidate. Its interval \
             reached a factor of {} from the baseline's time, although nothing differs. Do not treat a smaller difference \
             as real on this machine, even if its interval excludes 1.",
            format::factor(1.0 + floor)
        ),
        None => "It takes an A/A control, a second run of the baseline's own program (`compare --control`), with enough \
                 rounds for an interval. Small differences may come from the order of processes or from the placement of \
                 memory."
            .to_owned(),
    }
}

/// Returns how many samples were left out, in a sentence; `None` if that was not recorded.
fn left_out(record: &Record) -> Option<String> {
    let of_samples = |part| format!("{:.1} %", 100.0 * share_of_samples(record, part));
    record.cases.iter().any(|case| case.cost.is_some()).then(|| {
        format!(
            "{} of the samples are left out, because a thread waited for a processor during their turn; {} were \
             disturbed in the same way but count, because most turns of their round were.",
            of_samples(|replicate| replicate.dropped),
            of_samples(|replicate| replicate.disturbed)
        )
    })
}

/// Returns how the figures of a record were computed, in some sentences.
fn statistics(record: &Record) -> String {
    let apart = match record.cases.iter().all(|case| case.turns.is_all()) {
        true => "",
        false => {
            " Entries with different numbers of threads do not run at the same time: within a round they follow each \
             other in a changing order, so that a burst of noise may affect only one side of their ratio."
        }
    };
    let looks = match record.cases.iter().any(|case| case.sequential) {
        true => {
            " The run could end when its verdicts were settled, so intervals are confidence sequences, which are valid at \
             every look."
        }
        false => "",
    };
    format!(
        "Every round starts each candidate in a new process. They take turns, so that a slow spell of the machine slows \
         all of them alike, and ratios are taken within a round. Two rounds with opposite orders of start are one \
         replicate, and with fewer than {} rounds each of them is. The ratio is the Hodges–Lehmann estimate over the \
         replicates, with Wilcoxon's exact signed-rank interval at {} confidence, which does not assume normally \
         distributed noise.{looks}{apart} A verdict is 'same' if the whole interval is within {} of the baseline and \
         contains it, and 'open' if the interval also contains greater differences.",
        stats::ROUNDS_OF_BLOCKS,
        confidence(),
        format::chosen_percent(record.suite.map_or(RESOLUTION, |suite| suite.threshold)),
    )
}

/// Returns the command line that made a record, without paths of the machine: the folder of the program, and the one
/// into which the files were written.
fn command(record: &Record) -> Vec<String> {
    let mut words = record.command.clone();
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or_default().to_owned();
    }
    // What follows `--` belongs to a command that was compared.
    let mut own = words.iter().take_while(|word| *word != "--");
    if let Some(at) = own.position(|word| word == "--out" || word.starts_with("--out=")) {
        let of_option = if words[at] == "--out" { 2 } else { 1 };
        words.drain(at..words.len().min(at + of_option));
    }
    words
}

/// Names of backends that are instruction sets, the widest last, with the name of the set.
const SETS: [(&str, &str); 5] = [
    ("avx2", "AVX2"),
    ("avx-ifma", "AVX-IFMA"),
    ("avx512", "AVX-512"),
    ("ifma", "AVX-512 IFMA"),
    ("rvv", "RISC-V Vector"),
];

/// Returns processor, generation and instruction set, such as `AMD EPYC (Zen 5), AVX-512 IFMA`.
fn processor(machine: &Machine) -> String {
    let brand = machine.processor.replace("(R)", "").replace("(TM)", "");
    let words: Vec<&str> = brand.split_whitespace().filter(|word| *word != "Processor").collect();
    let mut name = words.join(" ");
    // Records of before 2026-11-25 have no generation, and virtual machines hide the model.
    if !name.contains(|c: char| c.is_ascii_digit() || c == '(')
        && let Some(generation) = generation(machine)
    {
        name += &format!(" ({generation})");
    }
    let has = |backend: &str| machine.backends.iter().any(|one| one == backend);
    let set = SETS.iter().rev().find(|(backend, _)| has(backend)).map(|(_, set)| (*set).to_owned());
    [Some(name).filter(|name| !name.is_empty()), set].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Returns the generation of a server processor by its caches and backends; `None` if they do not tell.
fn generation(machine: &Machine) -> Option<&'static str> {
    let cache =
        |level: &str| machine.caches.iter().find(|(name, _)| name == level).map_or(0, |(_, size)| size >> 10);
    let wide = machine.backends.iter().any(|backend| backend == "avx512");
    let brand = |name: &str| machine.processor.contains(name);
    match (cache("L1d"), cache("L2"), cache("L3")) {
        (48, 1024, _) if brand("EPYC") && wide => Some("Zen 5"),
        (32, 1024, _) if brand("EPYC") && wide => Some("Zen 4"),
        (32, 512, 32_768..) if brand("EPYC") && !wide => Some("Zen 3"),
        (48, 2048, _) if brand("Xeon") && wide => Some("Sapphire Rapids or later"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Processor, KiB of its caches, backends; what is said.
    const SAID: &str = "\
AMD EPYC | 32 512 32768 | portable avx2 pclmul | AMD EPYC (Zen 3), AVX2
AMD EPYC | 48 1024 32768 | avx2 avx512 ifma | AMD EPYC (Zen 5), AVX-512 IFMA
AMD EPYC | 48 1024 32768 | | AMD EPYC
AMD EPYC (Zen 4) | | avx2 avx512 | AMD EPYC (Zen 4), AVX-512
AMD EPYC 7763 64-Core Processor | 32 512 32768 | avx2 | AMD EPYC 7763 64-Core, AVX2
Intel(R) Xeon(R) Processor | 48 2048 266240 | avx2 avx512 ifma | Intel Xeon (Sapphire Rapids or later), AVX-512 IFMA
 | | |";

    #[test]
    fn processors_have_generation_and_instruction_set() {
        for line in SAID.lines() {
            let [name, caches, backends, said] =
                line.split('|').map(str::trim).collect::<Vec<_>>().try_into().unwrap();
            let caches = caches.split_whitespace().map(|kib| kib.parse::<u64>().unwrap() << 10);
            let machine = Machine {
                processor: name.to_owned(),
                caches: ["L1d", "L2", "L3"].map(str::to_owned).into_iter().zip(caches).collect(),
                backends: backends.split_whitespace().map(str::to_owned).collect(),
                ..Machine::default()
            };
            assert_eq!(processor(&machine), said, "{line}");
        }
    }
}
