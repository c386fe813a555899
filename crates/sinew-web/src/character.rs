//! 2D characters.

use crate::error::{Problem, Result};
use crate::json::Json;
use crate::table::{Object, add, with};
use crate::{finite, place};
use sinew::AnimationSet;
use sinew::glam::Vec2;
use sinew::pose_hash::{PoseHash, hash_armature};
use sinew::skelform::{
    AnimationFrame, Armature, ArmatureAnimation, ArmatureAnimationIndex, ArmatureCrossfade,
    ArmaturePose, ArmatureState, BoneIndex, ConstructSettings, DrawList, FrameSettings,
    PhysicsStep, Repeat, StyleIndex, animate, construct, snap_physics, time_frame_exact,
};
use sinew_formats::skf::EncodedSkf;
use std::collections::BTreeMap;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// The maximum number of poses that bounds are found from.
const BOUND_POSES: u32 = 600;

/// A character.
pub(crate) struct CharacterModel {
    name: String,
    file: EncodedSkf,
    set: Arc<AnimationSet>,
}

impl CharacterModel {
    pub(crate) fn new(name: &str, file: EncodedSkf) -> Self {
        Self {
            name: name.to_owned(),
            set: Arc::new(AnimationSet::of_armature(&file.armature)),
            file,
        }
    }

    pub(crate) fn armature(&self) -> &Arc<Armature> {
        &self.file.armature
    }

    pub(crate) fn set(&self) -> &Arc<AnimationSet> {
        &self.set
    }

    fn animation(&self, index: u32) -> Result<&ArmatureAnimation> {
        let animations = self.armature().animations();
        animations.get(index as usize).ok_or_else(|| {
            let count = animations.len();
            Problem::argument(format_args!(
                "there is no animation {index}; the file has {count}"
            ))
        })
    }

    pub(crate) fn info(&self) -> String {
        let armature = self.armature();
        let data = armature.data();
        let mut json = Json::default();
        json.object(|json| {
            json.key("kind").text("character");
            json.key("format").text("SkelForm");
            json.key("name").text(&self.name);
            json.key("warnings");
            json.warnings(&self.file.warnings);
            json.key("animations")
                .list(armature.animations(), |json, animation| {
                    let fps = f64::from(animation.frame_rate());
                    let last = animation.last_frame().map_or(0.0, f64::from);
                    let seconds = |frames: f64| if fps > 0.0 { frames / fps } else { 0.0 };
                    json.object(|json| {
                        json.key("name").text(animation.name());
                        json.key("duration").number(seconds(last));
                        json.key("period").number(seconds(last + 1.0));
                        json.key("fps").number(fps);
                        json.key("frames").number(last + 1.0);
                        json.key("loops").bool(true);
                        json.key("triggers").list([0; 0], |_, _| {});
                    });
                });
            json.key("bones").list(&data.bones, |json, bone| {
                json.object(|json| {
                    json.key("name").text(&bone.name);
                    json.key("parent").index(bone.parent);
                    json.key("visual").bool(bone.visual.is_some());
                });
            });
            json.key("styles")
                .list(&data.styles, |json, style| json.text(&style.name));
            json.key("defaultStyles")
                .list(armature.default_styles(), |json, style| {
                    json.index(Some(style.index()))
                });
            json.key("atlases").list(&data.atlases, |json, atlas| {
                json.object(|json| {
                    json.key("name").text(&atlas.filename);
                    json.key("width").number(f64::from(atlas.size.x));
                    json.key("height").number(f64::from(atlas.size.y));
                });
            });
            json.key("ik").list(&data.ik_families, |json, family| {
                json.object(|json| {
                    json.key("bones")
                        .list(&family.bones, |json, bone| json.index(Some(*bone)));
                    json.key("target").index(family.target);
                    json.key("mode").text(family.mode.name());
                    json.key("constraint").text(family.constraint.name());
                });
            });
            json.key("textures");
            let styles = data.styles.iter().enumerate();
            let textures = styles
                .flat_map(|(style, s)| s.textures.iter().map(move |texture| (style, texture)));
            json.list(textures, |json, (style, texture)| {
                json.object(|json| {
                    json.key("style").index(Some(style));
                    json.key("name").text(&texture.name);
                    json.key("atlas").index(Some(texture.atlas));
                    json.key("x").number(f64::from(texture.offset.x));
                    json.key("y").number(f64::from(texture.offset.y));
                    json.key("width").number(f64::from(texture.size.x));
                    json.key("height").number(f64::from(texture.size.y));
                });
            });
            json.key("clearColor");
            match self.file.clear_color {
                Some(color) => json.list(color, |json, channel| json.number(f64::from(channel))),
                None => json.null(),
            }
        });
        json.finish()
    }

    pub(crate) fn hash(&self, animation: u32) -> Result<u64> {
        self.animation(animation)?;
        hash_armature(self.armature(), ArmatureAnimationIndex(animation)).map_err(Problem::argument)
    }

    pub(crate) fn bounds(self: &Arc<Self>, animation: u32) -> Result<Vec<f64>> {
        let last = self.animation(animation)?.last_frame().unwrap_or(0);
        let poses = last.clamp(1, BOUND_POSES);
        let mut instance = CharacterInstance::new(self)?;
        let settings = ConstructSettings {
            physics: PhysicsStep::Off,
            ..ConstructSettings::default()
        };
        let mut bounds: Option<(Vec2, Vec2)> = None;
        for pose in 0..=poses {
            let frame = (f64::from(last) * f64::from(pose) / f64::from(poses)) as f32;
            instance.animate(
                &[AnimationFrame::new(
                    ArmatureAnimationIndex(animation),
                    frame,
                )],
                0.0,
            )?;
            instance.construct(&settings)?;
            bounds = match (bounds, instance.list.bounds()) {
                (Some((low, high)), Some((l, h))) => Some((low.min(l), high.max(h))),
                (bounds, found) => bounds.or(found),
            };
        }
        let (low, high) = bounds.unwrap_or_default();
        Ok([low.x, low.y, high.x, high.y].map(f64::from).to_vec())
    }
}

/// A character in motion.
pub(crate) struct CharacterInstance {
    model: Arc<CharacterModel>,
    pub(crate) state: ArmatureState,
    pose: ArmaturePose,
    fade: ArmatureCrossfade,
    list: DrawList,
    styles: Vec<StyleIndex>,
    targets: BTreeMap<u32, Vec2>,
    vertices: Vec<f32>,
    batches: Vec<u32>,
    items: Vec<u32>,
    bones: Vec<f32>,
    hidden: Vec<u8>,
}

impl CharacterInstance {
    fn new(model: &Arc<CharacterModel>) -> Result<Self> {
        let armature = model.armature();
        let mut instance = Self {
            state: armature.new_state(),
            pose: ArmaturePose::new(armature),
            fade: ArmatureCrossfade::new(armature),
            list: DrawList::new(),
            styles: armature.default_styles().to_vec(),
            targets: BTreeMap::new(),
            vertices: Vec::new(),
            batches: Vec::new(),
            items: Vec::new(),
            bones: Vec::new(),
            hidden: Vec::new(),
            model: model.clone(),
        };
        instance.reset()?;
        Ok(instance)
    }

    pub(crate) fn model(&self) -> &Arc<CharacterModel> {
        &self.model
    }

    fn reset(&mut self) -> Result<()> {
        let armature = self.model.armature();
        self.state.copy_from(armature.rest());
        self.fade = ArmatureCrossfade::new(armature);
        self.targets.clear();
        let settings = ConstructSettings::default();
        snap_physics(armature, &mut self.state, &settings, &mut self.pose)
            .map_err(Problem::argument)?;
        // Physics as after `new_state`, so that a reset character plays like a new one.
        self.state.copy_from(armature.rest());
        self.construct(&ConstructSettings {
            physics: PhysicsStep::Off,
            ..settings
        })
    }

    fn animate(&mut self, frames: &[AnimationFrame], seconds: f32) -> Result<()> {
        animate(self.model.armature(), &mut self.state, frames).map_err(Problem::argument)?;
        self.fade.apply(&mut self.state, seconds);
        Ok(())
    }

    fn construct(&mut self, settings: &ConstructSettings) -> Result<()> {
        let armature = self.model.armature();
        let (state, pose) = (&mut self.state, &mut self.pose);
        if !self.targets.is_empty() {
            // The parents of held bones move with this frame's animation.
            let still = ConstructSettings {
                physics: PhysicsStep::Off,
                ..*settings
            };
            construct(armature, state, &still, pose).map_err(Problem::argument)?;
            for (&bone, &point) in &self.targets {
                let bone = BoneIndex(bone);
                let local = pose.to_local(armature, bone, point);
                if let (Some(local), Some(bone)) = (local, state.bone_mut(bone)) {
                    bone.position = local;
                }
            }
        }
        construct(armature, state, settings, pose).map_err(Problem::argument)?;
        self.list.fill(armature, state, pose, &self.styles);
        self.flatten();
        Ok(())
    }

    /// Writes the draw list as numbers.
    fn flatten(&mut self) {
        let armature = self.model.armature();
        self.vertices.clear();
        self.batches.clear();
        self.items.clear();
        self.bones.clear();
        self.hidden.clear();
        for item in &self.list.items {
            let texture = armature.texture(item.texture);
            let atlas = texture.map_or(u32::MAX, |texture| texture.atlas as u32);
            let (first, count) = (item.indices.start as u32, item.indices.len() as u32);
            match self.batches.last_chunk_mut() {
                Some([last, _, length]) if *last == atlas => *length += count,
                _ => self.batches.extend([atlas, first, count]),
            }
            self.items.extend([item.bone.0, first, count]);
            let tint = [item.tint.r, item.tint.g, item.tint.b, item.tint.a];
            for vertex in self
                .list
                .vertices
                .get(item.vertices.clone())
                .unwrap_or_default()
            {
                let uv = armature
                    .atlas_uv(item.texture, vertex.uv)
                    .unwrap_or_default();
                self.vertices
                    .extend([vertex.position.x, vertex.position.y, uv.x, uv.y]);
                self.vertices.extend(tint);
            }
        }
    }

    pub(crate) fn hash(&self) -> u64 {
        let mut hash = PoseHash::new();
        hash.add_armature_pose(&self.pose);
        hash.add_draw_list(&self.list);
        hash.finish()
    }

    pub(crate) fn view(&mut self, which: u32) -> Option<(u32, u32)> {
        if which == 4 && self.bones.is_empty() {
            for bone in self.pose.bones() {
                self.bones
                    .extend([bone.position.x, bone.position.y, bone.rotor.cos, bone.rotor.sin]);
                self.bones.extend([bone.scale.x, bone.scale.y]);
            }
        }
        if which == 5 && self.hidden.is_empty() {
            self.hidden
                .extend(self.pose.hidden().iter().map(|&hidden| u8::from(hidden)));
        }
        Some(match which {
            0 => place(&self.vertices),
            1 => place(&self.list.indices),
            2 => place(&self.batches),
            3 => place(&self.items),
            4 => place(&self.bones),
            5 => place(&self.hidden),
            _ => return None,
        })
    }
}

fn with_model<T>(handle: u32, use_it: impl FnOnce(&Arc<CharacterModel>) -> Result<T>) -> Result<T> {
    with(handle, |object| match object {
        Object::Character(model) => use_it(model),
        _ => Err(Problem::argument("expected a character")),
    })
}

fn with_instance<T>(
    handle: u32,
    use_it: impl FnOnce(&mut CharacterInstance) -> Result<T>,
) -> Result<T> {
    with(handle, |object| match object {
        Object::CharacterInstance(instance) => use_it(instance),
        _ => Err(Problem::argument("expected an instance of a character")),
    })
}

/// Creates a character at rest.
#[wasm_bindgen]
pub fn character_new(model: u32) -> Result<u32> {
    let instance = with_model(model, CharacterInstance::new)?;
    add(Object::CharacterInstance(Box::new(instance)))
}

/// Returns a picture as encoded in the file; empty if it is missing.
#[wasm_bindgen]
pub fn atlas_image(model: u32, atlas: u32) -> Result<Vec<u8>> {
    with_model(model, |model| {
        let picture = model.file.pictures.get(atlas as usize);
        Ok(picture.cloned().flatten().unwrap_or_default())
    })
}

/// Returns the frame that an animation shows at a time. `repeat`: 0 once, 1 loop, 2 seamless loop.
#[wasm_bindgen]
pub fn frame_at(
    model: u32,
    animation: u32,
    seconds: f64,
    repeat: u32,
    reverse: bool,
) -> Result<f64> {
    let repeat = match repeat {
        0 => Repeat::Once,
        1 => Repeat::Loop,
        2 => Repeat::LoopSeamless,
        _ => return Err(Problem::argument("repeat: expected once, loop or seamless")),
    };
    with_model(model, |model| {
        let settings = FrameSettings { reverse, repeat };
        let frame = time_frame_exact(finite(seconds)?, model.animation(animation)?, settings);
        Ok(f64::from(frame))
    })
}

/// Sets the styles worn.
#[wasm_bindgen]
pub fn character_styles(handle: u32, styles: &[u32]) -> Result<()> {
    with_instance(handle, |instance| {
        let count = instance.model.armature().data().styles.len();
        if let Some(style) = styles.iter().find(|&&style| style as usize >= count) {
            return Err(Problem::argument(format_args!(
                "there is no style {style}; the file has {count}"
            )));
        }
        instance.styles = styles.iter().map(|&style| StyleIndex(style)).collect();
        Ok(())
    })
}

/// Writes frames of animations: pairs of an index and a frame.
#[wasm_bindgen]
pub fn character_animate(handle: u32, frames: &[f64], seconds: f64) -> Result<()> {
    let seconds = finite(seconds)? as f32;
    with_instance(handle, |instance| {
        let mut list = Vec::with_capacity(frames.len() / 2);
        for pair in frames.chunks_exact(2) {
            let index = finite(pair[0])? as u32;
            instance.model.animation(index)?;
            list.push(AnimationFrame::new(
                ArmatureAnimationIndex(index),
                finite(pair[1])? as f32,
            ));
        }
        instance.animate(&list, seconds)
    })
}

/// Starts a crossfade.
#[wasm_bindgen]
pub fn character_fade(handle: u32, seconds: f64) -> Result<()> {
    let seconds = finite(seconds)? as f32;
    with_instance(handle, |instance| {
        instance.fade.start(&instance.state, seconds);
        Ok(())
    })
}

/// Computes the pose. `numbers`: seconds, position, scale, velocity.
#[wasm_bindgen]
pub fn character_construct(handle: u32, numbers: &[f32], ik: bool, physics: bool) -> Result<()> {
    let &[seconds, x, y, scale_x, scale_y, velocity_x, velocity_y] = numbers else {
        return Err(Problem::argument("expected seven numbers"));
    };
    if !numbers.iter().all(|number| number.is_finite()) {
        return Err(Problem::argument("expected finite numbers"));
    }
    with_instance(handle, |instance| {
        instance.construct(&ConstructSettings {
            position: Vec2::new(x, y),
            scale: Vec2::new(scale_x, scale_y),
            velocity: Vec2::new(velocity_x, velocity_y),
            physics: if physics {
                PhysicsStep::Seconds(seconds)
            } else {
                PhysicsStep::Off
            },
            ik,
            mirrored_rotation: None,
        })
    })
}

/// Returns to the rest pose.
#[wasm_bindgen]
pub fn character_reset(handle: u32) -> Result<()> {
    with_instance(handle, CharacterInstance::reset)
}

/// Holds a bone at a point.
#[wasm_bindgen]
pub fn character_target(handle: u32, bone: u32, x: f64, y: f64) -> Result<()> {
    let point = Vec2::new(finite(x)? as f32, finite(y)? as f32);
    with_instance(handle, |instance| {
        let count = instance.model.armature().bone_count();
        if bone as usize >= count {
            return Err(Problem::argument(format_args!(
                "there is no bone {bone}; the file has {count}"
            )));
        }
        instance.targets.insert(bone, point);
        Ok(())
    })
}

/// Lets go of a bone, or of all if it is negative.
#[wasm_bindgen]
pub fn character_clear_targets(handle: u32, bone: f64) -> Result<()> {
    with_instance(handle, |instance| {
        if bone < 0.0 {
            instance.targets.clear();
        } else {
            instance.targets.remove(&(bone as u32));
        }
        Ok(())
    })
}
