//! Animations and their keys.

use super::SkfError;
use super::archive::check_size;
use super::bones::BoneIds;
use super::json::Object;
use crate::Warnings;
use crate::limits::{MAX_ANIMATIONS, MAX_FRAME, MAX_KEYS};
use serde_json::Value;
use sinew::curve::{Ease, Handles, Preset};
use sinew::glam::Vec2;
use sinew::{AnimationData, Element, IkConstraint, IkMode, KeyData};

/// The elements that 0.2 and 0.3 number from 0.
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

/// Reads animations. Files from before there were versions show sine transitions; later ones store
/// them too, but their editors played straight lines.
pub(super) fn read(
    body: &Object<'_>,
    ids: &BoneIds,
    plays_transitions: bool,
    warnings: &mut Warnings,
) -> Result<Vec<AnimationData>, SkfError> {
    let list = body.objects("animations", "animation")?;
    check_size(
        "the number of animations",
        list.len() as u64,
        MAX_ANIMATIONS as u64,
    )?;
    let mut animations = Vec::new();
    let mut total = 0;
    for animation in &list {
        let file_keys = animation.objects("keyframes", "key")?;
        total += file_keys.len();
        check_size("the number of keys", total as u64, MAX_KEYS as u64)?;
        let mut keys = Vec::with_capacity(file_keys.len());
        for key in &file_keys {
            let mut reader = KeyReader {
                key: *key,
                ids,
                warnings,
            };
            keys.extend(reader.read(plays_transitions));
        }
        let fps = animation.int(warnings, "fps").unwrap_or(0);
        if fps <= 0 {
            warnings.add(
                animation.place,
                "fps",
                format!("{fps}; the animation stands still"),
            );
        }
        animations.push(AnimationData {
            name: animation.text(warnings, "name").unwrap_or_default(),
            fps: u32::try_from(fps.max(0)).unwrap_or(u32::MAX),
            keys,
        });
    }
    Ok(animations)
}

struct KeyReader<'a> {
    key: Object<'a>,
    ids: &'a BoneIds,
    warnings: &'a mut Warnings,
}

impl KeyReader<'_> {
    fn warn(&mut self, field: &str, problem: impl std::fmt::Display) {
        self.warnings.add(self.key.place, field, problem);
    }

    /// `None` when the key cannot be used.
    fn read(&mut self, plays_transitions: bool) -> Option<KeyData> {
        let frame = self.frame()?;
        let bone = self.bone()?;
        let element = self.element()?;
        let value = match self.key.get("value") {
            // The editor leaves out the value of keys that are made of text.
            None => 0.0,
            Some(value) => {
                let number = value.as_f64().map(|n| n as f32).filter(|n| n.is_finite());
                if number.is_none() {
                    self.warn(
                        "value",
                        format!("{value} is no finite number; the key is left out"),
                    );
                }
                number?
            }
        };
        Some(KeyData {
            frame,
            bone,
            element,
            value,
            text: self.text(element, value),
            ease: self.ease(plays_transitions),
        })
    }

    fn frame(&mut self) -> Option<u32> {
        let frame = self.key.int(self.warnings, "frame").unwrap_or(0);
        if frame < 0 {
            self.warn("frame", format!("{frame} is before the start; moved to 0"));
        } else if frame > i64::from(MAX_FRAME) {
            self.warn(
                "frame",
                format!("{frame} is too far out; the key is left out"),
            );
            return None;
        }
        u32::try_from(frame.max(0)).ok()
    }

    fn bone(&mut self) -> Option<usize> {
        let id = self.key.int(self.warnings, "bone_id").unwrap_or(-1);
        let bone = self.ids.find(id);
        if bone.is_none() {
            self.warn(
                "bone_id",
                format!("there is no bone {id}; the key is left out"),
            );
        }
        bone
    }

    /// A name under one of three keys, or a number under one of two.
    fn element(&mut self) -> Option<Element> {
        let names = ["element_str", "element", "_element"];
        let name = names
            .into_iter()
            .find_map(|k| self.key.get(k).and_then(Value::as_str));
        let number = ["element", "element_id"].into_iter();
        let number = number
            .filter_map(|k| self.key.get(k).and_then(Value::as_u64))
            .next();
        let element = match (name, number) {
            (Some(name), _) => Element::from_name(name),
            (None, Some(number)) => NUMBERED.get(number as usize).copied(),
            (None, None) => None,
        };
        if element.is_none() {
            let found = name.map(str::to_owned).or(number.map(|n| n.to_string()));
            let found = found.unwrap_or_else(|| "nothing".to_owned());
            self.warn(
                "element",
                format!("{found} cannot be animated; the key is left out"),
            );
        }
        element
    }

    /// The text of elements that have one. Where 0.2 stores a number instead, its name.
    fn text(&mut self, element: Element, value: f32) -> String {
        let text = self
            .key
            .text(self.warnings, "value_str")
            .unwrap_or_default();
        let from_number = |names: &[&'static str]| {
            names
                .get(value as usize)
                .copied()
                .unwrap_or(names[0])
                .to_owned()
        };
        match element {
            Element::IkConstraint if text.is_empty() => {
                from_number(&IkConstraint::ALL.map(IkConstraint::name))
            }
            Element::IkMode if text.is_empty() => from_number(&IkMode::ALL.map(IkMode::name)),
            Element::IkConstraint if IkConstraint::from_name(&text).is_none() => {
                self.warn(
                    "value_str",
                    format!("{text:?} is no constraint; taken as None"),
                );
                IkConstraint::None.name().to_owned()
            }
            Element::IkMode if IkMode::from_name(&text).is_none() => {
                self.warn("value_str", format!("{text:?} is no mode; taken as Arc"));
                IkMode::Arc.name().to_owned()
            }
            Element::Texture | Element::IkConstraint | Element::IkMode => text,
            _ => String::new(),
        }
    }

    fn ease(&mut self, plays_transitions: bool) -> Ease {
        let preset = self.key.get("handle_preset").and_then(Value::as_str);
        if preset.and_then(Preset::from_name) == Some(Preset::Snap) {
            return Ease::Step;
        }
        let has_handles = self.key.first(&["start_handle", "end_handle"]).is_some();
        if has_handles {
            let linear = Preset::Linear.handles();
            let mut handle = |name: &str, default: Vec2| {
                self.key
                    .vec2(self.warnings, name, default)
                    .unwrap_or(default)
            };
            let start = handle("start_handle", linear.start);
            let end = handle("end_handle", linear.end);
            return Ease::from_handles(Handles { start, end });
        }
        if plays_transitions {
            let transition = self.key.get("transition").and_then(Value::as_str);
            return transition
                .and_then(Preset::from_name)
                .unwrap_or(Preset::Linear)
                .ease();
        }
        Ease::Linear
    }
}
