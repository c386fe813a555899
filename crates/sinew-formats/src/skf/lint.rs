//! Detection of content that plays, but likely not as intended.

use super::Skf;
use super::json::FieldPath;
use super::visible::is_ever_visible;
use crate::Warnings;
use crate::escape;
use sinew::skelform::{ArmatureData, Element};
use std::collections::BTreeSet;

/// Finds mistakes that need no repair: a character that shows nothing, textures that no style has, textures that
/// extend beyond their atlas, animations without keys, animations with the same name.
///
/// What the editor allows on purpose (a family without a target, a bind without a bone, unused textures) is not a
/// mistake.
pub fn lint(character: &Skf) -> Warnings {
    let data = character.armature.data();
    let mut warnings = Warnings::default();
    nothing_visible(character, &mut warnings);
    missing_textures(data, &mut warnings);
    textures_beyond_atlas(character, &mut warnings);
    animations(data, &mut warnings);
    warnings
}

/// Warns of a character that is invisible at rest and at every key. Skipped if a picture was not read: that picture
/// has a warning already, or was not requested.
fn nothing_visible(character: &Skf, warnings: &mut Warnings) {
    let has_pictures = character.atlases.iter().all(Option::is_some);
    if has_pictures && !is_ever_visible(character) {
        let problem = "nothing is visible, at rest and at every key";
        warnings.add("character", "", problem);
    }
}

fn missing_textures(data: &ArmatureData, warnings: &mut Warnings) {
    let textures = data.styles.iter().flat_map(|style| &style.textures);
    let there: BTreeSet<&str> = textures.map(|texture| texture.name.as_str()).collect();
    let missing = |name: &str| !name.is_empty() && !there.contains(name);
    for (index, bone) in data.bones.iter().enumerate() {
        let Some(visual) = bone.visual.map(|visual| &data.visuals[visual]) else {
            continue;
        };
        if missing(&visual.texture) {
            let place = FieldPath::new("bone", index, &bone.name);
            warnings.add(
                place,
                "tex",
                format!(
                    "{} is in no style; shows nothing",
                    escape::text(&visual.texture)
                ),
            );
        }
    }
    for (index, animation) in data.animations.iter().enumerate() {
        let place = FieldPath::new("animation", index, &animation.name);
        let keys = animation
            .keys
            .iter()
            .filter(|key| key.element == Element::Texture);
        let names: BTreeSet<&str> = keys.map(|key| key.text.as_str()).collect();
        for name in names.into_iter().filter(|name| missing(name)) {
            warnings.add(
                place,
                "Texture key",
                format!("{} is in no style; shows nothing", escape::text(name)),
            );
        }
    }
}

fn textures_beyond_atlas(character: &Skf, warnings: &mut Warnings) {
    let data = character.armature.data();
    for (index, style) in data.styles.iter().enumerate() {
        let place = FieldPath::new("style", index, &style.name);
        for texture in &style.textures {
            let Some(Some(atlas)) = character.atlases.get(texture.atlas) else {
                continue;
            };
            let (width, height) = (u64::from(atlas.width()), u64::from(atlas.height()));
            let right = u64::from(texture.offset.x) + u64::from(texture.size.x);
            let bottom = u64::from(texture.offset.y) + u64::from(texture.size.y);
            if right > width || bottom > height {
                let field = format!("texture {}", escape::text(&texture.name));
                let problem = format!("reaches to {right} x {bottom} of {width} x {height} pixels");
                warnings.add(place, field, problem);
            }
        }
    }
}

fn animations(data: &ArmatureData, warnings: &mut Warnings) {
    let mut names = BTreeSet::new();
    for (index, animation) in data.animations.iter().enumerate() {
        let place = FieldPath::new("animation", index, &animation.name);
        if animation.keys.is_empty() {
            warnings.add(place, "keyframes", "there are none; nothing moves");
        }
        if !names.insert(animation.name.trim()) {
            warnings.add(
                place,
                "name",
                "an earlier animation has it; found by its position only",
            );
        }
    }
}
