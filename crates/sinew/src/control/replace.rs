//! Merging the animations of another controller.

use super::controller::{AnimationController, ControllerState, faded_in};
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
        let mut there = ControllerState {
            animations: animations.to_vec(),
            ..ControllerState::default()
        };
        there.advance_with(self.animation_set(), elapsed);
        let coming = there.animations.into_iter();
        let mut coming: Vec<_> = coming.map(|parameters| (parameters, false)).collect();
        let mut switches = false;

        let mut own = core::mem::take(&mut self.state.animations);
        let key = |p: &AnimationParameters| (p.animation, p.instance_index);
        let mut by_key: Vec<usize> = (0..own.len()).collect();
        by_key.sort_unstable_by_key(|&at| key(&own[at]));
        let mut is_claimed = alloc::vec![false; own.len()];
        for (new, claims) in &mut coming {
            let found = by_key.binary_search_by_key(&key(new), |&at| key(&own[at]));
            let Some(at) = found.ok().map(|found| by_key[found]) else {
                continue;
            };
            if is_claimed[at] {
                continue;
            }
            is_claimed[at] = true;
            *claims = true;
            let old = &own[at];
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
        own.retain(|_| !claimed.next().unwrap_or(false));
        for old in &mut own {
            if layers.is_empty() || layers.contains(&old.layer) {
                switches |= old.stop_with(fade, old.fade_mode).1;
            }
        }
        switches |= coming
            .iter()
            .any(|(new, claims)| !claims && new.fade_mode == FadeMode::Inertial);
        let coming = coming.into_iter();
        own.extend(coming.map(|(new, claims)| if claims { new } else { faded_in(new, fade) }));
        self.state.animations = own;
        self.forget_indices();
        self.state.is_dirty = true;
        self.record_switch(switches, fade);
        self.forget();
        self.sort();
        Ok(())
    }
}
