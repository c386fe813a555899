//! The keys of an animation.

use super::bones::BoneIds;
use super::fields::report_transition;
use super::json::{FieldPath, Object, finite, whole_number};
use super::textures::name_at;
use crate::Warnings;
use crate::escape;
use crate::limits::MAX_FRAME;
use serde_json::Value;
use sinew::glam::Vec2;
use sinew::skelform::curve::{Ease, Handles, Preset};
use sinew::skelform::{BoneData, Element, IkConstraint, IkMode, KeyData, StyleData};

/// Elements that 0.2 and 0.3 number from 0.
const NUMBERED: [Element; 9] = [
    Element::PositionX,
    Element::PositionY,
    Element::Rotation,
    Element::ScaleX,
    Element::ScaleY,
    Element::Zindex,
    Element::Texture,
    Element::IkConstraint,
    Element::Hidden,
];

/// Returns the number that files of 0.2 and 0.3 have for an element; `None` if they cannot animate it.
pub(super) fn number_of_element(element: Element) -> Option<usize> {
    NUMBERED.iter().position(|numbered| *numbered == element)
}

/// `1 - cos(pi/2 u)`, the easing named SineIn of the first editors, as a Bezier curve.
///
/// Fitted by minimizing the maximum difference over `u` in 0..=1, which is 0.00033. The editor's later preset of the
/// same name is a much stronger ease.
const SINE_IN: Handles = Handles::new(0.374_929, -0.003_529, 0.710_345, 0.548_187);

/// `sin(pi/2 u)`, [`SINE_IN`] rotated by half a turn.
const SINE_OUT: Handles = Handles::new(0.289_655, 0.451_813, 0.625_071, 1.003_529);

/// The context of keys.
pub(super) struct SkfKeys<'a> {
    pub(super) ids: &'a BoneIds,
    /// The file's bones in the model's order.
    pub(super) file_bones: &'a [Object<'a>],
    /// The same bones, parsed.
    pub(super) bones: &'a [BoneData],
    pub(super) styles: &'a [StyleData],
    /// Whether the file predates version numbers. Its keys are then relative to the rest pose and ease by sine. Files
    /// of 0.2 and 0.3 also store transitions, but their editors played them as linear.
    pub(super) is_unversioned: bool,
}

impl SkfKeys<'_> {
    /// Reads a key; `None`, with a warning, if it cannot be used.
    pub(super) fn read(&self, key: &Object<'_>, warnings: &mut Warnings) -> Option<KeyData> {
        let id = key.int(warnings, "bone_id").unwrap_or(-1);
        let Some(bone) = self.ids.find(id) else {
            let problem = format!("there is no bone {id}; the key is ignored");
            warnings.add(key.place, "bone_id", problem);
            return None;
        };
        let place = FieldPath {
            part_of: Some(&key.place),
            ..self.file_bones[bone].place
        };
        let key = &Object { place, ..*key };
        let frame = frame(key, warnings)?;
        let element = element(key, warnings)?;
        let value = value(key, element, warnings)?;
        let text = match self.texture_by_position(key, bone, element, value, warnings) {
            Some(name) => name,
            None => text(key, element, value, warnings),
        };
        let value = if self.is_unversioned {
            let sum = absolute(element, value, &self.bones[bone]);
            finite_value(key, sum, || sum.to_string(), warnings)?
        } else {
            value
        };
        Some(KeyData {
            frame,
            bone,
            element,
            value,
            text,
            ease: ease(key, self.is_unversioned, warnings),
        })
    }

    /// Returns the texture of a key that refers to it by index, like its bone. `None` for other keys.
    fn texture_by_position(
        &self,
        key: &Object<'_>,
        bone: usize,
        element: Element,
        value: f32,
        warnings: &mut Warnings,
    ) -> Option<String> {
        let file_bone = &self.file_bones[bone];
        let by_position = element == Element::Texture
            && key.get("value").is_some()
            && key.get("value_str").is_none()
            && file_bone.get("tex_idx").is_some();
        by_position.then(|| name_at(file_bone, value as i64, self.styles, warnings))
    }
}

/// Converts a value relative to the rest pose to an absolute one: positions and rotations are added to the bone's,
/// scales multiply it, everything else replaces the bone's value.
fn absolute(element: Element, value: f32, bone: &BoneData) -> f32 {
    match element {
        Element::PositionX => bone.position.x + value,
        Element::PositionY => bone.position.y + value,
        Element::Rotation => bone.rotation + value,
        Element::ScaleX => bone.scale.x * value,
        Element::ScaleY => bone.scale.y * value,
        _ => value,
    }
}

fn frame(key: &Object<'_>, warnings: &mut Warnings) -> Option<u32> {
    let frame = key.int(warnings, "frame").unwrap_or(0);
    if frame < 0 {
        let problem = format!("{frame} is before the start; moved to 0");
        warnings.add(key.place, "frame", problem);
    } else if frame > i64::from(MAX_FRAME) {
        let problem = format!("{frame} is too large; the key is ignored");
        warnings.add(key.place, "frame", problem);
        return None;
    }
    u32::try_from(frame.max(0)).ok()
}

/// Reads a name under one of three keys, or a number under one of two.
fn element(key: &Object<'_>, warnings: &mut Warnings) -> Option<Element> {
    let values = ["element_str", "element", "_element", "element_id"].map(|k| key.get(k));
    let values = values.into_iter().flatten();
    let name = values.clone().find_map(Value::as_str);
    let number = values.clone().find_map(whole_number);
    let element = match (name, number) {
        (Some(name), _) => Element::from_name(name),
        (None, Some(number)) => {
            let number = usize::try_from(number).ok();
            number.and_then(|number| NUMBERED.get(number).copied())
        }
        (None, None) => None,
    };
    if element.is_none() {
        let found = values.map(escape::value).next();
        let found = found.as_deref().unwrap_or("nothing");
        let problem = format!("{found} cannot be animated; the key is ignored");
        warnings.add(key.place, "element", problem);
    }
    element
}

/// Returns whether the key's value is its text.
fn has_text(element: Element) -> bool {
    matches!(
        element,
        Element::Texture | Element::IkConstraint | Element::IkMode
    )
}

/// Reads the number of a key. Editors omit it, or write null, only if the value is the text.
fn value(key: &Object<'_>, element: Element, warnings: &mut Warnings) -> Option<f32> {
    let value = key.get("value");
    let number = value.and_then(finite);
    if number.is_none() && has_text(element) {
        return Some(0.0);
    }
    let found = || value.map_or_else(|| "nothing".to_owned(), escape::value);
    finite_value(key, number.unwrap_or(f32::NAN), found, warnings)
}

/// Returns `value` if it is finite. `found` describes it in a warning.
fn finite_value(
    key: &Object<'_>,
    value: f32,
    found: impl Fn() -> String,
    warnings: &mut Warnings,
) -> Option<f32> {
    if !value.is_finite() {
        let problem = format!("{} is not a finite number; the key is ignored", found());
        warnings.add(key.place, "value", problem);
        return None;
    }
    Some(value)
}

/// Reads the text of elements that have one. If 0.2 stores a number instead, returns its name.
fn text(key: &Object<'_>, element: Element, value: f32, warnings: &mut Warnings) -> String {
    let text = key.text(warnings, "value_str").unwrap_or_default();
    let from_number = |names: &[&'static str]| {
        let name = names.get(value as usize).copied();
        name.unwrap_or(names[0]).to_owned()
    };
    let mut unknown = |meaning: &str| {
        let problem = format!("{} {meaning}", escape::text(&text));
        warnings.add(key.place, "value_str", problem);
    };
    match element {
        Element::IkConstraint if text.is_empty() => {
            from_number(&IkConstraint::ALL.map(IkConstraint::name))
        }
        Element::IkMode if text.is_empty() => from_number(&IkMode::ALL.map(IkMode::name)),
        Element::IkConstraint if IkConstraint::from_name(&text).is_none() => {
            unknown("is not a constraint; None is used");
            IkConstraint::None.name().to_owned()
        }
        Element::IkMode if IkMode::from_name(&text).is_none() => {
            unknown("is not a mode; Arc is used");
            IkMode::Arc.name().to_owned()
        }
        _ if has_text(element) => text,
        _ => String::new(),
    }
}

/// Reads the easing into the key. Handles define it; the name of a preset counts only without handles, or if it is a
/// step, whose handles some editors left unchanged.
fn ease(key: &Object<'_>, is_unversioned: bool, warnings: &mut Warnings) -> Ease {
    let preset = key
        .get("handle_preset")
        .and_then(Value::as_str)
        .and_then(Preset::from_name);
    // Files of February 2026 have a flag instead of the preset.
    if preset == Some(Preset::Snap) || key.flag(warnings, "is_snap") == Some(true) {
        return Ease::Step;
    }
    if key.first(&["start_handle", "end_handle"]).is_some() {
        let linear = Preset::Linear.handles();
        let mut handle =
            |name: &str, default: Vec2| key.vec2(warnings, name, default).unwrap_or(default);
        let start = handle("start_handle", linear.start);
        let end = handle("end_handle", linear.end);
        return Ease::from_handles(Handles { start, end });
    }
    if let Some(preset) = preset {
        return preset.ease();
    }
    match key.get("transition").and_then(Value::as_str) {
        Some("SineIn") if is_unversioned => Ease::Bezier(SINE_IN),
        Some("SineOut") if is_unversioned => Ease::Bezier(SINE_OUT),
        _ => {
            report_transition(key, warnings);
            Ease::Linear
        }
    }
}
