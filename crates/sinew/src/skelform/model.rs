//! The armature: a checked, compiled character that any number of instances share.

use super::check::check;
use super::construct::Plan;
use super::draw_list::TextureRef;
use super::state::{TextureName, VisualState};
use super::tracks::{self, ArmatureAnimation};
use super::{
    ArmatureData, ArmatureError, ArmatureState, BoneData, BoneIndex, BoneState, IkFamilyData,
    IkFamilyIndex, IkState, StyleData, StyleIndex, TextureData, VisualData,
};
use crate::animation::AnimationIndex;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use glam::Vec2;

/// Names and positions of a style's textures.
type StyleTextures = Box<[(TextureName, u32)]>;

/// A character that can be played: immutable, to be shared by `Arc`.
///
/// Everything that could go wrong is checked by [`Armature::new`], so that playing cannot fail on
/// account of what a file said.
#[derive(Clone, Debug)]
pub struct Armature {
    data: ArmatureData,
    rest: ArmatureState,
    animations: Vec<ArmatureAnimation>,
    default_styles: Vec<StyleIndex>,
    /// Every texture name there is, sorted; a [`TextureName`] is a position here.
    texture_names: Box<[String]>,
    /// For each style, which of its textures has which name; sorted by name.
    style_textures: Vec<StyleTextures>,
    plan: Plan,
}

impl Armature {
    /// Checks and compiles a character.
    ///
    /// # Errors
    /// Whatever [`ArmatureError`] names: references out of range, parents after their children,
    /// numbers that are not finite.
    pub fn new(data: ArmatureData) -> Result<Self, ArmatureError> {
        check(&data)?;
        let texture_names = texture_names(&data);
        let number = |name: &str| texture_number(&texture_names, name);
        let animations = data
            .animations
            .iter()
            .map(|a| tracks::compile(a, &data, &number));
        Ok(Self {
            animations: animations.collect(),
            rest: rest(&data, &number),
            default_styles: data
                .default_styles
                .iter()
                .map(|&style| style.into())
                .collect(),
            style_textures: data
                .styles
                .iter()
                .map(|s| by_name(&s.textures, &number))
                .collect(),
            plan: Plan::new(&data),
            texture_names,
            data,
        })
    }

    /// What the armature was made from.
    pub fn data(&self) -> &ArmatureData {
        &self.data
    }

    /// A character at rest, with physics where the file left it.
    pub fn new_state(&self) -> ArmatureState {
        self.rest.clone()
    }

    /// The state that elements return to when nothing animates them.
    pub fn rest(&self) -> &ArmatureState {
        &self.rest
    }

    /// The animations, in the file's order.
    pub fn animations(&self) -> &[ArmatureAnimation] {
        &self.animations
    }

    /// An animation, or `None` when there is no such one.
    pub fn animation(&self, index: AnimationIndex) -> Option<&ArmatureAnimation> {
        self.animations.get(index.index())
    }

    /// The first animation of that name; blanks at the ends and capitals count only where they tell
    /// two apart.
    pub fn find_animation(&self, name: &str) -> Option<AnimationIndex> {
        find(self.animations.iter().map(ArmatureAnimation::name), name).map(Into::into)
    }

    /// A bone as the file has it, or `None` when there is no such one.
    pub fn bone(&self, bone: BoneIndex) -> Option<&BoneData> {
        self.data.bones.get(bone.index())
    }

    /// A style, or `None` when there is no such one.
    pub fn style(&self, style: StyleIndex) -> Option<&StyleData> {
        self.data.styles.get(style.index())
    }

    /// An IK family, or `None` when there is no such one.
    pub fn ik_family(&self, family: IkFamilyIndex) -> Option<&IkFamilyData> {
        self.data.ik_families.get(family.index())
    }

    /// How many bones there are.
    pub fn bone_count(&self) -> usize {
        self.data.bones.len()
    }

    /// The first bone of that name.
    pub fn find_bone(&self, name: &str) -> Option<BoneIndex> {
        find(self.data.bones.iter().map(|b| b.name.as_str()), name).map(Into::into)
    }

    /// The first style of that name.
    pub fn find_style(&self, name: &str) -> Option<StyleIndex> {
        find(self.data.styles.iter().map(|s| s.name.as_str()), name).map(Into::into)
    }

    /// The first IK family whose chain holds that bone.
    pub fn find_ik_family(&self, bone: BoneIndex) -> Option<IkFamilyIndex> {
        let holds = |family: &IkFamilyData| family.bones.contains(&bone.index());
        self.data.ik_families.iter().position(holds).map(Into::into)
    }

    /// The styles that are worn unless the user says otherwise, first match wins.
    pub fn default_styles(&self) -> &[StyleIndex] {
        &self.default_styles
    }

    /// Where a texture is to be found.
    pub fn texture(&self, texture: TextureRef) -> Option<&TextureData> {
        let style = self.data.styles.get(texture.style.index())?;
        style.textures.get(texture.texture as usize)
    }

    /// A place in a texture (0 to 1 from its top left) as a place in its atlas, likewise: for engines
    /// that draw from whole atlases. `None` when there is no such texture or its atlas states no size.
    pub fn atlas_uv(&self, texture: TextureRef, uv: Vec2) -> Option<Vec2> {
        let texture = self.texture(texture)?;
        let atlas = self.data.atlases.get(texture.atlas)?.size.as_vec2();
        let place = (texture.offset.as_vec2() + uv * texture.size.as_vec2()) / atlas;
        place.is_finite().then_some(place)
    }

    /// The texture of that name in the first of `styles` that has one.
    pub fn find_texture(&self, name: &str, styles: &[StyleIndex]) -> Option<TextureRef> {
        self.texture_in(texture_number(&self.texture_names, name), styles)
    }

    /// The texture that a bone shows, from the first of `styles` that has one of that name: what
    /// SkelForm calls `GetBoneTexture`. `None` when the bone shows nothing.
    pub fn get_bone_texture(
        &self,
        state: &ArmatureState,
        bone: BoneIndex,
        styles: &[StyleIndex],
    ) -> Option<TextureRef> {
        let visual = self.data.bones.get(bone.index())?.visual?;
        self.texture_in(state.visuals.get(visual)?.texture, styles)
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(super) fn texture_in(
        &self,
        name: TextureName,
        styles: &[StyleIndex],
    ) -> Option<TextureRef> {
        if name == TextureName::NONE {
            return None;
        }
        styles.iter().find_map(|&style| {
            let textures = self.style_textures.get(style.index())?;
            let at = textures
                .binary_search_by_key(&name, |&(name, _)| name)
                .ok()?;
            Some(TextureRef {
                style,
                texture: textures[at].1,
            })
        })
    }

    /// The number of a texture's name; the empty name shows nothing.
    pub(crate) fn texture_number(&self, name: &str) -> Option<TextureName> {
        if name.is_empty() {
            return Some(TextureName::NONE);
        }
        let number = texture_number(&self.texture_names, name);
        (number != TextureName::NONE).then_some(number)
    }

    pub(super) fn texture_name(&self, name: TextureName) -> Option<&str> {
        self.texture_names.get(name.0 as usize).map(String::as_str)
    }

    /// Whether `state` was made for this armature, going by the lengths of its lists.
    ///
    /// # Errors
    /// [`ArmatureError::StateMismatch`], for example on a state that was saved with an older file.
    pub fn check_state(&self, state: &ArmatureState) -> Result<(), ArmatureError> {
        let rest = &self.rest;
        for (what, armature, state) in [
            ("bones", rest.bones.len(), state.bones.len()),
            ("hidden flags", rest.hidden.len(), state.hidden.len()),
            ("tints", rest.tints.len(), state.tints.len()),
            ("visuals", rest.visuals.len(), state.visuals.len()),
            ("IK families", rest.ik.len(), state.ik.len()),
            ("IK switches", rest.ik_enabled.len(), state.ik_enabled.len()),
            ("physics entries", rest.physics.len(), state.physics.len()),
        ] {
            if armature != state {
                return Err(ArmatureError::StateMismatch {
                    what,
                    armature,
                    state,
                });
            }
        }
        Ok(())
    }

    pub(super) fn check_animation(&self, animation: AnimationIndex) -> Result<(), ArmatureError> {
        if animation.index() < self.animations.len() {
            return Ok(());
        }
        Err(ArmatureError::NoSuchAnimation {
            index: animation.index(),
            count: self.animations.len(),
        })
    }
}

/// Position of `name`, else of the first that equals it but for blanks at the ends, else of the first
/// that equals it but for capitals too.
fn find<'a>(names: impl Iterator<Item = &'a str> + Clone, name: &str) -> Option<usize> {
    let position = |same: &dyn Fn(&str) -> bool| names.clone().position(same);
    let trimmed = name.trim();
    position(&|n| n == name)
        .or_else(|| position(&|n| n.trim() == trimmed))
        .or_else(|| position(&|n| n.trim().eq_ignore_ascii_case(trimmed)))
}

fn texture_names(data: &ArmatureData) -> Box<[String]> {
    let shown = data.visuals.iter().map(|visual| &visual.texture);
    let is_texture = |key: &&super::KeyData| key.element == super::Element::Texture;
    let keyed = data
        .animations
        .iter()
        .flat_map(|a| &a.keys)
        .filter(is_texture);
    let keyed = keyed.map(|key| &key.text);
    let styled = data
        .styles
        .iter()
        .flat_map(|s| &s.textures)
        .map(|texture| &texture.name);
    let names: BTreeSet<&String> = shown.chain(keyed).chain(styled).collect();
    names
        .into_iter()
        .filter(|name| !name.is_empty())
        .cloned()
        .collect()
}

fn texture_number(names: &[String], name: &str) -> TextureName {
    let found = names.binary_search_by(|n| n.as_str().cmp(name));
    found.map_or(TextureName::NONE, |at| TextureName(at as u32))
}

fn by_name(textures: &[TextureData], number: &dyn Fn(&str) -> TextureName) -> StyleTextures {
    let mut named: Vec<(TextureName, u32)> = textures
        .iter()
        .zip(0..)
        .map(|(t, i)| (number(&t.name), i))
        .collect();
    // Of several textures with one name the first counts.
    named.sort_by_key(|&(name, _)| name);
    named.dedup_by_key(|&mut (name, _)| name);
    named.into()
}

fn rest(data: &ArmatureData, number: &dyn Fn(&str) -> TextureName) -> ArmatureState {
    let bone = |b: &BoneData| BoneState {
        pos: b.pos,
        rot: b.rot,
        scale: b.scale,
    };
    let visual = |v: &VisualData| VisualState {
        zindex: v.zindex,
        texture: number(&v.texture),
    };
    let ik = |f: &IkFamilyData| IkState {
        constraint: f.constraint,
        mode: f.mode,
        mimic_target: f.mimic_target,
    };
    ArmatureState {
        bones: data.bones.iter().map(bone).collect(),
        hidden: data.bones.iter().map(|b| b.hidden).collect(),
        tints: data.visuals.iter().map(|v| v.tint).collect(),
        visuals: data.visuals.iter().map(visual).collect(),
        ik: data.ik_families.iter().map(ik).collect(),
        ik_enabled: data.ik_families.iter().map(|f| f.enabled).collect(),
        physics: data.physics.iter().map(|p| p.start).collect(),
    }
}
