//! Role maps as JSON: which joint of a skeleton, or bone of a character, plays which role in a body.
//!
//! ```text
//! { "format": "sinew-roles", "version": 1,
//!   "roles": { "hips": "Hips",
//!              "spine": [ "Spine", "Spine1" ],                   several joints: spine, neck, fingers
//!              "left_upper_arm": "LeftArm", … },
//!   "confidence": { "hips": 0.93, … } }                          0 to 1; 1 without it
//! ```
//!
//! Joints are named, so a map fits every skeleton with the same names. If several bones of a character have the same
//! name, their index stands in place of it: `"left_hand": 12`. For characters, `near_` and `far_` are accepted in place
//! of `left_` and `right_`.

use crate::escape;
use crate::file::{FileError, WriteError, load, save_bytes};
use crate::json_text::{self, after_comma};
use crate::limits::MAX_FILE_BYTES;
use crate::names::nearest;
use crate::text::without_bom;
use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};
use sinew::skeleton::Side;
use sinew_author::retarget::{Role, RoleMap};
use std::collections::HashMap;
use std::fmt;
use std::path::Path;

/// Value of the `format` field.
const FORMAT: &str = "sinew-roles";

/// Version that is read and written. It increases when a field is removed or changes its meaning.
const VERSION: u32 = 1;

/// An error of reading a role map.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RoleMapError {
    /// The file could not be opened or read.
    #[error("cannot read the file: {0}")]
    Io(#[from] std::io::Error),
    /// The file is not JSON of this format.
    #[error("expected JSON with \"format\": \"sinew-roles\", found {found}")]
    NotThisFormat {
        /// Description of the content.
        found: String,
    },
    /// The version is not supported.
    #[error("version: expected {}, found {found}", VERSION)]
    Version {
        /// Version of the file.
        found: u64,
    },
    /// The JSON cannot be parsed, a value has the wrong type, a role or a joint does not exist, or a joint has two roles.
    #[error("line {line}, column {column}{}: {problem}", after_comma(.path))]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Path of the value; empty for the whole file.
        path: String,
        /// What was expected and found.
        problem: String,
    },
    /// The file is larger than allowed.
    #[error("the file is too large: {found} bytes, at most {limit} are allowed")]
    TooLarge {
        /// Size in bytes.
        found: u64,
        /// Maximum size in bytes.
        limit: u64,
    },
}

/// Reads a role map from a file; see [`read_bytes`].
///
/// # Errors
/// [`FileError`], with the path and the problem.
pub fn read(
    path: impl AsRef<Path>,
    joints: &[&str],
    near: Side,
) -> Result<RoleMap, FileError<RoleMapError>> {
    let path = path.as_ref();
    let read = || read_bytes(&load(path)?, joints, near);
    read().map_err(FileError::at(path))
}

/// Reads a role map from the bytes of a file.
///
/// `joints` are the names of the skeleton's joints, or of the character's bones, in their order; of equal names the
/// first is used. `near` is the side that `near_` stands for: the right for a character that faces right. A role without joints (`[]` or `null`) is left out.
/// Unknown fields beside `roles` are ignored.
///
/// # Errors
/// [`RoleMapError`], with the place and the problem.
pub fn read_bytes(bytes: &[u8], joints: &[&str], near: Side) -> Result<RoleMap, RoleMapError> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(RoleMapError::TooLarge {
            found: bytes.len() as u64,
            limit: MAX_FILE_BYTES,
        });
    }
    let bytes = without_bom(bytes);
    let header: RoleMapHeader = json_text::parse(bytes).map_err(syntax)?;
    match header.format.as_deref() {
        Some(FORMAT) => {}
        Some(other) => {
            return Err(RoleMapError::NotThisFormat {
                found: escape::text(other),
            });
        }
        None => {
            return Err(RoleMapError::NotThisFormat {
                found: "none".to_owned(),
            });
        }
    }
    if header.version != Some(u64::from(VERSION)) {
        return Err(RoleMapError::Version {
            found: header.version.unwrap_or(0),
        });
    }
    let mut by_name = HashMap::new();
    for (index, name) in joints.iter().enumerate() {
        by_name.entry(*name).or_insert(index);
    }
    let names = JointNames {
        list: joints,
        by_name,
        near,
    };
    json_text::parse_seed(bytes, FileSeed(&names)).map_err(syntax)
}

fn syntax(fault: json_text::JsonFault) -> RoleMapError {
    RoleMapError::Syntax {
        line: fault.line,
        column: fault.column,
        path: fault.path,
        problem: escape_problem(&fault.problem),
    }
}

/// Names in messages of this module are escaped already; those of the parser may hold any text.
fn escape_problem(problem: &str) -> String {
    let escaped = problem.chars().map(|letter| match letter {
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    });
    escaped.collect()
}

/// Writes a file; see [`write_bytes`].
///
/// # Errors
/// If the file cannot be written.
pub fn write(
    path: impl AsRef<Path>,
    map: &RoleMap,
    joints: &[&str],
) -> Result<(), FileError<WriteError>> {
    save_bytes(path.as_ref(), write_bytes(map, joints))
}

/// Writes a role map as JSON; [`read_bytes`] with the same names returns the same map. Joints without a name in
/// `joints` are left out. Confidences are written if one is below 1.
pub fn write_bytes(map: &RoleMap, joints: &[&str]) -> Vec<u8> {
    let mut first = HashMap::new();
    for (index, name) in joints.iter().enumerate() {
        first.entry(*name).or_insert(index);
    }
    let value = |joint: usize| {
        let name = joints.get(joint)?;
        Some(match first.get(name) {
            Some(&index) if index == joint => json!(name),
            _ => json!(joint),
        })
    };
    let mut file = RoleMapFields {
        format: FORMAT,
        version: VERSION,
        roles: Entries(Vec::new()),
        confidence: None,
    };
    let mut confidence = Entries(Vec::new());
    for found in map.assignments() {
        let role = found.role.to_string();
        let joints = found.joints.iter().filter_map(|joint| value(*joint));
        let mut joints: Vec<Value> = joints.collect();
        let joints = match joints.len() {
            0 => continue,
            1 => joints.remove(0),
            _ => Value::Array(joints),
        };
        confidence.0.push((role.clone(), found.confidence));
        file.roles.0.push((role, joints));
    }
    if confidence.0.iter().any(|(_, value)| *value < 1.0) {
        file.confidence = Some(confidence);
    }
    // Serializing strings, numbers and lists cannot fail.
    let mut bytes = serde_json::to_vec_pretty(&file).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// The fields that identify the format.
#[derive(Deserialize)]
struct RoleMapHeader {
    format: Option<String>,
    version: Option<u64>,
}

/// The fields of a file, in the order in which they are written.
#[derive(Serialize)]
struct RoleMapFields {
    format: &'static str,
    version: u32,
    roles: Entries<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<Entries<f32>>,
}

/// An object whose fields keep their order.
struct Entries<T>(Vec<(String, T)>);

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, into: S) -> Result<S::Ok, S::Error> {
        into.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// The joints that a file may name.
struct JointNames<'a> {
    list: &'a [&'a str],
    by_name: HashMap<&'a str, usize>,
    near: Side,
}

impl JointNames<'_> {
    fn role(&self, text: &str) -> Result<Role, String> {
        let other = match self.near {
            Side::Left => "right_",
            _ => "left_",
        };
        let near = match self.near {
            Side::Left => "left_",
            _ => "right_",
        };
        let sided = match (text.strip_prefix("near_"), text.strip_prefix("far_")) {
            (Some(part), _) => format!("{near}{part}"),
            (_, Some(part)) => format!("{other}{part}"),
            _ => text.to_owned(),
        };
        sided.parse().map_err(|_| {
            let known: Vec<String> = Role::all().map(|role| role.to_string()).collect();
            let similar = nearest(&sided, known.iter().map(String::as_str));
            format!(
                "expected a role{}, found {}",
                such_as(similar),
                escape::text(text)
            )
        })
    }

    fn joint(&self, name: &str) -> Result<usize, String> {
        self.by_name.get(name).copied().ok_or_else(|| {
            let similar = nearest(name, self.list.iter().copied());
            format!(
                "expected the name of a joint{}, found {}",
                such_as(similar),
                escape::text(name)
            )
        })
    }

    fn index(&self, index: u64) -> Result<usize, String> {
        let found = usize::try_from(index).ok();
        found
            .filter(|index| *index < self.list.len())
            .ok_or_else(|| {
                let count = self.list.len();
                format!("expected the index of a joint below {count}, found {index}")
            })
    }
}

/// ` such as "x"` for a message; empty without a name.
fn such_as(name: Option<&str>) -> String {
    name.map_or(String::new(), |name| {
        format!(" such as {}", escape::text(name))
    })
}

/// Reads the whole file.
struct FileSeed<'a>(&'a JointNames<'a>);

impl<'de> DeserializeSeed<'de> for FileSeed<'_> {
    type Value = RoleMap;

    fn deserialize<D: de::Deserializer<'de>>(self, source: D) -> Result<RoleMap, D::Error> {
        source.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FileSeed<'_> {
    type Value = RoleMap;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<RoleMap, A::Error> {
        let mut roles = None;
        let mut confidences = HashMap::new();
        while let Some(field) = fields.next_key::<String>()? {
            match field.as_str() {
                "roles" if roles.is_some() => return Err(de::Error::duplicate_field("roles")),
                "roles" => roles = Some(fields.next_value_seed(RolesSeed(self.0))?),
                "confidence" => confidences = fields.next_value_seed(ConfidenceSeed(self.0))?,
                _ => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        let roles = roles.ok_or_else(|| de::Error::missing_field("roles"))?;
        let mut map = RoleMap::new();
        for (role, joints) in roles {
            map.set(role, joints, confidences.get(&role).copied().unwrap_or(1.0));
        }
        Ok(map)
    }
}

/// Reads the joints of all roles.
struct RolesSeed<'a>(&'a JointNames<'a>);

impl<'de> DeserializeSeed<'de> for RolesSeed<'_> {
    type Value = Vec<(Role, Vec<usize>)>;

    fn deserialize<D: de::Deserializer<'de>>(self, source: D) -> Result<Self::Value, D::Error> {
        source.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RolesSeed<'_> {
    type Value = Vec<(Role, Vec<usize>)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of roles and names of joints")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut roles: Vec<(Role, Vec<usize>)> = Vec::new();
        let mut role_of: HashMap<usize, Role> = HashMap::new();
        while let Some(text) = fields.next_key::<String>()? {
            let role = self.0.role(&text).map_err(de::Error::custom)?;
            if roles.iter().any(|(known, _)| *known == role) {
                return Err(de::Error::custom(format!(
                    "expected each role once, found {role} twice"
                )));
            }
            let joints = fields.next_value_seed(JointsSeed {
                names: self.0,
                role,
                role_of: &mut role_of,
            })?;
            roles.push((role, joints));
        }
        Ok(roles)
    }
}

/// Reads the joints of a role: a name, an index, or a list of them.
struct JointsSeed<'a> {
    names: &'a JointNames<'a>,
    role: Role,
    /// The roles of joints so far.
    role_of: &'a mut HashMap<usize, Role>,
}

impl JointsSeed<'_> {
    fn take<E: de::Error>(&mut self, joint: Result<usize, String>) -> Result<usize, E> {
        let joint = joint.map_err(E::custom)?;
        if let Some(known) = self.role_of.insert(joint, self.role) {
            let name = self.names.list.get(joint).copied().unwrap_or_default();
            return Err(E::custom(format!(
                "expected a joint without a role, found {}, which plays {known}",
                escape::text(name)
            )));
        }
        Ok(joint)
    }
}

impl<'de> DeserializeSeed<'de> for JointsSeed<'_> {
    type Value = Vec<usize>;

    fn deserialize<D: de::Deserializer<'de>>(self, source: D) -> Result<Vec<usize>, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JointsSeed<'_> {
    type Value = Vec<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a joint, or a list of names")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Vec<usize>, E> {
        Ok(Vec::new())
    }

    fn visit_str<E: de::Error>(mut self, name: &str) -> Result<Vec<usize>, E> {
        let joint = self.names.joint(name);
        Ok(vec![self.take(joint)?])
    }

    fn visit_u64<E: de::Error>(mut self, index: u64) -> Result<Vec<usize>, E> {
        let joint = self.names.index(index);
        Ok(vec![self.take(joint)?])
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Vec<usize>, A::Error> {
        /// A name or an index.
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected the name of a joint")]
        enum Entry {
            Name(String),
            Index(u64),
        }
        let mut joints = Vec::new();
        while let Some(entry) = list.next_element::<Entry>()? {
            let joint = match &entry {
                Entry::Name(name) => self.names.joint(name),
                Entry::Index(index) => self.names.index(*index),
            };
            joints.push(self.take(joint)?);
            if joints.len() > 1 && !self.role.part.is_chain() {
                return Err(de::Error::custom(format!(
                    "expected one joint for {}, found several",
                    self.role
                )));
            }
        }
        // Parents come before their children in every skeleton and character.
        joints.sort_unstable();
        Ok(joints)
    }
}

/// Reads the confidences.
struct ConfidenceSeed<'a>(&'a JointNames<'a>);

impl<'de> DeserializeSeed<'de> for ConfidenceSeed<'_> {
    type Value = HashMap<Role, f32>;

    fn deserialize<D: de::Deserializer<'de>>(self, source: D) -> Result<Self::Value, D::Error> {
        source.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ConfidenceSeed<'_> {
    type Value = HashMap<Role, f32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of roles and numbers from 0 to 1")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut confidences = HashMap::new();
        while let Some(text) = fields.next_key::<String>()? {
            let role = self.0.role(&text).map_err(de::Error::custom)?;
            let confidence = fields.next_value::<f32>()?;
            if !(0.0..=1.0).contains(&confidence) {
                return Err(de::Error::custom(format!(
                    "expected a number from 0 to 1, found {confidence}"
                )));
            }
            confidences.insert(role, confidence);
        }
        Ok(confidences)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_author::retarget::BodyPart;

    const JOINTS: [&str; 6] = ["Hips", "Spine", "Spine1", "Head", "LeftArm", "Head"];

    fn read_text(text: &str) -> Result<RoleMap, String> {
        let read = read_bytes(text.as_bytes(), &JOINTS, Side::Right);
        read.map_err(|error| error.to_string())
    }

    fn file(roles: &str) -> String {
        format!("{{\"format\": \"sinew-roles\", \"version\": 1,\n\"roles\": {roles}}}")
    }

    #[test]
    fn what_is_no_role_map_is_refused_with_the_place() {
        for (text, problem) in [
            (
                "",
                "line 1, column 1: expected a value, found the end of the text",
            ),
            (
                "{}",
                "expected JSON with \"format\": \"sinew-roles\", found none",
            ),
            (
                "{\"format\": \"sinew-curve\"}",
                "expected JSON with \"format\": \"sinew-roles\", found \"sinew-curve\"",
            ),
            (
                "{\"format\": \"sinew-roles\", \"version\": 2}",
                "version: expected 1, found 2",
            ),
            (
                "{\"format\": \"sinew-roles\", \"version\": 1}",
                "expected a field `roles`, found none",
            ),
        ] {
            let error = read_text(text).expect_err(text);
            assert!(error.contains(problem), "{text}: {error}");
        }
    }

    #[test]
    fn roles_and_joints_that_do_not_exist_are_named_with_the_closest() {
        for (roles, problem) in [
            (
                "{\"left_uper_arm\": \"LeftArm\"}",
                "expected a role such as \"left_upper_arm\", found \"left_uper_arm\"",
            ),
            ("{\"wing\": \"LeftArm\"}", "expected a role, found \"wing\""),
            (
                "{\"left_upper_arm\": \"LeftArn\"}",
                "expected the name of a joint such as \"LeftArm\", found \"LeftArn\"",
            ),
            (
                "{\"hips\": 6}",
                "expected the index of a joint below 6, found 6",
            ),
            (
                "{\"spine\": [\"Spine\", 9]}",
                "expected the index of a joint below 6, found 9",
            ),
            ("{\"hips\": 1.5}", "the name of a joint, or a list of names"),
            ("{\"spine\": [true]}", "expected the name of a joint"),
            (
                "{\"hips\": \"Hips\", \"head\": \"Hips\"}",
                "expected a joint without a role, found \"Hips\", which plays hips",
            ),
            (
                "{\"head\": [\"Head\", \"Spine\"]}",
                "expected one joint for head, found several",
            ),
            (
                "{\"near_hand\": \"Hips\", \"right_hand\": \"Head\"}",
                "found right_hand twice",
            ),
        ] {
            let error = read_text(&file(roles)).expect_err(roles);
            assert!(error.starts_with("line 2, column "), "{error}");
            assert!(error.contains(problem), "{roles}: {error}");
        }
        let text = "{\"format\": \"sinew-roles\", \"version\": 1, \"roles\": {}, \"confidence\": {\"hips\": 2}}";
        let error = read_text(text).expect_err("it is above 1");
        assert!(
            error.contains("expected a number from 0 to 1, found 2"),
            "{error}"
        );
    }

    #[test]
    fn near_and_far_stand_for_the_sides_of_a_character() {
        let text = file("{\"near_hand\": \"LeftArm\", \"far_hand\": \"Head\", \"neck\": []}");
        let map = read_text(&text).expect("it is a map");
        assert_eq!(map.joint(Role::right(BodyPart::Hand)), Some(4));
        assert_eq!(map.joint(Role::left(BodyPart::Hand)), Some(3));
        assert_eq!(map.assignments().len(), 2);
        let map = read_bytes(text.as_bytes(), &JOINTS, Side::Left).expect("it is a map");
        assert_eq!(map.joint(Role::left(BodyPart::Hand)), Some(4));
    }

    #[test]
    fn a_written_map_is_read_as_it_was_also_with_equal_names() {
        let mut map = RoleMap::new();
        map.set(Role::middle(BodyPart::Hips), vec![0], 1.0);
        map.set(Role::middle(BodyPart::Spine), vec![1, 2], 0.875);
        // The second joint of that name.
        map.set(Role::middle(BodyPart::Head), vec![5], 0.7);
        map.set(Role::left(BodyPart::UpperArm), vec![4], 0.1);
        let bytes = write_bytes(&map, &JOINTS);
        let read = read_bytes(&bytes, &JOINTS, Side::Right).expect("what is written is read");
        assert_eq!(read, map);
        let certain = write_bytes(&RoleMap::new(), &JOINTS);
        assert!(!String::from_utf8_lossy(&certain).contains("confidence"));
    }

    #[test]
    fn every_beginning_of_a_file_is_an_error() {
        let text = file("{\"hips\": \"Hips\", \"spine\": [\"Spine\", 2]}");
        assert!(read_text(&text).is_ok());
        for end in 0..text.len() {
            assert!(read_text(&text[..end]).is_err(), "{end}");
        }
    }
}
