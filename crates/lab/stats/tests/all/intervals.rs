//! Intervals against known results.

use parcrypt_stats::{self as stats, Estimate, Interval};

#[test]
#[allow(clippy::approx_constant, reason = "a score of 3.14 is not pi")]
fn depression_scores_of_hollander_and_wolfe() {
    // Table 3.1 of the book: changes of nine patients. Estimate −0.46; for nine values the exact interval at 99 % has
    // critical value 1: it goes from the 2nd to the 44th of the 45 Walsh averages.
    let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
    let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    let changes: Vec<f64> = after.iter().zip(before).map(|(a, b)| a - b).collect();
    let estimate = stats::hodges_lehmann(&changes).unwrap();
    assert!((estimate.value - -0.46).abs() < 1e-9, "{estimate:?}");
    let mut walsh: Vec<f64> = (0..9)
        .flat_map(|i| (0..=i).map(move |j| (i, j)))
        .map(|(i, j)| (changes[i] + changes[j]) / 2.0)
        .collect();
    walsh.sort_by(f64::total_cmp);
    let interval = estimate.interval.unwrap();
    assert_eq!((interval.low, interval.high), (walsh[1], walsh[43]));
}

#[test]
fn eight_values_give_their_extremes() {
    let estimate = stats::hodges_lehmann(&[5.0, 3.0, 8.0, 1.0, 7.0, 2.0, 6.0, 4.0]).unwrap();
    let interval = estimate.interval.unwrap();
    assert_eq!((interval.low, estimate.value, interval.high, estimate.replicates), (1.0, 4.5, 8.0, 8));
    assert_eq!(stats::hodges_lehmann(&[5.0, 3.0, 8.0, 1.0, 7.0, 2.0, 6.0]).unwrap().interval, None);
}

#[test]
fn order_and_ties_do_not_matter() {
    let values = [2.0, 2.0, 2.0, 1.0, 3.0, 2.0, 2.0, 3.0, 1.0, 2.0];
    let estimate = stats::hodges_lehmann(&values);
    let mut turned = values;
    for _ in 0..values.len() {
        turned.rotate_left(3);
        turned.swap(0, 7);
        assert_eq!(stats::hodges_lehmann(&turned), estimate);
    }
    assert_eq!(estimate.unwrap().value, 2.0);
    let same = stats::hodges_lehmann(&[4.0; 12]).unwrap();
    assert_eq!((same.value, same.interval.unwrap().low, same.interval.unwrap().high), (4.0, 4.0, 4.0));
}

#[test]
fn a_value_that_is_not_a_number_has_no_estimate() {
    assert_eq!(stats::hodges_lehmann(&[]), None);
    assert_eq!(stats::hodges_lehmann(&[1.0, f64::NAN]), None);
    assert_eq!(stats::hodges_lehmann(&[1.0, f64::INFINITY]), None);
}

#[test]
fn a_confidence_sequence_is_wider_and_waits_for_its_next_look() {
    let values: Vec<f64> = (0..20).map(|i| f64::from(i * 7 % 20)).collect();
    let (fixed, at_17) =
        (stats::hodges_lehmann(&values[..17]).unwrap(), stats::anytime(&values[..17]).unwrap());
    let (inner, outer) = (fixed.interval.unwrap(), at_17.interval.unwrap());
    assert!(outer.low < inner.low && inner.high < outer.high);
    assert_eq!(stats::anytime(&values[..20]), Some(at_17), "the next look is at 21 values");
    assert_eq!(stats::anytime(&values[..8]).unwrap().interval, None);
    assert_eq!(stats::anytime(&[]), None);
}

#[test]
fn the_time_that_would_decide_grows_with_the_square_of_the_distance() {
    let estimate = |value: f64, half: f64| Estimate {
        value,
        interval: Some(Interval { low: value / half, high: value * half }),
        replicates: 20,
    };
    let growth = stats::growth_to_decide(&estimate(1.01, 1.02)).unwrap();
    assert!((growth - 4.0).abs() < 0.1, "{growth}");
    assert_eq!(stats::growth_to_decide(&estimate(1.02, 1.01)), None, "it is decided");
    assert_eq!(stats::growth_to_decide(&estimate(1.0, 1.01)), None, "it may never be");
}
