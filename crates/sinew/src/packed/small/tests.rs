use super::*;
use alloc::vec;

fn unpacked(level: SimdLevel, rows: &SmallRows<'_>, segment: usize) -> Vec<[f32; LANES]> {
    let groups = rows.groups();
    let mut out = vec![[0.0; LANES]; (SEGMENT + 1) * groups];
    rows.unpack(level, segment, &mut out);
    out
}

/// Packs columns and compares the decoded values at every SIMD level; returns the bytes of the words.
fn check(columns: &[Vec<i32>]) -> usize {
    let length = columns[0].len();
    let packed = pack(columns, length);
    let groups = packed.groups();
    for level in SimdLevel::all() {
        for segment in 0..length.div_ceil(SEGMENT) {
            let out = unpacked(level, &packed, segment);
            for (component, column) in columns.iter().enumerate() {
                let column = &column[segment * SEGMENT..];
                for (row, &value) in column.iter().take(SEGMENT + 1).enumerate() {
                    let found = out[row * groups + component / LANES][component % LANES];
                    assert_eq!(found, value as f32, "{level:?} {segment} {component} {row}");
                }
            }
        }
    }
    let bits: f64 = packed.component_bits().iter().sum();
    let padding = packed.words.len() as f64 * 32.0 - bits;
    assert!((0.0..32.0).contains(&padding), "{padding}");
    packed.words.len() * 4
}

/// Pseudo-random numbers.
fn noise(seed: u32, size: i32) -> impl Fn(u32) -> i32 {
    move |at| {
        let mixed = (at.wrapping_mul(2_654_435_761) ^ seed).wrapping_mul(2_246_822_519);
        ((mixed >> 8) as i32).rem_euclid(2 * size + 1) - size
    }
}

#[test]
fn any_words_unpack_to_the_same_with_every_level() {
    for seed in 0..400 {
        let random = noise(seed, i32::MAX / 4);
        // Many ones, or few enough for long unary parts.
        let word = |at: u32| match seed % 3 {
            0 => random(at) as u32,
            1 => (random(at) & random(at + 77) & random(at + 99)) as u32,
            _ if at.is_multiple_of(11) => random(at) as u32,
            _ => 0,
        };
        let length = seed % 120;
        let rows = SmallRows {
            words: (0..length).map(word).collect(),
            starts: vec![
                [seed * 7 % 64, seed * 13 % 256],
                [3, 4],
                [u32::MAX, u32::MAX],
            ]
            .into(),
            orders: Orders([(seed % 25) as u8, (seed % 7) as u8, 0]),
            rows: 65 + seed % 100,
            components: 13,
        };
        for segment in 0..4 {
            let expected = unpacked(SimdLevel::OFF, &rows, segment);
            assert!(expected.iter().flatten().all(|value| value.is_finite()));
            for level in SimdLevel::all() {
                let found = unpacked(level, &rows, segment);
                assert!(found == expected, "{level:?} {seed} {segment}");
            }
        }
        assert_eq!(rows.component_bits().len(), 13);
    }
}

#[test]
fn rows_come_back_whatever_they_are() {
    for length in [1, 2, 3, 4, 15, 16, 17, 63, 64, 65, 66, 67, 128, 200] {
        for count in [1, 2, 3, 8, 9, 17] {
            let column = |component: usize| -> Vec<i32> {
                let (fine, coarse) = (noise(component as u32, 3), noise(7, LARGEST / 2));
                let value = |row: u32| match component % 6 {
                    0 => 5,
                    1 => (row * row) as i32 / 3,
                    2 => fine(row),
                    3 => coarse(row),
                    4 => i32::from(row.is_multiple_of(9)),
                    _ => -40 * row as i32 + fine(row) * 20,
                };
                (0..length).map(value).collect()
            };
            let columns = (0..count).map(column).collect::<Vec<_>>();
            check(&columns);
        }
    }
}

#[test]
fn residuals_of_every_size_come_back_with_every_predictor() {
    for bits in 0..28 {
        let random = noise(bits, (1 << bits) - 1);
        for sums in 0..4 {
            let column = |component: u32| -> Vec<i32> {
                let mut values: Vec<i32> =
                    (0..130).map(|row| random(row * 9 + component)).collect();
                for _ in 0..sums {
                    let mut sum = 0i32;
                    for value in &mut values {
                        sum = (sum + *value).clamp(-LARGEST, LARGEST);
                        *value = sum;
                    }
                }
                values
            };
            check(&(0..9).map(column).collect::<Vec<_>>());
        }
    }
    let ends = [LARGEST, -LARGEST];
    let far = (0..200).map(|row| ends[row % 2]).collect();
    check(&[far]);
}

#[test]
fn a_leap_costs_little_more_than_stillness() {
    for leap in [30, 1000, LARGEST] {
        let step = |at: usize| {
            (0..640)
                .map(|row| if row < at { 0 } else { leap })
                .collect()
        };
        let fine = noise(3, 1);
        let rough = (0..640).map(|row| fine(row) + if row == 99 { leap } else { 0 });
        let columns = [step(1), step(100), step(639), rough.collect()];
        let bytes = check(&columns);
        assert!(bytes < 640, "{bytes}");
    }
}

#[test]
fn what_hardly_moves_hardly_costs() {
    let still = vec![vec![123; 640]; 16];
    assert!(check(&still) < 16 * 10 * 4);
    let sparse: Vec<i32> = (0..640).map(|row| i32::from(row % 64 == 7)).collect();
    assert!(check(&[sparse]) < 640 / 8);
}
