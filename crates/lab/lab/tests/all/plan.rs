//! Plans: their cases and entries, and the errors of wrong plans.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use parcrypt_lab::plan::{Choices, EntryPlan, Here, Matrix, Plan, PlanError};
use parcrypt_lab::record::{Role, Value};
use parcrypt_protocol::{Part, Refusal};

/// Answers for a program with one kernel, `k`, and one runtime, `r`.
fn check(entry: &EntryPlan) -> Result<Option<u64>, Refusal> {
    let refused = |part, why: String| Err(Refusal { part, why });
    let (workload, threads) = (entry.workload.as_str(), entry.threads);
    match (entry.command[3].as_str(), workload, entry.params.get("scale"), threads) {
        ("serial" | "r", "k", Some(Value::Number(scale @ ..=10)), ..=8) => Ok(Some(1024 << scale)),
        ("serial" | "r", "k", None, ..=8) => Ok(Some(0)),
        ("serial" | "r", "k", _, ..=8) => refused(Part::Workload, "scale is at most 10".to_owned()),
        ("serial" | "r", "k", ..) => refused(Part::Threads, format!("{threads} threads: at most 8")),
        ("serial" | "r", ..) => refused(Part::Workload, format!("no workload `{workload}`")),
        (runtime, ..) => refused(Part::Candidate, format!("no runtime `{runtime}`")),
    }
}

/// A place with six cores, 1 MiB of memory, and that program.
const HERE: Here<'static> =
    Here { cores: NonZeroUsize::new(6).unwrap(), memory: Some(1 << 20), program: Some("us"), check: &check };

const HEAD: &str = "schema = 2\ntitle = \"t\"\n";
const CASE: &str = "[[case]]\nworkload = \"k\"\n";
const US: &str = "[[candidate]]\nname = \"{runtime}\"\nruntime = [\"serial\", \"r\"]\n";

fn parse(text: &str) -> Result<Plan, PlanError> {
    Plan::parse(Path::new("p.toml"), "/".into(), text.to_owned())
}

fn matrix(text: &str, choices: &Choices) -> Result<Matrix, PlanError> {
    Matrix::new(&parse(text)?, choices, &HERE)
}

fn filter(conditions: &[&str]) -> Choices {
    Choices { filter: conditions.iter().map(|c| c.parse().unwrap()).collect(), ..Choices::default() }
}

fn entries(matrix: &Matrix) -> Vec<String> {
    let all = matrix.cases.iter().flat_map(|case| case.entries.iter().map(move |entry| (case, entry)));
    all.map(|(case, entry)| format!("{} / {} {}", case.name(), entry.candidate, entry.threads)).collect()
}

#[test]
fn lists_are_multiplied_out() {
    let text = format!("{HEAD}{CASE}params = {{ scale = [1, 2] }}\nthreads = [2, 1, 2]\n{US}");
    let found = matrix(&text, &Choices::default()).unwrap();
    let expected = |scale| {
        [("serial", 1), ("r", 1), ("r", 2)]
            .map(|(name, threads)| format!("k scale={scale} / {name} {threads}"))
    };
    assert_eq!(entries(&found), [expected(1), expected(2)].concat());
    assert_eq!((found.length.rounds, found.length.case), (None, Duration::from_secs(10)));
    let entry = &found.cases[1].entries[2];
    assert_eq!(entry.labels["runtime"], "r");
    assert_eq!(entry.params["scale"], Value::Number(2));
    assert_eq!(entry.command, ["us", "candidate", "--runtime", "r"]);
}

#[test]
fn an_idle_runtime_may_be_started() {
    let us = "[[candidate]]\nname = \"{runtime} {idle-runtime}\"\nruntime = \"r\"\nidle-runtime = [\"idle\", \"used\"]\n";
    let case = "throughput = true\ninput = { bytes = 8 }\nthreads = [2]\n";
    let found = matrix(&format!("{HEAD}{CASE}{case}{us}"), &Choices::default()).unwrap();
    assert_eq!(entries(&found), ["k / r idle 2", "k / r used 2"]);
    let case = &found.cases[0];
    assert!(case.throughput);
    assert_eq!(case.entries[1].command, ["us", "candidate", "--runtime", "r", "--idle-runtime", "used"]);
    assert_eq!(case.entries[1].labels["idle-runtime"], "used");
}

#[test]
fn threads_go_up_to_the_cores() {
    for line in ["", "threads = \"cores\"\n"] {
        let found = matrix(&format!("{HEAD}{CASE}{line}{US}"), &filter(&["runtime=r"])).unwrap();
        assert_eq!(entries(&found), ["k / r 1", "k / r 2", "k / r 4", "k / r 6"]);
    }
    let choices = Choices { threads: Some(vec![3]), ..filter(&["runtime=r"]) };
    for baseline in ["r", "serial"] {
        let text = format!("{HEAD}{CASE}baseline = \"{baseline}\"\n{US}");
        assert_eq!(entries(&matrix(&text, &choices).unwrap()), ["k / r 3"]);
    }
}

#[test]
fn entries_that_are_alive_at_once_fit_into_memory() {
    // An entry of ours takes 1 KiB << scale, and there is 1 MiB: two entries of scale 9 at once fit.
    let text = |scale: u32, threads: &str, turns: &str| {
        format!("{HEAD}{CASE}params = {{ scale = {scale} }}\nthreads = {threads}\n{turns}\n{US}")
    };
    let turns = "turns = \"threads\"";
    let groups = |text: &str, choices: &Choices| matrix(text, choices).map(|found| found.cases[0].groups());
    let all = Choices::default();
    assert_eq!(groups(&text(9, "[1, 2, 4]", turns), &all).unwrap(), [vec![0, 1], vec![2], vec![3]]);
    assert_eq!(groups(&text(1, "[1, 2, 4]", ""), &all).unwrap(), [[0, 1, 2, 3]]);
    assert_eq!(groups(&text(9, "[1]", ""), &all).unwrap(), [[0, 1]]);
    assert_eq!(groups(&text(9, "[1, 2]", ""), &filter(&["threads=1"])).unwrap(), [[0, 1]]);
    // A candidate with its own command needs its input.
    let them = "[[candidate]]\nname = \"x\"\ncommand = [\"x\"]\n";
    let input = format!("{HEAD}{CASE}input = {{ bytes = 1048577 }}\nthreads = [1]\n{US}{them}");
    all_refused(&[
        (
            text(9, "[1, 2, 4]", ""),
            &["4 entries of k scale=9 need 2 MiB of memory at once", turns, "--filter"],
        ),
        (text(9, "[1, 2]", ""), &["the 3 entries of k scale=9 need 1 MiB", "--filter"]),
        (
            text(10, "[1]", turns),
            &["2 entries of k scale=10 need 2 MiB", "size, or fewer entries by --filter"],
        ),
        (text(9, "[1]", "turns = \"sizes\""), &["all", "threads"]),
        (input, &["memory"]),
    ]);
}

#[test]
fn a_choice_without_the_baseline_takes_the_next_candidate_and_says_so() {
    let limit = "[[candidate]]\nname = \"best\"\nruntime = \"r\"\nlimit = true\n";
    let text = format!("{HEAD}{CASE}threads = [1, 2]\ncontrol = true\nbaseline = \"serial\"\n{limit}{US}");
    let first = text.replace("baseline = \"serial\"\n", "");
    let threads = |choices: Choices| Choices { threads: Some(vec![2]), ..choices };
    let replaced = |by: &str| format!("the baseline `serial` of `k` is left out: `{by}` takes its place");
    let left_out = "`serial` is left out of `k`: it cannot run on 2 threads";
    for (text, choices, baseline, notes) in [
        (&text, Choices::default(), "serial", vec![]),
        // Not the limit, which comes first, unless nothing else is left.
        (&text, filter(&["runtime=r"]), "r", vec![replaced("r")]),
        (&text, filter(&["candidate=best"]), "best", vec![replaced("best")]),
        (&text, threads(Choices::default()), "r", vec![left_out.to_owned(), replaced("r")]),
        // A candidate that the filter leaves out needs no reason.
        (&text, threads(filter(&["runtime=r"])), "r", vec![replaced("r")]),
        (&first, filter(&["candidate=r"]), "r", vec![]),
        (&first, filter(&["candidate=best"]), "best", vec![]),
    ] {
        let found = matrix(text, &choices).unwrap();
        let case = &found.cases[0];
        assert_eq!(case.entries[case.baseline].candidate, baseline);
        let control = case.entries.iter().find(|entry| entry.role == Role::Control).unwrap();
        assert_eq!(control.candidate, format!("{baseline} again"));
        assert_eq!(control.command, case.entries[case.baseline].command);
        assert_eq!(found.notes.into_iter().collect::<Vec<_>>(), notes);
    }
}

#[test]
fn commands_get_their_threads() {
    let them = "[[candidate]]\nname = \"mpi\"\ncommand = [\"mpiexec\", \"-n\", \"{threads}\", \"x\"]\nlimit = true\nworkload = \"other\"\nthreads = [4]\n";
    let found = matrix(&format!("{HEAD}{CASE}threads = [1, 4]\n{US}{them}"), &Choices::default()).unwrap();
    let entry = found.cases[0].entries.last().unwrap();
    assert_eq!(entry.command, ["mpiexec", "-n", "4", "x"]);
    assert_eq!((entry.role, entry.workload.as_str(), entry.threads), (Role::Limit, "other", 4));
}

#[test]
fn inputs_have_the_size_in_the_parameters() {
    let size = |entry: &str| {
        let text = format!("{HEAD}{CASE}params = {{ scale = 3 }}\ninput = {{ {entry} }}\n{US}");
        matrix(&text, &Choices::default()).map(|m| m.cases[0].input.unwrap())
    };
    assert_eq!(size("bytes = 32, times = \"2^scale\"").unwrap(), 256);
    assert_eq!(size("bytes = 32, times = \"scale\"").unwrap(), 96);
    assert_eq!(size("bytes = 32").unwrap(), 32);
    assert!(size("bytes = 32, times = \"2^size\"").unwrap_err().to_string().contains("`size`"));
    assert!(size("bytes = 9223372036854775807, times = \"scale\"").unwrap_err().to_string().contains("2^64"));
}

#[test]
fn filters_of_the_user_replace_the_plans_own() {
    let text = format!(
        "{}filter = [\"scale<=2\"]\n{CASE}params = {{ scale = [1, 2, 3, 99] }}\nthreads = [1]\n{US}",
        HEAD
    );
    let count = |conditions: &[&str]| matrix(&text, &filter(conditions)).map(|m| m.entries());
    assert_eq!(count(&[]).unwrap(), 4);
    assert_eq!(count(&["scale<=3"]).unwrap(), 6);
    assert_eq!(count(&["runtime=r"]).unwrap(), 2, "the plan's filter on another key stays");
    assert_eq!(count(&["scale=1|3", "candidate=r"]).unwrap(), 2);
    // 99 is too large for the host, which checks only entries that the filter selects.
    assert!(count(&["scale>3"]).unwrap_err().to_string().contains("at most 10"));
    let none = count(&["scale=1", "scale=2"]).unwrap_err().to_string();
    assert!(none.contains("--filter") && none.contains("no entry"), "{none}");
    let typo = count(&["scael=1"]).unwrap_err().to_string();
    assert!(typo.contains("`scael`") && typo.contains("scale"), "{typo}");
}

/// Checks that each text is refused with a message that has these parts.
fn all_refused(cases: &[(String, &[&str])]) {
    for (text, expected) in cases {
        let message = matrix(text, &Choices::default()).expect_err(text).to_string();
        for part in *expected {
            assert!(message.contains(part), "`{part}` is not in\n{message}\nfor\n{text}");
        }
    }
}

/// Checks the messages of wrong plans. Line numbers count from 1.
#[test]
fn mistakes_are_named_with_their_line() {
    let plan = |lines: &str| format!("{HEAD}{lines}\n{CASE}{US}");
    let case = |lines: &str| format!("{HEAD}{CASE}{lines}\n{US}");
    let named = |name: &str, lines: &str| format!("{HEAD}{CASE}[[candidate]]\nname = \"{name}\"\n{lines}\n");
    let command = |lines: &str| named("a", lines);
    let question = |from: &str, to: &str, rest: &str| {
        let question = format!("[[question]]\nask = \"q\"\nfrom = {{ {from} }}\nto = {{ {to} }}\n{rest}\n");
        format!("{HEAD}{CASE}params = {{ scale = 1 }}\n{US}labels = {{ kind = 'x' }}\n{question}")
    };
    let several = "p.toml:5: several cases have this title: write `{scale}` in it";
    let newer = "p.toml: a plan of schema 3, but this version reads schema 2";
    let labels = "no candidate has a label `runtme`: there are candidate, kind, runtime, threads";
    let keys = "candidate, evict, kind, runtime, scale, threads, workload";
    all_refused(&[
        (String::new(), &["p.toml", "schema = 2"]),
        ("schema = \"x\"".into(), &["schema = 2"]),
        ("schema = 0".into(), &["p.toml: a plan of schema 0, but this version reads schema 2"]),
        ("schema = 3\nnew-key = 1".into(), &[newer]),
        ("schema = 2\n[[[".into(), &["p.toml", "line 2"]),
        (format!("schema = 2\ntitle = \" \"\n{CASE}{US}"), &["p.toml:2", "the title is empty"]),
        (plan("[sampling]\nrounds = 0"), &["p.toml:4", "rounds is 0", "from 1"]),
        (plan("[sampling]\nsamples = -1"), &["line 4"]),
        (plan("[sampling]\nlimit-s = 999999"), &["p.toml:4", "limit-s"]),
        (
            plan("[sampling]\nsample-ms = 0.05"),
            &["p.toml:4", "sample-ms is 0.05: it must be from 0.1 to 60000"],
        ),
        (plan("[sampling]\nsample-ms = nan"), &["p.toml:4", "sample-ms is NaN"]),
        (plan("[sampling]\nseconds = inf"), &["p.toml:4", "seconds is inf"]),
        (plan("filter = [\"scale\"]"), &["p.toml: in `filter[0]`", "line 3", "no operator"]),
        (format!("{HEAD}{US}"), &["case"]),
        (format!("{HEAD}{CASE}"), &["candidate"]),
        (case("worklaod = \"k\""), &["line 5", "unknown field `worklaod`"]),
        (case("threads = [0]"), &["p.toml:5", "from 1"]),
        (case("threads = []"), &["p.toml:5", "from 1"]),
        (case("threads = \"all\""), &["p.toml:5", "\"cores\""]),
        (case("threads = [10000]\nbaseline = \"r\""), &["p.toml:4", "10000 threads"]),
        (case("threads = [2]\nbaseline = \"serial\""), &["p.toml:6", "baseline"]),
        (case("baseline = \"x\""), &["p.toml:5", "`x`", "serial, r"]),
        (case("candidates = [\"r\", \"y\"]"), &["p.toml:5", "`y`", "serial, r"]),
        (format!("{HEAD}[[case]]\nworkload = \"kk\"\n{US}"), &["p.toml:4", "`kk`"]),
        (format!("{HEAD}[[case]]\nworkload = \"\"\n{US}"), &["p.toml:4", "workload", "empty"]),
        (case("params = { scale = 11 }"), &["p.toml:4", "at most 10"]),
        (case("params = { scale = 1.5 }"), &["line 5", "expected a value"]),
        (case("params = { scale = [] }"), &["p.toml:4", "`scale` is empty"]),
        (case("throughput = true"), &["p.toml:4", "`throughput` needs an `input`"]),
        (case("title = \"\""), &["p.toml:5", "the title of the case is empty"]),
        (case("evict = \"0 MiB\""), &["p.toml:5: evict is \"0 MiB\": it must be a size above 0, such as"]),
        (case("evict = \"-1 MiB\""), &["p.toml:5: evict is \"-1 MiB\""]),
        (case("evict = \"much\""), &["p.toml:5: evict is \"much\""]),
        (case("evict = \"99999999999 GiB\""), &["p.toml:5: evict is \"99999999999 GiB\""]),
        (case("evict = 64"), &["p.toml: in `case[0].evict`: ", "expected a string"]),
        (case("params = { evict = 1 }"), &["p.toml:4", "`evict` is a key of the case"]),
        (command("command = [\"x\"]\nparams = { evict = 1 }"), &["p.toml:6", "`evict` is a key of cases"]),
        (
            case("evict = \"1 KiB\"\nthreads = [2]\nbaseline = \"r\""),
            &["p.toml:4", "`evict` is for", "one thread"],
        ),
        (
            case("evict = \"1 MiB\"\nthreads = [1]"),
            &["the 2 entries of k evict=1 MiB need 2 MiB", "1 MiB are available"],
        ),
        (
            case("title = '{size}'"),
            &["p.toml:5", "`{size}` in the title stands for no parameter of the case"],
        ),
        (case("title = 'x'\nparams = { scale = [1, 2] }"), &[several]),
        (case("") + "colour = 1\n", &["line 9", "in `candidate[0].colour`: ", "unknown field `colour`"]),
        (command("runtime = \"tbb\""), &["p.toml:6", "`tbb`"]),
        (command(""), &["p.toml:6", "either `runtime`"]),
        (command("command = []"), &["p.toml:6", "empty"]),
        (command("command = [\"x\"]\nbackend = \"avx2\""), &["p.toml:6", "`backend`"]),
        (command("command = [\"x\"]\nidle-runtime = \"idle\""), &["p.toml:6", "`idle-runtime`"]),
        (command("command = [\"x\"]\nthreads = [0]"), &["p.toml:6", "from 1"]),
        (command("command = [\"x\"]\nthreads = \"most\""), &["a list of numbers from 1, or \"max\""]),
        (command("runtime = [\"serial\", \"r\"]"), &["p.toml:6", "two candidates"]),
        (command("runtime = []"), &["p.toml:6", "`runtime` is empty"]),
        (command("command = 'sleep 1 \"x\"'"), &["line 7", "write command = [\"sleep\", \"1\", '\"x\"']"]),
        (command("command = \"\""), &["line 7", "[\"program\", \"argument\"]"]),
        (command("command = 7"), &["line 7", "a list of texts"]),
        (named("\\t", "runtime = \"r\""), &["p.toml:6", "candidate is empty"]),
        (named("{a}", "runtime = 'r'\nparams = { scale = 1 }"), &["p.toml:6", "`{a}`", "runtime, scale"]),
        (named("a {}", "command = [\"a\"]"), &["p.toml:6", "`{}`", "no labels"]),
        (question("", "", "at-most = 0"), &["p.toml:14", "`at-most`", "1.005"]),
        (question("", "", "only = ['x']"), &["p.toml: in `question[0].only[0]`", "line 14", "no operator"]),
        (
            question("", "", "").replace("[[candidate]]", &format!("{CASE}measure = 'n'\n[[candidate]]")),
            &["p.toml:", "cases that all have the same `measure`"],
        ),
        (question("", "", "").replace("\"q\"", "\"\""), &["p.toml:11", "question is empty"]),
        (question("runtme = 'r'", "", ""), &["p.toml:12", "'q'", labels]),
        (
            question("kind = 'x'", "runtime = 'o'", ""),
            &["p.toml:13", "runtime = \"o\"", "its values are r, serial"],
        ),
        (
            question("candidate = 'rr'", "", ""),
            &["p.toml:12", "no candidate is called `rr`: there are r, serial"],
        ),
        (question("threads = 'two'", "", ""), &["p.toml:12", "threads = \"two\""]),
        (question("", "", "only = [\n'threads=1',\n'scael=1']"), &["p.toml:16", "`scael`", keys]),
    ]);
    for right in [
        question("runtime = 'serial', threads = '1'", "candidate = 'r'", "only = ['scale=1', 'kind!=y']"),
        question("", "kind = 'x'", "only = ['workload=k']"),
    ] {
        matrix(&right, &Choices::default()).unwrap();
    }
}

#[test]
fn any_text_is_taken_or_refused_without_a_panic() {
    let whole = format!(
        "{HEAD}{CASE}params = {{ scale = [1, 2] }}\ninput = {{ bytes = 1, times = \"2^scale\" }}\n{US}"
    );
    for end in 0..=whole.len() {
        let _ = matrix(&whole[..end], &Choices::default());
        let mut changed = whole.clone().into_bytes();
        for with in [b'"', b'0', b'[', b'\n', b'{'] {
            if let Some(byte) = changed.get_mut(end) {
                *byte = with;
                let _ = matrix(&String::from_utf8_lossy(&changed), &Choices::default());
            }
        }
    }
}

#[test]
fn a_case_may_have_words_and_a_candidate_the_greatest_number_of_threads() {
    let case = |title: &str| {
        format!("{CASE}title = \"{title}\"\nparams = {{ scale = [1, 2] }}\nthreads = [1, 2, 4]\n")
    };
    let us = "[[candidate]]\nname = \"serial\"\nruntime = \"serial\"\n\
              [[candidate]]\nname = \"r\"\nruntime = \"r\"\nthreads = \"max\"\n";
    let found = matrix(&format!("{HEAD}{}{us}", case("sum of 2^{scale}")), &Choices::default()).unwrap();
    let titles: Vec<&str> = found.cases.iter().map(|case| case.title.as_str()).collect();
    assert_eq!(titles, ["sum of 2^1", "sum of 2^2"]);
    let expected = |scale| [("serial", 1), ("r", 4)].map(|(name, n)| format!("k scale={scale} / {name} {n}"));
    assert_eq!(entries(&found), [expected(1), expected(2)].concat());
    let two = Choices { threads: Some(vec![2, 1]), ..filter(&["scale=1"]) };
    let text = format!("{HEAD}{}{us}", case("{scale}"));
    assert_eq!(entries(&matrix(&text, &two).unwrap()), ["k scale=1 / serial 1", "k scale=1 / r 2"]);
}

#[test]
fn layouts_take_the_place_of_the_program() {
    let paths = |count: usize| (0..count).map(|i| format!("out/b.layout-{i}")).collect::<Vec<_>>();
    let candidate = |name: &str, first: &str, layouts: usize| {
        let command = format!("command = [\"{first}\", \"x\"]");
        format!("[[candidate]]\nname = \"{name}\"\n{command}\nlayouts = {:?}\n", paths(layouts))
    };
    let text = |more: &str| format!("{HEAD}{CASE}threads = [1]\n{}{more}", candidate("a", "b", 12));
    let found = matrix(&text(&candidate("none", "b", 0)), &Choices::default()).unwrap();
    assert_eq!(
        (&found.cases[0].entries[0].layouts, found.cases[0].entries[1].layouts.len()),
        (&paths(12), 0)
    );
    let other = candidate("c", "b", 12);
    let copy = |program: &str| text(&(candidate("c", program, 0) + "copy = true\n"));
    let of_runtime = other.replace("command = [\"b\", \"x\"]", "runtime = \"r\"");
    all_refused(&[
        (text(&candidate("c", "b", 8)), &["p.toml:11: `layouts` has 8: an interval needs at least 9"]),
        (text(&candidate("c", "b", 9)), &["p.toml:11: `layouts` has 9, but `a` of the same case has 12"]),
        (text(&candidate("c", "{program}", 12)), &["p.toml:11: ", "or of its first word, which cannot be"]),
        (text(&other.replace("out/b.layout-3", "")), &["p.toml:11: a path in `layouts` is empty"]),
        (text(&of_runtime), &["p.toml:11: `layouts` is for candidates with `command`"]),
        (copy("{program}"), &["p.toml:11: `copy` is for a program of its own by its path"]),
        (copy("python3"), &["p.toml:11: `copy` is for a program of its own by its path"]),
    ]);
}
