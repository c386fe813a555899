//! Motions on another skeleton.

use super::retarget_file::{OutputNames, RetargetResult, RetargetedMotion, Retargeting};
use super::roles::Roles;
use super::target::FigureTarget;
use crate::args::{OutFormat, RetargetArgs};
use crate::commands::convert::convert_file::{encode as encode_motion, encode_kept};
use crate::commands::motion_output::MotionOutput;
use crate::error::CliError;
use crate::report::plain_text;
use sinew::{Animation, Skeleton};
use sinew_author::contacts::{PlantSettings, find_plants};
use sinew_formats::Warnings;
use sinew_formats::gltf::GltfWriteSettings;
use std::path::Path;

/// Retargets a motion.
pub(super) fn retarget(
    retargeting: &Retargeting<'_>,
    path: &Path,
    (skeleton, animation): (&Skeleton, &Animation),
    roles: &Roles,
    target: &FigureTarget,
) -> Result<RetargetResult, CliError> {
    let result = sinew_author::retarget::retarget(
        skeleton,
        animation,
        &roles.map,
        &target.skeleton,
        &target.roles.map,
        &retargeting.figure_settings,
    );
    let result =
        result.map_err(|error| CliError::unusable(path, plain_text(&error.to_string())))?;
    Ok(RetargetResult::Figure {
        animation: Box::new(result.animation),
        report: result.report,
    })
}

/// Encodes motions on the skeleton of the target. glTF keeps the meshes and animations of the target's file.
pub(super) fn encode<'m>(
    target: &FigureTarget,
    motions: impl IntoIterator<Item = &'m RetargetedMotion>,
    format: OutFormat,
    args: &RetargetArgs,
    path: &Path,
) -> Result<(Vec<u8>, Warnings), CliError> {
    let mut losses = Warnings::default();
    let mut added: Vec<Animation> = Vec::new();
    let kept = target.gltf.as_ref().filter(|_| format.is_gltf());
    let existing = target.animations.iter().filter(|_| kept.is_some());
    let mut names = OutputNames::new(args, existing.map(|animation| animation.name.as_str()));
    for motion in motions {
        if let RetargetResult::Figure { animation, .. } = &motion.result {
            let mut animation = (**animation).clone();
            animation.name = names.add(&animation.name);
            losses.extend(&sinew_formats::losses(
                format.format(),
                &target.skeleton,
                &animation,
            ));
            added.push(animation);
        }
    }
    if let Some(source) = kept {
        // A new animation takes the place of the one that it replaces: animations correspond to those of the file by index if
        // there are as many.
        let mut animations = target.animations.clone();
        for animation in &added {
            let replaced = animations
                .iter_mut()
                .find(|existing| names.replaces(&existing.name) && existing.name == animation.name);
            match replaced {
                Some(existing) => *existing = animation.clone(),
                None => animations.push(animation.clone()),
            }
        }
        let groups = [(&target.skeleton, animations.as_slice())];
        if let Some(bytes) = encode_kept(source, &groups, path, format, &mut losses)? {
            return Ok((bytes, losses));
        }
    }
    let groups = [(&target.skeleton, added.as_slice())];
    let bytes = encode_motion(&groups, path, format, &GltfWriteSettings::default())?;
    Ok((bytes, losses))
}

/// Draws a motion with footprints at its plants.
pub(super) fn draw(
    target: &FigureTarget,
    animation: &Animation,
    out: &Path,
    form: MotionOutput,
) -> Result<(), CliError> {
    let plants = find_plants(&target.skeleton, animation, &PlantSettings::default());
    form.write(out, None, &target.skeleton, animation, &plants)?;
    Ok(())
}
