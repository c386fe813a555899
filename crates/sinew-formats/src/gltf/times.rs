//! Detection of evenly spaced times.
//!
//! glTF lists the time of every key and has no frame rate. Captured motion has a key on every frame: if times match a
//! rate to the last bit of `f32`, they are kept as that rate.

/// Maximum relative deviation of times from those of the rate by accumulated `f32` rounding, as from multiplying by a
/// rounded 1/rate.
const ROUNDING: f64 = 2.4e-7;

/// Below one key per second, keys are listed. Whether keys are the frames of a clip is decided from all its channels,
/// elsewhere.
const MIN_RATE: f64 = 1.0;

/// Decimal approximations of 1000/1001 rates.
pub(super) const DECIMAL: [f64; 7] = [11.988, 14.985, 23.976, 29.97, 47.952, 59.94, 119.88];

/// Returns the keys per second of times that begin at 0 and are evenly spaced. `written` is the rate that the file
/// states, used if it matches.
pub(super) fn rate(times: &[f32], written: Option<f64>) -> Option<f64> {
    if let Some(rate) = written
        && rate.is_finite()
        && rate > 0.0
        && is_exact(times, rate)
    {
        return Some(rate);
    }
    let (&first, &last) = (times.first()?, times.last()?);
    if first != 0.0 || times.len() < 2 || last <= 0.0 {
        return None;
    }
    let mean = (times.len() - 1) as f64 / f64::from(last);
    if mean < MIN_RATE * (1.0 - ROUNDING) {
        return None;
    }
    let near = |rate: &f64| (rate - mean).abs() <= mean * ROUNDING;
    let common = [
        libm::rint(mean),
        libm::rint(mean * 1.001) * 1000.0 / 1001.0,
        libm::rint(mean * 2.0) * 0.5,
    ];
    let common = || common.into_iter().chain(DECIMAL).filter(near);
    let exact = common().find(|&rate| is_exact(times, rate));
    let close = || common().find(|&rate| is_close(times, rate));
    // Two keys are always evenly spaced.
    let other = || (times.len() > 2 && is_close(times, mean)).then_some(mean);
    exact.or_else(close).or_else(other)
}

fn is_exact(times: &[f32], rate: f64) -> bool {
    let mut keys = times.iter().enumerate();
    keys.all(|(key, &time)| time == (key as f64 / rate) as f32)
}

fn is_close(times: &[f32], rate: f64) -> bool {
    let mut keys = times.iter().enumerate();
    keys.all(|(key, &time)| {
        let expected = key as f64 / rate;
        (f64::from(time) - expected).abs() <= expected * ROUNDING
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn times(rate: f64, count: usize) -> Vec<f32> {
        (0..count).map(|key| (key as f64 / rate) as f32).collect()
    }

    #[test]
    fn uneven_times_have_no_rate() {
        for uneven in [
            &[][..],
            &[0.0],
            &[0.0, 0.0],
            &[0.5],
            &[1.0, 2.0, 3.0],
            &[0.0, 1.25],
            &[0.0, 2.0, 4.0],
            &[0.0, 0.1, 0.3],
            &[0.0, 0.25, 0.5, 0.75001],
        ] {
            assert_eq!(rate(uneven, None), None, "{uneven:?}");
            assert_eq!(rate(uneven, Some(f64::NAN)), None, "{uneven:?}");
        }
        assert_eq!(rate(&[0.0, 0.1, 0.3], Some(10.0)), None);
    }

    #[test]
    fn times_that_were_multiplied_in_single_precision_have_a_rate() {
        for frame_rate in [24.0_f32, 30.0, 60.0, 120.0] {
            let step = 1.0 / frame_rate;
            let times: Vec<f32> = (0..5000).map(|key| key as f32 * step).collect();
            assert_eq!(rate(&times, None), Some(f64::from(frame_rate)));
        }
    }

    #[test]
    fn an_uncommon_rate_is_that_of_the_last_key() {
        let found = rate(&times(7.3, 400), None).expect("they are even");
        assert!((found - 7.3).abs() < 7.3e-6);
        assert_eq!(rate(&times(7.3, 400), Some(7.3)), Some(7.3));
    }

    fn common() -> impl Strategy<Value = f64> {
        prop_oneof![
            (1_u32..=1000).prop_map(f64::from),
            prop::sample::select(vec![24.0, 30.0, 48.0, 60.0, 120.0, 240.0])
                .prop_map(|whole| whole * 1000.0 / 1001.0),
            prop::sample::select(DECIMAL.to_vec()),
            (1_u32..100).prop_map(|half| f64::from(half) + 0.5),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn common_rates_come_back_bit_for_bit(frame_rate in common(), count in 2_usize..100_000) {
            prop_assert_eq!(rate(&times(frame_rate, count), None), Some(frame_rate));
        }

        #[test]
        fn a_written_rate_comes_back_bit_for_bit(frame_rate in 0.01..5000.0, count in 1_usize..100_000) {
            prop_assert_eq!(rate(&times(frame_rate, count), Some(frame_rate)), Some(frame_rate));
        }
    }
}
