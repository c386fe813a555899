//! Everything that can be done with a `.sinew` file, whatever is in it. Also part of the fuzz targets.

use sinew::simd::SimdLevel;
use sinew::{PackedAnimation, PackedCursor, Pose, Skeleton};
use sinew_formats::pack::{self, PackView};

/// More than this says nothing more and takes longer.
const MAX_WORK: usize = 40_000;

/// Writes the checksums that a file should have, and what else no chance gets right: how it begins and how long
/// it is.
pub(crate) fn reseal(file: &mut [u8]) {
    let length = file.len() as u64;
    if file.len() < 32 {
        return;
    }
    file[..8].copy_from_slice(b"\x8bSNW\r\n\x1a\n");
    file[16..24].copy_from_slice(&length.to_le_bytes());
    reseal_checksums(file);
}

/// Writes the checksums that a file should have, where its directory can be followed.
pub(crate) fn reseal_checksums(file: &mut [u8]) {
    let Some(count) = file.get(24..28) else {
        return;
    };
    let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize;
    let end = count.saturating_mul(32).saturating_add(32);
    let Some(mut head) = file.get(..end).map(<[u8]>::to_vec) else {
        return;
    };
    let number =
        |bytes: &[u8]| usize::try_from(u64::from_le_bytes(bytes.try_into().unwrap_or([0; 8])));
    for entry in head[32..].chunks_exact_mut(32) {
        let (Ok(offset), Ok(length)) = (number(&entry[8..16]), number(&entry[16..24])) else {
            continue;
        };
        if let Some(bytes) = file.get(offset..offset.saturating_add(length)) {
            entry[24..28].copy_from_slice(&crc32fast::hash(bytes).to_le_bytes());
        }
    }
    head[28..32].fill(0);
    let seal = crc32fast::hash(&head);
    head[28..32].copy_from_slice(&seal.to_le_bytes());
    file[..end].copy_from_slice(&head);
}

/// Times within an animation, and some outside it.
pub(crate) fn moments(animation: &PackedAnimation<'_>) -> [f32; 12] {
    let length = animation.length();
    [
        0.0,
        length * 0.1,
        length * 0.37,
        length * 0.5,
        length * 0.73,
        length * 0.999,
        length,
        length * 2.0,
        -1.0,
        f32::NAN,
        f32::INFINITY,
        1e30,
    ]
}

/// The numbers of a pose.
pub(crate) fn bits(pose: &Pose) -> Vec<[u32; 10]> {
    let transforms = (0..pose.len()).map(|joint| pose.get(joint.into()));
    let numbers = transforms.map(|transform| {
        let (position, rotation, scale) = (transform.position, transform.rotation, transform.scale);
        let mut numbers = [0; 10];
        let all = position
            .to_array()
            .into_iter()
            .chain(rotation.to_array())
            .chain(scale.to_array());
        for (into, number) in numbers.iter_mut().zip(all) {
            *into = number.to_bits();
        }
        numbers
    });
    numbers.collect()
}

/// Samples an animation; poses are finite and the same with any instructions, in a cursor that served others
/// and in a fresh one.
pub(crate) fn sample(
    animation: &PackedAnimation<'_>,
    skeleton: &Skeleton,
    used: &mut PackedCursor,
) {
    let mut poses = [Pose::rest(skeleton), Pose::rest(skeleton)];
    for time in moments(animation) {
        let [best, off] = &mut poses;
        let mut fresh = PackedCursor::new();
        let sampled = [
            animation.sample_with(SimdLevel::best(), time, used, best),
            animation.sample_with(SimdLevel::OFF, time, &mut fresh, off),
        ];
        assert_eq!(sampled, [Ok(()), Ok(())]);
        assert!(best.is_finite(), "{} at {time}", animation.packing());
        assert!(bits(best) == bits(off), "{} at {time}", animation.packing());
    }
}

/// Samples every animation, unpacks it, and writes the file again, which must give the same.
pub(crate) fn play(view: &PackView<'_>) {
    let mut cursor = PackedCursor::new();
    for (skeleton, animation) in view.animations() {
        let skeleton = &view.skeletons()[*skeleton];
        sample(animation, skeleton, &mut cursor);
        assert_eq!(
            sinew_author::packed::byte_len(animation),
            sinew_author::packed::to_bytes(animation).len()
        );
        let work = animation.frame_count().saturating_mul(skeleton.len());
        if work > MAX_WORK || sinew_author::packed::byte_len(animation) > MAX_WORK {
            continue;
        }
        assert_eq!(
            sinew_author::measure::joint_costs(animation).len(),
            skeleton.len()
        );
        let unpacked = sinew_author::compress::decompress(animation, skeleton);
        assert_eq!(unpacked.map(|pack| pack.check()), Ok(Ok(())));
    }
    let written = pack::write_bytes(&view.clone().into_owned());
    let written = written.unwrap_or_else(|error| panic!("what was read is refused: {error}"));
    let again = PackView::read(&written).unwrap_or_else(|error| panic!("our own file: {error}"));
    assert_eq!(again.skeletons(), view.skeletons());
    for ((_, before), (_, after)) in view.animations().iter().zip(again.animations()) {
        assert_eq!(
            sinew_author::packed::to_bytes(before),
            sinew_author::packed::to_bytes(after)
        );
    }
}
