//! The armature: a validated, compiled character shared by any number of instances.

use super::check::check;
use super::construct::Plan;
use super::draw_list::TextureRef;
use super::state::{TextureName, VisualState};
use super::tracks::{self, ArmatureAnimation};
use super::{
    ArmatureAnimationIndex, ArmatureData, ArmatureError, ArmatureState, BoneData, BoneIndex,
    BoneState, IkFamilyData, IkFamilyIndex, IkState, StyleData, StyleIndex, TextureData,
    VisualData,
};
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use glam::Vec2;

/// Names and indices of a style's textures.
type StyleTextures = Box<[(TextureName, u32)]>;

/// A character that can be played: immutable, to be shared by `Arc`.
///
/// [`Armature::new`] validates everything, so playback cannot fail because of a file's contents.
#[derive(Clone, Debug)]
pub struct Armature {
    data: ArmatureData,
    rest: ArmatureState,
    animations: Vec<ArmatureAnimation>,
    default_styles: Vec<StyleIndex>,
    /// All texture names, sorted; a [`TextureName`] is an index into this list.
    texture_names: Box<[String]>,
    /// For each style, the names of its textures; sorted by name.
    style_textures: Vec<StyleTextures>,
    plan: Plan,
}

impl Armature {
    /// Validates and compiles a character.
    ///
    /// # Errors
    /// If a reference is out of range, a parent follows its child, or a number is not finite; see [`ArmatureError`].
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

    /// Returns the source data.
    pub fn data(&self) -> &ArmatureData {
        &self.data
    }

    /// Creates the state of a character at rest, with the physics state of the file.
    pub fn new_state(&self) -> ArmatureState {
        self.rest.clone()
    }

    /// Returns the rest state, to which elements return when nothing animates them.
    pub fn rest(&self) -> &ArmatureState {
        &self.rest
    }

    /// Returns the animations, in the file's order.
    pub fn animations(&self) -> &[ArmatureAnimation] {
        &self.animations
    }

    /// Returns an animation; `None` if it does not exist.
    pub fn animation(&self, index: ArmatureAnimationIndex) -> Option<&ArmatureAnimation> {
        self.animations.get(index.index())
    }

    /// Returns the first animation of that name. Prefers an exact match, then ignores surrounding white space, then also
    /// case.
    pub fn find_animation(&self, name: &str) -> Option<ArmatureAnimationIndex> {
        find(self.animations.iter().map(ArmatureAnimation::name), name).map(Into::into)
    }

    /// Returns the data of a bone; `None` if it does not exist.
    pub fn bone(&self, bone: BoneIndex) -> Option<&BoneData> {
        self.data.bones.get(bone.index())
    }

    /// Returns a style; `None` if it does not exist.
    pub fn style(&self, style: StyleIndex) -> Option<&StyleData> {
        self.data.styles.get(style.index())
    }

    /// Returns an IK family; `None` if it does not exist.
    pub fn ik_family(&self, family: IkFamilyIndex) -> Option<&IkFamilyData> {
        self.data.ik_families.get(family.index())
    }

    /// Returns the number of bones.
    pub fn bone_count(&self) -> usize {
        self.data.bones.len()
    }

    /// Returns the first bone of that name.
    pub fn find_bone(&self, name: &str) -> Option<BoneIndex> {
        find(self.data.bones.iter().map(|b| b.name.as_str()), name).map(Into::into)
    }

    /// Returns the first style of that name.
    pub fn find_style(&self, name: &str) -> Option<StyleIndex> {
        find(self.data.styles.iter().map(|s| s.name.as_str()), name).map(Into::into)
    }

    /// Returns the first IK family whose chain contains that bone.
    pub fn find_ik_family(&self, bone: BoneIndex) -> Option<IkFamilyIndex> {
        let holds = |family: &IkFamilyData| family.bones.contains(&bone.index());
        self.data.ik_families.iter().position(holds).map(Into::into)
    }

    /// Returns the styles that are worn by default; the first match wins.
    pub fn default_styles(&self) -> &[StyleIndex] {
        &self.default_styles
    }

    /// Returns the data of a texture.
    pub fn texture(&self, texture: TextureRef) -> Option<&TextureData> {
        let style = self.data.styles.get(texture.style.index())?;
        style.textures.get(texture.texture as usize)
    }

    /// Converts texture coordinates (0 to 1 from the top left) to atlas coordinates, for engines that draw from whole
    /// atlases. `None` if the texture does not exist or its atlas has no size.
    pub fn atlas_uv(&self, texture: TextureRef, uv: Vec2) -> Option<Vec2> {
        let texture = self.texture(texture)?;
        let atlas = self.data.atlases.get(texture.atlas)?.size.as_vec2();
        let place = (texture.offset.as_vec2() + uv * texture.size.as_vec2()) / atlas;
        place.is_finite().then_some(place)
    }

    /// Returns the texture of that name in the first of `styles` that has one.
    pub fn find_texture(&self, name: &str, styles: &[StyleIndex]) -> Option<TextureRef> {
        self.texture_in(texture_number(&self.texture_names, name), styles)
    }

    /// Returns the texture that a bone shows, from the first of `styles` that has one of that name: SkelForm's
    /// `GetBoneTexture`. `None` if the bone shows none.
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
            let index = textures
                .binary_search_by_key(&name, |&(name, _)| name)
                .ok()?;
            Some(TextureRef {
                style,
                texture: textures[index].1,
            })
        })
    }

    /// Returns the index of a texture's name; the empty name is no texture.
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

    /// Checks that `state` is of this armature, by the lengths of its lists.
    ///
    /// # Errors
    /// [`ArmatureError::StateMismatch`], for example for a state that was saved with an older file.
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

    pub(super) fn check_animation(
        &self,
        animation: ArmatureAnimationIndex,
    ) -> Result<(), ArmatureError> {
        if animation.index() < self.animations.len() {
            return Ok(());
        }
        Err(ArmatureError::NoSuchAnimation {
            index: animation.index(),
            count: self.animations.len(),
        })
    }
}

/// Returns the index of `name`, else of the first match ignoring surrounding white space, else of the first match ignoring
/// case too.
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
    found.map_or(TextureName::NONE, |index| TextureName(index as u32))
}

fn by_name(textures: &[TextureData], number: &dyn Fn(&str) -> TextureName) -> StyleTextures {
    let mut named: Vec<(TextureName, u32)> = textures
        .iter()
        .zip(0..)
        .map(|(t, i)| (number(&t.name), i))
        .collect();
    // Of several textures with one name the first is used.
    named.sort_by_key(|&(name, _)| name);
    named.dedup_by_key(|&mut (name, _)| name);
    named.into()
}

fn rest(data: &ArmatureData, number: &dyn Fn(&str) -> TextureName) -> ArmatureState {
    let bone = |b: &BoneData| BoneState {
        position: b.position,
        rotation: b.rotation,
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
