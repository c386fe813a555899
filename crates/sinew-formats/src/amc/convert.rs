//! Conversion of channel values to positions and quaternions of joints.
//!
//! Works bone by bone: the values of a bone are freed once its keys exist, so that a long motion is never in memory
//! twice.

use super::model::{Amc, AmcTrack, RateSource};
use crate::asf::{AngleUnit, Asf, Dof, Layout, Units, about, layout, rotation_of, scaled};
use crate::motion::{MotionError, MotionFile};
use crate::text::{Rule, TextError};
use sinew::animation::{Channel, Interpolation, KeyTimes, MetaValue, Metadata, TransformTrack};
use sinew::glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use sinew::math::{dquat_normalize, dquat_to_mat3};
use sinew::{Animation, Skeleton};

/// Converts the skeleton and the motion to metres, seconds and quaternions: see [the module](super).
///
/// Consecutive rotations of a joint are in the same hemisphere. Joints that do not move have no track. Warnings are
/// those of the motion, and about implausible values: the height of the figure, the frame rate.
///
/// # Errors
/// If the motion has no frames, or was created in code and does not match the skeleton.
pub fn to_motion(asf: &Asf, mut amc: Amc, units: Units) -> Result<MotionFile, MotionError> {
    check_fit(asf, &amc)?;
    let mut converter = Converter {
        times: KeyTimes::uniform(amc.frame_rate, amc.frame_count())?,
        scale: units.metres(&asf.units),
        angle: amc.angle,
        layout: layout(asf, units),
        asf,
        lengths: vec![None; asf.bones.len()],
        tracks: Vec::new(),
    };
    let mut values = std::mem::take(&mut amc.tracks).into_iter();
    if let Some(root) = values.next() {
        converter.root(root)?;
    }
    for (bone, track) in values.enumerate() {
        converter.bone(bone, track)?;
    }
    let skeleton = Skeleton::new(converter.layout.joints)?;
    let animation = Animation {
        length: converter.times.last(),
        tracks: converter.tracks,
        metadata: metadata(asf, &amc),
        frame_rate: Some(amc.frame_rate),
        ..Animation::new("motion", 0.0)
    };
    let mut warnings = amc.warnings;
    if asf.root.position != [0.0; 3] || asf.root.orientation != [0.0; 3] {
        let problem = "the skeleton moves its root: the motion is read as inside that frame, \
                       which not all programs do";
        warnings.add("root", "", problem);
    }
    let metres = |units: Units| units.metres(&asf.units);
    let literal = Some(("literal", metres(Units::Literal)));
    crate::units::warn(
        &skeleton,
        metres(units),
        metres(Units::CmuMetres),
        literal,
        &mut warnings,
    );
    if let Some(problem) = crate::sanity::rate_problem(&skeleton, &animation) {
        warnings.serious_problem("frame rate", problem);
    }
    Ok(MotionFile {
        skeleton,
        animations: vec![animation],
        warnings,
    })
}

/// Checks that the tracks of a motion match the skeleton, each with a value for each frame.
fn check_fit(asf: &Asf, amc: &Amc) -> Result<(), TextError> {
    let misfit = |expected: String, found: String| {
        Err(TextError {
            rule: Rule::ValueCount,
            line: 0,
            column: 0,
            expected,
            found,
        })
    };
    if amc.tracks.len() != asf.bones.len() + 1 {
        let expected = format!("tracks for the root and {} bones", asf.bones.len());
        return misfit(expected, amc.tracks.len().to_string());
    }
    let frames = amc.frame_count();
    let bones = asf.bones.iter().map(|bone| &bone.dof);
    let dofs = std::iter::once(&asf.root.order).chain(bones);
    for (index, (dofs, track)) in dofs.zip(&amc.tracks).enumerate() {
        if *dofs != track.dofs || track.values.len() != dofs.len() {
            let expected = format!("track {index} to have the skeleton's degrees of freedom");
            return misfit(expected, "others".to_owned());
        }
        if let Some(values) = track.values.iter().find(|values| values.len() != frames) {
            let expected = format!("{frames} values in each channel of track {index}");
            return misfit(expected, values.len().to_string());
        }
    }
    Ok(())
}

struct Converter<'a> {
    asf: &'a Asf,
    layout: Layout,
    times: KeyTimes,
    /// Metres per unit of the file.
    scale: f64,
    angle: AngleUnit,
    /// Animated bone lengths, for the children of these bones.
    lengths: Vec<Option<Vec<f64>>>,
    tracks: Vec<TransformTrack>,
}

impl Converter<'_> {
    fn root(&mut self, values: AmcTrack) -> Result<(), MotionError> {
        let frame = self.layout.root_rotation;
        let moves = Translation::new(&values, frame);
        let rest = self.asf.root.position;
        let position = moves.is_some().then(|| self.positions(moves, |_| rest));
        let rotations = self.rotations(&values, |b| frame * b);
        self.push(0, position, rotations)
    }

    fn bone(&mut self, index: usize, mut values: AmcTrack) -> Result<(), MotionError> {
        let Some(bone) = self.asf.bones.get(index) else {
            return Ok(());
        };
        let axes = rotation_of(bone.axis, bone.axis_order, self.asf.units.angle);
        let moves = Translation::new(&values, axes);
        let parent = bone.parent.and_then(|parent| {
            let lengths = self.lengths.get(parent)?.as_ref();
            Some((self.asf.bones.get(parent)?, lengths))
        });
        let stretches = parent.and_then(|(bone, lengths)| Some((bone.direction, lengths?)));
        let position = match stretches {
            Some((direction, lengths)) => Some(self.positions(moves, |frame| {
                let length = lengths.get(frame).copied().unwrap_or(0.0);
                direction.map(|along| along * length)
            })),
            None if moves.is_some() => {
                let rest = parent.map_or([0.0; 3], |(bone, _)| {
                    bone.direction.map(|along| along * bone.length)
                });
                Some(self.positions(moves, |_| rest))
            }
            None => None,
        };
        let rotations = if axes == DQuat::IDENTITY {
            self.rotations(&values, |b| b)
        } else {
            // The axis of `C B C⁻¹` is that of `B` rotated by `C`, the angle is the same.
            let axes = dquat_to_mat3(axes);
            self.rotations(&values, |b| {
                let DVec3 { x, y, z } = axes * b.xyz();
                DQuat { x, y, z, w: b.w }
            })
        };
        let joint = self.layout.starts.get(index).copied().unwrap_or(0);
        self.push(joint, position, rotations)?;

        let length = values.dofs.iter().position(|dof| *dof == Dof::Length);
        let Some(lengths) = length.and_then(|slot| values.values.get_mut(slot)) else {
            return Ok(());
        };
        let lengths = std::mem::take(lengths);
        if let Some(Some(end)) = self.layout.ends.get(index).copied() {
            let direction = bone.direction;
            let scale = self.scale;
            let ends = lengths.iter();
            let ends = ends.map(|length| scaled(direction.map(|along| along * length), scale));
            self.push(end, Some(ends.collect()), None)?;
        } else if let Some(kept) = self.lengths.get_mut(index) {
            *kept = Some(lengths);
        }
        Ok(())
    }

    /// Computes a position for each frame: a base plus the translation of the bone.
    fn positions(
        &self,
        moves: Option<Translation<'_>>,
        base: impl Fn(usize) -> [f64; 3],
    ) -> Vec<Vec3> {
        let position = |frame| {
            let [x, y, z] = base(frame);
            let [dx, dy, dz] = moves.as_ref().map_or([0.0; 3], |moves| moves.at(frame));
            scaled([x + dx, y + dy, z + dz], self.scale)
        };
        (0..self.times.len()).map(position).collect()
    }

    /// Computes a quaternion for each frame; `None` if the bone does not rotate.
    fn rotations(&self, values: &AmcTrack, finish: impl Fn(DQuat) -> DQuat) -> Option<Vec<Quat>> {
        let pairs = values.dofs.iter().zip(&values.values);
        let turns: Vec<(usize, &[f64])> = pairs
            .filter(|(dof, _)| dof.is_rotation())
            .filter_map(|(dof, values)| Some((dof.axis()?, values.as_slice())))
            .collect();
        if turns.is_empty() {
            return None;
        }
        let half = 0.5 * self.angle.radians();
        let mut before = DQuat::IDENTITY;
        let mut quats = Vec::with_capacity(self.times.len());
        for frame in 0..self.times.len() {
            let mut rotation = DQuat::IDENTITY;
            for (index, (axis, values)) in turns.iter().enumerate() {
                let angle = 2.0 * half * values.get(frame).copied().unwrap_or(0.0);
                let turn = about(*axis, angle);
                rotation = if index == 0 {
                    turn
                } else {
                    turn_further(*axis, turn, rotation)
                };
            }
            let mut rotation = dquat_normalize(finish(rotation));
            if rotation.dot(before) < 0.0 {
                rotation = -rotation;
            }
            before = rotation;
            quats.push(rotation.as_quat());
        }
        Some(quats)
    }

    fn push(
        &mut self,
        joint: usize,
        positions: Option<Vec<Vec3>>,
        rotations: Option<Vec<Quat>>,
    ) -> Result<(), MotionError> {
        if positions.is_none() && rotations.is_none() {
            return Ok(());
        }
        let name = self
            .layout
            .joints
            .get(joint)
            .map(|joint| joint.name.clone());
        let mut track = TransformTrack::new(name.unwrap_or_default());
        if let Some(values) = positions {
            let channel = Channel::new(self.times.clone(), values, Interpolation::Linear)?;
            track.position = Some(channel);
        }
        if let Some(values) = rotations {
            let channel = Channel::new(self.times.clone(), values, Interpolation::Linear)?;
            track.rotation = Some(channel);
        }
        self.tracks.push(track);
        Ok(())
    }
}

/// `turn * before`, where `turn` is about one world axis: half of the product terms are zero.
#[inline(always)]
fn turn_further(axis: usize, turn: DQuat, before: DQuat) -> DQuat {
    let (c, q) = (turn.w, before);
    match axis {
        0 => {
            let s = turn.x;
            DQuat {
                x: c * q.x + s * q.w,
                y: c * q.y - s * q.z,
                z: c * q.z + s * q.y,
                w: c * q.w - s * q.x,
            }
        }
        1 => {
            let s = turn.y;
            DQuat {
                x: c * q.x + s * q.z,
                y: c * q.y + s * q.w,
                z: c * q.z - s * q.x,
                w: c * q.w - s * q.y,
            }
        }
        _ => {
            let s = turn.z;
            DQuat {
                x: c * q.x - s * q.y,
                y: c * q.y + s * q.x,
                z: c * q.z + s * q.w,
                w: c * q.w - s * q.z,
            }
        }
    }
}

/// Translations of a bone, along the axes of its frame.
struct Translation<'a> {
    along: [Option<&'a [f64]>; 3],
    axes: DMat3,
}

impl<'a> Translation<'a> {
    fn new(values: &'a AmcTrack, axes: DQuat) -> Option<Self> {
        let channel = |wanted: Dof| {
            let slot = values.dofs.iter().position(|dof| *dof == wanted)?;
            values.values.get(slot).map(Vec::as_slice)
        };
        let along = [Dof::Tx, Dof::Ty, Dof::Tz].map(channel);
        along.iter().any(Option::is_some).then_some(Self {
            along,
            axes: dquat_to_mat3(axes),
        })
    }

    fn at(&self, frame: usize) -> [f64; 3] {
        let value = |values: Option<&[f64]>| values?.get(frame).copied();
        let [x, y, z] = self.along.map(|values| value(values).unwrap_or(0.0));
        (self.axes * DVec3::new(x, y, z)).to_array()
    }
}

/// Returns the metadata of both files.
fn metadata(asf: &Asf, amc: &Amc) -> Metadata {
    let mut metadata = Metadata::new();
    let text = |text: &str| MetaValue::Text(text.to_owned());
    let mut numbers = amc.frame_numbers();
    metadata.insert("format".to_owned(), text("amc"));
    if let Some(first) = numbers.next() {
        metadata.insert("first_frame".to_owned(), MetaValue::Number(first.into()));
    }
    if let Some(run) = amc.frames.last() {
        let last = run.first.saturating_add(run.count.saturating_sub(1));
        metadata.insert("last_frame".to_owned(), MetaValue::Number(last.into()));
    }
    metadata.insert(
        "frame_rate_from".to_owned(),
        text(match amc.rate_source {
            RateSource::File => "file",
            RateSource::Default => "default",
            RateSource::Caller => "caller",
        }),
    );
    if !asf.name.is_empty() {
        metadata.insert("skeleton".to_owned(), text(&asf.name));
    }
    for (name, value) in &amc.metadata {
        metadata.entry(name.clone()).or_insert_with(|| text(value));
    }
    metadata
}
