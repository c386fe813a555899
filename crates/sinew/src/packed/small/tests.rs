use super::*;
use alloc::vec;

fn unpacked(level: SimdLevel, samples: &SmallSamples<'_>, segment: usize) -> Vec<[f32; LANES]> {
    let groups = samples.groups();
    let mut out = vec![[0.0; LANES]; (SEGMENT + 1) * groups];
    samples.unpack(level, segment, &mut out);
    out
}

/// Pseudo-random numbers.
fn noise(seed: u32, size: i32) -> impl Fn(u32) -> i32 {
    move |index| {
        let mixed = (index.wrapping_mul(2_654_435_761) ^ seed).wrapping_mul(2_246_822_519);
        ((mixed >> 8) as i32).rem_euclid(2 * size + 1) - size
    }
}

#[test]
fn any_words_unpack_to_the_same_with_every_level() {
    for seed in 0..400 {
        let random = noise(seed, i32::MAX / 4);
        // Many ones, or few enough for long unary parts.
        let word = |index: u32| match seed % 3 {
            0 => random(index) as u32,
            1 => (random(index) & random(index + 77) & random(index + 99)) as u32,
            _ if index.is_multiple_of(11) => random(index) as u32,
            _ => 0,
        };
        let length = seed % 120;
        let samples = SmallSamples {
            words: (0..length).map(word).collect(),
            starts: vec![
                [seed * 7 % 64, seed * 13 % 256],
                [3, 4],
                [u32::MAX, u32::MAX],
            ]
            .into(),
            orders: Orders([(seed % 25) as u8, (seed % 7) as u8, 0]),
            sample_count: 65 + seed % 100,
            components: 13,
        };
        for segment in 0..4 {
            let expected = unpacked(SimdLevel::OFF, &samples, segment);
            assert!(expected.iter().flatten().all(|value| value.is_finite()));
            for level in SimdLevel::all() {
                let found = unpacked(level, &samples, segment);
                assert!(found == expected, "{level:?} {seed} {segment}");
            }
        }
        assert_eq!(samples.component_bits().len(), 13);
    }
}
