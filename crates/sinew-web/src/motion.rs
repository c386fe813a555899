//! 3D motions and figures.

use crate::error::{Problem, Result};
use crate::json::Json;
use crate::table::{Object, add, with};
use crate::{finite, place};
use sinew::anatomy::{Bounds, LimbEnd, pose_bounds, root_motion_joint};
use sinew::animation::MetaValue;
use sinew::pose_hash::{PoseHash, hash_animation, hash_packed};
use sinew::registration::RegistrationCurve;
use sinew::sample::{Binding, sample};
use sinew::skeleton::Side;
use sinew::{
    Animation, AnimationSet, Inertia, JointIndex, ModelPose, PackedAnimation, PackedCursor, Pose,
    Skeleton, local_to_model,
};
use sinew_author::compress::decompress;
use sinew_author::contacts::{PlantSettings, find_plants};
use sinew_formats::pack::Pack;
use sinew_formats::{Format, MotionFile, Warnings};
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// The maximum number of poses that bounds are found from.
const BOUND_POSES: usize = 2000;

/// An animation, keyed or packed.
enum Clip {
    Keyed(Arc<Animation>, Binding),
    Packed(Arc<PackedAnimation<'static>>),
}

impl Clip {
    /// Returns everything but the motion.
    fn info(&self) -> &Animation {
        match self {
            Self::Keyed(animation, _) => animation,
            Self::Packed(packed) => packed.info(),
        }
    }

    /// Returns the animation with keys.
    fn keyed(&self, skeleton: &Skeleton) -> Arc<Animation> {
        match self {
            Self::Keyed(animation, _) => animation.clone(),
            Self::Packed(packed) => match decompress(packed, skeleton) {
                Ok(animation) => Arc::new(animation),
                Err(_) => Arc::new(packed.info().clone()),
            },
        }
    }
}

/// Motions on a skeleton.
pub(crate) struct MotionModel {
    name: String,
    format: &'static str,
    skeleton: Arc<Skeleton>,
    clips: Vec<Clip>,
    set: Arc<AnimationSet>,
    warnings: Warnings,
    curves: Vec<Arc<RegistrationCurve>>,
    skeleton_count: usize,
    nodes: Option<Vec<i32>>,
    /// Joints with a tip.
    tips: Vec<JointIndex>,
}

impl MotionModel {
    pub(crate) fn from_file(
        name: &str,
        format: Format,
        file: MotionFile,
        nodes: Option<Vec<i32>>,
    ) -> Result<Self> {
        let skeleton = Arc::new(file.skeleton);
        let clips = file.animations.into_iter().map(|animation| {
            let binding = animation.bind(&skeleton);
            Clip::Keyed(Arc::new(animation), binding)
        });
        let clips = clips.collect();
        Self::new(name, format, skeleton, clips, file.warnings, nodes)
    }

    pub(crate) fn from_pack(name: &str, pack: Pack, wanted: usize, z_up: bool) -> Result<Self> {
        let count = pack.skeletons.len();
        let skeleton = pack.skeletons.get(wanted).ok_or_else(|| {
            Problem::argument(format_args!(
                "there is no skeleton {wanted}; the file has {count}"
            ))
        })?;
        let entries = pack.animations.into_iter();
        let entries = entries.filter(|entry| entry.skeleton == wanted);
        let packed = entries.map(|entry| Arc::new(entry.animation));
        let warnings = Warnings::default();
        let mut model = if z_up {
            let animations = packed.map(|packed| decompress(&packed, skeleton));
            let animations: std::result::Result<_, _> = animations.collect();
            let mut file = MotionFile {
                skeleton: Skeleton::clone(skeleton),
                animations: animations.map_err(Problem::format)?,
                warnings,
            };
            file.turn_z_up();
            Self::from_file(name, Format::Sinew, file, None)?
        } else {
            let clips = packed.map(Clip::Packed).collect();
            Self::new(name, Format::Sinew, skeleton.clone(), clips, warnings, None)?
        };
        model.curves = pack.curves.into_iter().map(Arc::new).collect();
        model.skeleton_count = count;
        Ok(model)
    }

    fn new(
        name: &str,
        format: Format,
        skeleton: Arc<Skeleton>,
        clips: Vec<Clip>,
        warnings: Warnings,
        nodes: Option<Vec<i32>>,
    ) -> Result<Self> {
        let mut set = AnimationSet::new();
        for (index, clip) in clips.iter().enumerate() {
            // Files may have several animations of one name; controllers address them by index.
            let mut unique = clip.info().name.clone();
            if set.find(&unique).is_some() {
                unique = format!("{unique} ({index})");
            }
            match clip {
                Clip::Keyed(animation, _) => set.add_as(unique, animation.clone()),
                Clip::Packed(packed) => set.add_packed_as(unique, packed.clone(), &skeleton),
            }
            .map_err(Problem::format)?;
        }
        let joints = (0..skeleton.len()).map(JointIndex::from);
        let has_tip = |joint: &JointIndex| {
            skeleton
                .joint(*joint)
                .is_some_and(|joint| joint.tip.is_some())
        };
        Ok(Self {
            name: name.to_owned(),
            format: format.name(),
            tips: joints.filter(has_tip).collect(),
            clips,
            set: Arc::new(set),
            warnings,
            curves: Vec::new(),
            skeleton_count: 1,
            nodes,
            skeleton,
        })
    }

    pub(crate) fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    pub(crate) fn set(&self) -> &Arc<AnimationSet> {
        &self.set
    }

    fn clip(&self, animation: u32) -> Result<&Clip> {
        self.clips.get(animation as usize).ok_or_else(|| {
            let count = self.clips.len();
            Problem::argument(format_args!(
                "there is no animation {animation}; the file has {count}"
            ))
        })
    }

    pub(crate) fn info(&self) -> String {
        let mut json = Json::default();
        json.object(|json| {
            json.key("kind").text("motion");
            json.key("format").text(self.format);
            json.key("name").text(&self.name);
            json.key("warnings");
            json.warnings(&self.warnings);
            json.key("animations").list(&self.clips, |json, clip| {
                let info = clip.info();
                let rate = info.frame_rate.unwrap_or(0.0);
                let length = f64::from(info.length);
                json.object(|json| {
                    json.key("name").text(&info.name);
                    json.key("duration").number(length);
                    json.key("period").number(length);
                    json.key("fps").number(rate);
                    let frames = if rate > 0.0 {
                        (length * rate).round() + 1.0
                    } else {
                        0.0
                    };
                    json.key("frames").number(frames);
                    json.key("loops").bool(info.looping.is_some());
                    json.key("triggers").list(&info.triggers, |json, trigger| {
                        json.object(|json| {
                            json.key("time").number(f64::from(trigger.time));
                            json.key("name").text(&trigger.data.to_string());
                        });
                    });
                    json.key("metadata").object(|json| {
                        for (key, value) in info.metadata.iter() {
                            json.key(key);
                            match value {
                                MetaValue::Text(text) => json.text(text),
                                other => json.text(&format!("{other:?}")),
                            }
                        }
                    });
                });
            });
            json.key("joints")
                .list(self.skeleton.joints(), |json, joint| {
                    json.object(|json| {
                        json.key("name").text(&joint.name);
                        json.key("parent")
                            .index(joint.parent.map(JointIndex::index));
                        let rest = &joint.rest;
                        let (position, rotation) =
                            (rest.position.to_array(), rest.rotation.to_array());
                        let rest =
                            [&position[..], &rotation[..], &rest.scale.to_array()[..]].concat();
                        json.key("rest").numbers(&rest);
                        if let Some(tip) = joint.tip {
                            json.key("tip").numbers(&tip.to_array());
                        }
                    });
                });
            json.key("tips")
                .list(&self.tips, |json, joint| json.index(Some(joint.index())));
            json.key("skeletons").index(Some(self.skeleton_count));
            json.key("rootMotionJoints")
                .list(&self.clips, |json, clip| {
                    let joint = root_motion_joint(&self.skeleton, clip.info());
                    json.index(Some(joint.index()));
                });
            json.key("jointNodes");
            match &self.nodes {
                Some(nodes) => json.list(nodes, |json, node| json.number(f64::from(*node))),
                None => json.null(),
            }
        });
        json.finish()
    }

    pub(crate) fn hash(&self, animation: u32) -> Result<u64> {
        Ok(match self.clip(animation)? {
            Clip::Keyed(animation, _) => hash_animation(&self.skeleton, animation),
            Clip::Packed(packed) => hash_packed(&self.skeleton, packed),
        })
    }

    pub(crate) fn bounds(self: &Arc<Self>, animation: u32) -> Result<Vec<f64>> {
        let clip = self.clip(animation)?;
        let info = clip.info();
        let root = root_motion_joint(&self.skeleton, info);
        let rate = info.frame_rate.unwrap_or(60.0);
        let count = (f64::from(info.length) * rate)
            .ceil()
            .clamp(1.0, BOUND_POSES as f64) as usize;
        let mut instance = MotionInstance::new(self);
        let mut bounds: Option<Bounds> = None;
        for index in 0..=count {
            instance.sample(
                animation,
                (index as f64 / count as f64) as f32 * info.length,
            )?;
            let found = pose_bounds(&self.skeleton, &instance.model_pose, root);
            bounds = match (bounds, found) {
                (Some(bounds), Some(found)) => Some(bounds.union(found)),
                (bounds, found) => bounds.or(found),
            };
        }
        let corners = bounds.map(|bounds| [bounds.min.to_array(), bounds.max.to_array()]);
        let corners = corners.unwrap_or_default();
        Ok(corners
            .iter()
            .flatten()
            .map(|&number| f64::from(number))
            .collect())
    }

    fn contacts(&self, animation: u32) -> Result<String> {
        let keyed = self.clip(animation)?.keyed(&self.skeleton);
        let plants = find_plants(&self.skeleton, &keyed, &PlantSettings::default());
        let mut json = Json::default();
        json.list(plants, |json, plant| {
            json.object(|json| {
                json.key("joint").index(Some(plant.joint.index()));
                json.key("part").text(match plant.end {
                    LimbEnd::Heel => "heel",
                    LimbEnd::Ball => "ball",
                    LimbEnd::Hand => "hand",
                });
                json.key("side").text(match plant.side {
                    Side::Left => "left",
                    Side::Middle => "middle",
                    Side::Right => "right",
                });
                json.key("start").number(f64::from(plant.span.start));
                json.key("end").number(f64::from(plant.span.end));
            });
        });
        Ok(json.finish())
    }
}

/// A figure.
pub(crate) struct MotionInstance {
    model: Arc<MotionModel>,
    pub(crate) pose: Pose,
    pub(crate) inertia: Inertia,
    model_pose: ModelPose,
    rest: Pose,
    cursor: PackedCursor,
    /// The animation that the cursor is of.
    sampled: Option<u32>,
    positions: Vec<f32>,
    locals: Vec<f32>,
}

impl MotionInstance {
    fn new(model: &Arc<MotionModel>) -> Self {
        let rest = Pose::rest(&model.skeleton);
        let mut instance = Self {
            model: model.clone(),
            pose: rest.clone(),
            inertia: Inertia::new(&model.skeleton),
            model_pose: ModelPose::new(&model.skeleton),
            rest,
            cursor: PackedCursor::default(),
            sampled: None,
            positions: Vec::new(),
            locals: Vec::new(),
        };
        instance.finish();
        instance
    }

    pub(crate) fn model(&self) -> &Arc<MotionModel> {
        &self.model
    }

    fn sample(&mut self, animation: u32, time: f32) -> Result<()> {
        let clip = self.model.clip(animation)?;
        if self.sampled != Some(animation) {
            // Joints without tracks are at rest.
            self.pose.copy_from(&self.rest);
            self.cursor = PackedCursor::default();
            self.sampled = Some(animation);
        }
        match clip {
            Clip::Keyed(animation, binding) => sample(animation, binding, time, &mut self.pose),
            Clip::Packed(packed) => packed.sample(time, &mut self.cursor, &mut self.pose),
        }
        .map_err(Problem::argument)?;
        self.finish();
        Ok(())
    }

    /// Shows a pose that is not of one animation.
    pub(crate) fn show(&mut self) {
        self.sampled = None;
        self.finish();
    }

    fn finish(&mut self) {
        // The poses are of one skeleton.
        let _ = local_to_model(&self.model.skeleton, &self.pose, &mut self.model_pose);
        self.positions.clear();
        self.locals.clear();
    }

    pub(crate) fn hash(&self) -> u64 {
        let mut hash = PoseHash::new();
        hash.add_pose(&self.pose);
        hash.add_model(&self.model_pose);
        hash.finish()
    }

    pub(crate) fn view(&mut self, which: u32) -> Option<(u32, u32)> {
        match which {
            0 => {
                if self.positions.is_empty() {
                    let skeleton = &self.model.skeleton;
                    for matrix in self.model_pose.matrices() {
                        self.positions.extend(matrix.w_axis.truncate().to_array());
                    }
                    for &joint in &self.model.tips {
                        let tip = self.model_pose.tip(skeleton, joint).unwrap_or_default();
                        self.positions.extend(tip.to_array());
                    }
                }
                Some(place(&self.positions))
            }
            1 => {
                let (offset, length) = place(self.model_pose.matrices());
                Some((offset, length * 16))
            }
            2 => {
                if self.locals.is_empty() {
                    for joint in 0..self.pose.len() {
                        let joint = self.pose.get(JointIndex::from(joint));
                        self.locals.extend(joint.position.to_array());
                        self.locals.extend(joint.rotation.to_array());
                        self.locals.extend(joint.scale.to_array());
                    }
                }
                Some(place(&self.locals))
            }
            _ => None,
        }
    }
}

fn with_model<T>(handle: u32, use_it: impl FnOnce(&Arc<MotionModel>) -> Result<T>) -> Result<T> {
    with(handle, |object| match object {
        Object::Motion(model) => use_it(model),
        _ => Err(Problem::argument("expected a motion")),
    })
}

/// Creates a figure at rest.
#[wasm_bindgen]
pub fn motion_new(model: u32) -> Result<u32> {
    let instance = with_model(model, |model| Ok(MotionInstance::new(model)))?;
    add(Object::MotionInstance(Box::new(instance)))
}

/// Samples an animation.
#[wasm_bindgen]
pub fn motion_sample(handle: u32, animation: u32, time: f64) -> Result<()> {
    let time = finite(time)? as f32;
    with(handle, |object| match object {
        Object::MotionInstance(instance) => instance.sample(animation, time),
        _ => Err(Problem::argument("expected a figure")),
    })
}

/// Returns foot contacts as JSON.
#[wasm_bindgen]
pub fn contacts(model: u32, animation: u32) -> Result<String> {
    with_model(model, |model| model.contacts(animation))
}

/// Returns handles of the registration curves of a file.
#[wasm_bindgen]
pub fn model_curves(model: u32) -> Result<Vec<u32>> {
    let curves = with_model(model, |model| Ok(model.curves.clone()))?;
    curves
        .into_iter()
        .map(|curve| add(Object::Curve(curve)))
        .collect()
}
