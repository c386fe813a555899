//! Which feet are planted, so that a part of a step is not taken for a cycle.
//!
//! Over a cycle each foot lands as often as it lifts: it is planted at the end if it is at the start. A figure that drags a leg
//! hardly changes while it settles on the other one; by the mean of all joints a part of a step is then near, and its feet
//! stride as before. But one foot has landed and none has lifted. A difference counts only if the foot's state is not reached
//! within 0.1 s; distances to the nearest frame of either state are found by two passes, so that a comparison takes constant
//! time per foot.

use crate::contacts::{PlantSettings, find_plants, foot_contacts};
use alloc::vec::Vec;
use sinew::animation::Animation;
use sinew::skeleton::Skeleton;

/// How much sooner or later in its cycle a contact of one stride may begin or end than that of the next, in seconds: twice
/// what noise of capture and speed thresholds shift it by.
const JITTER_SECONDS: f64 = 0.1;

/// For each foot and frame, the distance in frames to the nearest one at which the foot is lifted, and at which it is
/// planted.
pub(super) struct PlantedFeet {
    feet: Vec<[Vec<usize>; 2]>,
    jitter: usize,
}

impl PlantedFeet {
    /// The contacts of a motion at `frames` frames of a rate.
    pub(super) fn new(
        skeleton: &Skeleton,
        animation: &Animation,
        rate: f64,
        frames: usize,
    ) -> Self {
        let plants = find_plants(skeleton, animation, &PlantSettings::default());
        let feet = foot_contacts(skeleton, &plants).into_iter().map(|foot| {
            let is_planted = |frame: usize| {
                let time = (frame as f64 / rate) as f32;
                // Across the seam of a loop a contact ends after the loop does.
                let times = [time, time + animation.length];
                let mut spans = foot.spans.iter();
                spans.any(|span| times.iter().any(|time| span.contains(time)))
            };
            let planted: Vec<bool> = (0..frames).map(is_planted).collect();
            [false, true].map(|wanted| frames_to(&planted, wanted))
        });
        Self {
            feet: feet.collect(),
            jitter: (JITTER_SECONDS * rate) as usize,
        }
    }

    /// Whether some foot is planted at one frame and lifted at the other, by more than the jitter.
    pub(super) fn differ(&self, start: usize, end: usize) -> bool {
        self.feet.iter().any(|[lifted, planted]| {
            let apart = |a: usize, b: usize| {
                let same = if planted[a] == 0 { planted } else { lifted };
                same[b]
            };
            apart(start, end).min(apart(end, start)) > self.jitter
        })
    }
}

/// The distance of each frame to the nearest one of a state, in frames; more than there are if there is none.
fn frames_to(states: &[bool], wanted: bool) -> Vec<usize> {
    let mut frames: Vec<usize> = states
        .iter()
        .map(|state| {
            if *state == wanted {
                0
            } else {
                states.len() + 1
            }
        })
        .collect();
    for i in 1..frames.len() {
        frames[i] = frames[i].min(frames[i - 1] + 1);
    }
    for i in (1..frames.len()).rev() {
        frames[i - 1] = frames[i - 1].min(frames[i] + 1);
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foot_that_has_landed_differs_unless_it_only_just_has() {
        // Lifted for 20 frames, planted for 30, lifted for 20.
        let planted: Vec<bool> = (0..70).map(|frame| (20..50).contains(&frame)).collect();
        let contacts = PlantedFeet {
            feet: alloc::vec![[false, true].map(|wanted| frames_to(&planted, wanted))],
            jitter: 5,
        };
        assert!(contacts.differ(10, 40));
        assert!(contacts.differ(35, 60));
        assert!(!contacts.differ(10, 60));
        assert!(!contacts.differ(17, 40));
        assert!(!contacts.differ(10, 23));
    }

    #[test]
    fn feet_that_never_change_do_not_differ() {
        for state in [false, true] {
            let contacts = PlantedFeet {
                feet: alloc::vec![
                    [false, true].map(|wanted| frames_to(&alloc::vec![state; 9], wanted))
                ],
                jitter: 0,
            };
            assert!(!contacts.differ(0, 8));
        }
    }
}
