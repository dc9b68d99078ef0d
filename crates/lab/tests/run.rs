//! Whole runs with candidates that work, fail, and are missing.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use parcrypt_lab::plan::{Choices, Matrix, Plan};
use parcrypt_lab::record::{FailureKind, Machine, Measure, Params, Record};
use parcrypt_lab::{CheckError, Host, Outcome, OwnCandidate, Setting, Watch, probe, run, stats};

/// A host without candidates of its own.
struct Empty;

impl Host for Empty {
    fn command(&self, _: &OwnCandidate) -> Vec<String> {
        Vec::new()
    }
    fn can_use(&self, _: &OwnCandidate, _: usize) -> bool {
        true
    }
    fn check(&self, _: &OwnCandidate, _: &str, _: &Params, _: usize) -> Result<u64, CheckError> {
        Ok(0)
    }
    fn memory_available(&self) -> Option<u64> {
        Some(1 << 30)
    }
}

/// Collects the messages of a run.
#[derive(Default)]
struct Kept {
    notes: Vec<String>,
    first_rounds: Vec<usize>,
    steps: usize,
    stop_after: Option<usize>,
    stop: Option<&'static AtomicBool>,
}

impl Watch for Kept {
    fn progress(&mut self, done: f64, _: Duration, _: &str) {
        assert!((0.0..=1.0).contains(&done), "{done}");
        self.steps += 1;
        if let (Some(stop), Some(after)) = (self.stop, self.stop_after) {
            stop.store(self.steps >= after, Ordering::Relaxed);
        }
    }
    fn note(&mut self, text: &str) {
        self.notes.push(text.to_owned());
    }
    fn first_round(&mut self, record: &Record, case: usize) {
        assert!(record.cases[case].entries.iter().all(|entry| entry.rounds.len() == 1));
        self.first_rounds.push(case);
    }
}

/// Held by each test: alone by those whose candidates spin, which take processors from the others.
static PROCESSORS: RwLock<()> = RwLock::new(());

fn shared() -> RwLockReadGuard<'static, ()> {
    PROCESSORS.read().unwrap_or_else(PoisonError::into_inner)
}

fn alone() -> RwLockWriteGuard<'static, ()> {
    PROCESSORS.write().unwrap_or_else(PoisonError::into_inner)
}

fn plan(sampling: &str, behaviours: &[&str]) -> Plan {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut text = format!(
        "schema = 2\ntitle = \"t\"\n[sampling]\n{sampling}\n\
         [[case]]\nworkload = \"sum\"\nparams = {{ size = 1000 }}\nthreads = [1]\ninput = {{ bytes = 1, times = \"size\" }}\n"
    );
    for how in behaviours {
        text += &format!(
            "[[candidate]]\nname = \"{how}\"\ncommand = [\"python3\", \"candidate.py\", \"{how}\"]\n"
        );
    }
    Plan::parse(Path::new("test.toml"), folder, text).unwrap()
}

fn measure(plan: &Plan, kept: &mut Kept, stop: &AtomicBool) -> (Outcome, PathBuf, tempfile::TempDir) {
    let matrix = Matrix::new(plan, &Choices::default(), &Empty, parcrypt_cores()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record.json");
    let setting = Setting {
        record: record.clone(),
        command: vec!["test".into()],
        machine: Machine::default(),
        build: BTreeMap::new(),
        stop,
    };
    let outcome = run(plan, &matrix, &setting, kept).unwrap();
    (outcome, record, folder)
}

fn parcrypt_cores() -> std::num::NonZeroUsize {
    std::num::NonZeroUsize::new(2).unwrap()
}

#[test]
fn entries_take_turns_and_agree() {
    let _processors = shared();
    let plan = plan("rounds = 3\nsamples = 2\nsample-ms = 1", &["well", "phases", "grandchild"]);
    let mut kept = Kept::default();
    let (outcome, path, _folder) = measure(&plan, &mut kept, &AtomicBool::new(false));
    let record = &outcome.record;
    assert!(!outcome.interrupted && record.partial.is_none(), "{:?}", record.partial);
    assert_eq!(kept.notes, [] as [&str; 0]);
    assert_eq!(kept.first_rounds, [0]);
    let case = &record.cases[0];
    assert_eq!(case.input_bytes, 1000);
    for entry in &case.entries {
        assert_eq!(entry.failure, None);
        assert_eq!(entry.rounds.len(), 3);
        assert!(entry.rounds.iter().all(|round| round.len() == 2), "{:?}", entry.rounds);
        assert_eq!(entry.digest, case.entries[0].digest);
        assert_eq!(entry.ready.as_ref().unwrap().name, entry.candidate);
        let samples: Vec<_> = entry.rounds.iter().flatten().collect();
        assert!(samples.iter().all(|s| s.iterations == samples[0].iterations && s.iterations > 1));
    }
    assert_eq!(case.entries[1].rounds[0][0].counts["bytes"], 1000);
    assert!(case.entries[1].rounds[0][0].phases.contains_key("add"));
    // The times before the work are kept for each process.
    let before = BTreeMap::from([("start".to_owned(), 1000), ("read".to_owned(), 2000)]);
    assert_eq!(case.entries[1].before, [before.clone(), before.clone(), before]);
    assert!(case.entries[1].ready.as_ref().unwrap().phases.is_empty() && case.entries[0].before.is_empty());
    // The file has the returned record.
    assert_eq!(format!("{:?}", Record::read(&path).unwrap()), format!("{record:?}"));
}

#[test]
fn counts_replace_times() {
    let _processors = shared();
    // Two rounds of one sample are enough, whatever the plan has.
    let text = plan("rounds = 5\nsamples = 3", &["counts", "counts fewer", "well"]).text;
    let counted = text.replace("threads = [1]", "threads = [1]\nmeasure = \"steps\"\nsteps = true");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let counted = Plan::parse(Path::new("test.toml"), folder, counted).unwrap();
    let (outcome, path, _folder) = measure(&counted, &mut Kept::default(), &AtomicBool::new(false));
    let case = &outcome.record.cases[0];
    assert_eq!((&case.measure, case.steps), (&Measure::Count("steps".into()), true));
    for (entry, steps) in case.entries.iter().zip([1000.0, 900.0]) {
        let value = stats::value(&case.measure, entry).unwrap();
        assert_eq!((value.value.round(), value.rounds, entry.rounds[0].len()), (steps, 2, 1));
        assert!(value.interval.is_some(), "the same in both rounds");
        assert_eq!(stats::phases(entry)["load"], 300.0);
    }
    let failure =
        |entry: usize, outcome: &Outcome| outcome.record.cases[0].entries[entry].failure.clone().unwrap();
    let timed = failure(2, &outcome);
    assert_eq!(timed.kind, FailureKind::ProtocolError);
    assert!(timed.why.contains("counted no `steps`"), "{}", timed.why);
    assert_eq!(format!("{:?}", Record::read(&path).unwrap()), format!("{:?}", outcome.record));

    let timed = plan("rounds = 2\nsamples = 1\nsample-ms = 1", &["well", "counts"]);
    let (outcome, ..) = measure(&timed, &mut Kept::default(), &AtomicBool::new(false));
    let counted = failure(1, &outcome);
    assert!(counted.why.contains("reported no time"), "{}", counted.why);
}

#[test]
fn a_candidate_that_fails_loses_its_entry_and_the_run_goes_on() {
    let _processors = shared();
    let bad = [
        ("crash-at-start", FailureKind::Crash, "exit code 3"),
        ("crash-in-sample", FailureKind::Crash, "SIGABRT"),
        ("hang-in-prepare", FailureKind::Timeout, "no response in 10 s"),
        ("hang-in-sample", FailureKind::Timeout, "no response in 10 s"),
        ("hang-in-quit", FailureKind::Timeout, "did not end after quit"),
        ("malformed", FailureKind::ProtocolError, "I feel fine today"),
        ("not-text", FailureKind::ProtocolError, "not UTF-8"),
        ("endless-line", FailureKind::ProtocolError, "over 1048576 bytes"),
        ("other-response", FailureKind::ProtocolError, "no response to `sample`"),
        ("without-id", FailureKind::ProtocolError, "is of protocol 1, and this program speaks protocol 2"),
        // On a busy machine the second line may arrive after the next request was sent.
        ("twice", FailureKind::ProtocolError, "came without a request|answers request"),
        ("boast", FailureKind::ProtocolError, "reported 1000000000000000000 ns for a sample that took"),
        ("zero", FailureKind::ProtocolError, "reported 0 ns"),
        ("bad-digest", FailureKind::ProtocolError, "64 hexadecimal digits"),
        ("bad-end", FailureKind::Crash, "exit code 5 after quit"),
        ("wrong", FailureKind::WrongDigest, "that of the others"),
        ("unsupported", FailureKind::Unsupported, "no such thing here"),
    ];
    let behaviours: Vec<&str> = ["well", "well too"].into_iter().chain(bad.map(|b| b.0)).collect();
    let plan = plan("rounds = 2\nsamples = 2\nsample-ms = 1\nlimit-s = 10", &behaviours);
    let mut kept = Kept::default();
    let (outcome, ..) = measure(&plan, &mut kept, &AtomicBool::new(false));
    let entries = &outcome.record.cases[0].entries;
    for entry in &entries[..2] {
        assert_eq!(entry.failure, None);
        assert_eq!(entry.rounds.iter().map(Vec::len).sum::<usize>(), 4);
    }
    for ((how, kind, why), entry) in bad.iter().zip(&entries[2..]) {
        let failure = entry.failure.as_ref().unwrap_or_else(|| panic!("{how} has no failure"));
        assert_eq!(
            (&failure.kind, why.split('|').any(|why| failure.why.contains(why))),
            (kind, true),
            "{how}: {failure:?}"
        );
        assert!(kept.notes.iter().any(|note| note.contains(&failure.why)), "{how} was reported");
    }
    assert!(entries[2].failure.as_ref().unwrap().stderr.contains("I do not like it here"));
    let skipped: Vec<_> = kept.notes.iter().filter(|note| note.starts_with("SKIP")).collect();
    assert_eq!(skipped.len(), 1, "{skipped:?}");
}

#[test]
fn a_program_that_is_missing_is_skipped() {
    let _processors = shared();
    let folder = std::env::temp_dir();
    let text = "schema = 2\ntitle = \"t\"\n[sampling]\nrounds = 1\n[[case]]\nworkload = \"w\"\n\
                [[candidate]]\nname = \"x\"\ncommand = [\"no-such-program-here\"]\n";
    let plan = Plan::parse(Path::new("t.toml"), folder, text.into()).unwrap();
    let (outcome, ..) = measure(&plan, &mut Kept::default(), &AtomicBool::new(false));
    let failure = outcome.record.cases[0].entries[0].failure.as_ref().unwrap();
    assert_eq!(failure.kind, FailureKind::Unsupported);
    assert!(failure.why.contains("no-such-program-here"), "{failure:?}");
}

/// Returns the number of processes of this user whose command line contains `what`.
fn alive(what: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|p| std::fs::read(p.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(what)).count()
}

#[test]
fn an_interrupted_run_keeps_what_was_measured_and_leaves_no_process() {
    let _processors = shared();
    static STOP: AtomicBool = AtomicBool::new(false);
    // `grandchild` forks a process that would outlive it; the name makes the processes of this test findable.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let text = "schema = 2\ntitle = \"t\"\n[sampling]\nrounds = 50\nsamples = 2\nsample-ms = 5\n[[case]]\n\
                workload = \"sum\"\nthreads = [1]\ninput = { bytes = 1000 }\n[[candidate]]\nname = \"{who}\"\n\
                params = { who = [\"a\", \"b\"] }\ncommand = [\"python3\", \"candidate.py\", \"grandchild\", \"marked-for-interruption\"]\n";
    let plan = Plan::parse(Path::new("t.toml"), folder, text.into()).unwrap();
    let mut kept = Kept { stop: Some(&STOP), stop_after: Some(20), ..Kept::default() };
    let begun = Instant::now();
    let (outcome, path, _folder) = measure(&plan, &mut kept, &STOP);
    assert!(outcome.interrupted);
    assert!(begun.elapsed() < Duration::from_secs(30));
    let record = Record::read(&path).unwrap();
    assert!(record.partial.as_ref().unwrap().contains("interrupted"), "{:?}", record.partial);
    assert!(!record.cases[0].entries[0].rounds[0].is_empty(), "the first round was kept");
    assert!(record.cases[0].entries.iter().all(|entry| entry.failure.is_none()), "no candidate failed");
    let begun = Instant::now();
    while alive("marked-for-interruption") > 0 {
        assert!(begun.elapsed() < Duration::from_secs(5), "a process is left");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn candidates_that_wait_for_their_turn_use_no_processor_time() {
    let _processors = alone();
    // `spin` has a thread that never rests. It reports how much processor time it had since its last answer.
    let plan = plan("rounds = 1\nsamples = 4\nsample-ms = 300", &["spin", "well", "well too"]);
    let mut seen = Vec::new();
    // A busy machine may delay a stop, or make samples short. A candidate that is not stopped runs in every attempt.
    for _ in 0..6 {
        let (outcome, ..) = measure(&plan, &mut Kept::default(), &AtomicBool::new(false));
        let entries = &outcome.record.cases[0].entries;
        assert!(entries.iter().all(|entry| entry.failure.is_none()), "{entries:?}");
        let samples = &entries[0].rounds[0];
        let waits = samples.iter().filter(|s| s.counts["idle_wall_ns"] > 20_000_000);
        let still = waits.clone().filter(|s| s.counts["idle_cpu_ns"] < s.counts["idle_wall_ns"] / 4).count();
        if still > 0 && 2 * still > waits.count() {
            return;
        }
        seen.push(samples.clone());
    }
    panic!("it ran while it should have been stopped: {seen:?}");
}

/// Runs a candidate whose command line contains `name` in turns with one that looks at the threads of all such
/// processes, and checks that it finds `threads` of them each time, all stopped, without processor time during its
/// sample.
fn is_stopped(name: &str, first: &str, threads: u64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    // The watcher's own command line must not contain the name in one piece.
    let (start, end) = name.split_at(4);
    let text = format!(
        "schema = 2\ntitle = \"t\"\n[sampling]\nrounds = 2\nsamples = 4\nsample-ms = 30\n[[case]]\nworkload = \"sum\"\n\
         threads = [1]\ninput = {{ bytes = 1000 }}\n{first}\n[[candidate]]\nname = \"watch\"\n\
         command = [\"python3\", \"candidate.py\", \"watch\", \"{start}\", \"{end}\"]\n"
    );
    let plan = Plan::parse(Path::new("t.toml"), folder, text).unwrap();
    let (outcome, ..) = measure(&plan, &mut Kept::default(), &AtomicBool::new(false));
    assert_eq!(alive(name), 0, "a process is left");
    let entries = &outcome.record.cases[0].entries;
    assert!(entries.iter().all(|entry| entry.failure.is_none()), "{entries:?}");
    for sample in entries[1].rounds.iter().flatten() {
        let counts = &sample.counts;
        assert_eq!((counts["threads"], counts["still"]), (threads, threads), "{entries:?}");
    }
}

#[test]
fn children_that_left_the_group_are_stopped_and_killed() {
    let _processors = alone();
    // The candidate itself; a child with two threads, an orphan, and a child without environment, all in other
    // sessions.
    let scatter = "[[candidate]]\nname = \"scatter\"\ncommand = [\"python3\", \"candidate.py\", \"scatter\", \"scattered-tree\"]";
    is_stopped("scattered-tree", scatter, 5);
}

#[test]
fn ranks_are_stopped_and_killed() {
    let _processors = alone();
    let found = std::process::Command::new("mpiexec").arg("--version").output();
    if !found.is_ok_and(|output| output.status.success()) {
        println!("SKIP parcrypt-lab mpi there is no mpiexec");
        return;
    }
    // Hydra: mpiexec, its proxy and three ranks, each of one thread, and each in a session of its own.
    let folder = tempfile::tempdir().unwrap();
    let end = folder.path().join("end");
    let ranks = format!(
        "[[candidate]]\nname = \"ranks\"\ncommand = [\"mpiexec\", \"-n\", \"3\", \"python3\", \"candidate.py\", \"well\", \
         \"tree-of-ranks\"]\nenv = {{ RANKS_MAY_END = \"{}\", OMPI_ALLOW_RUN_AS_ROOT = \"1\", \
         OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = \"1\", OMPI_MCA_rmaps_base_oversubscribe = \"1\" }}",
        end.display()
    );
    is_stopped("tree-of-ranks", &ranks, 4);
}

#[test]
fn entries_are_alive_as_in_the_plan() {
    let _processors = shared();
    // Each candidate counts how many of them there are.
    for (turns, alive) in [("all", 4), ("threads", 2)] {
        let text = plan("rounds = 2\nsamples = 2\nsample-ms = 1", &["crowd a", "crowd b"]).text;
        let crowd = format!("\"crowd-of-{turns}\"]");
        let text = text
            .replace("threads = [1]", &format!("threads = [1, 2]\nturns = \"{turns}\""))
            .replace("\"crowd a\"]", &format!("\"crowd a\", {crowd}"))
            .replace("\"crowd b\"]", &format!("\"crowd b\", {crowd}"));
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let plan = Plan::parse(Path::new("test.toml"), folder, text).unwrap();
        let (outcome, ..) = measure(&plan, &mut Kept::default(), &AtomicBool::new(false));
        let entries = &outcome.record.cases[0].entries;
        assert!(entries.len() == 4 && entries.iter().all(|entry| entry.failure.is_none()), "{entries:?}");
        for entry in entries {
            let samples: Vec<_> = entry.rounds.iter().flatten().collect();
            assert_eq!(samples.len(), 4);
            assert!(samples.iter().all(|s| s.counts["alive"] == alive), "{turns}: {entries:?}");
        }
        // Entries that were not alive at once are still paired within the round.
        assert_eq!(stats::ratio(&Measure::Time, &entries[0], &entries[1]).unwrap().rounds, 2);
    }
}

#[test]
fn a_budget_ends_the_run_between_rounds_with_a_notice() {
    let _processors = shared();
    let plan = plan("rounds = 1000\nsamples = 2\nsample-ms = 20\nbudget-s = 2", &["well"]);
    let begun = Instant::now();
    let mut kept = Kept::default();
    let (outcome, ..) = measure(&plan, &mut kept, &AtomicBool::new(false));
    assert!(begun.elapsed() < Duration::from_secs(20));
    let rounds = outcome.record.cases[0].entries[0].rounds.len();
    assert!((1..1000).contains(&rounds), "{rounds}");
    assert!(outcome.record.partial.unwrap().contains(&format!("after {rounds} of 1000 rounds")));
}

#[test]
fn a_dry_run_tries_each_entry_once() {
    let _processors = shared();
    let plan = plan("rounds = 10\nsamples = 2\nsample-ms = 10", &["well", "unsupported", "malformed"]);
    let matrix = Matrix::new(&plan, &Choices::default(), &Empty, parcrypt_cores()).unwrap();
    let (probes, expected) = probe(&plan, &matrix, &AtomicBool::new(false), &mut Kept::default()).unwrap();
    assert_eq!(probes.len(), 3);
    assert!(probes[0].found.is_ok());
    assert_eq!(probes[1].found.as_ref().unwrap_err().kind, FailureKind::Unsupported);
    assert_eq!(probes[2].found.as_ref().unwrap_err().kind, FailureKind::ProtocolError);
    // Ten rounds of two samples of 10 ms, at least.
    assert!(expected >= Duration::from_millis(200) && expected < Duration::from_secs(60), "{expected:?}");
}
