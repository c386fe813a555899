//! Motions without registration: even times instead of a time warp, and switches from one motion to another.
//!
//! [`without_time_warp`] replaces the time warp of a curve by constant speed and its alignment curve by one ground transform, for
//! comparison. [`switch_motions`] plays one motion and then another, placed by the best ground transform of one pose
//! (`procrustes`), with the jump hidden by inertialization or a crossfade ([`PoseTransition`]).

use super::alignment::between_origins;
use super::bake::{BlendedMotion, check_beginning};
use super::crossfade::{PoseCrossfade, PoseTransition};
use super::point_cloud::{PointCloud, PointCloudFrame};
use super::procrustes::AlignmentSums;
use super::recorder::{MAX_FRAMES, Recorder, rate};
use super::settings::default_weights;
use crate::contacts::find_plants;
use alloc::format;
use alloc::vec::Vec;
use glam::Vec3;
use sinew::internal::Alignment;
use sinew::internal::Track;
use sinew::internal::{apply_ground, root_chain};
use sinew::math::GroundTransform;
use sinew::pose::Pose;
use sinew::registration::BlendError;
use sinew::registration::PlantMatch;
use sinew::registration::RegistrationCurve;
use sinew::registration::{Motion, compare_skeletons};
use sinew::sample::Sampler;
use sinew::skeleton::JointIndex;

/// The same segments of the same motions without registration: each at constant speed, and placed on the reference by one
/// ground transform, which makes it start where the reference does and travel in its direction. The constraint matches are
/// those of `curve`. For comparison.
///
/// # Errors
/// If the number of motions differs from that of the curve, or skeletons differ.
pub fn without_time_warp(
    curve: &RegistrationCurve,
    motions: &[Motion<'_>],
) -> Result<RegistrationCurve, BlendError> {
    if motions.len() != curve.len() {
        return Err(BlendError::Motions {
            expected: curve.len(),
            found: motions.len(),
        });
    }
    for motion in motions {
        compare_skeletons(motions[0].skeleton, motion.skeleton)?;
    }
    let spans: Vec<[f64; 2]> = (0..curve.len())
        .map(|motion| [0.0, 1.0].map(|end| curve.time(motion, end)))
        .collect();
    let even_time = |motion: usize, u: f64| {
        let [from, to] = spans[motion];
        from + (to - from) * u
    };
    let even = |motion: usize, u: f64| match curve.cycle(motion) {
        // Each cycle begins where the one before ended.
        Some(cycle) => cycle.at(even_time(motion, u)),
        None => (even_time(motion, u), GroundTransform::IDENTITY),
    };
    let tracks = spans.iter().enumerate().map(|(motion, span)| {
        let pair = [curve.reference(), motion];
        let position = align_along(pair.map(|index| motions[index]), |index, u| {
            even(pair[index], u)
        });
        Track {
            cycle: curve.cycle(motion),
            fingerprint: curve.fingerprint(motion).cloned(),
            ..RegistrationCurve::even_track(
                curve.name(motion),
                *span,
                Alignment::constant(position),
            )
        }
    });
    let plants = curve.plants().iter().map(|plant| PlantMatch {
        spans: plant
            .spans
            .iter()
            .enumerate()
            .map(|(motion, span)| {
                let [from, to] = spans[motion];
                span.map(|u| ((curve.time(motion, u) - from) / (to - from)).clamp(0.0, 1.0))
            })
            .collect(),
        ..plant.clone()
    });
    let even = RegistrationCurve::new(tracks.collect(), curve.reference(), curve.distance());
    Ok(even.with_plants(plants.collect()))
}

/// Intervals between the samples that are compared to align two motions.
const ALIGNMENT_STEPS: usize = 32;

/// The ground transform that makes the second of two motions start at the first, with the angle that fits all of both best.
/// `time` gives, for a motion and a position, the time to sample it and the travel of its loop until then.
fn align_along(
    motions: [Motion<'_>; 2],
    time: impl Fn(usize, f64) -> (f64, GroundTransform),
) -> GroundTransform {
    let weights = default_weights(motions);
    let cloud = |index: usize| {
        let Motion {
            skeleton,
            animation,
        } = motions[index];
        let mut sampler = Sampler::new(skeleton, animation);
        let mut positions = Vec::with_capacity((ALIGNMENT_STEPS + 1) * skeleton.len());
        for step in 0..=ALIGNMENT_STEPS {
            let (time, travel) = time(index, step as f64 / ALIGNMENT_STEPS as f64);
            let placement = motions[index].placement(time).unwrap_or_default();
            let ground = placement.then(&travel);
            let model = sampler.model_at(time as f32);
            positions.extend((0..skeleton.len()).map(|joint| {
                let position = model.position(joint.into());
                let [x, z] = ground.apply([position.x.into(), position.z.into()]);
                Vec3::new(x as f32, position.y, z as f32)
            }));
        }
        PointCloud::of_points(&positions, &weights)
    };
    let clouds = [cloud(0), cloud(1)];
    let mut frames = [PointCloudFrame::default(), PointCloudFrame::default()];
    let [mut whole, mut start] = [AlignmentSums::default(); 2];
    for step in 0..=ALIGNMENT_STEPS {
        for (frame, cloud) in frames.iter_mut().zip(&clouds) {
            cloud.interpolate(step as f64, frame);
        }
        whole.add(&frames[0], &frames[1], 1.0);
        if step == 0 {
            start = whole;
        }
    }
    let fit = start.fit_with(whole.fit().angle);
    usable(between_origins(&fit, clouds[0].origin, clouds[1].origin))
}

/// Returns the transform, or the identity if it is not finite: a cloud without points has no origin.
fn usable(fit: GroundTransform) -> GroundTransform {
    let is_finite = [fit.angle, fit.x, fit.z]
        .iter()
        .all(|value| value.is_finite());
    if is_finite {
        fit
    } else {
        GroundTransform::IDENTITY
    }
}

/// The ground transform that brings the second motion at one time as near as possible to the first at another.
fn align_at(first: (Motion<'_>, f64), second: (Motion<'_>, f64)) -> GroundTransform {
    let weights = default_weights([first.0, second.0]);
    let cloud = |(motion, time): (Motion<'_>, f64)| {
        let mut sampler = Sampler::new(motion.skeleton, motion.animation);
        let model = sampler.model_at(time as f32);
        let ground = motion.placement(time).unwrap_or_default();
        let joints = (0..motion.skeleton.len()).map(JointIndex::from);
        let positions = joints.map(|joint| {
            let position = model.position(joint);
            let [x, z] = ground.apply([position.x.into(), position.z.into()]);
            Vec3::new(x as f32, position.y, z as f32)
        });
        let positions: Vec<Vec3> = positions.collect();
        PointCloud::of_points(&positions, &weights)
    };
    let clouds = [first, second].map(cloud);
    let frames = clouds.each_ref().map(|cloud| {
        let mut frame = PointCloudFrame::default();
        cloud.interpolate(0.0, &mut frame);
        frame
    });
    let mut sums = AlignmentSums::default();
    sums.add(&frames[0], &frames[1], 1.0);
    usable(between_origins(
        &sums.fit(),
        clouds[0].origin,
        clouds[1].origin,
    ))
}

/// Settings of [`switch_motions`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SwitchSettings {
    /// The time of the switch, in seconds of the first motion; at most its length.
    pub start: f64,
    /// The crossfade that hides the jump.
    pub fade: PoseCrossfade,
    /// The ground transform of the first motion.
    pub ground: GroundTransform,
}

/// Plays the first motion until `settings.start`, then the second from its beginning, placed where the first was. Unlike
/// [`transition`](super::transition) it needs no curve.
///
/// # Errors
/// If skeletons differ, or a setting is out of range.
pub fn switch_motions(
    motions: [Motion<'_>; 2],
    settings: &SwitchSettings,
) -> Result<BlendedMotion, BlendError> {
    let [first, second] = motions;
    compare_skeletons(first.skeleton, second.skeleton)?;
    check_beginning(settings.start)?;
    let skeleton = first.skeleton;
    let rate = rate(&motions);
    let switch_time = settings.start.min(first.animation.length.into());
    let placed = align_at((first, switch_time), (second, 0.0)).then(&settings.ground);
    let root_chain = root_chain(first);
    let roots: Vec<JointIndex> = skeleton.roots().collect();

    let length = switch_time + f64::from(second.animation.length);
    let count = ((length * rate + 1e-3) as usize + 1).min(MAX_FRAMES);
    let mut first_sampler = Sampler::new(skeleton, first.animation);
    let mut second_sampler = Sampler::new(second.skeleton, second.animation);
    let (mut old, mut pose) = (Pose::rest(skeleton), Pose::rest(skeleton));
    let mut transition = PoseTransition::new(skeleton);
    let mut recorder = Recorder::new(skeleton, rate);
    let mut is_switched = false;
    for frame in 0..count {
        let time = frame as f64 / rate;
        let source_time = time.min(first.animation.length.into());
        old.copy_from(first_sampler.pose_at(source_time as f32));
        let placement = first.placement(source_time).unwrap_or_default();
        apply_ground(
            &mut old,
            &root_chain,
            &roots,
            &placement.then(&settings.ground),
        );
        if time + 1e-9 < switch_time {
            pose.copy_from(&old);
        } else {
            pose.copy_from(second_sampler.pose_at((time - switch_time) as f32));
            let placement = second.placement(time - switch_time).unwrap_or_default();
            apply_ground(&mut pose, &root_chain, &roots, &placement.then(&placed));
            if !is_switched {
                transition.switch(settings.fade);
                is_switched = true;
            }
        }
        let dt = if frame == 0 { 0.0 } else { (1.0 / rate) as f32 };
        transition.apply(&old, &mut pose, dt)?;
        recorder.push(&pose, f64::from(u8::from(is_switched)));
    }
    let name = format!("{}+{}", first.animation.name, second.animation.name);
    // While the pose fades, feet are planted otherwise than in either motion, so plants are found in the result.
    recorder.finish(name, |skeleton, animation| {
        find_plants(skeleton, animation, &Default::default())
    })
}
