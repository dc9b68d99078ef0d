//! Whole runs with candidates that work, fail, and are missing.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{LazyLock, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use parcrypt_lab::plan::{Choices, Here, Matrix, Plan};
use parcrypt_lab::record::{Entry, Failure, FailureKind, Machine, Measure, Record, Sample, Suite, Value};
use parcrypt_lab::stats::{self, Look, Verdict, judged};
use parcrypt_lab::{Inputs, Setting, Watch, run};

/// The words of a command in TOML that starts Python: the program itself, because one that looks for it, as pyenv's
/// does, takes three times as long to start.
static PYTHON: LazyLock<String> = LazyLock::new(|| {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let found = asked.ok().filter(|asked| asked.status.success());
    let program =
        found.map_or_else(|| "python3".to_owned(), |found| String::from_utf8(found.stdout).unwrap());
    // Without the modules of sites.
    format!("\"{}\", \"-S\"", program.trim())
});

/// Collects the messages of a run, and removes a folder during it.
#[derive(Default)]
struct Kept {
    notes: Vec<String>,
    removes: Option<PathBuf>,
}

impl Watch for Kept {
    fn progress(&mut self, done: f64, _: Duration, _: &str) {
        assert!((0.0..=1.0).contains(&done), "{done}");
    }
    fn note(&mut self, text: &str) {
        self.notes.push(text.to_owned());
    }
    fn lost(&mut self, _: &str, failure: &Failure) {
        self.notes.push(failure.why.clone());
    }
    fn block(&mut self, _: &Record, _: usize) {
        self.removes.iter().for_each(|folder| drop(std::fs::remove_dir_all(folder)));
    }
}

/// Held by each run: alone by those whose candidates never rest, which take processors from the others.
static PROCESSORS: RwLock<()> = RwLock::new(());

fn shared() -> RwLockReadGuard<'static, ()> {
    PROCESSORS.read().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the text of a plan of candidates with these behaviours.
fn plan_text(sampling: &str, behaviours: &[&str]) -> String {
    let mut text = format!(
        "schema = 2\ntitle = \"t\"\n[sampling]\n{sampling}\n\
         [[case]]\nworkload = \"sum\"\nparams = {{ size = 1000 }}\nthreads = [1]\ninput = {{ bytes = 1, times = \"size\" }}\n"
    );
    for how in behaviours {
        text += &format!(
            "[[candidate]]\nname = \"{how}\"\ncommand = [{}, \"candidate.py\", \"{how}\"]\nbinds-itself = true\n",
            *PYTHON
        );
    }
    text
}

fn plan(sampling: &str, behaviours: &[&str]) -> Plan {
    parsed(plan_text(sampling, behaviours))
}

/// Returns the same plan for candidates that the lab binds to processors. In the other tests a machine with more tests
/// at once may need all of them.
fn bound(sampling: &str, behaviours: &[&str]) -> Plan {
    parsed(plan_text(sampling, behaviours).replace("binds-itself = true", ""))
}

/// Returns the plan of a text, whose commands run in the folder of these tests.
fn parsed(text: String) -> Plan {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    Plan::parse(Path::new("test.toml"), folder, text).unwrap()
}

/// Runs a plan and returns the entries of its first case.
fn entries(plan: &Plan) -> Vec<Entry> {
    measure(plan).0.cases.remove(0).entries
}

/// [`entries`] of candidates that never rest.
fn entries_alone(plan: &Plan) -> Vec<Entry> {
    let _processors = PROCESSORS.write().unwrap_or_else(PoisonError::into_inner);
    measure_now(plan, &Choices::default()).0.cases.remove(0).entries
}

/// Runs a plan and returns its record, which is in the file too, and the messages.
fn measure(plan: &Plan) -> (Record, Vec<String>) {
    measure_as(plan, &Choices::default())
}

fn measure_as(plan: &Plan, choices: &Choices) -> (Record, Vec<String>) {
    let _processors = shared();
    measure_now(plan, choices)
}

fn measure_now(plan: &Plan, choices: &Choices) -> (Record, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let (path, mut kept) = (folder.path().join("record.json"), Kept::default());
    let record = measure_into(&path, plan, choices, &mut kept);
    assert_eq!(format!("{:?}", Record::read(&path).unwrap()), format!("{record:?}"));
    (record, kept.notes)
}

fn measure_into(path: &Path, plan: &Plan, choices: &Choices, kept: &mut Kept) -> Record {
    let setting = Setting {
        record: path.to_owned(),
        command: vec!["test".into()],
        machine: Machine::default(),
        build: BTreeMap::new(),
        inputs: &Inputs::new().unwrap(),
        stop: &AtomicBool::new(false),
    };
    run(plan, &matrix(plan, choices), &setting, &[], kept).unwrap()
}

/// Returns the cases of a plan on two processors.
fn matrix(plan: &Plan, choices: &Choices) -> Matrix {
    let cores = NonZeroUsize::new(2).unwrap();
    let here = Here { cores, memory: Some(1 << 30), program: None, check: &|_| Ok(None) };
    Matrix::new(plan, choices, &here).unwrap()
}

#[test]
fn entries_take_turns_and_agree() {
    let plan = bound("rounds = 3\nsamples = 2\nsample-ms = 1", &["well", "phases", "grandchild"]);
    let (record, notes) = measure(&plan);
    assert_eq!((&record.partial, notes), (&None, vec![]));
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
    // All entries of a round are bound to the same processor, if there are several; two rounds have the same.
    let processors = &case.entries[0].processors;
    assert!(case.entries.iter().all(|entry| entry.processors == *processors), "{case:?}");
    assert!(
        processors.is_empty() || processors.len() == 3 && processors[0] == processors[1],
        "{processors:?}"
    );
    assert!(processors.iter().all(|of_round| of_round.len() == 1), "{processors:?}");
    assert_eq!(case.entries[1].rounds[0][0].counts["bytes"], 1000);
    assert!(case.entries[1].rounds[0][0].phases.contains_key("add"));
    // The times before the work are kept for each process.
    let before = BTreeMap::from([("start".to_owned(), 1000), ("read".to_owned(), 2000)]);
    assert_eq!(case.entries[1].before, [before.clone(), before.clone(), before]);
    assert!(case.entries[1].ready.as_ref().unwrap().phases.is_empty() && case.entries[0].before.is_empty());
}

#[test]
fn the_first_thread_begins_on_each_processor_in_turn_or_stays_on_one_without_others() {
    for (how, processors) in [("where", 1), ("where with a thread", 2)] {
        let text = bound("rounds = 2\nsamples = 4\nsample-ms = 4", &[how]).text;
        let entry = &entries(&parsed(text.replace("threads = [1]", "threads = [2]")))[0];
        assert_eq!(entry.failure, None);
        if entry.processors.is_empty() {
            println!("SKIP parcrypt-lab placement one processor is allowed");
            return;
        }
        for round in &entry.rounds {
            let homes: Vec<u64> = round.iter().map(|sample| sample.counts["home"]).collect();
            assert!(homes[0] == homes[1] && homes[2] == homes[3], "{homes:?}");
            assert_eq!(homes[1] == homes[2], processors == 1, "{homes:?}");
            let bound = |s: &Sample| (s.counts["homes"], s.counts["processors"]);
            assert!(round.iter().all(|s| bound(s) == (1, processors)), "{how}: {round:?}");
        }
    }
}

#[test]
fn counts_replace_times() {
    // Two rounds of one sample are enough, whatever the plan has.
    let text = plan_text("rounds = 5\nsamples = 3", &["counts", "counts fewer", "well"]);
    let counted = text.replace("threads = [1]", "threads = [1]\nmeasure = \"steps\"\nsteps = true");
    let counted = parsed(counted);
    let (record, _) = measure(&counted);
    let case = &record.cases[0];
    assert_eq!((&case.measure, case.steps), (&Measure::Count("steps".into()), true));
    for (entry, steps) in case.entries.iter().zip([1000.0, 900.0]) {
        let value = stats::value(case, entry).unwrap();
        assert_eq!((value.value.round(), value.replicates, entry.rounds[0].len()), (steps, 2, 1));
        assert!(value.interval.is_some(), "the same in both rounds");
        assert_eq!(stats::phases(entry)["load"], 300.0);
    }
    let timed = case.entries[2].failure.as_ref().unwrap();
    assert_eq!(timed.kind, FailureKind::ProtocolError);
    assert!(timed.why.contains("counted no `steps`"), "{}", timed.why);

    let entries = entries(&plan("rounds = 2\nsamples = 1\nsample-ms = 1", &["well", "counts"]));
    let counted = entries[1].failure.as_ref().unwrap();
    assert!(counted.why.contains("reported no time"), "{}", counted.why);
}

#[test]
fn a_sample_with_cold_caches_is_one_iteration_of_a_candidate_that_evicts() {
    let text = plan_text("rounds = 2\nsamples = 3", &["cold", "well"]);
    let text = text.replace("threads = [1]", "threads = [1]\nevict = \"16 KiB\"");
    let case = measure(&parsed(text)).0.cases.remove(0);
    assert_eq!(case.params["evict"], Value::Text("16 KiB".to_owned()));
    let [cold, well] = &case.entries[..] else { panic!("{case:?}") };
    assert_eq!((&cold.failure, cold.ready.as_ref().unwrap().evict), (&None, Some(16 << 10)));
    let samples: Vec<&Sample> = cold.rounds.iter().flatten().collect();
    assert_eq!(samples.len(), 6);
    // It counts what it wrote before its single call.
    assert!(samples.iter().all(|one| one.iterations == 1 && one.counts["peak-written"] == 16 << 10));
    let failure = well.failure.as_ref().unwrap();
    assert_eq!(failure.kind, FailureKind::ProtocolError);
    assert!(failure.why.contains("its `ready` does not repeat `evict`"), "{}", failure.why);
}

#[test]
fn a_candidate_that_fails_loses_its_entry_and_the_run_goes_on() {
    let bad = [
        ("crash-at-start", FailureKind::Crash, "exit code 3"),
        ("crash-in-sample", FailureKind::Crash, "SIGABRT"),
        ("malformed", FailureKind::ProtocolError, "I feel fine today"),
        ("not-text", FailureKind::ProtocolError, "not UTF-8"),
        ("endless-line", FailureKind::ProtocolError, "over 1048576 bytes"),
        ("other-response", FailureKind::ProtocolError, "no response to `sample`"),
        ("without-id", FailureKind::ProtocolError, "missing field `id`"),
        // On a busy machine the second line may arrive after the next request was sent.
        ("twice", FailureKind::ProtocolError, "came without a request|answers request"),
        ("boast", FailureKind::ProtocolError, "reported 1000000000000000000 ns for a sample that took"),
        ("zero", FailureKind::ProtocolError, "reported 0 ns"),
        ("constant", FailureKind::ProtocolError, "its elapsed_ns does not grow with iterations: 1 ns for 1"),
        (
            "hardly-grows",
            FailureKind::ProtocolError,
            "its elapsed_ns does not grow with iterations: 20 ns for 1",
        ),
        ("ignores-iterations", FailureKind::ProtocolError, "its elapsed_ns does not grow with iterations"),
        ("bad-digest", FailureKind::ProtocolError, "64 hexadecimal digits"),
        ("bad-end", FailureKind::Crash, "exit code 5 after quit"),
        ("own-ids", FailureKind::ProtocolError, "answers request 1001, but request 2 was sent"),
        ("goodbye", FailureKind::ProtocolError, "`bye` came without a request"),
        ("adds-up", FailureKind::WrongDigest, "returned another digest in round 1 than before"),
        ("wrong", FailureKind::WrongDigest, "the others have"),
        ("unsupported", FailureKind::Unsupported, "no such thing here"),
    ];
    let behaviours: Vec<&str> = ["well", "well too"].into_iter().chain(bad.map(|b| b.0)).collect();
    // With samples of 1 ms, those that ignore iterations were run once and no more where each answer waited 5 ms for a
    // processor.
    let plan = plan("rounds = 2\nsamples = 2\nsample-ms = 50\nlimit-s = 60", &behaviours);
    let (record, notes) = measure(&plan);
    let entries = &record.cases[0].entries;
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
        assert!(notes.contains(&failure.why), "{how} was reported");
    }
    assert!(entries[2].failure.as_ref().unwrap().stderr.contains("I do not like it here"));
}

/// Entries that keep to one processor are asked while the lab still looks at the one before, which may be lost.
#[test]
fn an_entry_that_is_lost_in_its_turns_costs_the_others_nothing() {
    for (how, kind, why) in [
        ("crash-in-turns", FailureKind::Crash, "SIGABRT"),
        ("forgets-in-turns", FailureKind::ProtocolError, "reported no time"),
    ] {
        let plan = bound("rounds = 3\nsamples = 100\nsample-ms = 0.25", &["well", how, "well too"]);
        let entries = entries(&plan);
        let [well, lost, other] = &entries[..] else { panic!("{entries:?}") };
        let failure = lost.failure.as_ref().expect("it is lost");
        assert_eq!((&failure.kind, failure.why.contains(why)), (&kind, true), "{failure:?}");
        let taken: Vec<usize> = lost.rounds.iter().map(Vec::len).collect();
        assert!((1..100).contains(&taken[0]) && taken[1..] == [0, 0], "{taken:?}");
        for entry in [well, other] {
            assert_eq!(entry.failure, None);
            assert_eq!(entry.rounds.iter().map(Vec::len).collect::<Vec<_>>(), [100; 3]);
        }
    }
}

#[test]
fn a_candidate_that_hangs_loses_its_entry_and_the_run_goes_on() {
    let loses = |(how, why): (&str, &str)| {
        let plan = plan("rounds = 2\nsamples = 2\nsample-ms = 1\nlimit-s = 4", &[how, "well"]);
        let entries = entries(&plan);
        let [hung, well] = &entries[..] else { panic!("{entries:?}") };
        let failure = hung.failure.as_ref().unwrap_or_else(|| panic!("{how} has no failure"));
        assert_eq!((&failure.kind, failure.why.contains(why)), (&FailureKind::Timeout, true), "{failure:?}");
        assert_eq!((&well.failure, well.rounds.iter().map(Vec::len).sum::<usize>()), (&None, 4));
    };
    // They wait.
    std::thread::scope(|scope| {
        let responds = "no response in 4 s";
        let ways = [("prepare", responds), ("sample", responds), ("quit", "did not end after quit")];
        for (at, why) in ways {
            scope.spawn(move || loses((&format!("hang-in-{at}"), why)));
        }
    });
}

/// Returns the number of processes of this user whose command line contains `what`.
fn alive(what: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|p| std::fs::read(p.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(what)).count()
}

/// Runs a candidate whose command line contains `name` in turns with one that looks at the threads of all such
/// processes, and checks that it finds `threads` of them each time, all stopped, without processor time during its
/// sample.
fn is_stopped(name: &str, first: &str, threads: u64) {
    // The watcher's own command line must not contain the name in one piece.
    let (start, end) = name.split_at(4);
    let text = plan_text("rounds = 2\nsamples = 4\nsample-ms = 30\nlimit-s = 60", &[]);
    let text = format!(
        "{text}{first}\n[[candidate]]\nname = \"watch\"\n\
         command = [{}, \"candidate.py\", \"watch\", \"{start}\", \"{end}\"]\nbinds-itself = true\n",
        *PYTHON
    );
    let plan = parsed(text);
    let entries = entries_alone(&plan);
    assert_eq!(alive(name), 0, "a process is left");
    assert!(entries.iter().all(|entry| entry.failure.is_none()), "{entries:?}");
    for sample in entries[1].rounds.iter().flatten() {
        let counts = &sample.counts;
        assert_eq!((counts["threads"], counts["still"]), (threads, threads), "{entries:?}");
    }
}

#[test]
fn children_that_left_the_group_are_stopped_and_killed() {
    // The candidate itself; a child with two threads, an orphan, and a child without environment, all in other
    // sessions.
    let scatter = format!(
        "[[candidate]]\nname = \"scatter\"\ncommand = [{}, \"candidate.py\", \"scatter\", \"scattered-tree\"]\n\
         binds-itself = true",
        *PYTHON
    );
    is_stopped("scattered-tree", &scatter, 5);
}

#[test]
fn ranks_are_stopped_and_killed() {
    let found = Command::new("mpiexec").arg("--version").output();
    if !found.is_ok_and(|output| output.status.success()) {
        println!("SKIP parcrypt-lab mpi there is no mpiexec");
        return;
    }
    // Hydra: mpiexec, its proxy and three ranks, each of one thread, and each in a session of its own.
    let folder = tempfile::tempdir().unwrap();
    let end = folder.path().join("end");
    let ranks = format!(
        "[[candidate]]\nname = \"ranks\"\ncommand = [\"mpiexec\", \"-n\", \"3\", {}, \"candidate.py\", \"well\", \
         \"tree-of-ranks\"]\nenv = {{ RANKS_MAY_END = \"{}\", OMPI_ALLOW_RUN_AS_ROOT = \"1\", \
         OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = \"1\", OMPI_MCA_rmaps_base_oversubscribe = \"1\" }}\nbinds-itself = true",
        *PYTHON,
        end.display()
    );
    is_stopped("tree-of-ranks", &ranks, 4);
}

#[test]
fn entries_are_alive_as_in_the_plan() {
    // Each candidate counts how many of them there are.
    for (turns, alive) in [("all", 4), ("threads", 2)] {
        let text = plan_text("rounds = 2\nsamples = 2\nsample-ms = 1", &["crowd a", "crowd b"]);
        let crowd = format!("\"crowd-of-{turns}\"]");
        let text = text
            .replace("threads = [1]", &format!("threads = [1, 2]\nturns = \"{turns}\""))
            .replace("\"crowd a\"]", &format!("\"crowd a\", {crowd}"))
            .replace("\"crowd b\"]", &format!("\"crowd b\", {crowd}"));
        let plan = parsed(text);
        let (record, _) = measure(&plan);
        let case = &record.cases[0];
        let entries = &case.entries;
        assert!(entries.len() == 4 && entries.iter().all(|entry| entry.failure.is_none()), "{entries:?}");
        for entry in entries {
            let samples: Vec<_> = entry.rounds.iter().flatten().collect();
            assert_eq!(samples.len(), 4);
            assert!(samples.iter().all(|s| s.counts["alive"] == alive), "{turns}: {entries:?}");
        }
        // Entries that were not alive at once are still paired within the round.
        assert_eq!(stats::ratio(case, &entries[0], &entries[1]).unwrap().replicates, 2);
    }
}

#[test]
fn a_suite_ends_when_its_benchmarks_are_settled() {
    let suite = Suite { threshold: 0.02, ..Suite::default() };
    // More than a busy machine takes: it ends because nothing is open.
    let choices = Choices { time: Some(Duration::from_secs(3600)), suite: Some(suite), ..Choices::default() };
    let other = |how: &str| {
        let text = plan_text("round-ms = 1\nsample-ms = 1", &["steady 1000", how]);
        let text = text.replace("size = 1000", "size = [1000, 2000]");
        let (record, _) = measure_as(&parsed(text), &choices);
        assert_eq!(record.partial, None);
        assert_eq!((record.suite, record.cases.len()), (Some(suite), 2));
        let looks: Vec<Option<Look>> = record.cases.iter().map(|case| stats::look(case, &suite)).collect();
        let verdicts = judged(&looks, suite.asked()).into_iter().map(|judged| judged.unwrap().verdict);
        assert!(record.cases.iter().all(|case| case.sequential));
        (verdicts.collect::<Vec<_>>(), record.cases[0].entries[0].rounds.len())
    };
    // The processes differ by at most 0.2 %. One look is enough for no change. Of two changes, the one that has its
    // first look before the other waits for it, and has a second one.
    let (unchanged, rounds) = other("steady 1000 too");
    assert_eq!((unchanged, rounds), (vec![Verdict::Same; 2], 18));
    let (changed, rounds) = other("steady 1100");
    assert!(changed == [Verdict::Slower; 2] && [18, 32].contains(&rounds), "{changed:?} {rounds}");
}

#[test]
fn the_time_of_a_case_is_used_and_what_is_missing_is_said() {
    let short = plan("seconds = 0.1\nsample-ms = 1", &["steady 1000", "steady 1000 too"]);
    let (record, _) = measure(&short);
    // However slow the machine is, there are enough rounds for an interval.
    assert!(record.partial.is_none() && record.cases[0].entries[0].rounds.len() >= 16);
    let cost = record.cases[0].cost.unwrap();
    assert!(cost.turns > 0 && cost.turns_ns < cost.rounds_ns, "{cost:?}");
    let partial = |plan: &Plan, choices: &Choices| {
        let (record, _) = measure_as(plan, choices);
        (record.partial.unwrap(), record.cases[0].entries[0].rounds.len())
    };
    let choices = Choices { time: Some(Duration::from_millis(1)), ..Choices::default() };
    let (said, rounds) = partial(&short, &choices);
    assert!(said.contains("were over after 1 of the 8 rounds that a verdict needs") && rounds == 1, "{said}");
    let budget = plan("rounds = 1000\nsamples = 2\nsample-ms = 20\nbudget-s = 2", &["well"]);
    let begun = Instant::now();
    let (said, rounds) = partial(&budget, &Choices::default());
    assert!(begun.elapsed() < Duration::from_secs(20) && (1..1000).contains(&rounds));
    assert_eq!(said, "the 2 s were over");
}

#[test]
fn a_large_overhead_makes_a_sample_short() {
    let sampling = "rounds = 2\nround-ms = 1\nsample-ms = 4";
    // As much as a sample takes it would run 400 times, with an overhead of 12 s. Whole commands prepare each
    // iteration.
    for (fresh, most) in [("fresh = true", 3), ("fresh = false", 10)] {
        let plan = plan(&format!("{sampling}\n{fresh}"), &["slow around"]);
        let entry = &entries(&plan)[0];
        assert_eq!(entry.failure, None);
        let samples: Vec<_> = entry.rounds.iter().flatten().collect();
        assert!(samples.iter().all(|sample| (1..=most).contains(&sample.iterations)), "{samples:?}");
        assert!(samples.len() <= 12, "{samples:?}");
    }
    let plan = plan(sampling, &["slow around, constant"]);
    let failure = entries(&plan).remove(0).failure.unwrap();
    assert_eq!(failure.kind, FailureKind::ProtocolError);
    assert!(failure.why.contains("does not grow with iterations: 10000 ns for 1 iteration"), "{failure:?}");
}

#[test]
fn a_planted_slowdown_is_run_and_not_counted() {
    let text = plan_text("rounds = 2\nsamples = 2\nsample-ms = 1", &["steady 1000", "steady 1000 too"]);
    let (first, last) = text.rsplit_once("binds-itself = true").unwrap();
    let plan = parsed(format!("{first}extra-percent = 2.0{last}"));
    let entries = entries(&plan);
    for (entry, percent) in entries.iter().zip([0, 2]) {
        for sample in entry.rounds.iter().flatten() {
            assert_eq!(sample.counts["ran"] * 100, sample.iterations * (100 + percent), "{entry:?}");
        }
    }
}

#[test]
fn samples_stay_in_memory_if_the_record_cannot_be_written() {
    let _processors = shared();
    let plan = plan("rounds = 4\nsamples = 2\nsample-ms = 1", &["well", "well too"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    let mut kept = Kept { removes: Some(folder.path().to_owned()), ..Kept::default() };
    let record = measure_into(&path, &plan, &Choices::default(), &mut kept);
    assert!(!path.exists() && record.cases[0].entries.iter().all(|entry| entry.rounds.len() == 4));
}

/// Writes programs that stand for layouts of Python: each says in a variable which it is, and its path in a file.
fn layouts(folder: &Path, count: usize) -> Vec<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let written = (1..=count).map(|layout| {
        let path = folder.join(format!("python.layout-{layout}"));
        let program = PYTHON.split(',').next().unwrap();
        let text =
            format!("#!/bin/sh\necho \"$0\" >> {folder:?}/paths\nLAYOUT={layout} exec {program} \"$@\"\n");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    });
    written.collect()
}

#[test]
fn each_block_has_another_layout() {
    let folder = tempfile::tempdir().unwrap();
    let layouts = layouts(folder.path(), stats::MIN_LAYOUTS);
    // Iterations that are processes of their own leave their worker running from round to round.
    for fresh in [false, true] {
        let text =
            plan_text(&format!("rounds = 21\nsamples = 2\nsample-ms = 1\nfresh = {fresh}"), &["layouts"]);
        let other = text.split("[[candidate]]").nth(1).unwrap().replace("\"layouts\"\nc", "\"others\"\nc");
        let layouts = format!("layouts = {layouts:?}\ncopy = {fresh}\n");
        let text = format!("{text}{layouts}[[candidate]]{other}{layouts}");
        let entries = entries(&parsed(text));
        for entry in &entries {
            assert_eq!(entry.failure, None);
            let of_round = |round: &Vec<Sample>| round.iter().map(|s| s.counts["layout"]).collect::<Vec<_>>();
            let seen: Vec<u64> = entry.rounds.iter().flat_map(of_round).collect();
            let expected: Vec<u64> =
                (0..21).flat_map(|round| [(round / 2 % stats::MIN_LAYOUTS) as u64 + 1; 2]).collect();
            assert_eq!(seen, expected);
            assert_eq!((entry.layouts.len(), &entry.layouts[8][..]), (9, "python.layout-9"));
            assert_eq!(entry.replicates.len(), 9, "ten blocks: the first and the last are one");
        }
        // The worker of a block runs in both of its rounds.
        let paths = std::fs::read_to_string(folder.path().join("paths")).unwrap();
        let copies: BTreeSet<&str> = paths.lines().filter(|path| path.contains(".parcrypt-copy-")).collect();
        assert_eq!(copies.len(), if fresh { 2 * 11 } else { 0 }, "{paths}");
        assert!(!copies.iter().any(|copy| Path::new(copy).exists()));
    }
}

/// Each process runs a copy of its program, which is there as long as it runs.
#[test]
fn each_process_has_a_copy_of_its_program() {
    let folder = tempfile::tempdir().unwrap();
    let program = &layouts(folder.path(), 1)[0];
    let text = plan_text("rounds = 3\nsamples = 2\nsample-ms = 1", &["steady 1000"]);
    let text = text.replacen(PYTHON.split(',').next().unwrap(), &format!("{program:?}"), 1);
    let entries = entries(&parsed(format!("{text}copy = true\n")));
    assert_eq!((&entries[0].failure, entries[0].rounds.len()), (&None, 3));
    let paths = std::fs::read_to_string(folder.path().join("paths")).unwrap();
    let copies: BTreeSet<&str> = paths.lines().collect();
    let is_copy = |path: &&str| path.starts_with(&format!("{}.parcrypt-copy-", program.display()));
    assert!(copies.len() == 3 && copies.iter().all(is_copy), "{paths}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "the program and the file of paths");
    std::fs::remove_file(program).unwrap();
    let failure = self::entries(&parsed(format!("{text}copy = true\n")))[0].failure.clone().unwrap();
    assert_eq!(failure.kind, FailureKind::Unsupported, "{failure:?}");
    // What cannot be copied costs its entry, with the reason, and the others are measured. A folder is no program.
    std::fs::create_dir(program).unwrap();
    let other = plan_text("rounds = 3", &["steady 2000"]);
    let other = &other[other.find("[[candidate]]").unwrap()..];
    let entries = self::entries(&parsed(format!("{text}copy = true\n{other}")));
    let failure = entries[0].failure.as_ref().unwrap();
    assert_eq!(failure.kind, FailureKind::Crash, "{failure:?}");
    assert!(failure.why.contains("cannot be copied: "), "{failure:?}");
    assert_eq!((&entries[1].failure, entries[1].rounds.len()), (&None, 3));
}
