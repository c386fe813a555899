//! Small characters to test with.

use sinew::glam::Vec2;
use sinew::skelform::curve::Ease;
use sinew::skelform::{
    AnimationData, AnimationFrame, Armature, ArmatureData, ArmaturePose, ArmatureState, BoneData,
    ConstructSettings, Element, IkFamilyData, KeyData, PhysicsData, PhysicsStep, animate,
    construct,
};

/// A bone at `position` under `parent`.
pub fn bone(parent: Option<usize>, position: (f32, f32)) -> BoneData {
    BoneData {
        parent,
        position: position.into(),
        ..BoneData::default()
    }
}

/// A numeric key on bone 0 that is arrived at in a straight line.
pub fn key(frame: u32, element: Element, value: f32) -> KeyData {
    KeyData {
        frame,
        bone: 0,
        element,
        value,
        text: String::new(),
        ease: Ease::Linear,
    }
}

/// A key made of text on bone 0.
pub fn text_key(frame: u32, element: Element, text: &str) -> KeyData {
    KeyData {
        text: text.to_owned(),
        ..key(frame, element, 0.0)
    }
}

pub fn animation(name: &str, keys: Vec<KeyData>) -> AnimationData {
    AnimationData {
        name: name.to_owned(),
        frame_rate: 60,
        keys,
    }
}

/// One bone and the given animations.
pub fn puppet(animations: Vec<AnimationData>) -> ArmatureData {
    ArmatureData {
        bones: vec![BoneData {
            position: Vec2::new(7.0, 8.0),
            rotation: 0.5,
            ..BoneData::default()
        }],
        animations,
        ..ArmatureData::default()
    }
}

/// A straight chain along +x with a target; the target is the last bone.
pub fn chain(lengths: &[f32], target: (f32, f32)) -> ArmatureData {
    let mut bones = vec![bone(None, (0.0, 0.0))];
    for (parent, &length) in lengths.iter().enumerate() {
        bones.push(bone(Some(parent), (length, 0.0)));
    }
    let family = IkFamilyData {
        bones: (0..bones.len()).collect(),
        target: Some(bones.len()),
        ..IkFamilyData::default()
    };
    for bone in &mut bones {
        bone.ik_family = Some(0);
    }
    bones.push(bone(None, target));
    ArmatureData {
        bones,
        ik_families: vec![family],
        ..ArmatureData::default()
    }
}

/// A bone that springs, under a root.
pub fn spring(position: (f32, f32), physics: PhysicsData) -> ArmatureData {
    let mut bones = vec![bone(None, (0.0, 0.0)), bone(Some(0), position)];
    bones[1].physics = Some(0);
    ArmatureData {
        bones,
        physics: vec![physics],
        ..ArmatureData::default()
    }
}

/// An armature with a state and a pose.
pub struct Actor {
    pub armature: Armature,
    pub state: ArmatureState,
    pub pose: ArmaturePose,
    pub settings: ConstructSettings,
}

impl Actor {
    pub fn new(data: ArmatureData) -> Self {
        let armature = Armature::new(data).unwrap();
        let (state, pose) = (armature.new_state(), ArmaturePose::new(&armature));
        Self {
            armature,
            state,
            pose,
            settings: ConstructSettings::default(),
        }
    }

    /// Animates animation 0.
    pub fn at(&mut self, frame: f32) -> &mut Self {
        self.play(&[AnimationFrame::new(0.into(), frame)])
    }

    pub fn play(&mut self, frames: &[AnimationFrame]) -> &mut Self {
        animate(&self.armature, &mut self.state, frames).unwrap();
        self
    }

    pub fn construct(&mut self) -> &mut Self {
        construct(
            &self.armature,
            &mut self.state,
            &self.settings,
            &mut self.pose,
        )
        .unwrap();
        self
    }

    /// Constructs by time until `seconds` have passed.
    pub fn run(&mut self, seconds: f32, frame_rate: f32) -> &mut Self {
        self.settings.physics = PhysicsStep::Seconds(1.0 / frame_rate);
        for _ in 0..(seconds * frame_rate).round() as u32 {
            self.construct();
        }
        self
    }

    /// World position of a bone.
    pub fn position(&self, bone: usize) -> Vec2 {
        self.pose.bone(bone.into()).unwrap().position
    }

    /// World rotation of a bone.
    pub fn rotation(&self, bone: usize) -> f32 {
        self.pose.bone(bone.into()).unwrap().rotation()
    }
}

pub fn assert_near(a: Vec2, b: Vec2, tolerance: f32) {
    assert!(
        a.distance(b) <= tolerance,
        "{a} is not within {tolerance} of {b}"
    );
}
