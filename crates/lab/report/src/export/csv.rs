//! Results of records as CSV (RFC 4180): a line for each entry.

use std::collections::BTreeMap;
use std::fmt::Display;

use super::json::{Case, Entry, RecordResults, Value};
use crate::format;

const HEADER: &str = "plan,workload,params,candidate,threads,role,baseline,unit,value,value_low,value_high,\
    ratio,ratio_low,ratio_high,verdict,replicates,no_result,labels,noise_floor,throughput,throughput_low,throughput_high,\
    speedup,speedup_low,speedup_high,step,step_low,step_high,counts,phases\n";

/// Returns the header and a line for each entry of all records.
pub(crate) fn results(records: &[RecordResults<'_>]) -> String {
    let mut out = HEADER.to_string();
    for record in records {
        for case in &record.cases {
            out.extend(case.entries.iter().map(|entry| line(record.plan, case, entry)));
        }
    }
    out
}

fn line(plan: &str, case: &Case<'_>, entry: &Entry<'_>) -> String {
    let role = format!("{:?}", entry.role).to_lowercase();
    let mut fields = vec![plan.to_string(), case.workload.to_string(), named(case.params)];
    fields.extend([entry.candidate.to_string(), entry.threads.to_string(), role, entry.baseline.to_string()]);
    fields.push(case.unit.clone());
    fields.extend(numbers(entry.value));
    fields.extend(numbers(entry.ratio));
    fields.push(entry.verdict.unwrap_or_default().to_string());
    fields.push(entry.value.map_or(String::new(), |value| value.replicates.to_string()));
    fields.push(entry.no_result.clone().unwrap_or_default());
    fields.extend([named(entry.labels), number(case.noise_floor)]);
    fields.extend([entry.throughput, entry.speedup, entry.step].into_iter().flat_map(numbers));
    fields.extend([named(entry.counts), named(entry.phases)]);
    fields.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(",") + "\n"
}

/// Returns names with their values as `name=value`, separated by spaces.
fn named<K: Display, V: Display>(all: &BTreeMap<K, V>) -> String {
    all.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// Returns an estimate with both ends of its interval; empty if there are none.
fn numbers(figure: Option<Value>) -> [String; 3] {
    [figure.map(|f| f.estimate), figure.and_then(|f| f.low), figure.and_then(|f| f.high)].map(number)
}

/// Returns an untrusted field on one line, in quotation marks if it needs them.
fn quoted(field: &str) -> String {
    let field = format::one_line(field);
    match field.contains([',', '"']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn fields_are_quoted_if_they_need_it() {
        assert_eq!(quoted("a b"), "a b");
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(quoted("a\r\nb\u{1b}"), "a  b ");
    }
}
