//! The roles of a skeleton or a character: detected, or from a file.

use crate::args::FacingSide;
use crate::error::CliError;
use crate::report::{bad, bold, caution, dim, plain_text};
use serde_json::{Value, json};
use sinew::Skeleton;
use sinew::skeleton::Side;
use sinew::skelform::Armature;
use sinew_author::retarget::{
    BodyPart, Role, RoleCandidates, RoleDetection, RoleMap, detect_character_roles, detect_roles,
    near_side, required_character_roles, required_roles,
};
use sinew_formats::role_map;
use std::fmt::Write;
use std::path::Path;

/// The largest number of warnings about one skeleton.
const MAX_LISTED: usize = 20;

/// Which joints play which roles.
pub(super) struct Roles {
    pub(super) map: RoleMap,
    /// The names of all joints or bones.
    names: Vec<String>,
    missing: Vec<RoleCandidates>,
    unsure: Vec<RoleCandidates>,
}

impl Roles {
    /// Returns the roles of a skeleton from a file, or detects them.
    pub(super) fn of_skeleton(skeleton: &Skeleton, map: Option<&Path>) -> Result<Self, CliError> {
        let names = skeleton.joints().iter().map(|joint| joint.name.clone());
        let names: Vec<String> = names.collect();
        let detection = match map {
            Some(path) => given(read(path, &names, Side::Right)?, &required_roles()),
            None => detect_roles(skeleton),
        };
        Ok(Self::new(names, detection))
    }

    /// Returns the roles of a character from a file, or detects them.
    pub(super) fn of_character(
        armature: &Armature,
        map: Option<&Path>,
        side: Option<FacingSide>,
    ) -> Result<Self, CliError> {
        let names = armature.data().bones.iter().map(|bone| bone.name.clone());
        let names: Vec<String> = names.collect();
        // A character that faces right shows its right side.
        let near = side.map(|side| match side {
            FacingSide::Left => Side::Left,
            FacingSide::Right => Side::Right,
        });
        let detection = match map {
            Some(path) => {
                let near = near.unwrap_or_else(|| near_side(armature));
                given(read(path, &names, near)?, &required_character_roles())
            }
            None => detect_character_roles(armature, near),
        };
        Ok(Self::new(names, detection))
    }

    fn new(names: Vec<String>, detection: RoleDetection) -> Self {
        let RoleDetection {
            map,
            missing,
            unsure,
            ..
        } = detection;
        Self {
            map,
            names,
            missing,
            unsure,
        }
    }

    /// Whether a required role is missing.
    pub(super) fn is_incomplete(&self) -> bool {
        !self.missing.is_empty()
    }

    /// Returns a line for each required role that is missing, with the best candidates. `figure` is `source` or `target`.
    pub(super) fn problems(&self, figure: &str) -> Vec<String> {
        let missing = self.missing.iter().take(MAX_LISTED);
        let lines = missing.map(|missing| {
            let candidates = self.candidates(missing);
            let role = missing.role;
            if candidates.is_empty() {
                format!("no joint of the {figure} plays the role {role}")
            } else {
                format!(
                    "no joint of the {figure} plays the role {role}; best candidates: {candidates}"
                )
            }
        });
        lines.collect()
    }

    fn candidates(&self, of: &RoleCandidates) -> String {
        let candidates = of.candidates.iter().map(|candidate| {
            format!(
                "{} ({:.0} %)",
                self.name(candidate.joint),
                100.0 * candidate.score
            )
        });
        candidates.collect::<Vec<_>>().join(", ")
    }

    fn name(&self, joint: usize) -> &str {
        self.names.get(joint).map_or("", String::as_str)
    }

    /// Describes the map, or only what is missing and unsure.
    pub(super) fn text(&self, title: &str, is_whole: bool) -> String {
        let mut out = format!("{}\n", bold(format!("roles of the {}", plain_text(title))));
        if is_whole {
            for assignment in self.map.assignments() {
                let joints = assignment.joints.iter().map(|&joint| self.name(joint));
                let joints = joints.collect::<Vec<_>>().join(", ");
                let _ = writeln!(
                    out,
                    "  {:<16} {} {}",
                    assignment.role.to_string(),
                    plain_text(&joints),
                    dim(format!("{:.0} %", 100.0 * assignment.confidence))
                );
            }
        }
        for missing in &self.missing {
            let candidates = self.candidates(missing);
            let candidates = match candidates.is_empty() {
                true => "no candidate".to_owned(),
                false => format!("best candidates: {}", plain_text(&candidates)),
            };
            let role = missing.role.to_string();
            let _ = writeln!(out, "  {} {role:<8} {}", bad("missing"), dim(candidates));
        }
        for unsure in &self.unsure {
            let candidates = plain_text(&self.candidates(unsure));
            let role = unsure.role.to_string();
            let _ = writeln!(out, "  {} {role:<9} {}", caution("unsure"), dim(candidates));
        }
        out
    }

    pub(super) fn json(&self) -> Value {
        let listed = |list: &[RoleCandidates]| {
            let entries = list.iter().map(|entry| {
                let candidates = entry.candidates.iter().map(|candidate| {
                    json!({ "joint": self.name(candidate.joint), "score": candidate.score })
                });
                json!({
                    "role": entry.role.to_string(),
                    "candidates": candidates.collect::<Vec<_>>(),
                })
            });
            entries.collect::<Vec<_>>()
        };
        let assignments = self.map.assignments().iter().map(|assignment| {
            let joints = assignment.joints.iter().map(|&joint| self.name(joint));
            json!({
                "role": assignment.role.to_string(),
                "joints": joints.collect::<Vec<_>>(),
                "confidence": assignment.confidence,
            })
        });
        json!({
            "assigned": assignments.collect::<Vec<_>>(),
            "missing": listed(&self.missing),
            "unsure": listed(&self.unsure),
        })
    }

    /// Returns the map as a file.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        role_map::write_bytes(&self.map, &names)
    }
}

fn read(path: &Path, names: &[String], near: Side) -> Result<RoleMap, CliError> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let problem = |error: sinew_formats::FileError<role_map::RoleMapError>| {
        CliError::unusable(path, plain_text(&error.source.to_string()))
    };
    role_map::read(path, &names, near).map_err(problem)
}

/// Returns a map of a file as if it had been detected.
fn given(map: RoleMap, required: &[Role]) -> RoleDetection {
    let is_missing = |role: &&Role| {
        let has_spine =
            role.part == BodyPart::Chest && map.get(Role::middle(BodyPart::Spine)).is_some();
        map.get(**role).is_none() && !has_spine
    };
    let missing = required
        .iter()
        .filter(is_missing)
        .map(|role| RoleCandidates {
            role: *role,
            candidates: Vec::new(),
        });
    RoleDetection {
        missing: missing.collect(),
        unsure: Vec::new(),
        map,
    }
}
