//! Hashes of poses: to compare playback between machines, languages and versions.
//!
//! A [`PoseHash`] is FNV-1a of 64 bits over the bits of numbers, little-endian, so that zeros of either sign differ.
//! [`hash_animation`], [`hash_packed`] and `hash_armature` (feature `skelform`) hash the first ten seconds of an
//! animation, 600 poses at 60 per second, repeated if it is shorter. The browser runtime shows the same hashes.

#[cfg(feature = "skelform")]
use crate::skelform::{
    AnimationFrame, Armature, ArmatureAnimationIndex, ArmatureError, ArmaturePose,
    ConstructSettings, DrawList, FrameSettings, PhysicsStep, animate, construct, time_frame_exact,
};
use crate::{
    Animation, JointIndex, ModelPose, PackedAnimation, PackedCursor, Pose, Skeleton,
    local_to_model, pose::JointCountMismatch,
};

/// The number of poses that [`hash_animation`] and its siblings hash.
pub const POSE_COUNT: u32 = 600;

/// The poses per second that they sample.
pub const POSE_RATE: u32 = 60;

/// A hash of poses, added one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoseHash(u64);

impl Default for PoseHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl PoseHash {
    /// Creates the hash of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the hash.
    pub fn finish(&self) -> u64 {
        self.0
    }

    /// Adds the bits of a number.
    pub fn add_u32(&mut self, number: u32) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Adds the bits of numbers.
    pub fn add(&mut self, numbers: &[f32]) {
        for number in numbers {
            self.add_u32(number.to_bits());
        }
    }

    /// Adds a pose: position, rotation and scale of each joint relative to its parent.
    pub fn add_pose(&mut self, pose: &Pose) {
        for joint in 0..pose.len() {
            let joint = pose.get(JointIndex::from(joint));
            self.add(&joint.position.to_array());
            self.add(&joint.rotation.to_array());
            self.add(&joint.scale.to_array());
        }
    }

    /// Adds a model-space pose: the matrix of each joint, column by column.
    pub fn add_model(&mut self, model: &ModelPose) {
        for matrix in model.matrices() {
            self.add(&matrix.to_cols_array());
        }
    }

    /// Adds the world transform of each bone, and whether it is hidden.
    #[cfg(feature = "skelform")]
    pub fn add_armature_pose(&mut self, pose: &ArmaturePose) {
        for (bone, &hidden) in pose.bones().zip(pose.hidden()) {
            self.add(&bone.position.to_array());
            self.add(&[bone.rotor.cos, bone.rotor.sin]);
            self.add(&bone.scale.to_array());
            self.add_u32(u32::from(hidden));
        }
    }

    /// Adds everything drawn: vertices, indices, and the texture and tint of each item.
    #[cfg(feature = "skelform")]
    pub fn add_draw_list(&mut self, list: &DrawList) {
        for vertex in &list.vertices {
            self.add(&vertex.position.to_array());
            self.add(&vertex.uv.to_array());
        }
        for &index in &list.indices {
            self.add_u32(index);
        }
        for item in &list.items {
            self.add_u32(item.texture.style.0);
            self.add_u32(item.texture.texture);
            self.add(&[item.tint.r, item.tint.g, item.tint.b, item.tint.a]);
        }
    }
}

/// Hashes an animation on a skeleton: local pose and model-space pose. Times continue from the beginning after the
/// length.
pub fn hash_animation(skeleton: &Skeleton, animation: &Animation) -> u64 {
    let binding = animation.bind(skeleton);
    hash_motion(skeleton, animation.length, |time, pose| {
        crate::sample::sample(animation, &binding, time, pose)
    })
}

/// Hashes a packed animation as [`hash_animation`] does. A lossy animation has another hash than its source.
pub fn hash_packed(skeleton: &Skeleton, animation: &PackedAnimation<'_>) -> u64 {
    let mut cursor = PackedCursor::default();
    hash_motion(skeleton, animation.length(), |time, pose| {
        animation.sample(time, &mut cursor, pose)
    })
}

fn hash_motion(
    skeleton: &Skeleton,
    length: f32,
    mut sample: impl FnMut(f32, &mut Pose) -> Result<(), JointCountMismatch>,
) -> u64 {
    let mut pose = Pose::rest(skeleton);
    let mut model = ModelPose::new(skeleton);
    let mut hash = PoseHash::new();
    for tick in 0..POSE_COUNT {
        let seconds = f64::from(tick) / f64::from(POSE_RATE);
        let time = if length > 0.0 {
            libm::fmod(seconds, f64::from(length)) as f32
        } else {
            0.0
        };
        // A pose of another skeleton stays at rest.
        let _ = sample(time, &mut pose);
        let _ = local_to_model(skeleton, &pose, &mut model);
        hash.add_pose(&pose);
        hash.add_model(&model);
    }
    hash.finish()
}

/// Hashes an animation of a 2D character from a state at rest, in the default styles, with physics steps of a sixtieth
/// of a second: pose and draw list.
///
/// # Errors
/// If there is no such animation.
#[cfg(feature = "skelform")]
pub fn hash_armature(
    armature: &Armature,
    animation: ArmatureAnimationIndex,
) -> Result<u64, ArmatureError> {
    let mut state = armature.new_state();
    let mut pose = ArmaturePose::new(armature);
    let mut list = DrawList::new();
    let mut hash = PoseHash::new();
    let settings = ConstructSettings {
        physics: PhysicsStep::Seconds(1.0 / POSE_RATE as f32),
        ..ConstructSettings::default()
    };
    for tick in 0..POSE_COUNT {
        let seconds = f64::from(tick) / f64::from(POSE_RATE);
        let frame = armature.animation(animation).map_or(0.0, |animation| {
            time_frame_exact(seconds, animation, FrameSettings::default())
        });
        animate(
            armature,
            &mut state,
            &[AnimationFrame::new(animation, frame)],
        )?;
        construct(armature, &mut state, &settings, &mut pose)?;
        list.fill(armature, &state, &pose, armature.default_styles());
        hash.add_armature_pose(&pose);
        hash.add_draw_list(&list);
    }
    Ok(hash.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_of_zero_and_the_order_count() {
        let hash = |numbers: &[f32]| {
            let mut hash = PoseHash::new();
            hash.add(numbers);
            hash.finish()
        };
        assert_ne!(hash(&[0.0]), hash(&[-0.0]));
        assert_ne!(hash(&[1.0, 2.0]), hash(&[2.0, 1.0]));
    }

    #[test]
    fn it_is_the_published_fnv_1a() {
        let mut hash = PoseHash::new();
        hash.add_u32(u32::from_le_bytes(*b"foob"));
        for byte in b"ar" {
            hash.0 = (hash.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        assert_eq!(hash.finish(), 0x8594_4171_f739_67e8);
    }
}
