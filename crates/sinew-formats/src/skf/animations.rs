//! Animations, and keys without effect.

use super::SkfError;
use super::archive::check_size;
use super::json::{FieldPath, Object};
use super::keys::SkfKeys;
use crate::Warnings;
use crate::limits::{MAX_ANIMATIONS, MAX_KEYS};
use sinew::skelform::{AnimationData, ArmatureData, Element};
use std::collections::BTreeSet;

/// Reads animations, with keys parsed by `reader`.
pub(super) fn read(
    body: &Object<'_>,
    reader: &SkfKeys<'_>,
    warnings: &mut Warnings,
) -> Result<Vec<AnimationData>, SkfError> {
    let mut animations = Vec::new();
    let mut total = 0;
    for animation in body.table("animations", "animation", MAX_ANIMATIONS)? {
        total += animation.list("keyframes")?.len();
        check_size("the number of keys", total as u64, MAX_KEYS as u64)?;
        let file_keys = animation.objects("keyframes", "key")?;
        let keys = file_keys
            .iter()
            .filter_map(|key| reader.read(key, warnings))
            .collect();
        let frame_rate = animation.int(warnings, "fps").unwrap_or(0);
        if frame_rate <= 0 {
            let problem = format!("{frame_rate}; the animation does not advance");
            warnings.add(animation.place, "fps", problem);
        }
        animations.push(AnimationData {
            name: animation.name(warnings),
            frame_rate: u32::try_from(frame_rate.max(0)).unwrap_or(u32::MAX),
            keys,
        });
    }
    Ok(animations)
}

/// Warns of every track whose keys change something that its bone does not have.
pub(super) fn name_idle_tracks(
    data: &ArmatureData,
    file_bones: &[Object<'_>],
    warnings: &mut Warnings,
) {
    for (index, animation) in data.animations.iter().enumerate() {
        let part_of = FieldPath::new("animation", index, &animation.name);
        let tracks = animation.keys.iter().map(|key| (key.bone, key.element));
        let idle = tracks.filter_map(|(bone, element)| {
            let problem = problem_of(data, bone, element)?;
            Some((bone, element, problem))
        });
        for (bone, element, problem) in idle.collect::<BTreeSet<_>>() {
            let place = FieldPath {
                part_of: Some(&part_of),
                ..file_bones[bone].place
            };
            warnings.add(place, element.name(), problem);
        }
    }
}

/// Describes why keys of an element have no effect on a bone, if so. A texture key on a bone without a visual is
/// valid: it makes the bone visible, or removes nothing.
fn problem_of(data: &ArmatureData, bone: usize, element: Element) -> Option<&'static str> {
    use Element::{IkConstraint, IkMode, MimicTarget, TintA, TintB, TintG, TintR, Zindex};
    let bone = &data.bones[bone];
    match element {
        TintR | TintG | TintB | TintA | Zindex if bone.visual.is_none() => {
            Some("the bone shows nothing; its keys do nothing")
        }
        IkConstraint | IkMode | MimicTarget if bone.ik_family.is_none() => {
            Some("the bone has no IK family; its keys do nothing")
        }
        _ => None,
    }
}
