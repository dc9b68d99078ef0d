//! Records as files: of other schemas, wrong, and those that are published, which are thinned and compressed.

use std::path::{Path, PathBuf};

use parcrypt_lab::plan::Plan;
use parcrypt_lab::record::Record;
use parcrypt_lab::stats;

/// A full record with parts, a total, a level, a missing sample and an entry without rounds.
const FULL: &str = r#"{"schema":3,"plan":"p","title":"","about":"","plan_text":"","command":[],"started":"","took_s":0,
"partial":null,"rounds":2,"machine":{"processor":"","arch":"","cores":1,"memory":0,"backends":[],
"caches":[],"system":"","virtual_machine":false},"build":{},"questions":[],"cases":[{"workload":"w","params":{},
"input_bytes":0,"input_digest":"","baseline":0,"entries":[{"candidate":"a","labels":{},"threads":1,"role":"candidate",
"command":[],"ready":null,"digest":null,"failure":null,"rounds":[[
{"iterations":3,"elapsed_ns":100,"phases":{"x":10,"y":7},"counts":{"n":9,"peak-bytes":5}},
{"iterations":3,"elapsed_ns":101,"phases":{"x":12},"counts":{"n":10,"peak-bytes":8}}],
[{"iterations":3,"elapsed_ns":107,"phases":{"x":1},"counts":{"n":11,"peak-bytes":6}}]]},
{"candidate":"b","labels":{},"threads":1,"role":"candidate","command":[],"ready":null,"digest":null,"failure":null,
"rounds":[[{"iterations":1,"elapsed_ns":70}],[]]},
{"candidate":"c","labels":{},"threads":1,"role":"candidate","command":[],"ready":null,"digest":null,"failure":null}]}]}"#;

fn write(folder: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("record.json");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_replicate_has_medians_of_times_and_parts_and_the_greatest_level() {
    let folder = tempfile::tempdir().unwrap();
    let entry = &Record::read(&write(&folder, FULL)).unwrap().cases[0].entries[0];
    let kept = &entry.replicates;
    assert_eq!((entry.rounds_done(), kept.len()), (2, 2), "of two rounds each is a replicate");
    // Only the first turn of the first round has both entries; the second round has one.
    for (found, value, x) in [(&kept[0], 100.0 / 3.0, 11.0 / 3.0), (&kept[1], 107.0 / 3.0, 1.0 / 3.0)] {
        let both = [found.value.unwrap() - value, found.phases["x"] - x];
        assert!(both.iter().all(|difference| difference.abs() < 1e-9), "{found:?}");
    }
    assert_eq!([0, 1].map(|round| kept[round].samples), [2, 1]);
    assert_eq!(stats::counts(entry)["peak-bytes"], 8.0);
}

#[test]
fn a_wrong_record_is_named_with_its_field() {
    let folder = tempfile::tempdir().unwrap();
    for (old, new, part) in [
        (r#"{"schema":3"#, r#"{"schema":2"#, "a record of schema 2, but this version reads schema 3"),
        (r#"{"schema":3"#, r#"{"schema":4"#, "a record of schema 4, but this version reads schema 3"),
        (r#""workload":"w""#, r#""workload":"w","least_speed":1"#, "cases[0].least_speed: unknown field"),
        (r#""rounds":[[{"#, r#""rounds":[[{"delay":1,"#, "entries[1].rounds[0][0].delay: unknown field"),
        (r#"{"schema":3"#, "", "record.json: not a record of the lab, or cut short"),
        (r#""plan":"p""#, r#""plan":7"#, "plan: invalid type: integer `7`, expected a string"),
        (
            r#""iterations":1,"#,
            r#""iterations":-1,"#,
            "cases[0].entries[1].rounds[0][0].iterations: invalid value",
        ),
        (r#""iterations":1,"#, r#""iterations":0,"#, "cases[0].entries[1]: a sample has 0 iterations"),
        (r#""baseline":0"#, r#""baseline":3"#, "cases[0]: baseline is 3, but there are 3 entries"),
        (
            r#""rounds":[[{"#,
            r#""thinned":{"rounds":[],"samples":""},"rounds":[[{"#,
            "cases[0].entries[1]: it has both samples",
        ),
        (
            r#""failure":null}]"#,
            r#""failure":null,"thinned":{"rounds":[{"samples":1,"value":0}],"samples":""}}]"#,
            "cases[0].entries[2]: a median is not a number above 0",
        ),
    ] {
        assert!(FULL.contains(old), "{old}");
        let message = Record::read(&write(&folder, &FULL.replacen(old, new, 1))).unwrap_err().to_string();
        assert!(message.contains(part), "`{part}` is not in\n{message}");
    }
    let path = folder.path().join("zero.json");
    std::fs::write(&path, [0x1f, 0x8b, 8, 0]).unwrap();
    assert!(Record::read(&path).unwrap_err().to_string().contains("zero.json"));
}

/// Checks that the records of the repository can be read, are small, and contain plans that this version can run.
#[test]
fn the_published_records_and_their_plans_can_be_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/results");
    let mut bytes = 0;
    let mut records = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(!name.ends_with(".json"), "{name} is not compressed");
        if !name.ends_with(".json.gz") {
            continue;
        }
        let record = Record::read(&path).unwrap();
        // Some plans have a key of an earlier version.
        if let Err(error) = Plan::parse(&path, "/".into(), record.plan_text)
            && !["`least-speed`", "`figures-by`"].iter().any(|key| error.to_string().contains(key))
        {
            panic!("{error}");
        }
        bytes += path.metadata().unwrap().len();
        records += 1;
    }
    assert!(records > 0 && bytes <= 3 << 20, "{records} records have {bytes} bytes, of 3 MiB");
}
