//! Verdicts on two records of different runs, entry by entry.

use parcrypt_lab::command::join;
use parcrypt_lab::record::{COMMANDS, Case, Entry, Measure, Record, Role};
use parcrypt_lab::stats::{self, Estimate, Verdict};

use super::in_words;
use crate::format;

/// An entry of either record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Changed {
    /// Its case and its name, such as `sum scale=20, rayon on 2 threads`.
    pub(crate) entry: String,
    /// The result.
    pub(crate) outcome: Outcome,
}

/// Result of the comparison of an entry in two records.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Time in the new record over that in the old one, with the verdict and the clock.
    Ratio(Estimate, Verdict, Measure),
    /// The two are not comparable, with the reason.
    NotComparable(String),
}

impl Changed {
    /// Returns the verdict as a sentence.
    pub(crate) fn sentence(&self) -> String {
        let entry = &self.entry;
        match &self.outcome {
            Outcome::NotComparable(why) => format!("{entry}: not comparable: {why}"),
            Outcome::Ratio(ratio, _, measure) => match ratio.interval {
                Some(interval) => format!("{entry}: {}", in_words(measure, "new", "old", ratio, interval)),
                None => format!("{entry}: cannot tell: too few rounds for an interval"),
            },
        }
    }
}

/// Returns the ratio of the new time or count to the old one for each candidate of the new record, then for those that
/// only the old one has; `None` if they are not comparable.
pub fn changes(old: &Record, new: &Record) -> Vec<Option<Estimate>> {
    let ratio = |change: Changed| match change.outcome {
        Outcome::Ratio(ratio, ..) => Some(ratio),
        Outcome::NotComparable(_) => None,
    };
    changed(old, new).into_iter().map(ratio).collect()
}

/// Returns the result for each candidate of [`changes`].
pub(crate) fn changed(old: &Record, new: &Record) -> Vec<Changed> {
    let machines = different_machines(old, new);
    let outcome = |in_old: Option<(&Case, &Entry)>, in_new: Option<(&Case, &Entry)>| {
        let why = match (&machines, in_old, in_new) {
            (Some(why), _, _) => why.clone(),
            (_, Some(old), Some(new)) => match ratio(old, new) {
                Ok(ratio) => return Outcome::Ratio(ratio, Verdict::of(&ratio), new.0.measure.clone()),
                Err(why) => why,
            },
            (_, None, _) => "the old record has no such entry".to_owned(),
            (_, _, None) => "the new record has no such entry".to_owned(),
        };
        Outcome::NotComparable(why)
    };
    let of_new = entries(new).map(|(case, entry)| Changed {
        entry: name(case, entry),
        outcome: outcome(find(old, case, entry), Some((case, entry))),
    });
    let gone = entries(old).filter(|(case, entry)| find(new, case, entry).is_none());
    let gone = gone.map(|(case, entry)| Changed {
        entry: name(case, entry),
        outcome: outcome(Some((case, entry)), None),
    });
    of_new.chain(gone).collect()
}

/// Returns how the machines of two records differ in what times depend on.
fn different_machines(old: &Record, new: &Record) -> Option<String> {
    let (a, b) = (&old.machine, &new.machine);
    let differ = |what: &str, a: &dyn std::fmt::Display, b: &dyn std::fmt::Display| {
        Some(format!("the machines differ in {what}: {a} and {b}"))
    };
    if a.processor != b.processor {
        return differ("the processor", &a.processor, &b.processor);
    }
    if a.arch != b.arch {
        return differ("the architecture", &a.arch, &b.arch);
    }
    (a.cores != b.cores).then(|| differ("the number of cores", &a.cores, &b.cores)).flatten()
}

fn entries<'r>(record: &'r Record) -> impl Iterator<Item = (&'r Case, &'r Entry)> {
    let of_case = |case: &'r Case| {
        let candidates = case.entries.iter().filter(|entry| entry.role == Role::Candidate);
        candidates.map(move |entry| (case, entry))
    };
    record.cases.iter().flat_map(of_case)
}

/// Returns the same candidate of the same case on the same threads.
fn find<'r>(record: &'r Record, case: &Case, entry: &Entry) -> Option<(&'r Case, &'r Entry)> {
    let same = |(other_case, other): &(&Case, &Entry)| {
        (&other_case.workload, &other_case.params) == (&case.workload, &case.params)
            && (&other.candidate, other.threads, &other.labels)
                == (&entry.candidate, entry.threads, &entry.labels)
    };
    entries(record).find(same)
}

fn name(case: &Case, entry: &Entry) -> String {
    let params: String = case.params.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    let threads = format::counted(entry.threads, "thread");
    format::one_line(&match case.workload.as_str() {
        // A whole command may use all processors.
        COMMANDS => format!("{}{params}", entry.candidate),
        workload => format!("{workload}{params}, {} on {threads}", entry.candidate),
    })
}

/// Returns how the commands of an entry in two records differ: in what ran, or in how it was run. Of whole commands
/// the program that runs them and the folder of a revision, which is a new one each time, may differ.
fn different_commands(workload: &str, old: &[String], new: &[String]) -> Option<String> {
    let split = |command: &[String]| -> (Vec<String>, Vec<String>) {
        let words = match workload {
            COMMANDS => command.iter().position(|word| word == "--").map_or(0, |at| at + 1),
            _ => 0,
        };
        let options = command[..words].iter().skip(1).filter(|option| !option.starts_with("--folder="));
        (options.cloned().collect(), command[words..].to_vec())
    };
    let ((old_options, old), (new_options, new)) = (split(old), split(new));
    if old != new {
        return Some(format!("the commands differ: `{}` and `{}`", join(&old), join(&new)));
    }
    let only = |some: &[String], others: &[String]| {
        let only: Vec<&str> =
            some.iter().filter(|option| !others.contains(option)).map(String::as_str).collect();
        if only.is_empty() { "without".to_owned() } else { format!("with `{}`", only.join(" ")) }
    };
    (old_options != new_options).then(|| {
        let [old, new] = [only(&old_options, &new_options), only(&new_options, &old_options)];
        format!("the old one ran {old}, the new one {new}")
    })
}

/// Returns the ratio of the new time to the old one, or why there is none.
fn ratio((old_case, old): (&Case, &Entry), (new_case, new): (&Case, &Entry)) -> Result<Estimate, String> {
    let refused = |why: &str| Err(why.to_owned());
    let unlike = |a: &Option<String>, b: &Option<String>| matches!((a, b), (Some(a), Some(b)) if a != b);
    if old_case.measure != new_case.measure {
        return refused("they measure different quantities");
    }
    if let Measure::Count(name) = &new_case.measure {
        return Err(format!("they count `{name}`, and only times are compared"));
    }
    if let Some(why) = different_commands(&new_case.workload, &old.command, &new.command) {
        return Err(why);
    }
    if old_case.input_digest != new_case.input_digest {
        return refused("the inputs differ");
    }
    if old.failure.is_some() {
        return refused("it failed in the old record");
    }
    if new.failure.is_some() {
        return refused("it failed in the new record");
    }
    if unlike(&old.digest, &new.digest) {
        return refused("the outputs differ");
    }
    // The interval of two samples holds for a number of rounds that was fixed before.
    if old_case.sequential || new_case.sequential {
        return refused("a run ended because of what it measured (--until)");
    }
    let measured = |entry: &Entry| entry.replicates.iter().any(|replicate| replicate.value.is_some());
    if !measured(old) || !measured(new) {
        return refused("it was not measured in both");
    }
    let ratio = stats::unpaired_ratio((new_case, new), (old_case, old));
    ratio.ok_or_else(|| "it is not shown to take longer than the shell itself".to_owned())
}

#[cfg(test)]
mod tests {
    use parcrypt_lab::record::Summary;

    use super::super::tests::{case, failure, record};
    use super::*;

    /// Returns the sentence on an entry that ran these commands.
    fn ran(old: &[&str], new: &[&str]) -> String {
        let [old, new] = [old, new].map(|command| {
            let mut record = record(20, 1.0, 0.001);
            record.cases[0].entries[1].command = command.iter().map(|word| (*word).to_owned()).collect();
            record
        });
        changed(&old, &new)[1].sentence()
    }

    #[test]
    fn entries_of_other_commands_or_counts_are_not_comparable() {
        let base = ["parcrypt", "run-command", "--input=a", "--", "sort", "-n"];
        let same = "B: no difference found: ";
        assert!(ran(&base, &base).starts_with(same));
        let elsewhere = ["parlab", "run-command", "--input=a", "--folder=/tmp/x", "--", "sort", "-n"];
        assert!(ran(&base, &elsewhere).starts_with(same));
        assert_eq!(
            ran(&base, &["parcrypt", "run-command", "--input=a", "--", "sort", "-g"]),
            "B: not comparable: the commands differ: `sort -n` and `sort -g`"
        );
        assert_eq!(
            ran(&base, &["parcrypt", "run-command", "--prepare=b c", "--input=a", "--", "sort", "-n"]),
            "B: not comparable: the old one ran without, the new one with `--prepare=b c`"
        );
        assert_eq!(
            ran(&base, &["parcrypt", "run-command", "--input=b", "--", "sort", "-n"]),
            "B: not comparable: the old one ran with `--input=a`, the new one with `--input=b`"
        );
        let mut counts = record(20, 1.0, 0.001);
        counts.cases[0].measure = Measure::Count("instructions".to_owned());
        let found = changed(&counts, &counts)[1].sentence();
        assert_eq!(found, "B: not comparable: they count `instructions`, and only times are compared");
    }

    #[test]
    fn the_start_of_the_shell_is_subtracted_in_each_record() {
        let sentence = |ratio: f64, start: f64| {
            let with = |ratio: f64, start: f64| {
                let mut record = record(20, 1.0, 0.0);
                record.cases = vec![case(20, ratio, 0.001, Some(start))];
                record
            };
            changed(&with(1.0, 900.0), &with(ratio, start))[1].sentence()
        };
        let twice = sentence(2.0, 950.0);
        assert!(twice.starts_with("B: new takes 2.00 times as long as old"), "{twice}");
        let near = sentence(0.0, 900.0);
        assert!(near.ends_with("it is not shown to take longer than the shell itself"), "{near}");
    }

    #[test]
    fn entries_are_compared_if_they_can_be() {
        let old = record(20, 1.0, 0.001);
        let sentences = |old: &Record, new: &Record| -> Vec<String> {
            changed(old, new).iter().map(Changed::sentence).collect()
        };
        let change = |change: &dyn Fn(&mut Record)| {
            let mut new = old.clone();
            change(&mut new);
            sentences(&old, &new)
        };
        let same = change(&|_| ());
        assert_eq!(same.len(), 2);
        assert!(same[1].starts_with("B: no difference found: new takes from 0."), "{same:?}");
        let slower = sentences(&old, &record(20, 1.25, 0.001));
        assert!(slower[1].starts_with("B: new is 25.0 % slower than old (99 % interval"), "{slower:?}");
        assert!(
            sentences(&record(4, 1.0, 0.1), &record(4, 1.0, 0.1))[1].contains("cannot tell: too few rounds")
        );
        type Change<'a> = (&'a dyn Fn(&mut Record), &'a str);
        let changes: [Change<'_>; 8] = [
            (&|new| new.machine.processor = "other".to_owned(), "the machines differ in the processor: "),
            (&|new| new.machine.cores = 99, "the machines differ in the number of cores: 0 and 99"),
            (
                &|new| new.cases[0].measure = Measure::Count("x".to_owned()),
                "they measure different quantities",
            ),
            (&|new| new.cases[0].input_digest = "x".to_owned(), "the inputs differ"),
            (&|new| new.cases[0].entries[1].failure = Some(failure()), "it failed in the new record"),
            (&|new| new.cases[0].sequential = true, "a run ended because of what it measured"),
            (&|new| new.cases[0].workload = "sum".to_owned(), "the old record has no such entry"),
            (
                &|new| new.cases[0].entries[1].replicates = Vec::<Summary>::new(),
                "it was not measured in both",
            ),
        ];
        for (number, (by, why)) in changes.into_iter().enumerate() {
            let found = change(by);
            assert!(found[1].contains(&format!("not comparable: {why}")), "{number}: {found:?}");
        }
        let other = change(&|new| new.cases[0].workload = "sum".to_owned());
        assert!(other[1].starts_with("sum, B on 1 thread: ") && other.len() == 4, "{other:?}");
        let mut gone = old.clone();
        gone.cases[0].entries.pop();
        let found = sentences(&old, &gone);
        assert!(
            found.len() == 2 && found[1].ends_with("not comparable: the new record has no such entry"),
            "{found:?}"
        );
    }
}
