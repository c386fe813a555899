//! Adding an animation to a file without changing anything else in it.
//!
//! The text of `armature.json` is kept as it is spelled; only the new animation is inserted in the list of animations, or replaces one
//! of it. All other files of the archive keep their bytes. So what this crate does not model (editor settings, read-me files,
//! thumbnails, fields of later versions) survives, which [`write`](super::write()) drops.
//!
//! Keys are written as the file's version has them:
//!
//! | version | element | easing |
//! |---|---|---|
//! | 0.4 on | name | handles and their preset; from 0.5 on `next_kf` |
//! | 0.2, 0.3 | number and name | always linear, so other easing is refused |
//! | before | - | refused: values are relative to the setup pose and easing is by sine |
//!
//! The result is read again and compared, so that a file whose layout is none of these is refused and not damaged.

use super::archive::{Archive, FileKind, kind};
use super::keys::number_of_element;
use super::root::{body_key, file_ids, version_number};
use super::write::animation_json;
use super::zip_replace::replace_entry;
use super::{ReadSettings, SkfError, parse, read_bytes_with};
use crate::Warnings;
use crate::limits::MAX_JSON_BYTES;
use crate::text::without_bom;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sinew::skelform::curve::{Ease, Preset};
use sinew::skelform::{AnimationData, ArmatureData};
use std::fmt;
use std::ops::Range;

/// The name of the character in its archive.
const ARMATURE: &str = "armature.json";

/// The first version whose keys have handles and names of elements only.
const HANDLES_SINCE: (u32, u32) = (0, 4);

/// The first version whose keys refer to the next one.
const NEXT_KEY_SINCE: (u32, u32) = (0, 5);

/// The first version with a number, and absolute values.
const ABSOLUTE_SINCE: (u32, u32) = (0, 2);

/// Adds an animation to a `.skf` archive or a bare `armature.json`, and returns its bytes. Everything else of the file stays byte
/// for byte.
///
/// `animation` refers to the bones of the character that [`read_bytes`](super::read_bytes) returns. An animation of the same name is
/// replaced if `replace` is true.
///
/// # Errors
/// The errors of reading; [`SkfError::AnimationExists`] if the file has an animation of that name and `replace` is false;
/// [`SkfError::CannotAdd`] if the version of the file cannot hold the animation, or if reading the result would not give the
/// same character with the animation.
pub fn add_animation(
    bytes: &[u8],
    animation: &AnimationData,
    replace: bool,
) -> Result<Vec<u8>, SkfError> {
    let settings = ReadSettings { pictures: false };
    let before = read_bytes_with(bytes, settings)?;
    let data = before.armature.data();
    let mut names = data.animations.iter().map(|known| &known.name);
    let position = names.position(|name| *name == animation.name);
    if position.is_some() && !replace {
        return Err(SkfError::AnimationExists {
            name: animation.name.clone(),
        });
    }
    if animation
        .keys
        .iter()
        .any(|key| key.bone >= data.bones.len())
    {
        return Err(cannot_add(
            "a key is on a bone that the character does not have",
        ));
    }
    let result = match kind(bytes)? {
        FileKind::Json => patch(bytes, data, animation, position)?,
        FileKind::Archive => {
            let mut archive = Archive::open(bytes, &mut Warnings::default())?;
            let json = archive.read(ARMATURE, MAX_JSON_BYTES)?;
            let json = json.ok_or(SkfError::NoArmature { found: Vec::new() })?;
            let path = archive.path(ARMATURE);
            let patched = patch(&json, data, animation, position)?;
            replace_entry(bytes, &path, &patched)?
        }
    };
    check(&result, data, animation, position)?;
    Ok(result)
}

fn cannot_add(problem: impl ToString) -> SkfError {
    SkfError::CannotAdd(problem.to_string())
}

/// Reads the result and compares it with what was asked for.
fn check(
    result: &[u8],
    before: &ArmatureData,
    animation: &AnimationData,
    position: Option<usize>,
) -> Result<(), SkfError> {
    let read = read_bytes_with(result, ReadSettings { pictures: false })?;
    let mut expected = before.clone();
    let mut read = read.armature.data().clone();
    let mut added = animation.clone();
    added.keys.sort_by_key(|key| key.frame);
    spell_linear(&mut added);
    let place = position.unwrap_or(before.animations.len());
    if let Some(animation) = read.animations.get_mut(place) {
        spell_linear(animation);
    }
    match position.and_then(|position| expected.animations.get_mut(position)) {
        Some(replaced) => *replaced = added,
        None => expected.animations.push(added),
    }
    if read == expected {
        Ok(())
    } else {
        Err(cannot_add(
            "the file would not be read back as it was with the animation",
        ))
    }
}

/// Replaces linear easing by its handles, as which versions with handles are read.
fn spell_linear(animation: &mut AnimationData) {
    for key in &mut animation.keys {
        if key.ease == Ease::Linear {
            key.ease = Ease::Bezier(Preset::Linear.handles());
        }
    }
}

/// Inserts the animation in the text of `armature.json`; `position` is that of the animation to replace.
fn patch(
    bytes: &[u8],
    data: &ArmatureData,
    animation: &AnimationData,
    position: Option<usize>,
) -> Result<Vec<u8>, SkfError> {
    let text = without_bom(bytes);
    let mark = bytes.len() - text.len();
    let json = parse(ARMATURE, text)?;
    let text = std::str::from_utf8(text).map_err(cannot_add)?;
    let body = body(text, &json)?;
    let list = body.members.iter().find(|(name, _)| name == "animations");
    let items: Vec<&RawValue> = match list {
        Some((_, list)) if list.get() != "null" => {
            serde_json::from_str(list.get()).map_err(cannot_add)?
        }
        _ => Vec::new(),
    };
    if items.len() != data.animations.len() {
        return Err(cannot_add("its list of animations was not read as a whole"));
    }
    let ids: Vec<Option<i64>> = items.iter().map(|item| id_of(item)).collect();
    let id = match position.and_then(|position| ids.get(position).copied()) {
        Some(id) => id.unwrap_or(0),
        None => ids
            .iter()
            .flatten()
            .max()
            .map_or(0, |id| id.saturating_add(1)),
    };
    let added = text_of(&json, animation, id)?;

    let (range, inserted) = match (position.and_then(|position| items.get(position)), list) {
        (Some(item), _) => (body.range(item), added),
        (None, Some((_, list))) => match items.last() {
            Some(last) => {
                let end = body.range(last).end;
                (end..end, format!(",{added}"))
            }
            None => (body.range(list), format!("[{added}]")),
        },
        (None, None) => {
            let bones = body.members.iter().find(|(name, _)| name == "bones");
            let bones = bones.ok_or_else(|| cannot_add("it has no list of bones"))?;
            let end = body.range(bones.1).end;
            (end..end, format!(",\"animations\":[{added}]"))
        }
    };
    let (Some(start), Some(end)) = (
        bytes.get(..mark + range.start),
        bytes.get(mark + range.end..),
    ) else {
        return Err(cannot_add("its text could not be split"));
    };
    Ok([start, inserted.as_bytes(), end].concat())
}

/// Returns the number that identifies an animation.
fn id_of(animation: &RawValue) -> Option<i64> {
    let fields: Value = serde_json::from_str(animation.get()).ok()?;
    fields.get("id")?.as_i64()
}

/// Returns the animation as text, as the version of the file has it.
fn text_of(json: &Value, animation: &AnimationData, id: i64) -> Result<String, SkfError> {
    let version = json.get("version").and_then(Value::as_str).unwrap_or("");
    let number = version_number(version);
    if number < ABSOLUTE_SINCE {
        return Err(cannot_add(
            "files before version 0.2 have keys relative to the setup pose; save it with a newer SkelForm",
        ));
    }
    let ids = file_ids(json)?;
    let mut value = animation_json(0, animation);
    value["id"] = id.into();
    let keys = value.get_mut("keyframes").and_then(Value::as_array_mut);
    let mut sorted: Vec<_> = animation.keys.iter().collect();
    sorted.sort_by_key(|key| key.frame);
    for (field, key) in keys.into_iter().flatten().zip(sorted) {
        let bone = ids.get(key.bone).copied();
        field["bone_id"] = bone.unwrap_or(-1).into();
        let Some(fields) = field.as_object_mut() else {
            continue;
        };
        if number < NEXT_KEY_SINCE {
            fields.remove("next_kf");
        }
        if number < HANDLES_SINCE {
            if key.ease != Ease::Linear {
                return Err(cannot_add(format!(
                    "files of version {version} have only linear easing"
                )));
            }
            let name = key.element.name();
            let element = number_of_element(key.element).ok_or_else(|| {
                cannot_add(format!("files of version {version} cannot animate {name}"))
            })?;
            for field in ["start_handle", "end_handle", "handle_preset"] {
                fields.remove(field);
            }
            fields.insert("element".into(), element.into());
            fields.insert("element_str".into(), name.into());
            fields.insert("transition".into(), json!("Linear"));
        }
    }
    Ok(value.to_string())
}

/// The object of the character in the text of the file.
struct Body<'a> {
    text: &'a str,
    members: Vec<(String, &'a RawValue)>,
}

impl Body<'_> {
    /// Returns the place of a value in the text. Values that serde does not parse are slices of it.
    fn range(&self, value: &RawValue) -> Range<usize> {
        let start = (value.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        start..start + value.get().len()
    }
}

/// Splits the object of the character into its members.
fn body<'a>(text: &'a str, json: &Value) -> Result<Body<'a>, SkfError> {
    let mut members = members(text)?;
    if let Some(key) = body_key(json) {
        let inner = members.into_iter().find(|(name, _)| name == key);
        let inner = inner.map_or("", |(_, value)| value.get());
        let object = if key == "armatures" {
            let list: Vec<&RawValue> = serde_json::from_str(inner).map_err(cannot_add)?;
            list.first().map_or("", |first| first.get())
        } else {
            inner
        };
        members = self::members(object)?;
    }
    let mut names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(cannot_add("a field of it occurs twice"));
    }
    Ok(Body { text, members })
}

fn members(text: &str) -> Result<Vec<(String, &RawValue)>, SkfError> {
    let Members(members) = serde_json::from_str(text).map_err(cannot_add)?;
    Ok(members)
}

/// The members of an object in the order of the text, with unparsed values.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}
