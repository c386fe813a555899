//! Foot skate by height: how fast toes move while they are near the floor, without known contacts.
//!
//! The measures with which generated motions are compared (`FootSkateFromHeight` and `FootSkateRatio` of NVIDIA's kimodo):
//! velocities are forward differences times the rate, over all toes and frames, at the animation's own frames.

use super::for_each_frame;
use alloc::vec::Vec;
use glam::Vec3;
use sinew::animation::Animation;
use sinew::skeleton::{JointIndex, Skeleton};

/// The height in metres below which a toe is on the floor, y = 0.
const FLOOR_HEIGHT: f32 = 0.05;

/// The speed in metres per second above which a toe on the floor skates.
const SKATE_SPEED: f64 = 0.2;

/// Returns the mean speed of toes in metres per second over the frames in which they are lower than 5 cm. `None` if they never
/// are.
pub fn foot_skate_from_height(
    skeleton: &Skeleton,
    animation: &Animation,
    toes: &[JointIndex],
) -> Option<f32> {
    let mut sum = 0.0;
    let mut count = 0_usize;
    for_each_step(skeleton, animation, toes, |from, _, speed| {
        if from.y < FLOOR_HEIGHT {
            sum += speed;
            count += 1;
        }
    });
    (count > 0).then(|| (sum / count as f64) as f32)
}

/// Returns the share, 0 to 1, of frames with a toe lower than 5 cm, in this frame and the next, in which it moves faster than
/// 0.2 m/s. `None` if no toe is that low in two frames.
pub fn foot_skate_ratio(
    skeleton: &Skeleton,
    animation: &Animation,
    toes: &[JointIndex],
) -> Option<f32> {
    let (mut skating, mut count) = (0_usize, 0_usize);
    for_each_step(skeleton, animation, toes, |from, to, speed| {
        if from.y < FLOOR_HEIGHT && to.y < FLOOR_HEIGHT {
            skating += usize::from(speed > SKATE_SPEED);
            count += 1;
        }
    });
    (count > 0).then(|| skating as f32 / count as f32)
}

/// Calls `visit` with the positions of each toe in two consecutive frames and its speed.
fn for_each_step(
    skeleton: &Skeleton,
    animation: &Animation,
    toes: &[JointIndex],
    mut visit: impl FnMut(Vec3, Vec3, f64),
) {
    let (rate, _) = super::frames(animation);
    let mut known: Vec<Vec3> = Vec::with_capacity(toes.len());
    for_each_frame(skeleton, animation, |_, model| {
        let has_known = !known.is_empty();
        for (index, toe) in toes.iter().enumerate() {
            let point = model.position(*toe);
            match known.get_mut(index).filter(|_| has_known) {
                Some(before) => {
                    visit(*before, point, f64::from((point - *before).length()) * rate);
                    *before = point;
                }
                None => known.push(point),
            }
        }
    });
}
