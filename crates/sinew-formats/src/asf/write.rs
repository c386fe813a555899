//! Writer of ASF text, in the style of CMU's files.

use super::model::{AngleUnit, Asf, AsfBone, Dof};
use crate::file::{FileError, WriteError, save_bytes};
use std::fmt::Write;
use std::path::Path;

/// Writes a skeleton as an ASF file with LF line ends. Reading it returns the same skeleton except for the last bits
/// of directions, which the reader normalizes; [`Asf::warnings`] and line numbers are not kept. Line ends in names
/// and notes become spaces, and a line of notes that begins with `:` is prefixed by `;`.
pub fn write_bytes(asf: &Asf) -> Vec<u8> {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = try_write(asf, &mut text);
    text.into_bytes()
}

/// Writes an ASF file; see [`write_bytes`].
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: impl AsRef<Path>, asf: &Asf) -> Result<(), FileError<WriteError>> {
    save_bytes(path.as_ref(), write_bytes(asf))
}

fn try_write(asf: &Asf, out: &mut String) -> std::fmt::Result {
    match asf.version {
        Some(version) if version != 1.1 => writeln!(out, ":version {version}")?,
        _ => writeln!(out, ":version 1.10")?,
    }
    writeln!(out, ":name {}", one_line(&asf.name))?;
    let angle = match asf.units.angle {
        AngleUnit::Degrees => "deg",
        AngleUnit::Radians => "rad",
    };
    writeln!(out, ":units")?;
    writeln!(out, "  mass {}", asf.units.mass)?;
    writeln!(out, "  length {}", asf.units.length)?;
    writeln!(out, "  angle {angle}")?;
    writeln!(out, ":documentation")?;
    for line in asf.documentation.lines() {
        let line = line.trim();
        let mark = if line.starts_with(':') { ";" } else { "" };
        writeln!(out, "   {mark}{line}")?;
    }
    let root = &asf.root;
    writeln!(out, ":root")?;
    writeln!(out, "   order {}", names(&root.order).to_ascii_uppercase())?;
    writeln!(out, "   axis {}", root.axis.name())?;
    writeln!(out, "   position {}", numbers(&root.position))?;
    writeln!(out, "   orientation {}", numbers(&root.orientation))?;
    writeln!(out, ":bonedata")?;
    for bone in &asf.bones {
        write_bone(bone, out)?;
    }
    write_hierarchy(asf, out)?;
    for (index, skin) in asf.skin.iter().enumerate() {
        // A name that looks like a keyword must not begin its line.
        let keyword = index == 0 || skin.trim_start().starts_with(':');
        let start = if keyword { ":skin" } else { "     " };
        writeln!(out, "{start} {}", one_line(skin))?;
    }
    Ok(())
}

fn write_bone(bone: &AsfBone, out: &mut String) -> std::fmt::Result {
    writeln!(out, "  begin")?;
    if let Some(id) = bone.id {
        writeln!(out, "     id {id}")?;
    }
    writeln!(out, "     name {}", bone.name)?;
    writeln!(out, "     direction {}", numbers(&bone.direction))?;
    writeln!(out, "     length {}", bone.length)?;
    let axis = numbers(&bone.axis);
    writeln!(out, "     axis {axis}  {}", bone.axis_order.name())?;
    if !bone.dof.is_empty() {
        writeln!(out, "    dof {}", names(&bone.dof))?;
    }
    for (index, [lower, upper]) in bone.limits.iter().enumerate() {
        let start = if index == 0 { "limits" } else { "      " };
        writeln!(out, "    {start} ({lower} {upper})")?;
    }
    if let Some(mass) = bone.bodymass {
        writeln!(out, "     bodymass {mass}")?;
    }
    if let Some(centre) = bone.cofmass {
        writeln!(out, "     cofmass {centre}")?;
    }
    writeln!(out, "  end")
}

fn write_hierarchy(asf: &Asf, out: &mut String) -> std::fmt::Result {
    let mut children: Vec<Vec<&str>> = vec![Vec::new(); asf.bones.len() + 1];
    for bone in &asf.bones {
        let place = bone.parent.map_or(0, |parent| parent + 1);
        if let Some(list) = children.get_mut(place) {
            list.push(&bone.name);
        }
    }
    let parents = std::iter::once("root").chain(asf.bones.iter().map(|bone| bone.name.as_str()));
    writeln!(out, ":hierarchy")?;
    writeln!(out, "  begin")?;
    for (parent, children) in parents.zip(children) {
        if !children.is_empty() {
            writeln!(out, "    {parent} {}", children.join(" "))?;
        }
    }
    writeln!(out, "  end")
}

/// `rx ry rz`.
pub(crate) fn names(dofs: &[Dof]) -> String {
    let names: Vec<_> = dofs.iter().map(|dof| dof.name()).collect();
    names.join(" ")
}

fn numbers(values: &[f64; 3]) -> String {
    let [x, y, z] = values;
    format!("{x} {y} {z}")
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
