//! What there is without a registration: motions whose times go evenly, and switches from one to another.

use super::alignment::between_origins;
use super::bake::{Blended, check_beginning};
use super::crossfade::{PoseCrossfade, PoseTransition};
use super::point_cloud::{PointCloud, PointCloudFrame};
use super::procrustes::AlignmentSums;
use super::recorder::{MAX_FRAMES, Recorder, rate};
use super::settings::usual_weights;
use crate::contacts::find_plants;
use alloc::format;
use alloc::vec::Vec;
use glam::Vec3;
use sinew::internal::Alignment;
use sinew::internal::Track;
use sinew::internal::{carriers, lay};
use sinew::math::GroundTransform;
use sinew::pose::Pose;
use sinew::registration::BlendError;
use sinew::registration::PlantMatch;
use sinew::registration::RegistrationCurve;
use sinew::registration::{Motion, compare_skeletons};
use sinew::sample::Sampler;
use sinew::skeleton::JointIndex;

/// The same stretches of the same motions without registering them: times go evenly, and each motion is laid on the
/// reference by one move for all of it, which turns it where the reference goes and begins where that begins.
/// Plants that match are those of this curve. For comparison.
///
/// # Errors
/// When there are not as many motions as the curve has, or skeletons are built differently.
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
    for own in motions {
        compare_skeletons(motions[0].skeleton, own.skeleton)?;
    }
    let spans: Vec<[f64; 2]> = (0..curve.len())
        .map(|motion| [0.0, 1.0].map(|end| curve.time(motion, end)))
        .collect();
    let even_time = |motion: usize, at: f64| {
        let [from, to] = spans[motion];
        from + (to - from) * at
    };
    let even = |motion: usize, at: f64| match curve.cycle(motion) {
        // Each cycle goes on where the one before has led.
        Some(cycle) => cycle.at(even_time(motion, at)),
        None => (even_time(motion, at), GroundTransform::IDENTITY),
    };
    let each = spans.iter().enumerate();
    let tracks = each.map(|(motion, span)| {
        let pair = [curve.reference(), motion];
        let place = lay_along(pair.map(|own| motions[own]), |own, at| even(pair[own], at));
        Track {
            cycle: curve.cycle(motion),
            fingerprint: curve.fingerprint(motion).cloned(),
            ..RegistrationCurve::even_track(curve.name(motion), *span, Alignment::constant(place))
        }
    });
    let plants = curve.plants().iter().map(|own| PlantMatch {
        spans: own
            .spans
            .iter()
            .enumerate()
            .map(|(motion, span)| {
                let [from, to] = spans[motion];
                span.map(|u| ((curve.time(motion, u) - from) / (to - from)).clamp(0.0, 1.0))
            })
            .collect(),
        ..own.clone()
    });
    let even = RegistrationCurve::new(tracks.collect(), curve.reference(), curve.distance());
    Ok(even.with_plants(plants.collect()))
}

/// Moments at which two motions are compared to lay one along the other.
const MOMENTS: usize = 32;

/// The move over the ground that brings the second of two motions as near as can be to the first, over all of both, once
/// they begin together. `time` is when a motion is sampled at a position, and where its loop has led by then.
fn lay_along(
    motions: [Motion<'_>; 2],
    time: impl Fn(usize, f64) -> (f64, GroundTransform),
) -> GroundTransform {
    let weights = usual_weights(motions);
    let cloud = |own: usize| {
        let Motion {
            skeleton,
            animation,
        } = motions[own];
        let mut sampler = Sampler::new(skeleton, animation);
        let mut places = Vec::with_capacity((MOMENTS + 1) * skeleton.len());
        for at in 0..=MOMENTS {
            let (time, led) = time(own, at as f64 / MOMENTS as f64);
            let led = motions[own].placement(time).unwrap_or_default().then(&led);
            let model = sampler.model_at(time as f32);
            places.extend((0..skeleton.len()).map(|joint| {
                let place = model.position(joint.into());
                let [x, z] = led.apply([place.x.into(), place.z.into()]);
                Vec3::new(x as f32, place.y, z as f32)
            }));
        }
        PointCloud::of_points(&places, &weights)
    };
    let clouds = [cloud(0), cloud(1)];
    let mut moments = [PointCloudFrame::default(), PointCloudFrame::default()];
    let [mut whole, mut start] = [AlignmentSums::default(); 2];
    for at in 0..=MOMENTS {
        for (moment, cloud) in moments.iter_mut().zip(&clouds) {
            cloud.between(at as f64, moment);
        }
        whole.add(&moments[0], &moments[1], 1.0);
        if at == 0 {
            start = whole;
        }
    }
    let fit = start.fit_with(whole.fit().angle);
    usable(between_origins(&fit, clouds[0].origin, clouds[1].origin))
}

/// What is nowhere is moved nowhere.
fn usable(fit: GroundTransform) -> GroundTransform {
    let is_finite = [fit.angle, fit.x, fit.z].iter().all(|own| own.is_finite());
    if is_finite {
        fit
    } else {
        GroundTransform::IDENTITY
    }
}

/// The move over the ground that brings the second motion at a moment as near as can be to the first at another.
fn lay_on(first: (Motion<'_>, f64), second: (Motion<'_>, f64)) -> GroundTransform {
    let weights = usual_weights([first.0, second.0]);
    let cloud = |(own, time): (Motion<'_>, f64)| {
        let mut sampler = Sampler::new(own.skeleton, own.animation);
        let model = sampler.model_at(time as f32);
        let ground = own.placement(time).unwrap_or_default();
        let joints = (0..own.skeleton.len()).map(JointIndex::from);
        let places = joints.map(|joint| {
            let place = model.position(joint);
            let [x, z] = ground.apply([place.x.into(), place.z.into()]);
            Vec3::new(x as f32, place.y, z as f32)
        });
        let places: Vec<Vec3> = places.collect();
        PointCloud::of_points(&places, &weights)
    };
    let clouds = [first, second].map(cloud);
    let moments = clouds.each_ref().map(|cloud| {
        let mut moment = PointCloudFrame::default();
        cloud.between(0.0, &mut moment);
        moment
    });
    let mut sums = AlignmentSums::default();
    sums.add(&moments[0], &moments[1], 1.0);
    usable(between_origins(
        &sums.fit(),
        clouds[0].origin,
        clouds[1].origin,
    ))
}

/// How one motion is switched to another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SwitchSettings {
    /// When, in seconds of the first motion; at its end where that is sooner.
    pub at: f64,
    /// What becomes of the jump.
    pub fade: PoseCrossfade,
    /// Where the first motion is laid.
    pub ground: GroundTransform,
}

/// Plays the first motion up to a moment and then the second from its beginning, laid where the first was. Unlike
/// [`transition`](super::transition) it needs no curve.
///
/// # Errors
/// When skeletons are built differently, or a setting is no number.
pub fn switch_motions(
    motions: [Motion<'_>; 2],
    settings: &SwitchSettings,
) -> Result<Blended, BlendError> {
    let [first, second] = motions;
    compare_skeletons(first.skeleton, second.skeleton)?;
    check_beginning(settings.at)?;
    let skeleton = first.skeleton;
    let rate = rate(&motions);
    let at = settings.at.min(first.animation.length.into());
    let later = lay_on((first, at), (second, 0.0)).then(&settings.ground);
    let carriers = carriers(first);
    let roots: Vec<JointIndex> = skeleton.roots().collect();

    let length = at + f64::from(second.animation.length);
    let count = ((length * rate + 1e-3) as usize + 1).min(MAX_FRAMES);
    let mut going = Sampler::new(skeleton, first.animation);
    let mut coming = Sampler::new(second.skeleton, second.animation);
    let (mut old, mut pose) = (Pose::rest(skeleton), Pose::rest(skeleton));
    let mut shown = PoseTransition::new(skeleton);
    let mut recorder = Recorder::new(skeleton, rate);
    let mut is_switched = false;
    for frame in 0..count {
        let time = frame as f64 / rate;
        let going_time = time.min(first.animation.length.into());
        old.copy_from(going.pose_at(going_time as f32));
        let placement = first.placement(going_time).unwrap_or_default();
        lay(
            &mut old,
            &carriers,
            &roots,
            &placement.then(&settings.ground),
        );
        if time + 1e-9 < at {
            pose.copy_from(&old);
        } else {
            pose.copy_from(coming.pose_at((time - at) as f32));
            let placement = second.placement(time - at).unwrap_or_default();
            lay(&mut pose, &carriers, &roots, &placement.then(&later));
            if !is_switched {
                shown.switch(settings.fade);
                is_switched = true;
            }
        }
        let dt = if frame == 0 { 0.0 } else { (1.0 / rate) as f32 };
        shown.apply(&old, &mut pose, dt)?;
        recorder.push(&pose, f64::from(u8::from(is_switched)));
    }
    let name = format!("{}+{}", first.animation.name, second.animation.name);
    // The body flows from one motion into the other, and a foot stands when it does so: not as in either.
    recorder.finish(name, |skeleton, animation| {
        find_plants(skeleton, animation, &Default::default())
    })
}
