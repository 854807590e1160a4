//! Figures from repeated measurements: median and spread, because machines are noisy.

/// The middle value (the mean of the two middle ones if their number is even); 0 for no values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

/// Lower and upper quartile, by nearest rank.
pub fn quartiles(values: &[f64]) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = |quarters: usize| (sorted.len() * quarters).div_ceil(4).saturating_sub(1);
    match sorted.is_empty() {
        true => (0.0, 0.0),
        false => (sorted[rank(1)], sorted[rank(3)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_does_not_care_about_outliers() {
        assert_eq!(median(&[3.0, 1.0, 1000.0]), 3.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 100.0]), 3.0);
        assert_eq!(median(&[]), 0.0);
    }

    #[test]
    fn quartiles_enclose_the_middle_half() {
        let values: Vec<f64> = (1..=8).rev().map(f64::from).collect();
        assert_eq!(quartiles(&values), (2.0, 6.0));
        assert_eq!(quartiles(&[5.0]), (5.0, 5.0));
    }
}
