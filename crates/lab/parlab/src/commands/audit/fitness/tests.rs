use parcrypt_lab::audit::summary::{ClassSummary, Smallest};
use parcrypt_lab::plan::{Choices, Plan};

use super::*;
use crate::program::here;

fn machine() -> Machine {
    let caches = [("L1d", 32 << 10), ("L2", 1 << 20), ("L3", 32 << 20)];
    Machine { caches: caches.map(|(name, bytes)| (name.to_owned(), bytes)).to_vec(), ..Machine::default() }
}

fn audit(found: &[(&str, Option<f64>)]) -> Summary {
    let class = |(name, percent): &(&str, Option<f64>)| ClassSummary {
        class: (*name).to_owned(),
        about: String::new(),
        null: Vec::new(),
        planted: Vec::new(),
        widths: Vec::new(),
        smallest: vec![
            Smallest { seconds: 2.0, percent: Some(50.0), trials: 50 },
            Smallest { seconds: 10.0, percent: *percent, trials: 40 },
        ],
    };
    Summary {
        started: "2026-01-01T00:00:00Z".to_owned(),
        machine: machine(),
        version: String::new(),
        commit: String::new(),
        classes: found.iter().map(class).collect(),
        carry_over: Vec::new(),
    }
}

fn said(scale: u32, threads: &str, claims: &str, question: &str, audit: &Summary) -> Vec<String> {
    let text = format!(
        "schema = 2\ntitle = \"t\"\n[[case]]\nworkload = \"sum\"\nparams = {{ scale = {scale} }}\nthreads = {threads}\n\
         input = {{ bytes = 1, times = \"2^scale\" }}\n{claims}\n[[candidate]]\nname = \"a\"\n\
         command = [\"./a\"]\n[[candidate]]\nname = \"b\"\ncommand = [\"./b\"]\n{question}"
    );
    let plan = Plan::parse("p.toml".as_ref(), ".".into(), text).unwrap();
    let matrix = Matrix::new(&plan, &Choices::default(), &here(None, &|_| Ok(None))).unwrap();
    warnings(plan.questions(), &matrix, audit, &machine())
}

const AT_MOST: &str =
    "[[question]]\nask = \"q\"\nfrom = { candidate = \"a\" }\nto = { candidate = \"b\" }\nat-most = 1.005\n";

#[test]
fn a_claim_below_the_smallest_difference_is_warned_of_by_class() {
    let audit = audit(&[
        ("compute", Some(0.3)),
        ("cache", Some(0.8)),
        ("memory", Some(2.0)),
        ("threads-rayon", Some(0.4)),
    ]);
    assert_eq!(said(10, "[1]", "", AT_MOST, &audit), [] as [String; 0]);
    for (scale, part) in [(18, "0.80 %"), (26, "2.00 %")] {
        let said = said(scale, "[1]", "", AT_MOST, &audit);
        assert_eq!(said.len(), 1);
        assert!(
            said[0].contains(part) && said[0].contains("claims 0.50 %") && said[0].contains("10 s"),
            "{said:?}"
        );
    }
    assert_eq!(said(26, "[2]", "", AT_MOST, &audit), [] as [String; 0]);
    assert_eq!(said(26, "[1, 2]", "", AT_MOST, &audit).len(), 1);
}

#[test]
fn least_speed_is_a_claim_too_and_equality_is_none() {
    let audit = audit(&[("compute", Some(3.0)), ("threads-rayon", Some(0.1)), ("threads-openmp", None)]);
    let slow = said(10, "[1]", "least-speed = 0.98", "", &audit);
    assert!(slow[0].contains("claims 2.04 %") && slow[0].contains("3.00 %"), "{slow:?}");
    assert!(said(10, "[1]", "least-speed = 0.9", "", &audit).is_empty());
    assert!(said(10, "[1]", "", "", &audit).is_empty());
    assert!(said(10, "[1]", "least-speed = 1.0", "", &audit).is_empty());
    // A runtime whose trials had no interval shows nothing.
    let none = said(10, "[2]", "least-speed = 0.5", "", &audit);
    assert!(none[0].contains("without an interval"), "{none:?}");
}

#[test]
fn what_the_audit_did_not_try_is_not_warned_of() {
    assert!(said(26, "[1, 2]", "", AT_MOST, &audit(&[("compute", Some(9.0))])).is_empty());
    assert!(said(26, "[1, 2]", "", AT_MOST, &audit(&[])).is_empty());
}
