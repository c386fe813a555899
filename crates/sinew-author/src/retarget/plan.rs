//! Which joints of the source drive each joint of the target.
//!
//! Joints of limbs correspond by role. A chain of `n` joints drives one of `m` joints by normalised arc length: the rotation of
//! joint `i` holds at the end of its bone,
//!
//! ```text
//! u_i = (b_1 + … + b_i) / (b_1 + … + b_n),   u_0 = 0: the joint above the chain
//! ```
//!
//! and joint `k` of the other chain is rotated as far as the piecewise geodesic through these rotations is at `u_k`. The last
//! joint has `u = 1` and so the orientation of the other chain's last joint, exactly. Chains of equally many joints correspond
//! one to one. Joints without a role correspond if they have the same name and their parents correspond: additional joints of
//! one family of skeletons. Everything else keeps its rest rotation relative to its parent; twist joints share the twist.

use super::body::Body;
use super::error::{Figure, RetargetWarning};
use super::role::{BodyPart, Role};
use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;
use glam::DVec3;
use sinew::internal::unit;

/// How a joint of the target is rotated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Drive {
    /// Its rest rotation relative to its parent.
    Rest,
    /// As one joint of the source.
    Joint(usize),
    /// Between two joints of the source, at a fraction.
    Between(usize, usize, f64),
    /// The share of the twist of a limb joint about a bone.
    Twist(TwistShare),
}

/// A twist joint: a joint on the bone of its parent, a limb joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TwistShare {
    /// The joint relative to which the twist is measured.
    pub(super) above: usize,
    /// The joint that twists.
    pub(super) twisted: usize,
    /// The direction of the bone in the parent's space.
    pub(super) axis: DVec3,
    /// The twist of this joint relative to its parent, as a share of the whole.
    pub(super) share: f64,
}

/// The joints of both skeletons that correspond.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// By joint of the target.
    pub(super) drives: Vec<Drive>,
    pub(super) warnings: Vec<RetargetWarning>,
}

impl Plan {
    pub(super) fn new(source: &Body, target: &Body) -> Self {
        let mut plan = Self {
            drives: alloc::vec![Drive::Rest; target.parents.len()],
            warnings: Vec::new(),
        };
        plan.drives[target.hips] = Drive::Joint(source.hips);
        plan.chain(
            (source, &source.trunk, source.hips, source.neck.first()),
            (target, &target.trunk, target.neck.first()),
        );
        let chest = source.trunk.last().copied().unwrap_or(source.hips);
        plan.chain(
            (source, &source.neck, chest, None),
            (target, &target.neck, None),
        );
        if (source.neck.len() > 1) != (target.neck.len() > 1) {
            let figure = lacking(source.neck.len() > 1);
            plan.missing(figure, Role::middle(BodyPart::Neck));
        }
        for side in [0, 1] {
            plan.side(source, target, side);
        }
        plan.same_names(source, target);
        plan.twists(target);
        plan
    }

    fn missing(&mut self, figure: Figure, role: Role) {
        let role = role.to_string();
        self.warnings
            .push(RetargetWarning::MissingRole { figure, role });
    }

    /// The joints of a chain and the joint above it, each with the joint at which the chain's last bone ends.
    fn chain(
        &mut self,
        (source, from, above, from_end): (&Body, &[usize], usize, Option<&usize>),
        (target, to, to_end): (&Body, &[usize], Option<&usize>),
    ) {
        if from.len() == to.len() {
            for (from, to) in from.iter().zip(to) {
                self.drives[*to] = Drive::Joint(*from);
            }
            return;
        }
        let knots = arc_lengths(source, from, from_end.copied());
        let wanted = arc_lengths(target, to, to_end.copied());
        for (joint, place) in to.iter().zip(wanted) {
            // The first knot that is not before the place; the last is at 1.
            let next = knots.iter().position(|knot| *knot >= place - 1e-12);
            let next = next.unwrap_or(knots.len() - 1);
            let (before, before_knot) = match next.checked_sub(1) {
                Some(before) => (from[before], knots[before]),
                None => (above, 0.0),
            };
            let span = knots[next] - before_knot;
            let ratio = if span > 1e-12 {
                ((place - before_knot) / span).clamp(0.0, 1.0)
            } else {
                1.0
            };
            self.drives[*joint] = if ratio >= 1.0 - 1e-9 {
                Drive::Joint(from[next])
            } else {
                Drive::Between(before, from[next], ratio)
            };
        }
    }

    fn side(&mut self, source: &Body, target: &Body, side: usize) {
        let (from, to) = (&source.sides[side], &target.sides[side]);
        for (from, to) in from.arm.iter().zip(&to.arm) {
            self.drives[*to] = Drive::Joint(*from);
        }
        for (from, to) in from.leg.iter().zip(&to.leg) {
            self.drives[*to] = Drive::Joint(*from);
        }
        let optional = [
            (from.clavicle, to.clavicle, BodyPart::Clavicle),
            (from.toes, to.toes, BodyPart::Toes),
        ];
        let role = |part| Role {
            part,
            side: super::body::SIDES[side],
        };
        for (from, to, part) in optional {
            match (from, to) {
                (Some(from), Some(to)) => self.drives[to] = Drive::Joint(from),
                (None, None) => {}
                (from, _) => self.missing(lacking(from.is_some()), role(part)),
            }
        }
        if from.fingers.is_empty() != to.fingers.is_empty() {
            let figure = lacking(!from.fingers.is_empty());
            self.missing(figure, role(BodyPart::Finger));
        }
        self.fingers(source, target, side);
    }

    /// Fingers correspond by the names of fingers; those without such names in their order, if they are equally many.
    fn fingers(&mut self, source: &Body, target: &Body, side: usize) {
        let (from, to) = (&source.sides[side].fingers, &target.sides[side].fingers);
        let kind = |body: &Body, finger: &[usize]| {
            let name = finger
                .first()
                .map(|base| body.names[*base].to_ascii_lowercase());
            finger_kind(&name.unwrap_or_default())
        };
        let hand = source.sides[side].arm[2];
        let named = |finger: &&Vec<usize>, body: &Body, wanted| kind(body, finger) == wanted;
        for wanted in [Some(0), Some(1), Some(2), Some(3), Some(4), None] {
            let from: Vec<_> = from.iter().filter(|f| named(f, source, wanted)).collect();
            let to: Vec<_> = to.iter().filter(|f| named(f, target, wanted)).collect();
            if from.len() != to.len() {
                continue;
            }
            for (from, to) in from.into_iter().zip(to) {
                self.chain((source, from, hand, None), (target, to, None));
            }
        }
    }

    /// Joints without a role whose name the other skeleton has too, below the corresponding joint.
    fn same_names(&mut self, source: &Body, target: &Body) {
        let joints = source.names.iter().enumerate();
        let by_name: BTreeMap<&str, usize> = joints.map(|(i, name)| (name.as_str(), i)).collect();
        for joint in 0..self.drives.len() {
            let Some(parent) = target.parents[joint] else {
                continue;
            };
            if self.drives[joint] != Drive::Rest {
                continue;
            }
            let Some(&other) = by_name.get(target.names[joint].as_str()) else {
                continue;
            };
            let is_free = !self.drives.contains(&Drive::Joint(other));
            let above = source.parents[other];
            if is_free && above.is_some_and(|above| self.drives[parent] == Drive::Joint(above)) {
                self.drives[joint] = Drive::Joint(other);
            }
        }
    }

    /// Joints without a role that lie on the bone of their parent, a limb joint, and have a name of twist joints.
    fn twists(&mut self, target: &Body) {
        for joints in &target.sides {
            let above_arm = joints.clavicle.or(target.trunk.last().copied());
            let [upper, lower, hand] = joints.arm;
            let [thigh, shin, foot] = joints.leg;
            let bones = [
                (upper, lower, above_arm.unwrap_or(target.hips), upper),
                (lower, hand, lower, hand),
                (thigh, shin, target.hips, thigh),
                (shin, foot, shin, foot),
            ];
            for (start, end, above, twisted) in bones {
                for joint in 0..self.drives.len() {
                    let is_free = self.drives[joint] == Drive::Rest;
                    if is_free && target.parents[joint] == Some(start) {
                        let place = twist_place(target, joint, [start, end]);
                        let Some((axis, place)) = place else {
                            continue;
                        };
                        // An upper bone twists at its start, so a joint on it takes back what is ahead of it.
                        let share = if twisted == start { place - 1.0 } else { place };
                        self.drives[joint] = Drive::Twist(TwistShare {
                            above,
                            twisted,
                            axis,
                            share,
                        });
                    }
                }
            }
        }
    }
}

/// The skeleton without a part that one of them has.
fn lacking(source_has: bool) -> Figure {
    if source_has {
        Figure::Target
    } else {
        Figure::Source
    }
}

/// The arc length up to the end of each joint's bone, as a share of the whole. `end` is the joint at which the last bone ends.
fn arc_lengths(body: &Body, chain: &[usize], end: Option<usize>) -> Vec<f64> {
    let mut lengths: Vec<f64> = Vec::with_capacity(chain.len());
    for (index, joint) in chain.iter().enumerate() {
        let position = body.position(*joint);
        let next = chain.get(index + 1).copied().or(end);
        let length = match next {
            Some(next) => (body.position(next) - position).length(),
            None => body.bone_end(*joint).map_or(0.0, |end| {
                (body.rest.point(*joint, end) - position).length()
            }),
        };
        lengths.push(length);
    }
    let sum: f64 = lengths.iter().sum();
    let mean = sum / lengths.len().max(1) as f64;
    // A last bone without an end is as long as the others are in the mean.
    if let (Some(last), None) = (lengths.last_mut(), end)
        && *last <= 1e-9
    {
        *last = mean;
    }
    let sum: f64 = lengths.iter().sum();
    let count = lengths.len() as f64;
    let mut before = 0.0;
    let shares = lengths.into_iter().enumerate().map(|(index, length)| {
        before += length;
        let share = if sum > 1e-9 {
            before / sum
        } else {
            (index + 1) as f64 / count
        };
        share.min(1.0)
    });
    let mut shares: Vec<f64> = shares.collect();
    if let Some(last) = shares.last_mut() {
        *last = 1.0;
    }
    shares
}

/// The finger that a joint's name names, from the thumb to the little finger.
fn finger_kind(name: &str) -> Option<usize> {
    let names: [&[&str]; 5] = [
        &["thumb"],
        &["index", "point"],
        &["middle", "mid"],
        &["ring"],
        &["pinky", "little"],
    ];
    names
        .iter()
        .position(|names| names.iter().any(|part| name.contains(part)))
}

/// The direction of a bone in its joint's space, and where on it a twist joint is, 0 to 1. `None` for a joint that is not on the
/// bone, or not named as a twist joint.
fn twist_place(body: &Body, joint: usize, [start, end]: [usize; 2]) -> Option<(DVec3, f64)> {
    let name = body.names[joint].to_ascii_lowercase();
    if !(name.contains("twist") || name.contains("roll")) {
        return None;
    }
    let bone = body.position(end) - body.position(start);
    let offset = body.position(joint) - body.position(start);
    let length = bone.length();
    let direction = unit(bone)?;
    let place = offset.dot(direction) / length;
    let beside = offset.reject_from_normalized(direction).length();
    // The joints below one that is beside the bone would move with the twist.
    if !(-0.01..=1.01).contains(&place) || beside > 1e-3 * length {
        return None;
    }
    let back = body.rest.rotations[start].conjugate();
    Some((
        sinew::math::dquat_rotate(back, direction),
        place.clamp(0.0, 1.0),
    ))
}
