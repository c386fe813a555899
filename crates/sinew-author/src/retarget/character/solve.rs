//! From a projected motion to keys, parents first.

use super::angles::unwrap;
use super::body::{Body, Limb};
use super::draw_order;
use super::leg::first_angle;
use super::motion::{LimbMotion, Motion, length_element};
use super::report::{CharacterReport, CharacterResult, Drift, Foreshortening, UnreliableSpan};
use super::rig::rotated;
use super::source::Source;
use super::tracks::{Tolerances, Tracks};
use super::view::Plane;
use super::{CharacterError, CharacterSettings, View};
use crate::retarget::RoleMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use glam::DVec2;
use sinew::animation::Animation;
use sinew::skeleton::Skeleton;
use sinew::skelform::curve::Ease;
use sinew::skelform::{AnimationData, Armature, ArmatureData, Element, KeyData};

/// Frames per second of a character without animations.
const DEFAULT_RATE: u32 = 30;

/// The largest frame rate; a file may state any number.
const MAX_RATE: u32 = 1000;

/// The height at which drift is stated, in pixels.
const REPORTED_HEIGHT: f64 = 300.0;

/// Corrections of an ankle below this leave the projected angles as they are, in pixels.
const UNCHANGED: f64 = 1e-6;

/// Retargets a 3D motion onto a 2D character.
///
/// `source_roles` are joints of `source`, `character_roles` are bones of `armature`. The source needs hips; the character and the
/// source need a leg or an arm in common. Other missing roles are skipped, with a warning where it shows. The result has keys for
/// the bones that play a role, for the bone that carries them and for targets of their IK; all others keep their setup pose or
/// their physics.
///
/// ```
/// # use sinew::skelform::Armature;
/// # use sinew::{Animation, Skeleton};
/// # use sinew_author::retarget::RoleMap;
/// # use sinew_author::retarget::character::{CharacterError, CharacterSettings, retarget_to_character};
/// # fn example(skeleton: &Skeleton, walk: &Animation, roles: &RoleMap, pip: &Armature, bones: &RoleMap) -> Result<(), CharacterError> {
/// let settings = CharacterSettings { in_place: true, ..CharacterSettings::default() };
/// let walk = retarget_to_character(skeleton, walk, roles, pip, bones, &settings)?;
/// assert!(walk.report.drift.max < 1.0);
/// let mut data = pip.data().clone();
/// data.animations.push(walk.animation);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`CharacterError`]: a setting out of range, roles outside of the skeleton or the character, missing roles, positions that are not
/// finite, or too many frames.
pub fn retarget_to_character(
    source: &Skeleton,
    animation: &Animation,
    source_roles: &RoleMap,
    armature: &Armature,
    character_roles: &RoleMap,
    settings: &CharacterSettings,
) -> Result<CharacterResult, CharacterError> {
    settings.check()?;
    let data = armature.data();
    let rate = frame_rate(data, settings);
    let body = Body::new(armature, character_roles, settings.facing)?;
    let sampled = Source::sample(source, animation, source_roles, rate)?;
    let plane = Plane::new(&sampled, settings.view, body.facing, settings.follow_turn);
    let motion = Motion::new(&sampled, &plane, &body, settings.foreshorten)?;

    let tolerances = Tolerances {
        angle: f64::from(settings.angle_tolerance).to_radians(),
        position: f64::from(settings.position_tolerance),
    };
    let mut solver = Solver {
        body: &body,
        motion: &motion,
        shown: sampled.shown.clone(),
        foreshorten: settings.foreshorten,
        in_place: settings.in_place,
        tracks: Tracks::new(data, sampled.shown.len(), tolerances),
        feet: Vec::new(),
    };
    solver.carry();
    solver.trunk();
    for index in 0..body.limbs.len() {
        solver.limb(index);
    }
    let drift = solver.drift();
    let mut tracks = solver.tracks;
    if settings.draw_order {
        draw_order::key(&sampled, &plane, &body, data, &mut tracks);
    }
    let keys_after = finish(&mut tracks, &body);

    let report = CharacterReport {
        view_degrees: plane.degrees as f32,
        facing: body.facing,
        scale: motion.scale as f32,
        frames: tracks.frames,
        is_loop: sampled.is_loop,
        removed_speed: removed_speed(&sampled, &motion, settings.in_place),
        foreshortening: foreshortening(&sampled, &body, &motion),
        unreliable: unreliable(&sampled, &body, &motion),
        turned: plane
            .turned
            .iter()
            .map(|span| sampled.seconds(span.clone()))
            .collect(),
        drift,
        lowered: motion.lowered as f32,
        keys_before: tracks.count * tracks.frames,
        keys_after,
        warnings: warnings(&sampled, &plane, &body, &motion, settings),
    };
    let animation = AnimationData {
        name: settings
            .name
            .clone()
            .unwrap_or_else(|| animation.name.clone()),
        frame_rate: rate,
        keys: tracks.keys,
    };
    Ok(CharacterResult { animation, report })
}

fn frame_rate(data: &ArmatureData, settings: &CharacterSettings) -> u32 {
    let stated = data.animations.iter().map(|animation| animation.frame_rate);
    let rate = settings
        .frame_rate
        .or_else(|| stated.into_iter().find(|&rate| rate > 0));
    rate.unwrap_or(DEFAULT_RATE).min(MAX_RATE)
}

/// Sorts the keys by time, and makes the last one last as long as the motion does. Returns their number.
fn finish(tracks: &mut Tracks<'_>, body: &Body) -> usize {
    let last = tracks.frames.saturating_sub(1) as u32;
    if tracks.keys.iter().all(|key| key.frame < last) || tracks.keys.is_empty() {
        // Nothing moves until the end: a key that changes nothing keeps the length.
        let bone = body.hips;
        let held = tracks
            .keys
            .iter()
            .filter(|key| key.bone == bone && key.element == Element::PositionY)
            .max_by_key(|key| key.frame)
            .map_or(tracks.rig.setup(bone, Element::PositionY) as f32, |key| {
                key.value
            });
        tracks.keys.push(KeyData {
            frame: last,
            bone,
            element: Element::PositionY,
            value: held,
            text: String::new(),
            ease: Ease::Linear,
        });
    }
    tracks
        .keys
        .sort_by_key(|key| (key.frame, key.bone, key.element));
    tracks.keys.len()
}

/// Writes the keys of a character, parents first.
struct Solver<'a> {
    body: &'a Body,
    motion: &'a Motion,
    shown: Range<usize>,
    foreshorten: bool,
    in_place: bool,
    tracks: Tracks<'a>,
    /// The legs, and where their feet are as played: the ankle, and the rotation from the setup pose.
    feet: Vec<(usize, Vec<(DVec2, f64)>)>,
}

impl Solver<'_> {
    fn frames(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        self.shown.clone().enumerate()
    }

    /// Returns how far the ground moves back under the character.
    fn ground(&self, frame: usize) -> DVec2 {
        if self.in_place {
            DVec2::new(self.motion.travel[frame], 0.0)
        } else {
            DVec2::ZERO
        }
    }

    fn shown_part(&self, span: Range<usize>) -> Option<Range<usize>> {
        let start = span.start.max(self.shown.start) - self.shown.start;
        let end = span.end.min(self.shown.end).checked_sub(self.shown.start)?;
        (start < end).then_some(start..end)
    }

    /// Keys the bone that travels, and the hips.
    fn carry(&mut self) {
        let Body { hips, carrier, .. } = *self.body;
        if carrier != hips && !self.in_place {
            let start = self.tracks.rig.setup(carrier, Element::PositionX);
            let path = self
                .frames()
                .map(|(_, frame)| start + self.motion.travel[frame]);
            let path = path.collect();
            self.tracks.key(carrier, Element::PositionX, path, &[]);
        }
        let places: Vec<DVec2> = self
            .frames()
            .map(|(_, frame)| self.motion.hips[frame] - self.ground(frame))
            .collect();
        self.tracks.key_position(hips, &places, &[]);
    }

    /// Keys the rotations of hips, trunk and head, which turn from the setup pose.
    fn trunk(&mut self) {
        let motion = self.motion;
        let mut turns: Vec<(usize, &[f64])> = alloc::vec![(self.body.hips, &motion.hips_turn[..])];
        let trunk = self.body.trunk.iter().zip(&motion.trunk_turns);
        turns.extend(trunk.map(|(&bone, turn)| (bone, &turn[..])));
        if let (Some(head), Some(turn)) = (self.body.head, &motion.head_turn) {
            turns.push((head, turn));
        }
        turns.sort_by_key(|&(bone, _)| bone);
        for (bone, turn) in turns {
            let setup = self.body.setup[bone].rotation;
            let world: Vec<f64> = turn[self.shown.clone()]
                .iter()
                .map(|turn| setup + turn)
                .collect();
            self.tracks.key_rotation(bone, &world, &[]);
        }
    }

    /// Keys a leg or an arm.
    fn limb(&mut self, index: usize) {
        let (body, motion) = (self.body, self.motion);
        let (Some(limb), Some(Some(limb_motion))) =
            (body.limbs.get(index), motion.limbs.get(index))
        else {
            return;
        };
        let planted: Vec<Range<usize>> = limb_motion.foot.as_ref().map_or(Vec::new(), |foot| {
            let spans = foot.stances.iter().cloned();
            spans.filter_map(|span| self.shown_part(span)).collect()
        });
        // IK corrects the bones of a limb that has it.
        let bones_planted: &[Range<usize>] = if limb.ik.is_some() { &[] } else { &planted };
        let first = limb.bones[0].bone;
        let starts: Vec<DVec2> = self
            .tracks
            .rig
            .worlds(first)
            .iter()
            .map(|w| w.position)
            .collect();
        let angles: Vec<f64> = self
            .frames()
            .map(|(index, frame)| self.first_angle(limb, limb_motion, frame, starts[index]))
            .collect();
        if self.foreshorten {
            self.scale_bones(limb, limb_motion);
        }
        self.key_direction(limb, 0, angles, bones_planted);

        let mut middles = Vec::new();
        if limb.bones.len() > 1 {
            let worlds = self.tracks.rig.worlds(limb.bones[1].bone);
            middles = worlds.iter().map(|world| world.position).collect();
            let angles: Vec<f64> = self
                .frames()
                .map(|(index, frame)| {
                    self.second_angle(limb, limb_motion, frame, middles[index], starts[index])
                })
                .collect();
            self.key_direction(limb, 1, angles, bones_planted);
        }
        let ends = self.ends(limb, limb_motion);
        let foot_turn: Option<Vec<f64>> =
            limb_motion
                .foot
                .as_ref()
                .zip(limb.foot)
                .map(|(goal, foot)| {
                    let setup = body.setup[foot].rotation;
                    self.frames()
                        .map(|(_, frame)| setup + goal.turn[frame])
                        .collect()
                });
        if let (Some(foot), Some(turn)) = (limb.foot, &foot_turn) {
            self.tracks.key_rotation(foot, turn, &[]);
        }
        if let Some(ik) = limb.ik {
            // What the chain should reach exactly: the goal of a foot, else the end as the keys of the bones have it.
            let goals: Vec<DVec2> = match &limb_motion.foot {
                _ if ik.ends_at_middle => middles,
                Some(goal) => self
                    .frames()
                    .map(|(index, frame)| {
                        self.reachable(
                            limb_motion,
                            goal.ankle[frame] - self.ground(frame),
                            starts[index],
                            frame,
                        )
                    })
                    .collect(),
                None => ends.clone(),
            };
            self.tracks.key_position(ik.target, &goals, &planted);
            if ik.mimics {
                let turn = foot_turn.or_else(|| {
                    let end = limb.foot?;
                    let worlds = self.tracks.rig.worlds(end);
                    Some(worlds.iter().map(|world| world.rotation).collect())
                });
                if let Some(turn) = turn {
                    self.tracks.key_rotation(ik.target, &turn, &[]);
                }
            }
        }
        if limb.is_leg {
            let ankles = match limb.ik {
                Some(ik) if !ik.ends_at_middle => {
                    let worlds = self.tracks.rig.worlds(ik.target);
                    worlds.iter().map(|world| world.position).collect()
                }
                _ => ends,
            };
            let turns: Vec<f64> = match limb.foot {
                Some(foot) => {
                    let turning = limb.ik.filter(|ik| ik.mimics).map_or(foot, |ik| ik.target);
                    let worlds = self.tracks.rig.worlds(turning);
                    let setup = body.setup[foot].rotation;
                    worlds.iter().map(|world| world.rotation - setup).collect()
                }
                None => alloc::vec![0.0; ankles.len()],
            };
            self.feet
                .push((index, ankles.into_iter().zip(turns).collect()));
        }
    }

    /// Returns the point nearest to a goal that the limb reaches from `start`.
    fn reachable(&self, limb: &LimbMotion, goal: DVec2, start: DVec2, frame: usize) -> DVec2 {
        let reach: f64 = limb.lengths.iter().map(|lengths| lengths[frame]).sum();
        let line = goal - start;
        if line.length() > reach {
            start + line * (reach / line.length())
        } else {
            goal
        }
    }

    /// Returns the angle of the first bone of a limb.
    fn first_angle(&self, limb: &Limb, motion: &LimbMotion, frame: usize, start: DVec2) -> f64 {
        let projected = motion.angles[0].radians[frame];
        let goal = match &motion.foot {
            Some(goal) => goal.ankle[frame] - self.ground(frame),
            None => start + motion.reach(frame),
        };
        let is_reached = (start + motion.reach(frame) - goal).length() <= UNCHANGED;
        match &motion.angles[..] {
            [first, second] => {
                let bend = libm::sin(second.radians[frame] - first.radians[frame]);
                let constrained = limb.is_leg || limb.ik.is_some_and(|ik| ik.bend.is_some());
                if is_reached && (!constrained || bend * motion.bends[frame] >= 0.0) {
                    return projected;
                }
                let lengths = [motion.lengths[0][frame], motion.lengths[1][frame]];
                first_angle(start, goal, lengths, motion.bends[frame])
            }
            _ if is_reached || !limb.is_leg => projected,
            _ => {
                let line = goal - start;
                libm::atan2(line.y, line.x)
            }
        }
    }

    /// Returns the angle of the second bone: of legs it aims at the goal from where the first bone really ends.
    fn second_angle(
        &self,
        limb: &Limb,
        motion: &LimbMotion,
        frame: usize,
        middle: DVec2,
        start: DVec2,
    ) -> f64 {
        let goal = match &motion.foot {
            Some(goal) => goal.ankle[frame] - self.ground(frame),
            None if limb.ik.is_some_and(|ik| ik.bend.is_some()) => start + motion.reach(frame),
            None => return motion.angles[1].radians[frame],
        };
        let line = goal - middle;
        if line.length() > UNCHANGED {
            libm::atan2(line.y, line.x)
        } else {
            motion.angles[1].radians[frame]
        }
    }

    /// Keys the rotation that gives a bone of a limb its world direction.
    fn key_direction(
        &mut self,
        limb: &Limb,
        index: usize,
        mut angles: Vec<f64>,
        planted: &[Range<usize>],
    ) {
        let bone = &limb.bones[index];
        unwrap(&mut angles, self.body.setup[bone.bone].rotation + bone.aim);
        for angle in &mut angles {
            *angle -= bone.aim;
        }
        self.tracks.key_rotation(bone.bone, &angles, planted);
    }

    /// Keys scales of foreshortened bones along their drawn direction. Children inherit scales: the next bone and the end of the
    /// limb divide theirs by it.
    fn scale_bones(&mut self, limb: &Limb, motion: &LimbMotion) {
        let mut inherited: Option<(Element, Vec<f64>)> = None;
        for (bone, lengths) in limb.bones.iter().zip(&motion.lengths) {
            let element = length_element(bone.aim);
            let setup = self.tracks.rig.setup(bone.bone, element);
            let factors: Vec<f64> = lengths[self.shown.clone()]
                .iter()
                .map(|length| length / bone.length)
                .collect();
            let before = inherited
                .filter(|(known, _)| *known == element)
                .map(|(_, factors)| factors);
            let values = factors.iter().enumerate().map(|(frame, factor)| {
                let above = before.as_ref().map_or(1.0, |before| before[frame]);
                setup * factor / above
            });
            let values = values.collect();
            self.tracks.key(bone.bone, element, values, &[]);
            inherited = Some((element, factors));
        }
        if let (Some((element, factors)), Some(end)) = (inherited, limb.foot) {
            let setup = self.tracks.rig.setup(end, element);
            let values = factors.iter().map(|factor| setup / factor).collect();
            self.tracks.key(end, element, values, &[]);
        }
    }

    /// Returns where a limb ends at every shown frame, by the keys of its bones.
    fn ends(&self, limb: &Limb, motion: &LimbMotion) -> Vec<DVec2> {
        if let Some(foot) = limb.foot {
            return self
                .tracks
                .rig
                .worlds(foot)
                .iter()
                .map(|world| world.position)
                .collect();
        }
        let (Some(last), Some(lengths)) = (limb.bones.last(), motion.lengths.last()) else {
            return Vec::new();
        };
        let worlds = self.tracks.rig.worlds(last.bone);
        let frames = worlds.iter().zip(&lengths[self.shown.clone()]);
        frames
            .map(|(world, &length)| {
                world.position + rotated(DVec2::X, world.rotation + last.aim) * length
            })
            .collect()
    }

    /// Measures how far the points that planted feet stand on move over the ground.
    fn drift(&self) -> Drift {
        let mut farthest = Vec::new();
        let scale = if self.body.height > 0.0 {
            REPORTED_HEIGHT / self.body.height
        } else {
            1.0
        };
        for (index, played) in &self.feet {
            let limb = self.motion.limbs[*index].as_ref();
            let Some(goal) = limb.and_then(|limb| limb.foot.as_ref()) else {
                continue;
            };
            for stance in &goal.stances {
                let Some(shown) = self.shown_part(stance.clone()) else {
                    continue;
                };
                let errors = shown.map(|index| {
                    let frame = index + self.shown.start;
                    let contact = goal.contact[frame];
                    let wanted = goal.ankle[frame] + rotated(contact, goal.turn[frame]);
                    let (ankle, turn) = played[index];
                    (ankle + rotated(contact, turn) + self.ground(frame) - wanted).length()
                });
                farthest.push(errors.fold(0.0, f64::max) * scale);
            }
        }
        Drift {
            plants: farthest.len(),
            max: farthest.iter().copied().fold(0.0, f64::max) as f32,
            mean: super::body::mean(farthest.iter().copied()).unwrap_or(0.0) as f32,
        }
    }
}

fn removed_speed(source: &Source, motion: &Motion, in_place: bool) -> f32 {
    let shown = &source.shown;
    if !in_place || shown.len() < 2 {
        return 0.0;
    }
    let distance = motion.travel[shown.end - 1] - motion.travel[shown.start];
    (distance * source.rate / (shown.len() - 1) as f64) as f32
}

fn foreshortening(source: &Source, body: &Body, motion: &Motion) -> Vec<Foreshortening> {
    let mut found = Vec::new();
    for (limb, limb_motion) in body.limbs.iter().zip(&motion.limbs) {
        let Some(limb_motion) = limb_motion else {
            continue;
        };
        for (bone, angles) in limb.bones.iter().zip(&limb_motion.angles) {
            let ratios = &angles.ratios[source.shown.clone()];
            found.push(Foreshortening {
                role: bone.role,
                mean: super::body::mean(ratios.iter().copied()).unwrap_or(0.0) as f32,
                min: ratios.iter().copied().fold(1.0, f64::min) as f32,
            });
        }
    }
    found
}

fn unreliable(source: &Source, body: &Body, motion: &Motion) -> Vec<UnreliableSpan> {
    let mut found = Vec::new();
    for (limb, limb_motion) in body.limbs.iter().zip(&motion.limbs) {
        let Some(limb_motion) = limb_motion else {
            continue;
        };
        for (bone, angles) in limb.bones.iter().zip(&limb_motion.angles) {
            for span in &angles.unreliable {
                let start = span.start.max(source.shown.start);
                let end = span.end.min(source.shown.end);
                if start < end {
                    found.push(UnreliableSpan {
                        role: bone.role,
                        span: source.seconds(start..end),
                    });
                }
            }
        }
    }
    found
}

fn warnings(
    source: &Source,
    plane: &Plane,
    body: &Body,
    motion: &Motion,
    settings: &CharacterSettings,
) -> Vec<String> {
    let mut warnings = Vec::new();
    for (limb, limb_motion) in body.limbs.iter().zip(&motion.limbs) {
        let role = limb.bones[0].role;
        if limb_motion.is_none() {
            warnings.push(format!(
                "the source has no {role} with a joint after it; the limb keeps its setup pose"
            ));
        }
    }
    for side in super::source::SIDES {
        for part in [
            crate::retarget::BodyPart::UpperLeg,
            crate::retarget::BodyPart::UpperArm,
        ] {
            let role = crate::retarget::Role { part, side };
            if !body.limbs.iter().any(|limb| limb.bones[0].role == role) {
                warnings.push(format!("the character has no {role}; it is left out"));
            }
        }
    }
    if plane.has_no_direction {
        warnings.push("the body has no main direction; use follow_turn or an angle".into());
    }
    if !plane.turned.is_empty() {
        let frames: usize = plane.turned.iter().map(Range::len).sum();
        let share = 100.0 * frames as f64 / source.shown.len().max(1) as f64;
        warnings.push(format!(
            "the body turns more than 60 degrees from its mean direction in {share:.0} % of the frames"
        ));
    }
    if settings.view == View::Side && settings.draw_order {
        warnings.push("limbs rarely pass each other in depth when seen from the side".into());
    }
    warnings
}
