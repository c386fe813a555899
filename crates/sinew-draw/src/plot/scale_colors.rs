//! The colour scale: dark for small values, bright for large ones.

/// Evenly spaced points of the viridis scale. Its brightness increases evenly, also for colour-blind readers and in
/// print.
const POINTS: [[u8; 3]; 9] = [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
];

/// Returns the colour at a fraction of the scale, clamped to 0 to 1.
pub(crate) fn scale_color(share: f64) -> [u8; 3] {
    let last = POINTS.len() - 1;
    let share = if share > 0.0 { share.min(1.0) } else { 0.0 };
    let position = share * last as f64;
    let from = (position as usize).min(last - 1);
    let fraction = position - from as f64;
    let (low, high) = (POINTS[from], POINTS[from + 1]);
    std::array::from_fn(|channel| {
        let (low, high) = (f64::from(low[channel]), f64::from(high[channel]));
        libm::round(low + (high - low) * fraction) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_kept_and_brightness_rises() {
        assert_eq!(scale_color(f64::NAN), POINTS[0]);
        assert_eq!(scale_color(-1.0), POINTS[0]);
        assert_eq!(scale_color(2.0), POINTS[8]);
        let luma =
            |[r, g, b]: [u8; 3]| 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b);
        let steps: Vec<u32> = (0..=100)
            .map(|i| luma(scale_color(f64::from(i) / 100.0)))
            .collect();
        assert!(steps.is_sorted());
        assert!(steps[100] > steps[0] + 150_000);
    }
}
