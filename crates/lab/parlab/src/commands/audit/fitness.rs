//! Whether this machine can show what a plan claims, by its audit.

use std::collections::BTreeMap;

use parcrypt_lab::audit::summary::Summary;
use parcrypt_lab::plan::{CasePlan, Matrix};
use parcrypt_lab::record::{Machine, Measure, Question};

/// Returns a warning for each class of cases in which the smallest difference that the lab finds here is greater than
/// what the plan claims, or not known.
pub(crate) fn warnings(
    questions: &[Question],
    matrix: &Matrix,
    audit: &Summary,
    machine: &Machine,
) -> Vec<String> {
    let closest = |a: Option<f64>, b: f64| Some(a.map_or(b, |a: f64| a.min(b)));
    // A claim of equality would need an interval of length 0, which no machine has.
    let margin = |ratio: f64| Some((ratio.ln().abs()).exp_m1()).filter(|margin| *margin > 0.0);
    let asked = questions.iter().filter_map(|question| margin(question.at_most?)).reduce(f64::min);
    let mut claims: BTreeMap<&str, f64> = BTreeMap::new();
    for case in matrix.cases.iter().filter(|case| case.measure == Measure::Time) {
        let claim = [asked, case.least_speed.and_then(margin)].into_iter().flatten().fold(None, closest);
        let Some(claim) = claim else { continue };
        for class in classes(case, machine) {
            let least = claims.entry(class).or_insert(claim);
            *least = least.min(claim);
        }
    }
    let warning = |(class, claim): (&str, f64)| {
        let claim = 100.0 * claim;
        let (percent, seconds) = smallest(audit, class)?;
        let found = match percent.is_finite() {
            true => format!("finds {percent:.2} % and more in trials of {seconds} s"),
            false => format!("has trials of {seconds} s without an interval"),
        };
        (percent > claim).then(|| {
            format!(
                "this machine is not fit for what the plan claims: {}; the plan claims {claim:.2} %, and the audit of \
                 {} {found}. Give it more time (--for), or another machine",
                about(class),
                audit.started.split('T').next().unwrap_or_default(),
            )
        })
    };
    claims.into_iter().filter_map(warning).collect()
}

fn about(class: &str) -> &'static str {
    match class {
        "compute" => "work on one thread that fits into the first caches",
        "cache" => "work on one thread in the last caches",
        "memory" => "work on one thread that reads memory",
        _ => "work on several threads",
    }
}

/// Returns the classes whose limits the entries of a case probably have.
fn classes(case: &CasePlan, machine: &Machine) -> Vec<&'static str> {
    let cache =
        |level: &str| machine.caches.iter().find(|(name, _)| name.starts_with(level)).map(|cache| cache.1);
    let bytes = case.input.map_or(0, |input| input.bytes);
    let last = ["L4", "L3", "L2"].iter().find_map(|level| cache(level)).unwrap_or(u64::MAX);
    let nearest = machine.caches.iter().find(|(name, _)| name == "L1d").map_or(32 << 10, |cache| cache.1);
    let alone = match bytes {
        _ if bytes > last => "memory",
        _ if bytes > nearest => "cache",
        _ => "compute",
    };
    let mut found = Vec::new();
    if case.entries.iter().any(|entry| entry.threads == 1) {
        found.push(alone);
    }
    if case.entries.iter().any(|entry| entry.threads > 1) {
        found.push("threads");
    }
    found
}

/// Returns the smallest difference in per cent for a class, and the time of its trials; for `threads` the greater of
/// its runtimes'.
fn smallest(audit: &Summary, class: &str) -> Option<(f64, f64)> {
    let names = audit.classes.iter().map(|one| one.class.as_str());
    let these = names.filter(|name| *name == class || (class == "threads" && name.starts_with("threads-")));
    these.filter_map(|name| audit.smallest(name)).max_by(|a, b| a.0.total_cmp(&b.0))
}

#[cfg(test)]
mod tests;
