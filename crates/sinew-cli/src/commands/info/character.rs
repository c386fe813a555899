//! The contents of a SkelForm character.

use super::{heading, tree, warning_rows};
use crate::input::Character;
use crate::report::{self, bold, count, dim, plain_text};
use serde_json::{Value, json};
use sinew::skelform::{ArmatureAnimation, ArmatureData, IkFamilyData};
use std::fmt::Write;

pub(super) fn text(character: &Character) -> String {
    let armature = &character.skf.armature;
    let data = armature.data();
    let mut out = String::new();
    let version = if data.version.is_empty() {
        "before 0.2".to_owned()
    } else {
        data.version.clone()
    };
    let mut line = |text: String| {
        out += &text;
        out.push('\n');
    };
    line(format!(
        "{} {}",
        bold(character.path.display()),
        dim(format!("SkelForm {version}"))
    ));

    line(heading("Bones", data.bones.len()));
    for row in bone_rows(data) {
        line(row);
    }
    line(heading("Animations", armature.animations().len()));
    let widest = armature
        .animations()
        .iter()
        .map(|a| a.name().trim().chars().count())
        .max();
    for animation in armature.animations() {
        line(animation_row(animation, widest.unwrap_or(0)));
    }
    line(heading("Styles", data.styles.len()));
    for (index, style) in data.styles.iter().enumerate() {
        let worn = if data.default_styles.contains(&index) {
            ", default"
        } else {
            ""
        };
        let textures = count(style.textures.len(), "texture");
        line(format!(
            "  {:?} {}",
            style.name,
            dim(format!("{textures}{worn}"))
        ));
    }
    line(heading("IK families", data.ik_families.len()));
    for family in &data.ik_families {
        line(format!("  {}", family_row(data, family)));
    }
    line(heading(
        "Physics bones",
        data.bones.iter().filter(|b| b.physics.is_some()).count(),
    ));
    for bone in data.bones.iter().filter(|b| b.physics.is_some()) {
        line(format!("  {}", physics_row(data, bone)));
    }
    let (meshes, vertices) = meshes(data);
    line(heading("Meshes", meshes));
    if meshes > 0 {
        line(format!("  {}", dim(count(vertices, "vertex"))));
    }
    line(heading("Atlases", data.atlases.len()));
    for atlas in &data.atlases {
        line(format!(
            "  {} {}",
            plain_text(&atlas.filename),
            dim(format!("{} x {}", atlas.size.x, atlas.size.y))
        ));
    }
    for row in warning_rows(&character.skf.warnings) {
        line(row);
    }
    out
}

/// Returns the bones as a tree, one line each.
fn bone_rows(data: &ArmatureData) -> Vec<String> {
    let parents: Vec<Option<usize>> = data.bones.iter().map(|bone| bone.parent).collect();
    tree(&parents, |bone| {
        let mut row = name(data, bone);
        let traits = traits(data, bone);
        if !traits.is_empty() {
            row += &format!(" {}", dim(traits));
        }
        row
    })
}

fn name(data: &ArmatureData, bone: usize) -> String {
    match data.bones[bone].name.trim() {
        "" => "(no name)".to_owned(),
        name => plain_text(name),
    }
}

/// Describes what a bone draws and does.
fn traits(data: &ArmatureData, bone: usize) -> String {
    let bone = &data.bones[bone];
    let mut traits = Vec::new();
    if let Some(visual) = bone.visual.map(|visual| &data.visuals[visual]) {
        if !visual.texture.is_empty() {
            traits.push(format!("{:?}", visual.texture));
        }
        if let Some(mesh) = &visual.mesh {
            traits.push(format!("mesh of {}", count(mesh.vertices.len(), "vertex")));
        }
    }
    if bone.physics.is_some() {
        traits.push("physics".to_owned());
    }
    if bone.hidden {
        traits.push("hidden".to_owned());
    }
    traits.join(", ")
}

fn animation_row(animation: &ArmatureAnimation, widest: usize) -> String {
    let frames = animation.last_frame().map_or(0, |last| last + 1);
    let name = plain_text(animation.name().trim());
    let about = format!(
        "{:>11} at {} fps, {:.2} s, {} on {}",
        count(frames as usize, "frame"),
        animation.frame_rate(),
        animation.seconds(),
        count(animation.key_count(), "key"),
        count(animation.track_count(), "track"),
    );
    format!("  {name:widest$}  {}", dim(about))
}

fn family_row(data: &ArmatureData, family: &IkFamilyData) -> String {
    let chain: Vec<String> = family.bones.iter().map(|&bone| name(data, bone)).collect();
    let target = family.target.map(|target| name(data, target));
    let target = target.unwrap_or_else(|| "no target".to_owned());
    let mut about = family.mode.name().to_owned();
    if family.constraint != sinew::skelform::IkConstraint::None {
        let _ = write!(about, ", {}", family.constraint.name());
    }
    if family.mimic_target {
        about += ", tip copies the target's rotation";
    }
    if !family.enabled {
        about += ", disabled";
    }
    format!("{} → {target} {}", chain.join(" › "), dim(about))
}

fn physics_row(data: &ArmatureData, bone: &sinew::skelform::BoneData) -> String {
    let Some(physics) = bone.physics.map(|physics| &data.physics[physics]) else {
        return String::new();
    };
    let parts = [
        ("position damping", physics.position_damping),
        ("rotation damping", physics.rotation_damping),
        ("scale damping", physics.scale_damping),
        ("sway", physics.sway),
        ("bounce", physics.rotation_bounce),
    ];
    let parts = parts.iter().filter(|(_, value)| *value > 0.0);
    let parts: Vec<String> = parts
        .map(|(what, value)| format!("{what} {value}"))
        .collect();
    format!("{} {}", plain_text(&bone.name), dim(parts.join(", ")))
}

/// Counts the meshes and their vertices.
fn meshes(data: &ArmatureData) -> (usize, usize) {
    let meshes = data
        .visuals
        .iter()
        .filter_map(|visual| visual.mesh.as_ref());
    meshes.fold((0, 0), |(count, vertices), mesh| {
        (count + 1, vertices + mesh.vertices.len())
    })
}

pub(super) fn json(character: &Character) -> Value {
    let armature = &character.skf.armature;
    let data = armature.data();
    let bones = data.bones.iter().map(|bone| {
        json!({
            "name": bone.name,
            "parent": bone.parent,
            "texture": bone.visual.map(|visual| &data.visuals[visual].texture),
            "physics": bone.physics.is_some(),
            "hidden": bone.hidden,
        })
    });
    let animations = armature.animations().iter().map(|animation| {
        json!({
            "name": animation.name(),
            "fps": animation.frame_rate(),
            "last_frame": animation.last_frame(),
            "seconds": animation.seconds(),
            "keys": animation.key_count(),
            "tracks": animation.track_count(),
        })
    });
    let styles = data.styles.iter().enumerate().map(|(index, style)| {
        let textures: Vec<&str> = style.textures.iter().map(|t| t.name.as_str()).collect();
        let worn = data.default_styles.contains(&index);
        json!({ "name": style.name, "default": worn, "textures": textures })
    });
    let families = data.ik_families.iter().map(|family| {
        json!({
            "bones": family.bones,
            "target": family.target,
            "mode": family.mode.name(),
            "constraint": family.constraint.name(),
            "mimic_target": family.mimic_target,
            "enabled": family.enabled,
        })
    });
    let atlases = data.atlases.iter().map(
        |atlas| json!({ "file": atlas.filename, "width": atlas.size.x, "height": atlas.size.y }),
    );
    let (meshes, vertices) = meshes(data);
    json!({
        "version": report::JSON_VERSION,
        "file": character.path.display().to_string(),
        "format": "skelform",
        "format_version": data.version,
        "bones": bones.collect::<Vec<_>>(),
        "animations": animations.collect::<Vec<_>>(),
        "styles": styles.collect::<Vec<_>>(),
        "ik_families": families.collect::<Vec<_>>(),
        "meshes": meshes,
        "mesh_vertices": vertices,
        "atlases": atlases.collect::<Vec<_>>(),
        "warnings": report::warnings_json(character.skf.warnings.list()),
        "warnings_left_out": character.skf.warnings.more(),
    })
}
