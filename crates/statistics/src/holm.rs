//! Holm's correction: several p of one family, made such that the chance of one false alarm among all is
//! kept.
//!
//! S. Holm: *A Simple Sequentially Rejective Multiple Test Procedure*, Scandinavian Journal of Statistics
//! 6(2), 1979. It assumes nothing about how the tests depend on each other.

use crate::StatisticsError;

/// The corrected p, each in its old place. None gets smaller, and their order stays.
pub fn holm(p: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    if let Some(value) = p.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(StatisticsError::OutOfRange {
            name: "p",
            value: value.to_string(),
            range: "between 0 and 1",
        });
    }
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut corrected = vec![0.0; p.len()];
    let mut largest = 0.0_f64;
    for (before, &place) in order.iter().enumerate() {
        largest = largest.max(p[place] * (p.len() - before) as f64).min(1.0);
        corrected[place] = largest;
    }
    Ok(corrected)
}
