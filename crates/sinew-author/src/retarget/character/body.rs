//! The character as a body: its limbs, its trunk, the bones that carry it, and where its feet touch the ground at setup.

use super::angles::difference;
use super::rig::{Rig, World, rotated};
use super::source::SIDES;
use super::{CharacterError, Facing};
use crate::retarget::{BodyPart, Role, RoleMap};
use alloc::vec::Vec;
use glam::DVec2;
use sinew::skelform::{
    Armature, ArmatureData, ArmaturePose, ConstructSettings, IkConstraint, PhysicsStep, construct,
};

/// Bones shorter than this have no direction, in pixels.
const MIN_LENGTH: f64 = 1e-3;

/// A bend at setup that shows which way a joint bends, in radians.
const CLEAR_BEND: f64 = 0.05;

/// A bone of a limb.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimbBone {
    pub(super) role: Role,
    /// The joint of the source that the bone leads to.
    pub(super) to: Role,
    pub(super) bone: usize,
    /// The drawn direction relative to the bone's rotation, in radians.
    pub(super) aim: f64,
    /// The length at setup, in world pixels.
    pub(super) length: f64,
}

/// An IK family that moves a limb.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimbIk {
    pub(super) target: usize,
    /// Whether the chain ends at the joint between the two bones of the limb, not after them.
    pub(super) ends_at_middle: bool,
    /// Whether the end of the limb takes the target's rotation.
    pub(super) mimics: bool,
    /// The sign of the bend that the constraint allows, counter-clockwise positive.
    pub(super) bend: Option<f64>,
}

/// A leg or an arm.
#[derive(Clone, Debug)]
pub(super) struct Limb {
    /// An index into [`SIDES`].
    pub(super) side: usize,
    pub(super) is_leg: bool,
    /// One or two, from the trunk outwards.
    pub(super) bones: Vec<LimbBone>,
    /// The foot.
    pub(super) foot: Option<usize>,
    pub(super) ik: Option<LimbIk>,
    /// Where a foot touches the ground; of legs only.
    pub(super) sole: Option<Sole>,
    /// The height of the ankle at setup, in world pixels.
    pub(super) ankle_height: f64,
}

/// Where a foot touches the ground, relative to the ankle, in world directions of the setup pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sole {
    pub(super) heel: DVec2,
    pub(super) toe: DVec2,
}

/// The character.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) limbs: Vec<Limb>,
    /// The bone that rises and falls.
    pub(super) hips: usize,
    /// The bone above it that travels; the hips if there is none.
    pub(super) carrier: usize,
    /// Bones of the trunk above the hips, parents first.
    pub(super) trunk: Vec<usize>,
    /// Whether the hips are a bone of their own that turns with the pelvis. Otherwise they carry the trunk.
    pub(super) has_pelvis: bool,
    pub(super) head: Option<usize>,
    pub(super) facing: Facing,
    /// World transforms at setup, IK included.
    pub(super) setup: Vec<World>,
    /// From the ground to the highest bone, in pixels.
    pub(super) height: f64,
}

impl Body {
    /// Reads the body of a character from its roles.
    pub(super) fn new(
        armature: &Armature,
        roles: &RoleMap,
        facing: Option<Facing>,
    ) -> Result<Self, CharacterError> {
        let data = armature.data();
        check_roles(data, roles)?;
        let rig = Rig::new(data, 1);
        let setup = setup_pose(armature);
        let mut limbs = Vec::new();
        for (is_leg, parts) in [
            (
                true,
                [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot],
            ),
            (
                false,
                [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand],
            ),
        ] {
            for side in 0..SIDES.len() {
                limbs.extend(limb(&rig, roles, side, parts, is_leg));
            }
        }
        let facing = facing.unwrap_or_else(|| detect_facing(armature, &limbs, &setup));
        let has_pelvis_role = roles.joint(Role::middle(BodyPart::Hips));
        let trunk: Vec<usize> = [BodyPart::Spine, BodyPart::Chest]
            .iter()
            .flat_map(|&part| roles.joints(Role::middle(part)))
            .copied()
            .collect();
        let head = roles.joint(Role::middle(BodyPart::Head));
        let tops = limbs.iter().filter_map(|limb| limb.bones.first());
        let members: Vec<usize> = tops
            .map(|bone| bone.bone)
            .chain(trunk.iter().copied())
            .chain(head)
            .collect();
        let hips = has_pelvis_role
            .or_else(|| common_ancestor(data, &members))
            .ok_or(CharacterError::NoCommonLimb)?;
        let mut trunk: Vec<usize> = trunk.into_iter().filter(|&bone| bone != hips).collect();
        trunk.sort_unstable();
        trunk.dedup();
        let carrier = core::iter::successors(Some(hips), |&bone| data.bones[bone].parent)
            .last()
            .unwrap_or(hips);
        let mut body = Self {
            has_pelvis: has_pelvis_role.is_some() && !trunk.is_empty(),
            limbs,
            hips,
            carrier,
            trunk,
            head,
            facing,
            height: 0.0,
            setup,
        };
        for index in 0..body.limbs.len() {
            let limb = &body.limbs[index];
            if limb.is_leg {
                let ankle = body.ankle(limb);
                let sole = sole(armature, &body, limb, ankle);
                let limb = &mut body.limbs[index];
                limb.ankle_height = ankle.y;
                limb.sole = sole;
            }
        }
        let top = body.setup.iter().map(|world| world.position.y);
        let top = top.fold(f64::NEG_INFINITY, f64::max);
        let grounds = body
            .limbs
            .iter()
            .filter(|limb| limb.is_leg)
            .map(Limb::ground);
        let low = body.setup.iter().map(|world| world.position.y);
        let low = low.fold(f64::INFINITY, f64::min);
        let ground = grounds.fold(f64::INFINITY, f64::min);
        body.height = top - if ground.is_finite() { ground } else { low };
        Ok(body)
    }

    /// Returns where a limb ends at setup.
    pub(super) fn ankle(&self, limb: &Limb) -> DVec2 {
        if let Some(foot) = limb.foot {
            return self.setup[foot].position;
        }
        limb.bones.last().map_or(DVec2::ZERO, |last| {
            let world = &self.setup[last.bone];
            world.position + rotated(DVec2::X, world.rotation + last.aim) * last.length
        })
    }

    /// Returns the mean length of the legs, or of the arms.
    pub(super) fn limb_length(&self, legs: bool) -> Option<f64> {
        let limbs = self.limbs.iter().filter(|limb| limb.is_leg == legs);
        mean(limbs.map(Limb::length))
    }
}

impl Limb {
    pub(super) fn length(&self) -> f64 {
        self.bones.iter().map(|bone| bone.length).sum()
    }

    /// Returns the height of the ground below the foot.
    pub(super) fn ground(&self) -> f64 {
        self.ankle_height + self.sole.map_or(0.0, |sole| sole.heel.y.min(sole.toe.y))
    }
}

/// Returns the mean; `None` without values.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, count), value| {
        (sum + value, count + 1)
    });
    (count > 0).then(|| sum / count as f64)
}

fn check_roles(data: &ArmatureData, roles: &RoleMap) -> Result<(), CharacterError> {
    for assignment in roles.assignments() {
        for &bone in &assignment.joints {
            if bone >= data.bones.len() {
                return Err(CharacterError::NoSuchBone {
                    role: assignment.role,
                    bone,
                    count: data.bones.len(),
                });
            }
        }
    }
    Ok(())
}

/// Returns the world transforms of the setup pose, with IK and without physics.
fn setup_pose(armature: &Armature) -> Vec<World> {
    let mut pose = ArmaturePose::new(armature);
    let settings = ConstructSettings {
        physics: PhysicsStep::Off,
        ..ConstructSettings::default()
    };
    // The state is of this armature.
    let _ = construct(armature, &mut armature.new_state(), &settings, &mut pose);
    let bones = pose.bones().map(|bone| World {
        position: bone.position.as_dvec2(),
        rotation: f64::from(bone.rotation()),
        scale: bone.scale.as_dvec2(),
    });
    bones.collect()
}

/// Returns a limb; `None` if its first bone is missing or has no direction.
fn limb(
    rig: &Rig<'_>,
    roles: &RoleMap,
    side: usize,
    [upper, lower, end]: [BodyPart; 3],
    is_leg: bool,
) -> Option<Limb> {
    let role = |part| Role {
        part,
        side: SIDES[side],
    };
    let find = |part| roles.joint(role(part));
    let upper_bone = find(upper)?;
    let is_part = |bone: &usize| *bone != upper_bone && rig.is_below(*bone, upper_bone);
    let lower_bone = find(lower).filter(is_part);
    let end_bone = find(end)
        .filter(is_part)
        .filter(|end| Some(*end) != lower_bone);
    let mut bones = Vec::new();
    let add = |part, to, bone: usize, next: Option<usize>, before: Option<&LimbBone>| {
        let (aim, length) = direction(rig, bone, next, before)?;
        Some(LimbBone {
            role: role(part),
            to: role(to),
            bone,
            aim,
            length,
        })
    };
    match lower_bone {
        Some(lower_bone) => {
            bones.push(add(upper, lower, upper_bone, Some(lower_bone), None)?);
            let second = add(lower, end, lower_bone, end_bone, bones.first())?;
            bones.push(second);
        }
        // One bone for the whole limb.
        None => bones.push(add(upper, end, upper_bone, end_bone, None)?),
    }
    let ik = limb_ik(rig.data(), &bones);
    Some(Limb {
        side,
        is_leg,
        bones,
        foot: end_bone,
        ik,
        sole: None,
        ankle_height: 0.0,
    })
}

/// Returns the drawn direction of a bone relative to its rotation, and its length: to the next bone of the limb, else to its
/// child that is farthest away, else as the bone before.
fn direction(
    rig: &Rig<'_>,
    bone: usize,
    next: Option<usize>,
    before: Option<&LimbBone>,
) -> Option<(f64, f64)> {
    let world = rig.worlds(bone)[0];
    let bones = &rig.data().bones;
    let to = |other: usize| {
        rotated(
            rig.worlds(other)[0].position - world.position,
            -world.rotation,
        )
    };
    let next = next.map(to);
    let next = next.filter(|vector| vector.length() > MIN_LENGTH && vector.is_finite());
    let vector = next.or_else(|| {
        let children = (0..bones.len()).filter(|&child| bones[child].parent == Some(bone));
        let vectors = children.map(to).filter(|vector| vector.is_finite());
        let longest = vectors.max_by(|a, b| a.length().total_cmp(&b.length()))?;
        (longest.length() > MIN_LENGTH).then_some(longest)
    });
    match (vector, before) {
        (Some(vector), _) => Some((libm::atan2(vector.y, vector.x), vector.length())),
        (None, Some(before)) => Some((before.aim, before.length)),
        (None, None) => None,
    }
}

/// Returns the family that is solved at run time and moves the limb.
fn limb_ik(data: &ArmatureData, bones: &[LimbBone]) -> Option<LimbIk> {
    if data.baked_ik {
        return None;
    }
    let first = bones.first()?.bone;
    let family = data.ik_families.iter().find(|family| {
        family.enabled
            && family.bones.len() >= 2
            && family.bones.contains(&first)
            && family
                .target
                .is_some_and(|target| !family.bones.contains(&target))
    })?;
    let tip = *family.bones.last()?;
    Some(LimbIk {
        target: family.target?,
        ends_at_middle: bones.get(1).is_some_and(|lower| lower.bone == tip),
        mimics: family.mimic_target,
        bend: match family.constraint {
            IkConstraint::None => None,
            IkConstraint::Clockwise => Some(-1.0),
            IkConstraint::CounterClockwise => Some(1.0),
        },
    })
}

/// Returns the lowest bone that all are below.
fn common_ancestor(data: &ArmatureData, bones: &[usize]) -> Option<usize> {
    let chain = |bone: usize| -> Vec<usize> {
        core::iter::successors(data.bones[bone].parent, |&bone| data.bones[bone].parent).collect()
    };
    let mut rest = bones.iter();
    let mut common = chain(*rest.next()?);
    for &bone in rest {
        let above = chain(bone);
        common.retain(|ancestor| above.contains(ancestor));
    }
    common.first().copied()
}

/// Words in the names of bones of the face.
const FACE: [&str; 4] = ["nose", "mouth", "eye", "face"];

/// Returns where a character looks, by its knees and elbows (constraints of their IK families, bends at setup), by the images of
/// its feet and by the place of its face; to the right if nothing shows it.
fn detect_facing(armature: &Armature, limbs: &[Limb], setup: &[World]) -> Facing {
    let data = armature.data();
    let mut votes = 0.0;
    for limb in limbs {
        // A knee bends clockwise if the character looks right, an elbow the other way.
        let sign = if limb.is_leg { -1.0 } else { 1.0 };
        if let Some(bend) = limb.ik.and_then(|ik| ik.bend) {
            votes += 2.0 * bend * sign;
        }
        if let [upper, lower] = limb.bones[..] {
            let angle = |bone: &LimbBone| setup[bone.bone].rotation + bone.aim;
            let bend = difference(angle(&upper), angle(&lower));
            if bend.abs() > CLEAR_BEND {
                votes += bend.signum() * sign;
            }
        }
        if let (true, Some(foot)) = (limb.is_leg, limb.foot)
            && let Some([low, high]) = image_box(armature, foot, setup)
        {
            let ankle = setup[foot].position.x;
            let lead = (low.x + high.x) * 0.5 - ankle;
            votes += (4.0 * lead / (high.x - low.x).max(MIN_LENGTH)).clamp(-1.5, 1.5);
        }
    }
    for (bone, world) in data.bones.iter().zip(setup) {
        let name = bone.name.to_ascii_lowercase();
        if FACE.iter().any(|word| name.contains(word))
            && let Some(parent) = bone.parent
        {
            let lead = world.position.x - setup[parent].position.x;
            votes += 0.25 * lead.clamp(-1.0, 1.0);
        }
    }
    if votes < 0.0 {
        Facing::Left
    } else {
        Facing::Right
    }
}

/// Returns the bounding box of what a bone shows at setup: its lower left and upper right corner.
fn image_box(armature: &Armature, bone: usize, setup: &[World]) -> Option<[DVec2; 2]> {
    let data = armature.data();
    let visual = data.visuals.get(data.bones[bone].visual?)?;
    let texture = armature.find_texture(&visual.texture, armature.default_styles())?;
    let size = armature.texture(texture)?.size.as_dvec2();
    let half = size * 0.5;
    let corners: Vec<DVec2> = match &visual.mesh {
        Some(mesh) if mesh.binds.is_empty() => mesh
            .vertices
            .iter()
            .map(|v| v.position.as_dvec2())
            .collect(),
        Some(_) => return None,
        None => [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .iter()
            .map(|&(x, y)| half * DVec2::new(x, y))
            .collect(),
    };
    let world = &setup[bone];
    let pivot = world.vector(size * visual.pivot_position.as_dvec2());
    let turn = world.rotation + f64::from(visual.pivot_rotation);
    let place = |corner: &DVec2| {
        let scaled = *corner * visual.pivot_scale.as_dvec2() * world.scale;
        rotated(scaled, turn) + pivot + world.position
    };
    let points: Vec<DVec2> = corners.iter().map(place).collect();
    let low = points.iter().copied().reduce(DVec2::min)?;
    let high = points.iter().copied().reduce(DVec2::max)?;
    (low.is_finite() && high.is_finite() && high.x - low.x > MIN_LENGTH).then_some([low, high])
}

/// Returns where a foot touches the ground. The image shows how long the foot is. Images have transparent margins: if the ground of
/// the file's space, y = 0, is within the lower half of the image, the margin below it is taken for the one at its sides.
fn sole(armature: &Armature, body: &Body, limb: &Limb, ankle: DVec2) -> Option<Sole> {
    let foot = limb.foot?;
    let [low, high] = image_box(armature, foot, &body.setup)?;
    let ground = if low.y < 0.0 && 0.0 < (low.y + high.y) * 0.5 && 0.0 < ankle.y {
        0.0
    } else {
        low.y
    };
    if ground >= ankle.y {
        return None;
    }
    let width = high.x - low.x;
    // Soles are rounded at their ends.
    let margin = (ground - low.y + 0.04 * width).min(0.3 * width);
    let (left, right) = (low.x + margin - ankle.x, high.x - margin - ankle.x);
    let (back, front) = match body.facing {
        Facing::Right => (left, right),
        Facing::Left => (right, left),
    };
    let depth = ground - ankle.y;
    Some(Sole {
        heel: DVec2::new(back, depth),
        toe: DVec2::new(front, depth),
    })
}
