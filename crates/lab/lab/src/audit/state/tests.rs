use super::*;
use crate::audit::Called;

fn header() -> Header {
    let text = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    Header {
        audit: SCHEMA,
        started: "2026-01-01T00:00:00Z".to_owned(),
        machine: Machine { processor: "P".to_owned(), cores: 2, ..Machine::default() },
        build: [text("commit", "abc")].into(),
        method: crate::METHOD,
        classes: [text("compute", "work")].into(),
    }
}

fn trial(planted: f64) -> Trial {
    Trial {
        class: "compute".to_owned(),
        planted,
        seconds: 2.0,
        started: String::new(),
        took_s: 2.1,
        rounds: 24,
        replicates: 12,
        estimate: 1.01,
        interval: Some([1.0, 1.02]),
        called: Called::NoDifference,
        error: 0.01,
        half_widths: vec![(1.0, 0.01)],
    }
}

struct Place {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/audit.json");
    Place { _folder: folder, path }
}

#[test]
fn trials_are_kept_and_continued() {
    let place = place();
    for planted in [0.0, 0.5, 1.0] {
        let mut state = State::open(&place.path, &header(), false).unwrap();
        state.append(Line::Trial(trial(planted))).unwrap();
        assert_eq!(state.torn, 0);
    }
    let carry = CarryOver {
        class: "compute".to_owned(),
        sample_ms: 4.0,
        seconds: 10.0,
        started: String::new(),
        took_s: 10.0,
        same_program: vec![0.1],
        other_program: vec![-0.25],
        other_against_itself: vec![],
    };
    let mut later = header();
    later.started = "2027-01-01T00:00:00Z".to_owned();
    let mut state = State::open(&place.path, &later, false).unwrap();
    state.append(Line::CarryOver(carry.clone())).unwrap();
    assert_eq!(state.trials.header, header(), "the first beginning is kept");
    drop(state);
    let read = Trials::read(&place.path).unwrap();
    assert_eq!(read.planted, [0.0, 0.5, 1.0].map(trial));
    assert_eq!((read.carry_over, read.header), (vec![carry], header()));
}

/// Cuts the file after each byte, as a killed process or a full disk may leave it.
#[test]
fn a_torn_last_line_is_removed_wherever_it_ends() {
    let place = place();
    let mut state = State::open(&place.path, &header(), false).unwrap();
    state.append(Line::Trial(trial(0.0))).unwrap();
    state.append(Line::Trial(trial(0.5))).unwrap();
    drop(state);
    let whole = std::fs::read(&place.path).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|i| whole[*i] == b'\n').map(|i| i + 1).collect();
    for cut in 0..=whole.len() {
        std::fs::write(&place.path, &whole[..cut]).unwrap();
        let kept = ends.iter().filter(|end| **end <= cut).count().saturating_sub(1);
        if kept > 0 {
            assert_eq!(Trials::read(&place.path).unwrap().planted.len(), kept, "{cut}");
        }
        let mut state = State::open(&place.path, &header(), false).unwrap();
        assert_eq!(state.trials.planted.len(), kept, "{cut}");
        let left = ends.iter().rev().find(|end| **end <= cut).map_or(0, |end| cut - end);
        assert_eq!(state.torn, if cut < ends[0] { 0 } else { left }, "{cut}");
        state.append(Line::Trial(trial(1.0))).unwrap();
        drop(state);
        assert_eq!(Trials::read(&place.path).unwrap().planted.last(), Some(&trial(1.0)), "{cut}");
    }
}

#[test]
fn another_machine_build_or_work_is_refused_and_fresh_starts_over() {
    let place = place();
    State::open(&place.path, &header(), false).unwrap().append(Line::Trial(trial(0.0))).unwrap();
    let changed = |change: &dyn Fn(&mut Header)| {
        let mut header = header();
        change(&mut header);
        State::open(&place.path, &header, false).unwrap_err().to_string()
    };
    for (change, part) in [
        (
            &(|h: &mut Header| h.machine.processor = "Q".to_owned()) as &dyn Fn(&mut Header),
            "another processor: P",
        ),
        (&|h: &mut Header| h.machine.cores = 4, "another number of cores: 2 there, 4 here"),
        (&|h: &mut Header| h.machine.caches.push(("L1d".to_owned(), 7)), "another cache"),
        (&|h: &mut Header| h.method += 1, "method of the lab"),
        (
            &|h: &mut Header| _ = h.build.insert("profile".to_owned(), "x".to_owned()),
            "another build:  there, x here",
        ),
        (&|h: &mut Header| _ = h.classes.insert("compute".to_owned(), "less".to_owned()), "another work"),
    ] {
        let said = changed(change);
        assert!(said.contains(part) && said.contains("--fresh"), "{said}");
    }
    assert_eq!(Trials::read(&place.path).unwrap().planted.len(), 1, "a refused file stays as it is");
    let mut other = header();
    other.machine.cores = 4;
    let state = State::open(&place.path, &other, true).unwrap();
    assert!(state.trials.planted.is_empty());
    drop(state);
    assert_eq!(Trials::read(&place.path).unwrap().header, other);
}

#[test]
fn a_file_that_is_not_ours_is_never_changed() {
    let place = place();
    std::fs::create_dir_all(place.path.parent().unwrap()).unwrap();
    for text in ["my notes", "my notes\nmore\n", "{\"schema\":2}\n", "\n", "{\"audit\":1}\n"] {
        std::fs::write(&place.path, text).unwrap();
        for fresh in [false, true] {
            let said = State::open(&place.path, &header(), fresh).unwrap_err();
            assert!(matches!(said, StateError::Line { line: 1, .. }), "{said}");
            assert_eq!(std::fs::read_to_string(&place.path).unwrap(), text);
        }
    }
    let torn_inside = format!("{}\nnonsense\n", serde_json::to_string(&header()).unwrap());
    std::fs::write(&place.path, torn_inside).unwrap();
    assert!(matches!(
        State::open(&place.path, &header(), false).unwrap_err(),
        StateError::Line { line: 2, .. }
    ));
}

#[test]
fn another_schema_says_so_and_can_be_started_over() {
    let place = place();
    std::fs::create_dir_all(place.path.parent().unwrap()).unwrap();
    std::fs::write(&place.path, "{\"audit\":9,\"new\":true}\n").unwrap();
    let said = State::open(&place.path, &header(), false).unwrap_err();
    assert!(matches!(said, StateError::Schema { found: 9, .. }), "{said}");
    assert!(State::open(&place.path, &header(), true).unwrap().trials.planted.is_empty());
}

#[test]
fn two_audits_cannot_write_at_once() {
    let place = place();
    let first = State::open(&place.path, &header(), false).unwrap();
    assert!(matches!(State::open(&place.path, &header(), true).unwrap_err(), StateError::Locked { .. }));
    drop(first);
    State::open(&place.path, &header(), false).unwrap();
}
