//! Merging the animations of another controller.

use super::controller::{AnimationController, ControllerState, start_fade_in};
use super::parameters::{AnimationParameters, FadeMode, check_unique, duration};
use super::{ControlError, LARGE_EPSILON};
use alloc::vec::Vec;

impl AnimationController {
    /// Merges `animations` into this controller: a list that another controller had `elapsed` seconds ago, such as a
    /// snapshot from a server.
    ///
    /// Animations that also play here keep their current weight and otherwise take the parameters of the list. Others
    /// are faded in over `fade` seconds, and those that only play here are faded out if they are on one of `layers` or
    /// `layers` is empty. Animations that ended within `elapsed` are left out. No trigger fires.
    ///
    /// # Errors
    /// If the set has no such animation or mask, a number is not finite, or an instance is listed twice. The
    /// controller then stays unchanged.
    pub fn replace_animations(
        &mut self,
        animations: &[AnimationParameters],
        elapsed: f32,
        fade: f32,
        layers: &[u32],
    ) -> Result<(), ControlError> {
        for parameters in animations {
            parameters.check(self.animation_set())?;
        }
        check_unique(animations)?;
        let elapsed = duration(elapsed);
        let fade = duration(fade);
        let mut snapshot = ControllerState {
            animations: animations.to_vec(),
            ..ControllerState::default()
        };
        snapshot.advance_with(self.animation_set(), elapsed);
        let incoming = snapshot.animations.into_iter();
        let mut incoming: Vec<_> = incoming.map(|parameters| (parameters, false)).collect();
        let mut switches = false;

        let mut current = core::mem::take(&mut self.state.animations);
        let key = |p: &AnimationParameters| (p.animation, p.instance_index);
        let mut by_key: Vec<usize> = (0..current.len()).collect();
        by_key.sort_unstable_by_key(|&index| key(&current[index]));
        let mut is_claimed = alloc::vec![false; current.len()];
        for (new, claims) in &mut incoming {
            let found = by_key.binary_search_by_key(&key(new), |&index| key(&current[index]));
            let Some(index) = found.ok().map(|found| by_key[found]) else {
                continue;
            };
            if is_claimed[index] {
                continue;
            }
            is_claimed[index] = true;
            *claims = true;
            let old = &current[index];
            new.weight = old.weight;
            let differs = (new.target_weight - old.target_weight).abs() > LARGE_EPSILON;
            new.target_weight_delay = if differs {
                new.target_weight_delay.max(fade)
            } else {
                old.target_weight_delay
            };
            if differs && new.fade_mode == FadeMode::Inertial {
                switches |= new.fade_to(new.target_weight, fade);
            }
        }

        let mut claimed = is_claimed.into_iter();
        current.retain(|_| !claimed.next().unwrap_or(false));
        for old in &mut current {
            if layers.is_empty() || layers.contains(&old.layer) {
                switches |= old.stop_with(fade, old.fade_mode).1;
            }
        }
        switches |= incoming
            .iter()
            .any(|(new, claims)| !claims && new.fade_mode == FadeMode::Inertial);
        let incoming = incoming.into_iter();
        current.extend(incoming.map(|(new, claims)| {
            if claims {
                new
            } else {
                start_fade_in(new, fade)
            }
        }));
        self.state.animations = current;
        self.invalidate_free_indices();
        self.state.is_dirty = true;
        self.record_switch(switches, fade);
        self.clear_results();
        self.sort();
        Ok(())
    }
}
