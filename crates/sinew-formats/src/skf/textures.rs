//! Styles, their textures, and their atlases.

use super::SkfError;
use super::archive::check_size;
use super::json::{Object, whole_number};
use crate::Warnings;
use crate::limits::{MAX_ATLASES, MAX_STYLES, MAX_TEXTURES};
use serde_json::Value;
use sinew::glam::{UVec2, Vec2};
use sinew::skelform::{AtlasData, StyleData, TextureData};

/// The single picture of files without atlases.
pub(super) const ONLY_ATLAS: &str = "textures.png";

/// Reads styles and atlases. `root` holds what early versions store outside the character.
pub(super) fn read(
    root: &Object<'_>,
    body: &Object<'_>,
    has_only_atlas: bool,
    warnings: &mut Warnings,
) -> Result<(Vec<StyleData>, Vec<AtlasData>), SkfError> {
    let atlases = atlases(root, body, has_only_atlas, warnings)?;
    let count = atlases.len();
    // Newest first: sets of named textures, the same under an older name, one list for all.
    let styles = if body.get("styles").is_some() {
        style_list(body, "styles", count, warnings)?
    } else if body.get("texture_sets").is_some() {
        style_list(body, "texture_sets", count, warnings)?
    } else if body.get("textures").is_some() {
        let textures = texture_list(body, count, &mut 0, warnings)?;
        vec![StyleData {
            name: "Default".to_owned(),
            textures,
        }]
    } else {
        Vec::new()
    };
    Ok((styles, atlases))
}

fn style_list(
    body: &Object<'_>,
    key: &str,
    atlases: usize,
    warnings: &mut Warnings,
) -> Result<Vec<StyleData>, SkfError> {
    let mut styles = Vec::new();
    let mut total = 0;
    for style in body.table(key, "style", MAX_STYLES)? {
        styles.push(StyleData {
            name: style.name(warnings),
            textures: texture_list(&style, atlases, &mut total, warnings)?,
        });
    }
    Ok(styles)
}

/// Reads textures whose atlas exists: an editor without textures in its first style writes no atlas. `total` counts
/// the textures of all styles.
fn texture_list(
    owner: &Object<'_>,
    atlases: usize,
    total: &mut usize,
    warnings: &mut Warnings,
) -> Result<Vec<TextureData>, SkfError> {
    *total += owner.list("textures")?.len();
    let limit = MAX_TEXTURES as u64;
    check_size("the number of textures", *total as u64, limit)?;
    let mut textures = Vec::new();
    for texture in owner.objects("textures", "texture")? {
        let id = texture.int(warnings, "atlas_idx").unwrap_or(0);
        let Some(atlas) = usize::try_from(id).ok().filter(|&atlas| atlas < atlases) else {
            let problem = format!("{id} is not an atlas; the texture is ignored");
            warnings.add(texture.place, "atlas_idx", problem);
            continue;
        };
        textures.push(TextureData {
            name: texture.name(warnings),
            atlas,
            offset: pixels(&texture, "offset", warnings),
            size: pixels(&texture, "size", warnings),
        });
    }
    Ok(textures)
}

/// Reads whole pixels; negative values become 0.
fn pixels(object: &Object<'_>, key: &str, warnings: &mut Warnings) -> UVec2 {
    let value = object.vec2(warnings, key, Vec2::ZERO).unwrap_or(Vec2::ZERO);
    if value.min_element() < 0.0 {
        warnings.add(object.place, key, "negative; 0 is used");
    }
    UVec2::new(value.x as u32, value.y as u32)
}

fn atlases(
    root: &Object<'_>,
    body: &Object<'_>,
    has_only_atlas: bool,
    warnings: &mut Warnings,
) -> Result<Vec<AtlasData>, SkfError> {
    let list = body.table("atlases", "atlas", MAX_ATLASES)?;
    // Some files have neither the name nor the size of the single picture.
    let has_size = root.get("texture_size").is_some() && body.get("atlases").is_none();
    if list.is_empty() && (has_only_atlas || has_size) {
        let size = pixels(root, "texture_size", warnings);
        return Ok(vec![AtlasData {
            filename: ONLY_ATLAS.to_owned(),
            size,
        }]);
    }
    let atlases = list.iter().map(|atlas| AtlasData {
        filename: atlas.text(warnings, "filename").unwrap_or_default(),
        size: pixels(atlas, "size", warnings),
    });
    Ok(atlases.collect())
}

/// Returns the name of the texture of a bone of an early version.
///
/// References changed four times: an index of the single list, of a set, of the first of several styles, and finally
/// the name itself.
pub(super) fn name_on_bone(
    bone: &Object<'_>,
    styles: &[StyleData],
    warnings: &mut Warnings,
) -> String {
    if let Some(name) = bone.text(warnings, "tex") {
        return name;
    }
    match bone.int(warnings, "tex_idx") {
        Some(texture) => name_at(bone, texture, styles, warnings),
        None => String::new(),
    }
}

/// Returns the name of the texture at an index of the style of a bone that refers to textures by index; empty for a
/// negative index, which shows nothing.
pub(super) fn name_at(
    bone: &Object<'_>,
    texture: i64,
    styles: &[StyleData],
    warnings: &mut Warnings,
) -> String {
    let first_style = bone
        .get("style_ids")
        .and_then(Value::as_array)
        .and_then(|ids| ids.first());
    let style = match (bone.get("tex_set_idx"), first_style) {
        (Some(style), _) | (None, Some(style)) => whole_number(style).unwrap_or(-1),
        (None, None) => 0,
    };
    let (Ok(texture), Ok(style)) = (usize::try_from(texture), usize::try_from(style)) else {
        return String::new();
    };
    let found = styles
        .get(style)
        .and_then(|style| style.textures.get(texture));
    if found.is_none() {
        let problem = format!("there is no texture {texture} in style {style}; shows nothing");
        warnings.add(bone.place, "tex_idx", problem);
    }
    found
        .map(|texture| texture.name.clone())
        .unwrap_or_default()
}
