//! Sentences on how a run was made: its noise floor, where its time went, its statistics, its rounds, its machine.

use parcrypt_lab::method::BUSY;
use parcrypt_lab::plan::Plan;
use parcrypt_lab::record::{Case, Cost, Entry, FailureKind, Record, Role, Summary};
use parcrypt_lab::stats::{LEAST_ROUNDS, RESOLUTION};

use super::confidence;
use crate::format;

/// Returns the value of the noise floor and how to read it.
pub(crate) fn noise_floor(record: &Record, floor: Option<f64>) -> String {
    match floor {
        Some(floor) => format!(
            "An A/A control is the baseline's own program, measured a second time like another candidate. Its interval \
             reached a factor of {} from the baseline's time, although nothing differs. Do not treat a smaller difference \
             as real on this machine, even if its interval excludes 1.",
            format::factor(1.0 + floor)
        ),
        None => format!(
            "{}. Small differences may come from the order of processes or from the placement of memory.",
            without_floor(record)
        ),
    }
}

/// Returns why a record has no noise floor: the first reason of each control.
fn without_floor(record: &Record) -> String {
    let timed = || record.cases.iter().filter(|case| case.measure.is_time());
    let is_control = |entry: &&Entry| entry.role == Role::Control;
    let mut reasons: Vec<String> = Vec::new();
    for case in timed() {
        for control in case.entries.iter().filter(is_control) {
            let baseline = case.entries.get(case.baseline);
            let both = [("The A/A control", Some(control)), ("The baseline of the A/A control", baseline)];
            let failed =
                both.iter().find_map(|(what, entry)| Some((what, entry.as_ref()?.failure.as_ref()?)));
            let reason = match failed {
                Some((what, failure)) if failure.kind == FailureKind::Unsupported => {
                    format!("{what} was skipped ({})", format::one_line(&failure.why))
                }
                Some((what, failure)) => format!("{what} failed ({})", format::one_line(&failure.why)),
                None => {
                    let done = both.iter().filter_map(|(_, entry)| entry.map(Entry::rounds_done)).min();
                    let (done, enough) = (done.unwrap_or(0), done.is_some_and(|done| done >= LEAST_ROUNDS));
                    let found = if enough { " have too few results in common in " } else { " have " };
                    let done = format::counted(done, "round");
                    format!("The A/A control and its baseline{found}{done}, and it takes {LEAST_ROUNDS}")
                }
            };
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    match reasons.split_first() {
        Some((first, [])) => first.clone(),
        Some((first, others)) => format!("{first}; {}", others.join("; ")),
        // The record has no control. A plan of another version cannot be read, and is then not looked at.
        None => match Plan::parse("plan.toml".as_ref(), ".".into(), record.plan_text.clone()) {
            Ok(plan) if plan.has_control() => {
                "The A/A control of the plan belongs to a case that this run left out".to_string()
            }
            Ok(_) if record.cases.iter().any(Case::is_of_commands) => {
                "No command was measured twice (--control does that)".to_string()
            }
            _ => "The plan has no A/A control, a second run of the baseline's own program".to_string(),
        },
    }
}

/// Returns where the time of the rounds went, and how many samples were left out; `None` if that was not recorded.
pub(crate) fn turns(record: &Record) -> Option<String> {
    let costs: Vec<Cost> =
        record.cases.iter().filter_map(|case| case.cost).filter(|c| c.measured_ns > 0).collect();
    // Each run of a command begins with empty caches of its own.
    let whole = record.cases.iter().all(Case::is_of_commands);
    let sum = |part: fn(&Cost) -> u64| costs.iter().map(part).sum::<u64>() as f64;
    let (rounds, turns) = (sum(|c| c.rounds_ns), sum(|c| c.turns_ns));
    if turns <= 0.0 {
        return None;
    }
    let share = |part: f64, of: f64| format!("{:.0} %", 100.0 * part / of);
    let (refill, measured) = (sum(|c| c.refill_ns), sum(|c| c.measured_ns));
    let entries = || record.cases.iter().flat_map(|case| &case.entries);
    let replicates = || entries().flat_map(|entry| &entry.replicates);
    let samples = replicates().map(|replicate| replicate.samples).sum::<usize>().max(1) as f64;
    let of_samples = |part: fn(&Summary) -> usize| {
        let all = replicates().map(part).sum::<usize>() as f64;
        format!("{:.1} %", 100.0 * all / samples)
    };
    let kept = match replicates().any(|replicate| replicate.disturbed > 0) {
        false => String::new(),
        true => format!(
            " Another {} were disturbed in the same way but count, because most turns of their round were, or one \
             candidate far more often than the others.",
            of_samples(|replicate| replicate.disturbed)
        ),
    };
    let steal = match stolen(&costs, record.machine.cores) {
        0.0 => String::new(),
        part => format!(" The hypervisor took the processors away for {} of the time.", share(part, 1.0)),
    };
    let dropped = of_samples(|replicate| replicate.dropped);
    if whole {
        return Some(format!(
            "{dropped} of the runs are left out, because a thread waited for a processor during their turn.{kept}{steal}"
        ));
    }
    Some(format!(
        "Turns took {} of the time of the rounds, and the starts and ends of processes the rest. {} of the turns was \
         measured, and {} was unmeasured work before each sample, which refills caches after the turn of another \
         candidate; the rest was requests and pauses. {dropped} of the samples are left out, because a \
         thread waited for a processor during their turn.{kept}{steal}",
        share(turns, rounds),
        share(measured, turns),
        share(refill, turns),
    ))
}

/// Returns which part of the time of the processors that the lab may use the hypervisor took.
fn stolen(costs: &[Cost], cores: usize) -> f64 {
    let sum = |part: fn(&Cost) -> u64| costs.iter().map(part).sum::<u64>() as f64;
    sum(|c| c.steal_ns) / (sum(|c| c.rounds_ns) * cores.max(1) as f64).max(1.0)
}

/// Returns a warning that other work ran on the machine, with what that does to the answer and what helps; `None` if
/// little did, or it is not known.
pub(crate) fn busy(record: &Record) -> Option<String> {
    let timed = || record.cases.iter().filter(|case| case.measure.is_time());
    let replicates = || timed().flat_map(|case| &case.entries).flat_map(|entry| &entry.replicates);
    let sum = |part: fn(&Summary) -> usize| replicates().map(part).sum::<usize>() as f64;
    // A turn counts for each of its entries, whichever of them waited.
    let waited = sum(|one| one.dropped + one.disturbed) / sum(|one| one.samples).max(1.0);
    let costs: Vec<Cost> = timed().filter_map(|case| case.cost).collect();
    let stolen = stolen(&costs, record.machine.cores);
    let waited = (waited >= BUSY[0])
        .then(|| format!("in {:.0} % of the turns a thread waited for a processor", 100.0 * waited));
    let stolen = (stolen >= BUSY[1])
        .then(|| format!("the hypervisor took the processors away for {:.0} % of the time", 100.0 * stolen));
    let found: Vec<String> = waited.into_iter().chain(stolen).collect();
    (!found.is_empty()).then(|| {
        format!(
            "The machine was busy: {}. Intervals are wider for it, and more stays undecided: end other work, or give more \
             time with --for.",
            found.join(", and ")
        )
    })
}

/// Returns how the figures of a record were computed, in some sentences.
pub(crate) fn method(record: &Record) -> String {
    let apart = match record.cases.iter().all(|case| case.turns.is_all()) {
        true => "",
        false => {
            " Here entries with different numbers of threads do not run at the same time: within a round they follow \
             each other in a changing order, so that a burst of noise may affect only one side of their ratio."
        }
    };
    let looks = match record.cases.iter().any(|case| case.sequential) {
        true => {
            "The run could end when its verdicts were settled, so intervals are confidence sequences, which are valid at \
             every look. "
        }
        false => "",
    };
    // Records of versions that took longer turns wherever the system put them do not say where their time went.
    let timed = || record.cases.iter().filter(|case| case.measure.is_time());
    let entries = || timed().flat_map(|case| &case.entries).filter(|entry| entry.failure.is_none());
    let place = match entries().filter(|entry| !entry.processors.is_empty()).count() {
        0 => "",
        bound if bound == entries().count() => ", all bound to the same processors",
        _ => ", bound to the same processors unless it binds itself",
    };
    let is_single = |entry: &Entry| entry.rounds_done() > 1 && entry.replicates.len() == entry.rounds_done();
    let single = match timed().flat_map(|case| &case.entries).any(is_single) {
        true => ", and with fewer than 16 rounds each of them is",
        false => "",
    };
    let how = match timed().any(|case| case.cost.is_some()) {
        true => format!(
            "Every round starts each candidate in a new process{place}. They take turns, so that a slow spell of the \
             machine slows all of them alike; what the samples of a turn have in common cancels in the ratios. Two rounds \
             with opposite orders of start are one replicate{single}."
        ),
        false => "Every round starts each candidate in a new process. They take turns sample by sample, so that a slow spell \
             of the machine slows all of them alike; a candidate's value in a round is the median of its samples, and \
             ratios are taken within a round, which is one replicate."
            .to_string(),
    };
    let verdict = match record.suite {
        // It says how its verdicts are corrected.
        Some(_) => String::new(),
        None => format!(
            "An interval that contains 1 is reported as 'no difference found' if it has no factor above {:.2} in either \
             direction, and otherwise as 'cannot tell'; about one in a hundred comparisons of equals is still called a \
             difference.",
            1.0 + RESOLUTION
        ),
    };
    let whole = format!(
        "{how} The ratio is the Hodges–Lehmann estimate over the replicates, with Wilcoxon's exact signed-rank interval at \
         {} confidence, which does not assume normally distributed noise. {looks}{verdict}{apart}",
        confidence(),
    );
    whole.trim_end().to_owned()
}

/// Returns the name of a fact about the build of a record. What is compared has commits and compilers of its own if it
/// is a suite or commands, so that these facts are parlab's.
pub(crate) fn of_build(record: &Record, name: &str) -> String {
    match record.suite.is_some() || record.cases.iter().any(Case::is_of_commands) {
        true if name == "parcrypt" => "parlab's version".to_owned(),
        true => format!("parlab's {name}"),
        false => name.to_owned(),
    }
}

/// Returns why and where a partial record ended, in a sentence.
pub(crate) fn partial(record: &Record) -> Option<String> {
    let why = record.partial.as_ref()?;
    // Counts are taken in the first rounds only.
    let timed = record.cases.iter().any(|case| case.measure.is_time());
    let cases = record.cases.iter().filter(|case| case.measure.is_time() == timed);
    let complete = |case: &Case| {
        let entries = case.entries.iter().filter(|entry| entry.failure.is_none());
        entries.map(|entry| entry.rounds_done()).min()
    };
    let done = cases.filter_map(complete);
    let least = done.clone().min().unwrap_or(0);
    let most = done.max().unwrap_or(0);
    let rounds = if least == most { most.to_string() } else { format!("{least} to {most}") };
    let why = why.trim_end_matches('.');
    let of = record.rounds.map_or(String::new(), |all| format!(" of {all}"));
    let noun = if record.rounds.map_or(most, |all| all.max(most)) == 1 { "round" } else { "rounds" };
    let verb = if (least, most) == (1, 1) { "is" } else { "are" };
    Some(format!("PARTIAL: {why}; {rounds}{of} {noun} {verb} in this record."))
}

/// Returns what the system did not let the lab do or measure, in a sentence.
pub(crate) fn missing(record: &Record) -> Option<String> {
    let all = record.missing.iter().map(|one| format::one_line(one)).collect::<Vec<_>>().join(", ");
    (!all.is_empty())
        .then(|| format!("Missing on this system: {all}. Other programs disturb such a run more."))
}

/// Returns the number of rounds that were asked for; if time decided, the least and the largest number.
pub(crate) fn rounds(record: &Record) -> String {
    if let Some(rounds) = record.rounds {
        return rounds.to_string();
    }
    // Counts are taken in the first rounds only.
    let timed = record.cases.iter().any(|case| case.measure.is_time());
    let cases = record.cases.iter().filter(|case| case.measure.is_time() == timed);
    let done = cases.flat_map(|case| &case.entries).filter(|e| e.failure.is_none()).map(|e| e.rounds_done());
    match (done.clone().min().unwrap_or(0), done.max().unwrap_or(0)) {
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least} to {most}"),
    }
}

/// Returns [`rounds`] with their noun, such as `1 round` or `16 to 40 rounds`.
pub(crate) fn counted_rounds(record: &Record) -> String {
    match rounds(record).as_str() {
        "1" => "1 round".to_string(),
        rounds => format!("{rounds} rounds"),
    }
}

/// Returns date, machine and duration, in a line.
pub(crate) fn circumstances(record: &Record) -> String {
    let machine = &record.machine;
    let mut parts = vec![record.started.clone(), super::processor(machine)];
    if machine.cores > 0 {
        parts.push(format::counted(machine.cores, "core"));
    }
    if machine.virtual_machine {
        parts.push("virtual machine".to_string());
    }
    parts.push(counted_rounds(record));
    parts.push(format!("took {}", format::seconds(record.took_s)));
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}
