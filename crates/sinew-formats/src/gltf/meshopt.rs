//! Decoder of `EXT_meshopt_compression`, as written by gltfpack and others.
//!
//! Animation keys use the mode `ATTRIBUTES`: elements of `stride` bytes, byte column by byte column.
//!
//! ```text
//! 0xa0 │ block │ block │ … │ zeros to fill 32 bytes │ base: one element
//! block: of each column, of up to 256 elements     │ 2 bits per group of 16 │ group │ group │ …
//! group: the differences of 16 bytes to the bytes of the element before, as
//!        0  all zero, no bytes
//!        1  2 bits each, first in the highest bits; 3 marks a full byte that follows the group
//!        2  4 bits each, likewise; 15 marks a full byte
//!        3  a byte each
//! ```
//!
//! A difference is zigzag coded: 0, -1, 1, -2, … That of the first element is relative to the base. Filters then
//! convert the elements to numbers: `QUATERNION` (the three smaller components of a rotation), `EXPONENTIAL` (24 bits
//! times a power of two) and `OCTAHEDRAL` (unit vectors).
//!
//! Follows the [extension's specification](https://github.com/KhronosGroup/glTF/blob/main/extensions/2.0/Vendor/EXT_meshopt_compression/README.md).
//! There is no maintained crate for it in safe Rust; the `meshopt` crate binds the C++ library.

use super::document::PackedView;
use crate::bytes::ByteCursor;
use crate::escape;

/// First byte of compressed attributes: the codec in the upper half, its version in the lower.
const HEADER: u8 = 0xa0;

/// Elements of a group.
const GROUP: usize = 16;

/// Maximum uncompressed bytes of a block, and its elements.
const BLOCK_BYTES: usize = 8192;
const BLOCK_ELEMENTS: usize = 256;

/// Minimum number of bytes at the end that hold the base.
const TAIL: usize = 32;

/// An error of decompressing a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unpackable(String);

impl std::fmt::Display for Unpackable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

fn unpackable<T>(problem: impl Into<String>) -> Result<T, Unpackable> {
    Err(Unpackable(problem.into()))
}

/// Returns the uncompressed size of a view; `None` if it overflows.
pub(super) fn unpacked_len(view: &PackedView) -> Option<u64> {
    view.count.checked_mul(view.byte_stride)
}

/// Decompresses a view. The caller has checked the limit of [`unpacked_len`].
pub(super) fn unpack(view: &PackedView, packed: &[u8]) -> Result<Vec<u8>, Unpackable> {
    if view.mode != "ATTRIBUTES" {
        let mode = escape::text(&view.mode);
        return unpackable(format!("expected the mode ATTRIBUTES, found {mode}"));
    }
    let stride = usize::try_from(view.byte_stride).unwrap_or(usize::MAX);
    if !(4..=256).contains(&stride) || !stride.is_multiple_of(4) {
        return unpackable(format!(
            "expected a stride of 4 to 256 in steps of 4, found {stride}"
        ));
    }
    let Ok(count) = usize::try_from(view.count) else {
        return unpackable(format!("{} elements are too many", view.count));
    };
    let mut elements = attributes(packed, count, stride)?;
    match view.filter.as_deref() {
        None | Some("NONE") => {}
        Some("QUATERNION") if stride == 8 => quaternions(&mut elements),
        Some("EXPONENTIAL") => exponentials(&mut elements),
        Some("OCTAHEDRAL") if stride == 4 => octahedral_bytes(&mut elements),
        Some("OCTAHEDRAL") if stride == 8 => octahedral_shorts(&mut elements),
        Some(filter) => {
            let filter = escape::text(filter);
            return unpackable(format!(
                "the filter {filter} does not support a stride of {stride}"
            ));
        }
    }
    Ok(elements)
}

fn take<'a>(cursor: &mut ByteCursor<'a>, count: usize) -> Result<&'a [u8], Unpackable> {
    match cursor.take(count) {
        Some(taken) => Ok(taken),
        None => unpackable("it is cut off"),
    }
}

fn attributes(packed: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, Unpackable> {
    let Some((&header, rest)) = packed.split_first() else {
        return unpackable("it is empty");
    };
    if header != HEADER {
        return unpackable(format!(
            "expected the byte {HEADER:#04x} first, found {header:#04x}"
        ));
    }
    let tail = stride.max(TAIL);
    let Some(blocks) = rest.len().checked_sub(tail) else {
        return unpackable("it is cut off");
    };
    let (blocks, tail) = rest.split_at(blocks);
    let mut last = tail[tail.len() - stride..].to_vec();
    let mut elements = vec![0_u8; count.saturating_mul(stride)];
    let per_block = (BLOCK_BYTES / stride / GROUP * GROUP).min(BLOCK_ELEMENTS);
    let mut cursor = ByteCursor::new(blocks);
    for block in elements.chunks_mut(per_block * stride) {
        let groups = (block.len() / stride).div_ceil(GROUP);
        for (column, last) in last.iter_mut().enumerate() {
            let modes = take(&mut cursor, groups.div_ceil(4))?;
            let mut places = block.iter_mut().skip(column).step_by(stride);
            for group in 0..groups {
                let mode = modes[group / 4] >> (group % 4 * 2) & 3;
                for difference in read_group(&mut cursor, mode)? {
                    // The last group of a block is padded with zero differences.
                    let Some(place) = places.next() else { break };
                    let zigzag = (difference >> 1) ^ (difference & 1).wrapping_neg();
                    *last = last.wrapping_add(zigzag);
                    *place = *last;
                }
            }
        }
    }
    if cursor.left() > 0 {
        return unpackable(format!("{} bytes are left over", cursor.left()));
    }
    Ok(elements)
}

fn read_group(cursor: &mut ByteCursor<'_>, mode: u8) -> Result<[u8; GROUP], Unpackable> {
    let mut group = [0; GROUP];
    let bits = match mode {
        0 => return Ok(group),
        1 => 2,
        2 => 4,
        _ => {
            group.copy_from_slice(take(cursor, GROUP)?);
            return Ok(group);
        }
    };
    let per_byte = 8 / bits;
    let small = take(cursor, GROUP / per_byte)?;
    let sentinel = (1_u8 << bits) - 1;
    for (index, difference) in group.iter_mut().enumerate() {
        let shift = 8 - bits * (index % per_byte + 1);
        *difference = small[index / per_byte] >> shift & sentinel;
        if *difference == sentinel {
            *difference = take(cursor, 1)?[0];
        }
    }
    Ok(group)
}

/// Rounds to the nearest integer, ties away from zero, like the reference implementation.
fn rounded(number: f32) -> i32 {
    (number + if number >= 0.0 { 0.5 } else { -0.5 }) as i32
}

fn shorts(element: &[u8; 8]) -> [i16; 4] {
    let (pairs, _) = element.as_chunks::<2>();
    [0, 1, 2, 3].map(|index| i16::from_le_bytes(pairs[index]))
}

fn set_shorts(element: &mut [u8; 8], numbers: [i16; 4]) {
    let (pairs, _) = element.as_chunks_mut::<2>();
    for (pair, number) in pairs.iter_mut().zip(numbers) {
        *pair = number.to_le_bytes();
    }
}

/// Decodes three scaled components; the two lowest bits of the scale are the index of the fourth and largest one.
fn quaternions(elements: &mut [u8]) {
    let (elements, _) = elements.as_chunks_mut::<8>();
    for element in elements {
        let stored = shorts(element);
        let largest = (stored[3] & 3) as usize;
        let scale = core::f32::consts::FRAC_1_SQRT_2 / f32::from(stored[3] | 3);
        let [x, y, z] = [0, 1, 2].map(|index| f32::from(stored[index]) * scale);
        let w = libm::sqrtf((1.0 - x * x - y * y - z * z).max(0.0));
        let mut rotation = [0; 4];
        for (index, number) in [w, x, y, z].into_iter().enumerate() {
            let number = rounded(number * 32767.0);
            rotation[(largest + index) % 4] = number.clamp(-32767, 32767) as i16;
        }
        set_shorts(element, rotation);
    }
}

/// Decodes a signed exponent in the upper 8 bits and a signed mantissa in the lower 24.
fn exponentials(elements: &mut [u8]) {
    let (words, _) = elements.as_chunks_mut::<4>();
    for word in words {
        let bits = i32::from_le_bytes(*word);
        let (exponent, mantissa) = (bits >> 24, bits << 8 >> 8);
        *word = libm::ldexpf(mantissa as f32, exponent).to_le_bytes();
    }
}

/// Decodes a unit vector from two octahedral coordinates and the value of 1; the fourth component is unchanged.
fn octahedral([x, y, one]: [f32; 3], largest: f32) -> [i32; 3] {
    let z = one - x.abs() - y.abs();
    let fold = z.min(0.0);
    let unfold = |n: f32| if n >= 0.0 { n + fold } else { n - fold };
    let (x, y) = (unfold(x), unfold(y));
    let length = libm::sqrtf(x * x + y * y + z * z);
    let scale = if length > 0.0 { largest / length } else { 0.0 };
    [x, y, z].map(|number| rounded(number * scale))
}

fn octahedral_bytes(elements: &mut [u8]) {
    let (elements, _) = elements.as_chunks_mut::<4>();
    for element in elements {
        let stored = [0, 1, 2].map(|index| f32::from(element[index] as i8));
        let vector = octahedral(stored, 127.0);
        for (byte, number) in element.iter_mut().zip(vector) {
            *byte = number as i8 as u8;
        }
    }
}

fn octahedral_shorts(elements: &mut [u8]) {
    let (elements, _) = elements.as_chunks_mut::<8>();
    for element in elements {
        let stored = shorts(element);
        let [x, y, z] = octahedral([0, 1, 2].map(|index| f32::from(stored[index])), 32767.0);
        set_shorts(element, [x as i16, y as i16, z as i16, stored[3]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Packed by meshoptimizer 0.22.
    const TIMES: &str = "a0ffffffff00ed008887444444cb22222222222222edefedefedefedefedefedefedefed888a8888888a8888888a\
         8888888a88888a8888888a8888888a8888888a884444444644444444444444464444444444444644444444444444\
         46444444444444464444444444444446444444444444464444444444444446444444222222222222222422222222\
         22222222222222222222242222222222222222222222222222242222222222222222222222222222242222222222\
         22222222222222222224222222222222222222222222222224222222222222222222222222222224222222222222\
         22222222222222222422222222222222edefedefedefedefedefedefedefedffffffff00ef008887444444cb2222\
         2222222224efedefedefedefedefedefedefeded8888888a8888888a8888888a88888a8888888a8888888a888888\
         8a88888a444444444444444644444444444446444444444444444644444444444446444444444444444644444444\
         44444644444444444444464444444444444622222222222222222222222222222422222222222222222222222222\
         22242222222222222222222222222222242222222222222222222222222222242222222222222222222222222222\
         24222222222222222222222222222224222222222222222222222222222224222222222222222222222222222224\
         efedefedefedefedefedefedefededafaa55550010ff887844444434222222222222241012101210121012101210\
         121012120888a888a888a88a888a888a888a88a44444446444444644444446444444644444446444444644444446\
         44444462222222aaabaaaa04aaaeaaaa04aabaaaaa04aaeaaaaa04abaaaaaa04aeaaaaaa04baaaaaaa04c888888a\
         0441000040308000027a00000080800000003fedefedefedefedefedefedefedefededefedefedefedefedefedef\
         edefededefedefedefedefedefedefedef000000003fefedefedefedefedefedefedefededefedefedefedefedef\
         edefedefededefedefedefedefedefedefedefed000000001522222228888888a222222200000000000000000000\
         000000000000000000000000000000000000000000000000";
    const MIXED: &str = "a000050999849024000000050ce20c24040303fc000000040304060a7247a51002342539000000040602033a4df9\
         1281be104e00000005060f5f46f246ffff2d151211131a1310cf00000012090f07002f30023513380641042a1b02\
         060209ff0000002c373e3d07000bb564b1028f62d2198fc1a4f1458dff0000007e752fe900051804092180000000\
         07005ba2364b382a5d1daa57a6f7d01ce5ff0000009bfa7744060318156500625067df0000000604050000000000\
         00000000000000000000000000000000000000030e268e00014003";
    const ROTATIONS: &str = "a0013f000000fb9b9b013f000000b46b6d013f000000fb8d26013f000000b4569d013f000000fbc8d0013f000000\
         b4d99201390000000500000000000000000000000000000000000000000000000000000000000000ff7f";
    const POSITIONS: &str = "a00001300000005001300000005a01300000001200000130000000a001300000001201300000006101300000000f\
         000130000000120000000000000000000000000000000000000000000020eb0000b0eb310800eb";
    const NORMALS_4: &str = "a0013c0000006cee013c00000091b500013c000000fefd0000000000000000000000000000000000000000000000\
         000000000000007f00";
    const NORMALS_8: &str = "a0013c0000004967013c0000006cec013c00000047d6013c00000093b300000118000000013c000000fefd000000\
         00000000000000000000000000000000000000000000000000ff7f0000";

    fn bytes(hex: &str) -> Vec<u8> {
        let pairs = (0..hex.len()).step_by(2);
        pairs
            .map(|start| {
                u8::from_str_radix(&hex[start..start + 2], 16).expect("hexadecimal digits")
            })
            .collect()
    }

    fn view(count: u64, stride: u64, filter: Option<&str>) -> PackedView {
        PackedView {
            buffer: 0,
            byte_offset: 0,
            byte_length: 0,
            byte_stride: stride,
            count,
            mode: "ATTRIBUTES".to_owned(),
            filter: filter.map(str::to_owned),
        }
    }

    fn floats(bytes: &[u8]) -> Vec<f32> {
        let (words, _) = bytes.as_chunks::<4>();
        words.iter().map(|word| f32::from_le_bytes(*word)).collect()
    }

    fn shorts_of(bytes: &[u8]) -> Vec<f32> {
        let (pairs, _) = bytes.as_chunks::<2>();
        let short = |pair: &[u8; 2]| f32::from(i16::from_le_bytes(*pair)) / 32767.0;
        pairs.iter().map(short).collect()
    }

    fn assert_near(found: &[f32], expected: &[f32], tolerance: f32) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= tolerance, "{found} {expected}");
        }
    }

    #[test]
    fn elements_of_two_blocks_come_back_bit_for_bit() {
        let found = unpack(&view(300, 4, None), &bytes(TIMES)).expect("it is sound");
        let expected: Vec<f32> = (0..300).map(|key| (f64::from(key) / 30.0) as f32).collect();
        assert_eq!(floats(&found), expected);
    }

    /// Columns of small, large and medium numbers, so that all group modes occur.
    #[test]
    fn groups_of_every_mode_come_back_bit_for_bit() {
        let found = unpack(&view(20, 12, Some("NONE")), &bytes(MIXED)).expect("it is sound");
        let mut seed = 1_u32;
        let ranges = [1, 2, 3, 6, 9, 16, 40, 256, 1, 2, 256, 5];
        for (index, byte) in found.iter().enumerate() {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            assert_eq!(
                u32::from(*byte),
                (seed >> 24) % ranges[index % 12],
                "{index}"
            );
        }
    }

    #[test]
    fn filters_give_the_numbers_that_were_packed() {
        let rotations = unpack(&view(4, 8, Some("QUATERNION")), &bytes(ROTATIONS));
        // A decoded rotation may have the opposite sign.
        let (a, b) = (libm::sqrtf(0.46), libm::sqrtf(0.09));
        let expected = [
            0.0, 0.0, 0.0, 1.0, 0.5, 0.5, 0.5, 0.5, -0.1, 0.7, 0.2, -a, 0.9, -0.1, 0.3, b,
        ];
        assert_near(
            &shorts_of(&rotations.expect("it is sound")),
            &expected,
            1e-4,
        );
        let positions = unpack(&view(2, 12, Some("EXPONENTIAL")), &bytes(POSITIONS));
        let expected = [1.0, -2.5, 1e-3, 1234.5, 0.0, -7e-6];
        assert_near(&floats(&positions.expect("it is sound")), &expected, 3e-4);
        let expected = [0.0, 0.0, 1.0, 0.6, -0.8, 0.0, -0.48, 0.6, -0.64];
        let normals = unpack(&view(3, 4, Some("OCTAHEDRAL")), &bytes(NORMALS_4));
        let normals = normals.expect("it is sound");
        let found: Vec<f32> = normals
            .chunks(4)
            .flat_map(|four| [0, 1, 2].map(|index| f32::from(four[index] as i8) / 127.0))
            .collect();
        assert_near(&found, &expected, 0.02);
        let normals = unpack(&view(3, 8, Some("OCTAHEDRAL")), &bytes(NORMALS_8));
        let found = shorts_of(&normals.expect("it is sound"));
        let found: Vec<f32> = found
            .chunks(4)
            .flat_map(|four| [four[0], four[1], four[2]])
            .collect();
        assert_near(&found, &expected, 1e-4);
    }

    #[test]
    fn what_is_cut_off_or_lengthened_is_refused() {
        let whole = bytes(MIXED);
        for length in 0..whole.len() {
            assert!(
                unpack(&view(20, 12, None), &whole[..length]).is_err(),
                "{length}"
            );
        }
        let longer = [whole.as_slice(), &[0]].concat();
        assert!(unpack(&view(20, 12, None), &longer).is_err());
        for (count, stride) in [(20, 0), (20, 3), (20, 260), (21, 16), (u64::MAX, 4)] {
            if count < 100 {
                assert!(
                    unpack(&view(count, stride, None), &whole).is_err(),
                    "{count} {stride}"
                );
            }
            assert_eq!(
                unpacked_len(&view(count, stride, None)).is_none(),
                count > 100
            );
        }
        let newer = [&[0xa1], &whole[1..]].concat();
        assert!(unpack(&view(20, 12, None), &newer).is_err());
        assert!(unpack(&view(20, 12, Some("QUATERNION")), &whole).is_err());
        let triangles = PackedView {
            mode: "TRIANGLES".to_owned(),
            ..view(20, 12, None)
        };
        assert!(unpack(&triangles, &whole).is_err());
    }
}
