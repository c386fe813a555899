//! The overlay of a 2D character.
//!
//! Input: an armature, its state and its constructed pose → output: an [`Overlay`]. SkelForm bones have a position but
//! no length, so a kite is drawn from a bone to each of its children.

use super::{Overlay, OverlayBone, OverlayJoint, OverlayLabel, OverlayTarget};
use sinew::skelform::{Armature, ArmaturePose, ArmatureState, IkFamilyIndex};

/// Colour of plain bones.
const PLAIN: [u8; 4] = [92, 178, 255, 255];
/// Colour of bones in an IK chain.
const IN_CHAIN: [u8; 4] = [255, 172, 64, 255];
/// Colour of bones moved by physics.
const SPRINGY: [u8; 4] = [120, 214, 120, 255];
/// Colour of IK targets.
const TARGET: [u8; 4] = [255, 84, 120, 255];
/// Colour of names.
const NAME: [u8; 4] = [255, 255, 255, 255];

/// The visible parts of an overlay; by default all but names and hidden bones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlayParts {
    /// Kites from bones to their children.
    pub bones: bool,
    /// A circle for each bone.
    pub joints: bool,
    /// Cross-hair rings at the targets of solved IK families.
    pub targets: bool,
    /// The name of each bone.
    pub names: bool,
    /// Whether hidden bones are shown.
    pub hidden: bool,
}

impl Default for OverlayParts {
    fn default() -> Self {
        Self {
            bones: true,
            joints: true,
            targets: true,
            names: false,
            hidden: false,
        }
    }
}

/// Returns the overlay of a character in `pose`. Plain bones are blue, bones of a solved IK chain orange, bones moved
/// by physics green.
///
/// `state` and `pose` must belong to `armature`; mismatching parts are ignored.
pub fn overlay_for(
    armature: &Armature,
    state: &ArmatureState,
    pose: &ArmaturePose,
    parts: &OverlayParts,
) -> Overlay {
    let data = armature.data();
    let places: Vec<_> = pose.bones().map(|bone| bone.position).collect();
    let is_shown =
        |bone: usize| parts.hidden || !pose.hidden().get(bone).is_some_and(|&hidden| hidden);
    let colors = bone_colors(armature, state);
    let mut overlay = Overlay::default();
    for (i, (bone, &position)) in data.bones.iter().zip(&places).enumerate() {
        if !is_shown(i) {
            continue;
        }
        if let Some(parent) = bone.parent.filter(|_| parts.bones)
            && let Some(&from) = places.get(parent)
        {
            overlay.bones.push(OverlayBone {
                from,
                to: position,
                color: colors[parent],
            });
        }
        if parts.joints {
            overlay.joints.push(OverlayJoint {
                position,
                color: colors[i],
            });
        }
        if parts.names && !bone.name.is_empty() {
            overlay.labels.push(OverlayLabel {
                position,
                text: bone.name.clone(),
                color: NAME,
            });
        }
    }
    if parts.targets {
        let families = data.ik_families.iter().enumerate();
        let solved = families.filter(|&(i, _)| is_solved(armature, state, i));
        let targets = solved.filter_map(|(_, family)| family.target);
        let positions = targets.filter_map(|target| places.get(target));
        overlay
            .targets
            .extend(positions.map(|&position| OverlayTarget {
                position,
                color: TARGET,
            }));
    }
    overlay
}

fn is_solved(armature: &Armature, state: &ArmatureState, family: usize) -> bool {
    !armature.data().baked_ik && state.ik_enabled(IkFamilyIndex::from(family))
}

fn bone_colors(armature: &Armature, state: &ArmatureState) -> Vec<[u8; 4]> {
    let data = armature.data();
    let springy = |bone: &sinew::skelform::BoneData| {
        if bone.physics.is_some() {
            SPRINGY
        } else {
            PLAIN
        }
    };
    let mut colors: Vec<_> = data.bones.iter().map(springy).collect();
    for (i, family) in data.ik_families.iter().enumerate() {
        if !is_solved(armature, state, i) || family.target.is_none() {
            continue;
        }
        for &bone in &family.bones {
            if let Some(color) = colors.get_mut(bone) {
                *color = IN_CHAIN;
            }
        }
    }
    colors
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::glam::Vec2;
    use sinew::skelform::{ArmatureData, BoneData, ConstructSettings, IkFamilyData, construct};

    fn bone(name: &str, parent: Option<usize>, position: [f32; 2], hidden: bool) -> BoneData {
        BoneData {
            name: name.into(),
            parent,
            position: Vec2::from(position),
            hidden,
            ..BoneData::default()
        }
    }

    fn overlay(parts: OverlayParts) -> Overlay {
        let armature = Armature::new(ArmatureData {
            bones: vec![
                bone("root", None, [1.0, 2.0], false),
                bone("arm", Some(0), [10.0, 0.0], false),
                bone("target", None, [30.0, 0.0], false),
                bone("ghost", Some(1), [5.0, 0.0], true),
            ],
            ik_families: vec![IkFamilyData {
                bones: vec![0, 1],
                target: Some(2),
                ..IkFamilyData::default()
            }],
            ..ArmatureData::default()
        })
        .expect("it is sound");
        let mut state = armature.new_state();
        let mut pose = ArmaturePose::new(&armature);
        let settings = ConstructSettings {
            ik: false,
            ..ConstructSettings::default()
        };
        construct(&armature, &mut state, &settings, &mut pose).expect("the state fits");
        overlay_for(&armature, &state, &pose, &parts)
    }

    #[test]
    fn an_empty_armature_has_an_empty_overlay() {
        let armature = Armature::new(ArmatureData::default()).expect("it is sound");
        let pose = ArmaturePose::new(&armature);
        let overlay = overlay_for(
            &armature,
            &armature.new_state(),
            &pose,
            &OverlayParts::default(),
        );
        assert_eq!(overlay, Overlay::default());
    }

    #[test]
    fn kites_run_from_parent_to_child_in_the_colour_of_the_chain() {
        let overlay = overlay(OverlayParts::default());
        let kite = OverlayBone {
            from: Vec2::new(1.0, 2.0),
            to: Vec2::new(11.0, 2.0),
            color: IN_CHAIN,
        };
        assert_eq!(overlay.bones, [kite]);
        assert_eq!(
            overlay.targets,
            [OverlayTarget {
                position: Vec2::new(30.0, 0.0),
                color: TARGET
            }]
        );
        assert!(overlay.labels.is_empty());
    }

    #[test]
    fn hidden_bones_and_names_show_when_asked_for() {
        let parts = OverlayParts {
            names: true,
            hidden: true,
            ..OverlayParts::default()
        };
        let overlay = overlay(parts);
        let names: Vec<_> = overlay
            .labels
            .iter()
            .map(|label| label.text.as_str())
            .collect();
        assert_eq!(names, ["root", "arm", "target", "ghost"]);
        assert_eq!(overlay.bones.len(), 2);
    }

    #[test]
    fn parts_that_are_switched_off_are_left_out() {
        let none = OverlayParts {
            bones: false,
            joints: false,
            targets: false,
            names: false,
            hidden: true,
        };
        assert_eq!(overlay(none), Overlay::default());
    }
}
