//! Two-bone inverse kinematics in closed form: the law of cosines gives the bend, a rotation swings the limb to the
//! target.
//!
//! With bones of length `a` and `b` and a distance `d` from the upper joint to the end after solving, the angle `α`
//! between the first bone and the line to the target `t` satisfies
//!
//! ```text
//! b² = a² + d² - 2 a d cos α   ⇒   cos α = (a² + d² - b²) / (2 a d)
//! middle = upper + a cos α · t + a sin α · side
//! ```
//!
//! with the unit vector `side` perpendicular to the unit vector `t`: the present side of the middle joint, after the
//! shortest rotation from the present end to the target. Both bones then rotate by the shortest arc to these points.
//!
//! There is no trigonometry: `sin α = sqrt(1 - cos² α)`, and rotations are computed from pairs of directions. That
//! square root loses half of the digits near full extension, which double precision can spare. Near full extension the
//! bend also changes infinitely fast with `d`; the function `reach` softens that. The cost is constant.

use crate::math::{any_perpendicular, dquat_rotate, dquat_to_quat};
use crate::math::{rotation_between, smoothstep, unit};
use glam::{DQuat, DVec3, Quat, Vec3};

/// The distance in metres that the end moves while bones bent the wrong way flip to the other side.
const FLIP_DISTANCE: f64 = 0.01;

/// Two bones in model space, before solving.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBone {
    /// The start of the first bone: the hip or the shoulder.
    pub upper: Vec3,
    /// The joint between the bones: the knee or the elbow.
    pub middle: Vec3,
    /// The end of the second bone: the ankle or the wrist.
    pub end: Vec3,
    /// The bend direction of the middle joint: forward for knees, backward for elbows. Of any length. It is used if
    /// the bones are straight and must bend, and has no effect if they are bent enough.
    pub bend: Vec3,
}

/// The settings of two-bone IK for bones close to full extension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBoneSettings {
    /// The last fraction of the bones' length over which the middle joint bends and straightens progressively less, to
    /// avoid snapping: straight bones would have to bend very far for the first millimetre. Clamped to 0 to 0.5; NaN
    /// is 0.
    pub soft: f32,
    /// The maximum lengthening or shortening of the bones, as a fraction of their length, to reach the target exactly
    /// nevertheless. A little more than half of `soft` suffices for every target within reach. Clamped to 0 to 1; NaN
    /// is 0.
    pub stretch: f32,
}

impl TwoBoneSettings {
    /// Returns the soft fraction, 0 to 0.5, and the stretch, 0 to 1.
    fn clamped(&self) -> [f64; 2] {
        [up_to(self.soft, 0.5), up_to(self.stretch, 1.0)].map(f64::from)
    }
}

/// Clamps a setting to 0 to `max`; NaN is 0.
pub(crate) fn up_to(number: f32, max: f32) -> f32 {
    if number > 0.0 { number.min(max) } else { 0.0 }
}

impl Default for TwoBoneSettings {
    fn default() -> Self {
        Self {
            soft: 0.0195,
            stretch: 0.01,
        }
    }
}

/// The solution of two-bone IK.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBoneSolution {
    /// The rotation of the first bone about its start, in model space: applied after the joint's current rotation.
    pub upper: Quat,
    /// The rotation of the second bone about its start, also in model space. It replaces the first bone's rotation and
    /// is not applied after it.
    pub lower: Quat,
    /// The stretch factor of each bone; about 1.
    pub stretch: [f32; 2],
    /// The distance between the end and the target, in metres.
    pub miss: f32,
}

/// Rotates two bones so that the second ends at `target`.
///
/// The bones are swung along the shortest arc from their end to the target, then bent in their plane by the law of
/// cosines. Bones bent the wrong way flip to the right side within a centimetre of motion of their end. Almost
/// straight bones bend less than they should and are stretched or shortened instead, as far as the settings allow.
/// Targets beyond that, or nearer than the difference of the bone lengths, are missed by the rest. Bones whose end is
/// at the target are not rotated. Bones without length and numbers that are not finite give no rotation.
///
/// ```
/// use sinew::ik::{TwoBone, TwoBoneSettings, solve_two_bone};
/// use sinew::glam::Vec3;
/// use sinew::math::quat_rotate;
///
/// // A leg of 0.9 m that is straight, and a step to stand on.
/// let leg = TwoBone {
///     upper: Vec3::new(0.0, 0.95, 0.0),
///     middle: Vec3::new(0.0, 0.5, 0.0),
///     end: Vec3::new(0.0, 0.05, 0.0),
///     bend: Vec3::Z,
/// };
/// let step = Vec3::new(0.0, 0.25, 0.3);
/// let solution = solve_two_bone(&leg, step, &TwoBoneSettings::default());
///
/// let [thigh, shin] = solution.stretch;
/// let knee = leg.upper + quat_rotate(solution.upper, leg.middle - leg.upper) * thigh;
/// let ankle = knee + quat_rotate(solution.lower, leg.end - leg.middle) * shin;
/// assert!((thigh - 1.0).abs() < 0.011);
/// assert!((ankle - step).length() < 1e-5 && knee.z > 0.2);
/// ```
pub fn solve_two_bone(
    bones: &TwoBone,
    target: Vec3,
    settings: &TwoBoneSettings,
) -> TwoBoneSolution {
    let chain = TwoBone64 {
        upper: bones.upper.as_dvec3(),
        middle: bones.middle.as_dvec3(),
        end: bones.end.as_dvec3(),
        bend: bones.bend.as_dvec3(),
    };
    let solved = chain.solve(target.as_dvec3(), settings);
    TwoBoneSolution {
        upper: dquat_to_quat(solved.upper),
        lower: dquat_to_quat(solved.lower),
        stretch: solved.stretch.map(|stretch| stretch as f32),
        miss: solved.miss as f32,
    }
}

/// [`TwoBone`] in double precision.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "shared with sinew-author only")]
pub struct TwoBone64 {
    pub upper: DVec3,
    pub middle: DVec3,
    pub end: DVec3,
    pub bend: DVec3,
}

/// [`TwoBoneSolution`] in double precision.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "shared with sinew-author only")]
pub struct TwoBoneSolution64 {
    pub upper: DQuat,
    pub lower: DQuat,
    pub stretch: [f64; 2],
    pub miss: f64,
}

impl TwoBone64 {
    /// Solves for the rotations with which the chain's end reaches the target.
    pub fn solve(&self, target: DVec3, settings: &TwoBoneSettings) -> TwoBoneSolution64 {
        let unchanged = TwoBoneSolution64 {
            upper: DQuat::IDENTITY,
            lower: DQuat::IDENTITY,
            stretch: [1.0; 2],
            miss: (target - self.end).length(),
        };
        let (upper, lower) = (self.middle - self.upper, self.end - self.middle);
        let (Some(along_upper), Some(along_lower)) = (unit(upper), unit(lower)) else {
            return unchanged;
        };
        let points = [self.upper, self.middle, self.end, self.bend, target];
        if !points.iter().all(|point| point.is_finite()) {
            return unchanged;
        }
        let lengths = [upper.length(), lower.length()];
        let (span, to_target) = (self.end - self.upper, target - self.upper);
        let from = unit(span).unwrap_or(along_upper);
        let to = unit(to_target).unwrap_or(from);
        let (reach, stretch) = reach(lengths, span.length(), to_target.length(), settings);

        let swing = rotation_between(from, to);
        let [first, second] = lengths;
        let cosine = (first * first + reach * reach - second * second) / (2.0 * first * reach);
        let cosine = cosine.clamp(-1.0, 1.0);
        let bend_offset = first * libm::sqrt(1.0 - cosine * cosine);
        // The minimum bend offset with which neither bone gets too short. A bone whose share of the line is `along`
        // becomes `stretch · sqrt(along² + offset²)` long, which must not be below `length (1 - max_stretch)`.
        let [_, max_stretch] = settings.clamped();
        let along = first * cosine;
        let min_offset = [(first, along), (second, reach - along)].map(|(length, along)| {
            let shortest = length * (1.0 - max_stretch) / stretch;
            shortest * shortest - along * along
        });
        let min_offset = libm::sqrt(
            min_offset[0]
                .max(min_offset[1])
                .clamp(0.0, bend_offset * bend_offset),
        );
        let moved = (target - self.end).length();
        let side = dquat_rotate(swing, self.side(from, bend_offset, min_offset, moved));
        let middle = to * (first * cosine) + side;
        let remaining = to * reach - middle;
        let (Some(new_upper), Some(new_lower)) = (unit(middle), unit(remaining)) else {
            return unchanged;
        };
        // The whole limb swings; then each bone rotates from there along the shortest arc to its new direction.
        let rotation = |bone: DVec3, direction: DVec3| {
            rotation_between(dquat_rotate(swing, bone), direction) * swing
        };
        TwoBoneSolution64 {
            upper: rotation(along_upper, new_upper),
            lower: rotation(along_lower, new_lower),
            stretch: [
                stretch * (middle.length() / first),
                stretch * (remaining.length() / second),
            ],
            miss: (to_target.length() - reach * stretch).abs(),
        }
    }

    /// Returns the offset of the middle joint from the line between the ends, before the swing to the target:
    /// `bend_offset` metres on its present side. Additional bend is along `bend`. If it is bent the other way, it
    /// flips as the end has `moved`, at least `min_offset` metres from the line.
    fn side(&self, from: DVec3, bend_offset: f64, min_offset: f64, moved: f64) -> DVec3 {
        let present = (self.middle - self.upper).reject_from_normalized(from);
        let hint = unit(self.bend.reject_from_normalized(from)).unwrap_or(DVec3::ZERO);
        let missing = hint * (bend_offset - present.length()).max(0.0);
        let along = present.dot(hint);
        let bent_forward = if along < 0.0 {
            present - hint * (2.0 * along)
        } else {
            present
        };
        let resized =
            |offset: DVec3| unit(offset).unwrap_or_else(|| any_perpendicular(from)) * bend_offset;
        let right_side = resized(bent_forward + missing);
        if along >= 0.0 {
            return right_side;
        }
        let share = smoothstep(moved / FLIP_DISTANCE);
        // Linearly through the line as far as bones may get shorter, and around it for the rest.
        let through = resized(present) * (1.0 - share) + right_side * share;
        let missing_squared = min_offset * min_offset - through.dot(through);
        if missing_squared <= 0.0 {
            return through;
        }
        let across = unit(from.cross(right_side)).unwrap_or(DVec3::ZERO);
        through + across * libm::sqrt(missing_squared)
    }
}

/// Returns the distance between the ends before stretching, and the stretch factor.
///
/// Within the last fraction `soft` of the bones' length `l`, a zone of `z = soft l`, a target `d` away is reached to
/// `d - (d - (l - z))² / 2z`: slope 1 at the start of the zone and 0 at full extension. The present distance is reached
/// without a change, and stretching makes up for the rest.
fn reach(
    [first, second]: [f64; 2],
    present: f64,
    wanted: f64,
    settings: &TwoBoneSettings,
) -> (f64, f64) {
    let length = first + second;
    let min_reach = (first - second).abs().max(length * 1e-6);
    let [soft, max_stretch] = settings.clamped();
    let zone = soft * length;
    let soften = |distance: f64| {
        let into = (distance - (length - zone)).clamp(0.0, zone);
        let reduction = if zone > 0.0 {
            into * into / (2.0 * zone)
        } else {
            0.0
        };
        distance.min(length) - reduction
    };
    // The softening of the present distance is added back, fully for this distance and less for nearer targets: a
    // target at the present end changes nothing.
    let correction = present.min(length) - soften(present);
    let reach = soften(wanted) + correction * (wanted / present.max(length * 1e-6)).min(1.0);
    let reach = reach.clamp(min_reach, length);
    let stretch = (wanted / reach).clamp(1.0 - max_stretch, 1.0 + max_stretch);
    (reach, stretch)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(chain: &TwoBone64, solved: &TwoBoneSolution64) -> DVec3 {
        let upper = (chain.middle - chain.upper) * solved.stretch[0];
        let lower = (chain.end - chain.middle) * solved.stretch[1];
        chain.upper + dquat_rotate(solved.upper, upper) + dquat_rotate(solved.lower, lower)
    }

    fn bent() -> TwoBone64 {
        TwoBone64 {
            upper: DVec3::new(0.1, 1.0, 0.2),
            middle: DVec3::new(0.12, 0.6, 0.3),
            end: DVec3::new(0.1, 0.2, 0.1),
            bend: DVec3::Z,
        }
    }

    #[test]
    fn a_knee_that_flips_keeps_its_bone_lengths() {
        let chain = TwoBone64 {
            upper: DVec3::new(0.0, 0.9, 0.0),
            middle: DVec3::new(0.0, 0.45, -0.2),
            end: DVec3::new(0.0, 0.05, 0.0),
            bend: DVec3::Z,
        };
        let settings = TwoBoneSettings::default();
        for step in 0..40 {
            let up = 0.001 * f64::from(step);
            let target = DVec3::new(0.0, 0.05 + up, 0.0);
            let solved = chain.solve(target, &settings);
            for stretch in solved.stretch {
                assert!((stretch - 1.0).abs() <= 0.01 + 1e-9, "{up}: {stretch}");
            }
            assert!((ends(&chain, &solved) - target).length() < 1e-6, "{up}");
        }
    }

    #[test]
    fn bones_without_length_and_nan_give_no_rotation() {
        let settings = TwoBoneSettings::default();
        let degenerate = TwoBone64 {
            middle: bent().upper,
            ..bent()
        };
        assert_eq!(
            degenerate.solve(DVec3::ZERO, &settings).upper,
            DQuat::IDENTITY
        );
        for bad in [f64::NAN, f64::INFINITY] {
            let solved = bent().solve(DVec3::new(bad, 0.0, 0.0), &settings);
            assert_eq!(solved.lower, DQuat::IDENTITY);
            let chain = TwoBone64 {
                bend: DVec3::new(0.0, bad, 0.0),
                ..bent()
            };
            assert_eq!(chain.solve(DVec3::ZERO, &settings).upper, DQuat::IDENTITY);
        }
    }

    #[test]
    fn every_target_within_reach_is_reached() {
        let chain = bent();
        for step in 0..200 {
            let f = f64::from(step);
            let direction = DVec3::new(libm::sin(f), libm::cos(f * 0.7), libm::sin(f * 0.3 + 1.0));
            let distance = 0.1 + 0.7 * (f / 200.0);
            let target = chain.upper + unit(direction).unwrap() * distance;
            let solved = chain.solve(target, &TwoBoneSettings::default());
            assert!((ends(&chain, &solved) - target).length() < 1e-9, "{step}");
            assert!(
                solved
                    .stretch
                    .iter()
                    .all(|stretch| (stretch - 1.0).abs() < 1e-12)
            );
            assert!(solved.miss < 1e-12);
        }
    }

    #[test]
    fn at_the_target_nothing_rotates_however_straight_it_is() {
        let straight = TwoBone64 {
            middle: DVec3::new(0.1, 0.6, 0.2001),
            end: DVec3::new(0.1, 0.2, 0.2),
            ..bent()
        };
        for chain in [bent(), straight] {
            let solved = chain.solve(chain.end, &TwoBoneSettings::default());
            for rotation in [solved.upper, solved.lower] {
                assert!(rotation.w > 1.0 - 1e-12, "{rotation:?}");
            }
            assert!(
                solved
                    .stretch
                    .iter()
                    .all(|stretch| (stretch - 1.0).abs() < 1e-9)
            );
        }
    }

    #[test]
    fn almost_straight_bones_stretch_smoothly_and_not_beyond_their_limit() {
        let chain = bent();
        let length = (chain.middle - chain.upper).length() + (chain.end - chain.middle).length();
        let settings = TwoBoneSettings::default();
        let mut last = 1.0 - 1e-12;
        for step in 0..300 {
            let distance = length * (0.97 + 0.0001 * f64::from(step));
            let target = chain.upper - DVec3::Y * distance;
            let solved = chain.solve(target, &settings);
            let stretch = solved.stretch[0];
            assert!((0.0..2e-4).contains(&(stretch - last).abs()), "{step}");
            assert!((1.0 - 1e-9..=1.01 + 1e-9).contains(&stretch), "{step}");
            last = stretch;
            let miss = (ends(&chain, &solved) - target).length();
            assert!(miss < 1e-9, "{step} {miss}");
        }
        let solved = chain.solve(chain.upper - DVec3::Y * (length * 1.5), &settings);
        assert!((solved.miss - length * 0.5001).abs() < length * 1e-3);
    }

    #[test]
    fn a_knee_does_not_snap_as_a_straight_leg_is_shortened() {
        // Straight, and bent backward by a degree.
        for back in [0.0, -0.004] {
            let chain = TwoBone64 {
                upper: DVec3::new(0.0, 0.9, 0.0),
                middle: DVec3::new(0.0, 0.45, back),
                end: DVec3::ZERO,
                bend: DVec3::Z,
            };
            let knee = |up: f64| {
                let target = DVec3::new(0.0, up, 0.0);
                let solved = chain.solve(target, &TwoBoneSettings::default());
                assert!((ends(&chain, &solved) - target).length() < 1e-9);
                let upper = (chain.middle - chain.upper) * solved.stretch[0];
                chain.upper + dquat_rotate(solved.upper, upper)
            };
            let mut last = knee(0.0);
            assert!((last - chain.middle).length() < 1e-9);
            for step in 1..400 {
                let position = knee(1e-4 * f64::from(step));
                assert!(
                    (position - last).length() < 1e-3,
                    "{step} {position:?} {last:?}"
                );
                last = position;
            }
            assert!(last.z > 0.08, "{last:?}");
        }
    }

    #[test]
    fn a_straight_leg_bends_in_the_given_direction() {
        let chain = TwoBone64 {
            upper: DVec3::Y,
            middle: DVec3::new(0.0, 0.5, 0.0),
            end: DVec3::ZERO,
            bend: DVec3::new(0.3, 5.0, 0.4),
        };
        let solved = chain.solve(DVec3::new(0.0, 0.2, 0.0), &TwoBoneSettings::default());
        let knee = chain.upper + dquat_rotate(solved.upper, chain.middle - chain.upper);
        assert!((knee.x / knee.z - 0.75).abs() < 1e-9, "{knee:?}");
        assert!(knee.x > 0.1);
    }
}
