//! The draw order of limbs that pass each other in depth.
//!
//! A pair of limbs swaps its z-indices, bone by bone, when the limb that is drawn behind has come nearer to the viewer than the
//! other by more than a threshold, and swaps them back when the same holds the other way round. The threshold on both sides
//! (hysteresis) and a shortest time between two swaps keep limbs from flickering. The depth of a limb is the mean of the depths of
//! its joints.

use super::body::{Body, Limb};
use super::source::{PointTrack, SIDES, Source};
use super::tracks::Tracks;
use super::view::Plane;
use crate::retarget::{BodyPart, Role};
use alloc::string::String;
use alloc::vec::Vec;
use sinew::skelform::curve::Ease;
use sinew::skelform::{ArmatureData, Element, KeyData};

/// The hysteresis, as a share of the length of a leg.
const HYSTERESIS: f64 = 0.15;

/// The shortest time between two swaps, in seconds.
const MIN_SECONDS: f64 = 0.2;

/// Keys the z-indices of limbs that pass each other.
pub(super) fn key(
    source: &Source,
    plane: &Plane,
    body: &Body,
    data: &ArmatureData,
    tracks: &mut Tracks<'_>,
) {
    let Some(threshold) = leg_length(source).map(|length| length * HYSTERESIS) else {
        return;
    };
    for is_leg in [true, false] {
        let limb = |side: usize| {
            let mut limbs = body.limbs.iter();
            limbs.find(|limb| limb.is_leg == is_leg && limb.side == side)
        };
        let (Some(left), Some(right)) = (limb(0), limb(1)) else {
            continue;
        };
        let pairs = pairs(data, left, right);
        // Limbs of one depth, as characters drawn from the front have them, never pass.
        let lead: i64 = pairs
            .iter()
            .map(|&(left, right)| i64::from(zindex(data, left)) - i64::from(zindex(data, right)))
            .sum();
        let (Some(left_path), Some(right_path)) = (joints(source, left), joints(source, right))
        else {
            continue;
        };
        if lead == 0 {
            continue;
        }
        let lead = if lead > 0 { 1.0 } else { -1.0 };
        let depth = |frame: usize| {
            let joints = left_path.iter().zip(&right_path);
            let depths = joints
                .map(|(left, right)| plane.depth(frame, left.frames[frame] - right.frames[frame]));
            depths.sum::<f64>() / left_path.len().max(1) as f64 * lead
        };
        let swaps = swaps(source, threshold, depth);
        if swaps.iter().all(|&(_, is_swapped)| !is_swapped) {
            continue;
        }
        for (left, right) in pairs {
            let values = [zindex(data, left), zindex(data, right)];
            for (bone, own, other) in [(left, values[0], values[1]), (right, values[1], values[0])]
            {
                for &(frame, is_swapped) in &swaps {
                    let value = if is_swapped { other } else { own };
                    tracks.keys.push(KeyData {
                        frame: frame as u32,
                        bone,
                        element: Element::Zindex,
                        value: value as f32,
                        text: String::new(),
                        ease: Ease::Step,
                    });
                }
                tracks.count += 1;
            }
        }
    }
}

/// Returns the state at the first frame and each change. `depth` is positive if the limb that is drawn in front is in front.
fn swaps(source: &Source, threshold: f64, depth: impl Fn(usize) -> f64) -> Vec<(usize, bool)> {
    let pause = libm::ceil(MIN_SECONDS * source.rate) as usize;
    let mut is_swapped = depth(source.shown.start) < -threshold;
    let mut states = alloc::vec![(0, is_swapped)];
    let mut changed = 0;
    for (index, frame) in source.shown.clone().enumerate() {
        let depth = depth(frame);
        let wants = if is_swapped {
            depth <= threshold
        } else {
            depth < -threshold
        };
        if wants != is_swapped && index >= changed + pause {
            is_swapped = wants;
            changed = index;
            states.push((index, is_swapped));
        }
    }
    states
}

fn leg_length(source: &Source) -> Option<f64> {
    let lengths = SIDES.iter().filter_map(|&side| {
        let rest = |part| Some(source.point(Role { part, side })?.rest);
        let knee = rest(BodyPart::LowerLeg)?;
        let upper = (knee - rest(BodyPart::UpperLeg)?).length();
        Some(upper + (rest(BodyPart::Foot)? - knee).length())
    });
    super::body::mean(lengths)
}

fn joints<'a>(source: &'a Source, limb: &Limb) -> Option<Vec<&'a PointTrack>> {
    let ends = limb.bones.iter().map(|bone| source.point(bone.to));
    ends.collect()
}

fn zindex(data: &ArmatureData, bone: usize) -> i32 {
    let visual = data.bones[bone].visual;
    visual
        .and_then(|visual| data.visuals.get(visual))
        .map_or(0, |visual| visual.zindex)
}

/// Returns the bones of both limbs that show something, in pairs: the first of the left with the first of the right, and so on.
fn pairs(data: &ArmatureData, left: &Limb, right: &Limb) -> Vec<(usize, usize)> {
    let shown = |limb: &Limb| -> Vec<usize> {
        let mut inside = alloc::vec![false; data.bones.len()];
        let top = limb.bones[0].bone;
        inside[top] = true;
        for bone in top + 1..data.bones.len() {
            inside[bone] = data.bones[bone].parent.is_some_and(|parent| inside[parent]);
        }
        let bones = (top..data.bones.len()).filter(|&bone| inside[bone]);
        bones
            .filter(|&bone| data.bones[bone].visual.is_some())
            .collect()
    };
    shown(left).into_iter().zip(shown(right)).collect()
}
