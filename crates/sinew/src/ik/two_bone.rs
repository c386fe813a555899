//! Two-bone inverse kinematics in closed form: the law of cosines gives the bend, a rotation swings the limb to the
//! target.

use crate::math::{any_perpendicular, dquat_rotate, dquat_to_quat, rotation_between, unit};
use glam::{DQuat, DVec3, Quat, Vec3};

/// The distance in metres that the end moves while bones bent the wrong way flip to the other side.
const COMES_OVER: f64 = 0.01;

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

/// Clamps a setting to 0 to `most`; NaN is 0.
pub(crate) fn up_to(number: f32, most: f32) -> f32 {
    if number > 0.0 { number.min(most) } else { 0.0 }
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
    let chain = Chain {
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
pub struct Chain {
    pub upper: DVec3,
    pub middle: DVec3,
    pub end: DVec3,
    pub bend: DVec3,
}

/// [`TwoBoneSolution`] in double precision.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "shared with sinew-author only")]
pub struct Solved {
    pub upper: DQuat,
    pub lower: DQuat,
    pub stretch: [f64; 2],
    pub miss: f64,
}

impl Chain {
    /// Solves for the rotations with which the chain's end reaches the target.
    pub fn solve(&self, target: DVec3, settings: &TwoBoneSettings) -> Solved {
        let still = Solved {
            upper: DQuat::IDENTITY,
            lower: DQuat::IDENTITY,
            stretch: [1.0; 2],
            miss: (target - self.end).length(),
        };
        let (upper, lower) = (self.middle - self.upper, self.end - self.middle);
        let (Some(along_upper), Some(along_lower)) = (unit(upper), unit(lower)) else {
            return still;
        };
        let points = [self.upper, self.middle, self.end, self.bend, target];
        if !points.iter().all(|point| point.is_finite()) {
            return still;
        }
        let lengths = [upper.length(), lower.length()];
        let (span, way) = (self.end - self.upper, target - self.upper);
        let from = unit(span).unwrap_or(along_upper);
        let to = unit(way).unwrap_or(from);
        let (reach, stretch) = reach(lengths, span.length(), way.length(), settings);

        let swing = rotation_between(from, to);
        let [first, second] = lengths;
        let cosine = (first * first + reach * reach - second * second) / (2.0 * first * reach);
        let cosine = cosine.clamp(-1.0, 1.0);
        let out = first * libm::sqrt(1.0 - cosine * cosine);
        // The minimum bend offset with which neither bone gets too short.
        let [_, most] = settings.clamped();
        let along = first * cosine;
        let least = [(first, along), (second, reach - along)].map(|(length, along)| {
            let shortest = length * (1.0 - most) / stretch;
            shortest * shortest - along * along
        });
        let least = libm::sqrt(least[0].max(least[1]).clamp(0.0, out * out));
        let moved = (target - self.end).length();
        let side = dquat_rotate(swing, self.side(from, out, least, moved));
        let middle = to * (first * cosine) + side;
        let rest = to * reach - middle;
        let (Some(new_upper), Some(new_lower)) = (unit(middle), unit(rest)) else {
            return still;
        };
        let turned =
            |bone: DVec3, there: DVec3| rotation_between(dquat_rotate(swing, bone), there) * swing;
        Solved {
            upper: turned(along_upper, new_upper),
            lower: turned(along_lower, new_lower),
            stretch: [
                stretch * (middle.length() / first),
                stretch * (rest.length() / second),
            ],
            miss: (way.length() - reach * stretch).abs(),
        }
    }

    /// Returns the offset of the middle joint from the line between the ends, before the swing to the target: `out`
    /// metres on its present side. Additional bend is along `bend`. If it is bent the other way, it flips as the end
    /// has `moved`, at least `least` metres out.
    fn side(&self, from: DVec3, out: f64, least: f64, moved: f64) -> DVec3 {
        let own = (self.middle - self.upper).reject_from_normalized(from);
        let hint = unit(self.bend.reject_from_normalized(from)).unwrap_or(DVec3::ZERO);
        let more = hint * (out - own.length()).max(0.0);
        let along = own.dot(hint);
        let right = if along < 0.0 {
            own - hint * (2.0 * along)
        } else {
            own
        };
        let long = |way: DVec3| unit(way).unwrap_or_else(|| any_perpendicular(from)) * out;
        let right = long(right + more);
        if along >= 0.0 {
            return right;
        }
        let t = (moved / COMES_OVER).min(1.0);
        // Smoothstep.
        let share = t * t * (3.0 - 2.0 * t);
        // Linearly through the line as far as bones may get shorter, and around it for the rest.
        let own = long(own);
        let through = own * (1.0 - share) + right * share;
        let aside = least * least - through.dot(through);
        if aside <= 0.0 {
            return through;
        }
        let across = unit(from.cross(right)).unwrap_or(DVec3::ZERO);
        through + across * libm::sqrt(aside)
    }
}

/// Returns the distance between the ends before stretching, and the stretch factor.
fn reach(
    [first, second]: [f64; 2],
    own: f64,
    wanted: f64,
    settings: &TwoBoneSettings,
) -> (f64, f64) {
    let whole = first + second;
    let least = (first - second).abs().max(whole * 1e-6);
    let [soft, most] = settings.clamped();
    let zone = soft * whole;
    let soft = |far: f64| {
        let into = (far - (whole - zone)).clamp(0.0, zone);
        let less = if zone > 0.0 {
            into * into / (2.0 * zone)
        } else {
            0.0
        };
        far.min(whole) - less
    };
    // The present distance is reached without a change.
    let more = own.min(whole) - soft(own);
    let reach = soft(wanted) + more * (wanted / own.max(whole * 1e-6)).min(1.0);
    let reach = reach.clamp(least, whole);
    (reach, (wanted / reach).clamp(1.0 - most, 1.0 + most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(chain: &Chain, solved: &Solved) -> DVec3 {
        let upper = (chain.middle - chain.upper) * solved.stretch[0];
        let lower = (chain.end - chain.middle) * solved.stretch[1];
        chain.upper + dquat_rotate(solved.upper, upper) + dquat_rotate(solved.lower, lower)
    }

    fn bent() -> Chain {
        Chain {
            upper: DVec3::new(0.1, 1.0, 0.2),
            middle: DVec3::new(0.12, 0.6, 0.3),
            end: DVec3::new(0.1, 0.2, 0.1),
            bend: DVec3::Z,
        }
    }

    #[test]
    fn a_knee_that_comes_over_keeps_its_bones() {
        let chain = Chain {
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
    fn bones_without_length_and_numbers_that_are_none_turn_nothing() {
        let settings = TwoBoneSettings::default();
        let none = Chain {
            middle: bent().upper,
            ..bent()
        };
        assert_eq!(none.solve(DVec3::ZERO, &settings).upper, DQuat::IDENTITY);
        for bad in [f64::NAN, f64::INFINITY] {
            let solved = bent().solve(DVec3::new(bad, 0.0, 0.0), &settings);
            assert_eq!(solved.lower, DQuat::IDENTITY);
            let chain = Chain {
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
            let way = DVec3::new(libm::sin(f), libm::cos(f * 0.7), libm::sin(f * 0.3 + 1.0));
            let far = 0.1 + 0.7 * (f / 200.0);
            let target = chain.upper + unit(way).unwrap() * far;
            let solved = chain.solve(target, &TwoBoneSettings::default());
            assert!((ends(&chain, &solved) - target).length() < 1e-9, "{step}");
            assert!(solved.stretch.iter().all(|own| (own - 1.0).abs() < 1e-12));
            assert!(solved.miss < 1e-12);
        }
    }

    #[test]
    fn at_the_target_nothing_turns_however_straight_it_is() {
        let straight = Chain {
            middle: DVec3::new(0.1, 0.6, 0.2001),
            end: DVec3::new(0.1, 0.2, 0.2),
            ..bent()
        };
        for chain in [bent(), straight] {
            let solved = chain.solve(chain.end, &TwoBoneSettings::default());
            for turn in [solved.upper, solved.lower] {
                assert!(turn.w > 1.0 - 1e-12, "{turn:?}");
            }
            assert!(solved.stretch.iter().all(|own| (own - 1.0).abs() < 1e-9));
        }
    }

    #[test]
    fn almost_straight_bones_stretch_smoothly_and_not_beyond_their_limit() {
        let chain = bent();
        let whole = (chain.middle - chain.upper).length() + (chain.end - chain.middle).length();
        let settings = TwoBoneSettings::default();
        let mut last = 1.0 - 1e-12;
        for step in 0..300 {
            let far = whole * (0.97 + 0.0001 * f64::from(step));
            let target = chain.upper - DVec3::Y * far;
            let solved = chain.solve(target, &settings);
            let stretch = solved.stretch[0];
            assert!((0.0..2e-4).contains(&(stretch - last).abs()), "{step}");
            assert!((1.0 - 1e-9..=1.01 + 1e-9).contains(&stretch), "{step}");
            last = stretch;
            let missed = (ends(&chain, &solved) - target).length();
            assert!(missed < 1e-9, "{step} {missed}");
        }
        let solved = chain.solve(chain.upper - DVec3::Y * (whole * 1.5), &settings);
        assert!((solved.miss - whole * 0.5001).abs() < whole * 1e-3);
    }

    #[test]
    fn a_knee_does_not_snap_as_a_straight_leg_is_shortened() {
        // Straight, and bent backward by a degree.
        for back in [0.0, -0.004] {
            let chain = Chain {
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
                let at = knee(1e-4 * f64::from(step));
                assert!((at - last).length() < 1e-3, "{step} {at:?} {last:?}");
                last = at;
            }
            assert!(last.z > 0.08, "{last:?}");
        }
    }

    #[test]
    fn a_straight_leg_bends_the_way_that_it_is_told() {
        let chain = Chain {
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
