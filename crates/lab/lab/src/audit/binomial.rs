//! Exact bounds for a share of trials, from the binomial distribution.
//!
//! Source: C. J. Clopper and E. S. Pearson, 'The use of confidence or fiducial limits illustrated in the case of the
//! binomial', Biometrika 26 (1934) 404–413.

use statrs::function::beta::beta_reg;

/// Returns P(X ≥ `count`) for the number X of successes in `trials` trials, each with probability `share`.
pub(super) fn tail_from(count: usize, trials: usize, share: f64) -> f64 {
    match (count, share) {
        (0, _) => 1.0,
        _ if count > trials || share <= 0.0 => 0.0,
        _ if share >= 1.0 => 1.0,
        // A sum of the tail by the beta function, whose relative error does not grow with the number of trials.
        _ => beta_reg(count as f64, (trials - count + 1) as f64, share),
    }
}

/// Returns the upper bound of Clopper and Pearson: the largest probability at which `count` or fewer successes in
/// `trials` trials are as likely as 1 − `confidence`. 1 without trials.
pub(super) fn greatest_share(count: usize, trials: usize, confidence: f64) -> f64 {
    if count >= trials {
        return 1.0;
    }
    // P(X ≤ count) falls with the share.
    bisect(|share| tail_from(count + 1, trials, share) < confidence)
}

/// Returns the lower bound of Clopper and Pearson: the smallest probability at which `count` or more successes in
/// `trials` trials are as likely as 1 − `confidence`. 0 without successes.
pub(super) fn least_share(count: usize, trials: usize, confidence: f64) -> f64 {
    1.0 - greatest_share(trials.saturating_sub(count), trials, confidence)
}

/// Returns where a condition that holds at 0 ceases to hold.
fn bisect(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    // Each step gives a bit of a number with 53 of them.
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if holds(middle) { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-7
    }

    #[test]
    fn tails_match_small_cases() {
        for (count, expected) in [(0, 1.0), (1, 0.875), (2, 0.5), (3, 0.125), (4, 0.0)] {
            assert!(close(tail_from(count, 3, 0.5), expected), "{count}");
        }
        assert_eq!((tail_from(1, 5, 0.0), tail_from(5, 5, 1.0), tail_from(0, 0, 0.3)), (1.0 - 1.0, 1.0, 1.0));
        // 1 − 0.99^n.
        assert!(close(tail_from(1, 50, 0.01), 1.0 - 0.99f64.powi(50)));
        // P(X ≥ 17) for 1,000 trials at 1 %, near the Poisson distribution of mean 10, if it is 0.0270.
        let many = tail_from(17, 1000, 0.01);
        assert!((0.025..0.028).contains(&many), "{many}");
    }

    /// Without successes the upper bound is 1 − (1 − confidence)^(1/n). The others are the two-sided bounds at 95 %
    /// that tables list, each at half the error.
    #[test]
    fn bounds_match_the_formula_and_the_tables() {
        for trials in [1, 10, 50, 1000] {
            let exact = 1.0 - 0.01f64.powf(1.0 / trials as f64);
            assert!(close(greatest_share(0, trials, 0.99), exact), "{trials}");
            assert!(close(least_share(trials, trials, 0.99), 1.0 - exact), "{trials}");
        }
        for (count, trials, least, greatest) in [
            (1, 10, 0.0025, 0.4450),
            (5, 10, 0.1871, 0.8129),
            (9, 10, 0.5550, 0.9975),
            (10, 100, 0.0490, 0.1762),
        ] {
            let found = (least_share(count, trials, 0.975), greatest_share(count, trials, 0.975));
            assert!((found.0 - least).abs() < 5e-5 && (found.1 - greatest).abs() < 5e-5, "{found:?}");
        }
        assert_eq!(
            (greatest_share(0, 0, 0.99), greatest_share(3, 3, 0.99), least_share(0, 3, 0.99)),
            (1.0, 1.0, 0.0)
        );
        assert_eq!(least_share(0, 0, 0.99), 0.0);
    }

    #[test]
    fn bounds_are_where_the_tail_has_the_error() {
        for (count, trials) in [(1, 50), (16, 1000), (9, 10), (95, 100)] {
            let greatest = greatest_share(count, trials, 0.99);
            assert!(close(1.0 - tail_from(count + 1, trials, greatest), 0.01), "{count} of {trials}");
            let least = least_share(count, trials, 0.99);
            assert!(close(tail_from(count, trials, least), 0.01), "{count} of {trials}");
        }
    }
}
