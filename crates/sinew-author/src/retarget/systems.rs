//! Naming systems: what names mean in skeletons of one origin.
//!
//! `LeftShoulder` is a clavicle beside `LeftArm` and `LeftForeArm` (MotionBuilder), and an upper arm beside
//! `LeftElbow` (Biovision). A system is recognised by the required roles that its names fill; then its names count
//! fully for their part and not for another. Names outside the system keep the score of [`super::words`].

use super::names::JointName;
use super::role::BodyPart;
use BodyPart::{
    Chest, Clavicle, Finger, Foot, Hand, Head, Hips, LowerArm, LowerLeg, Neck, Spine, Toes,
    UpperArm, UpperLeg,
};
use alloc::string::String;

/// The required roles that the names of a skeleton must fill for a system to be recognised, of 14 (a spine or a chest
/// is not counted: every system has one of several).
const MIN_FILLED: usize = 10;

/// A key with or without the number of the name, and the part; `None` for joints without a role.
type Entry = (&'static str, Option<BodyPart>);

/// The names of skeletons of one origin.
pub(super) struct NamingSystem {
    /// Keys that must occur.
    marks: &'static [&'static str],
    entries: &'static [Entry],
}

impl NamingSystem {
    /// Returns the part that a name has in this system; `None` if it does not know the name, `Some(None)` for joints
    /// without a role.
    pub(super) fn part(&self, name: &JointName) -> Option<Option<BodyPart>> {
        let find = |key: &str| self.entries.iter().find(|(known, _)| *known == key);
        let numbered = numbered_key(name).and_then(|key| find(&key));
        let entry = numbered.or_else(|| find(name.key()))?;
        let fits = entry
            .1
            .is_none_or(|part| part.is_sided() == name.side().is_some());
        fits.then_some(entry.1)
    }

    /// Returns whether all marks occur.
    fn is_marked(&self, names: &[JointName]) -> bool {
        self.marks.iter().all(|mark| {
            let is_mark = |name: &JointName| {
                name.key() == *mark || numbered_key(name).is_some_and(|key| key == *mark)
            };
            names.iter().any(is_mark)
        })
    }

    /// Returns how many required roles the names fill.
    fn filled(&self, names: &[JointName]) -> usize {
        let mut found = [[false; 3]; BodyPart::ALL.len()];
        for name in names {
            if let Some(Some(part)) = self.part(name) {
                let side = name.side().map_or(0, |side| {
                    use super::names::NameSide::{Far, Left, Near, Right};
                    match side {
                        Left | Near => 1,
                        Right | Far => 2,
                    }
                });
                found[part as usize][side] = true;
            }
        }
        let required = [
            Hips, Head, UpperArm, LowerArm, Hand, UpperLeg, LowerLeg, Foot,
        ];
        let sides = required.into_iter().flat_map(|part| found[part as usize]);
        sides.filter(|found| *found).count()
    }
}

/// Returns the key with the number of a name: `spine6`.
fn numbered_key(name: &JointName) -> Option<String> {
    let number = name.number()?;
    Some(alloc::format!("{}{number}", name.key()))
}

/// Returns the system whose names fill the most required roles; of equal ones the first. `None` if none fills enough.
pub(super) fn recognise(names: &[JointName]) -> Option<&'static NamingSystem> {
    let mut best: Option<(usize, &NamingSystem)> = None;
    for system in &SYSTEMS {
        if !system.is_marked(names) {
            continue;
        }
        let filled = system.filled(names);
        if filled >= MIN_FILLED && best.is_none_or(|(most, _)| filled > most) {
            best = Some((filled, system));
        }
    }
    best.map(|(_, system)| system)
}

/// The systems whose names need their context. Names of others (Unreal, VRM, VRoid, Biped, Bandai-Namco, Mixamo's
/// namespace) mean the same everywhere.
static SYSTEMS: [NamingSystem; 8] = [
    // Acclaim, as CMU and HDM05 publish it. The hand begins at the wrist.
    NamingSystem {
        marks: &["radius", "wrist"],
        entries: &[
            ("root", Some(Hips)),
            ("hipjoint", None),
            ("femur", Some(UpperLeg)),
            ("tibia", Some(LowerLeg)),
            ("foot", Some(Foot)),
            ("toes", Some(Toes)),
            ("lowerback", Some(Spine)),
            ("upperback", Some(Spine)),
            ("thorax", Some(Chest)),
            ("lowerneck", Some(Neck)),
            ("upperneck", Some(Neck)),
            ("neck", Some(Neck)),
            ("head", Some(Head)),
            ("clavicle", Some(Clavicle)),
            ("humerus", Some(UpperArm)),
            ("radius", Some(LowerArm)),
            ("wrist", Some(Hand)),
            ("hand", Some(Finger)),
            ("fingers", Some(Finger)),
            ("thumb", Some(Finger)),
        ],
    },
    // The same without wrists, as others reduce it.
    NamingSystem {
        marks: &["radius"],
        entries: &[
            ("root", Some(Hips)),
            ("pelvis", Some(Hips)),
            ("femur", Some(UpperLeg)),
            ("tibia", Some(LowerLeg)),
            ("foot", Some(Foot)),
            ("toes", Some(Toes)),
            ("lowerback", Some(Spine)),
            ("upperback", Some(Spine)),
            ("thorax", Some(Chest)),
            ("lowerneck", Some(Neck)),
            ("upperneck", Some(Neck)),
            ("neck", Some(Neck)),
            ("head", Some(Head)),
            ("clavicle", Some(Clavicle)),
            ("shoulderjoint", Some(Clavicle)),
            ("humerus", Some(UpperArm)),
            ("radius", Some(LowerArm)),
            ("hand", Some(Hand)),
        ],
    },
    // MotionBuilder, and with it cgspeed's conversions of CMU, Mixamo, Rokoko, Perception Neuron.
    NamingSystem {
        marks: &["arm", "forearm"],
        entries: &[
            ("hips", Some(Hips)),
            ("hip", Some(Hips)),
            ("hipjoint", None),
            ("lowerback", Some(Spine)),
            ("spine", Some(Spine)),
            ("neck", Some(Neck)),
            ("head", Some(Head)),
            ("shoulder", Some(Clavicle)),
            ("arm", Some(UpperArm)),
            ("forearm", Some(LowerArm)),
            ("hand", Some(Hand)),
            ("fingerbase", Some(Finger)),
            ("upleg", Some(UpperLeg)),
            ("thigh", Some(UpperLeg)),
            ("leg", Some(LowerLeg)),
            ("shin", Some(LowerLeg)),
            ("foot", Some(Foot)),
            ("toebase", Some(Toes)),
            ("toe", Some(Toes)),
        ],
    },
    // Names of the points between the bones: SMPL, Kinect, Biovision with wrists.
    NamingSystem {
        marks: &["knee", "wrist"],
        entries: &[
            ("pelvis", Some(Hips)),
            ("hips", Some(Hips)),
            ("hip", Some(UpperLeg)),
            ("knee", Some(LowerLeg)),
            ("ankle", Some(Foot)),
            ("foot", Some(Toes)),
            ("toe", Some(Toes)),
            ("neck", Some(Neck)),
            ("head", Some(Head)),
            ("collar", Some(Clavicle)),
            ("shoulder", Some(UpperArm)),
            ("elbow", Some(LowerArm)),
            ("wrist", Some(Hand)),
            ("hand", Some(Finger)),
            ("spinebase", Some(Hips)),
            ("spinemid", Some(Spine)),
            ("spineshoulder", Some(Chest)),
        ],
    },
    // The same without wrists: OpenNI and NITE.
    NamingSystem {
        marks: &["knee"],
        entries: &[
            ("torso", Some(Hips)),
            ("hip", Some(UpperLeg)),
            ("knee", Some(LowerLeg)),
            ("foot", Some(Foot)),
            ("ankle", Some(Foot)),
            ("neck", Some(Neck)),
            ("head", Some(Head)),
            ("collar", Some(Clavicle)),
            ("shoulder", Some(UpperArm)),
            ("elbow", Some(LowerArm)),
            ("hand", Some(Hand)),
        ],
    },
    // Blender's Rigify: one chain of numbered spine bones from the hips to the head.
    NamingSystem {
        marks: &["spine6"],
        entries: &[
            ("spine", Some(Hips)),
            ("spine1", Some(Spine)),
            ("spine2", Some(Spine)),
            ("spine3", Some(Chest)),
            ("spine4", Some(Neck)),
            ("spine5", Some(Neck)),
            ("spine6", Some(Head)),
            ("pelvis", None),
            ("shoulder", Some(Clavicle)),
            ("upperarm", Some(UpperArm)),
            ("forearm", Some(LowerArm)),
            ("hand", Some(Hand)),
            ("thigh", Some(UpperLeg)),
            ("shin", Some(LowerLeg)),
            ("foot", Some(Foot)),
            ("toe", Some(Toes)),
        ],
    },
    // Character Creator: the neck is named as a twist.
    NamingSystem {
        marks: &["necktwist"],
        entries: &[
            ("hip", Some(Hips)),
            ("pelvis", None),
            ("waist", Some(Spine)),
            ("spine", Some(Spine)),
            ("necktwist", Some(Neck)),
            ("head", Some(Head)),
            ("clavicle", Some(Clavicle)),
            ("upperarm", Some(UpperArm)),
            ("forearm", Some(LowerArm)),
            ("hand", Some(Hand)),
            ("thigh", Some(UpperLeg)),
            ("calf", Some(LowerLeg)),
            ("foot", Some(Foot)),
            ("toebase", Some(Toes)),
        ],
    },
    // MikuMikuDance.
    NamingSystem {
        marks: &["上半身"],
        entries: &[
            ("センター", Some(Hips)),
            ("腰", Some(Hips)),
            ("下半身", None),
            ("上半身", Some(Spine)),
            ("首", Some(Neck)),
            ("頭", Some(Head)),
            ("肩", Some(Clavicle)),
            ("腕", Some(UpperArm)),
            ("ひじ", Some(LowerArm)),
            ("手首", Some(Hand)),
            ("足", Some(UpperLeg)),
            ("ひざ", Some(LowerLeg)),
            ("足首", Some(Foot)),
            ("つま先", Some(Toes)),
        ],
    },
];
