//! What of a set keeps in step by registration.

use super::set::{AnimationSet, SetError};
use crate::animation::AnimationIndex;
use crate::registration::RegistrationCurve;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A curve and the animations that its motions are.
#[derive(Clone, Debug)]
pub(super) struct Registration {
    curve: Arc<RegistrationCurve>,
    animations: Vec<AnimationIndex>,
}

/// A curve, and which of its motions two animations are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared<'a> {
    pub(super) curve: &'a RegistrationCurve,
    pub(super) motions: [usize; 2],
}

impl Registration {
    fn motion(&self, animation: AnimationIndex) -> Option<usize> {
        self.animations.iter().position(|own| *own == animation)
    }
}

impl AnimationSet {
    /// Says how animations belong together: `animations` are the motions of the curve, in its order.
    ///
    /// Looped animations of one [sync group](super::AnimationParameters::sync_group) then keep in step along the
    /// curve: foot on foot, where their feet come down at different parts of their time. They loop over the stretch
    /// that the curve covers; on a [cyclic](RegistrationCurve::is_cyclic) curve over the whole of them, each from a phase
    /// of its own, unless they play a part of their time range. Of two animations that are on several curves the first one counts; those that are on none
    /// keep in step by their share of the time range. Curves are no part of the [fingerprint](Self::fingerprint), and
    /// stay where an animation is replaced.
    ///
    /// # Errors
    /// When the set has no such animation, or the curve has another number of motions.
    pub fn add_registration(
        &mut self,
        curve: impl Into<Arc<RegistrationCurve>>,
        animations: impl IntoIterator<Item = AnimationIndex>,
    ) -> Result<(), SetError> {
        let curve = curve.into();
        let animations: Vec<_> = animations.into_iter().collect();
        if let Some(unknown) = animations.iter().find(|own| self.length(**own).is_none()) {
            return Err(SetError::NoSuchAnimation {
                animation: unknown.0,
                count: self.len(),
            });
        }
        if animations.len() != curve.len() {
            return Err(SetError::MotionCount {
                expected: curve.len(),
                found: animations.len(),
            });
        }
        self.registrations.push(Registration { curve, animations });
        Ok(())
    }

    /// The curve that two different animations are on.
    pub(super) fn shared(&self, one: AnimationIndex, other: AnimationIndex) -> Option<Shared<'_>> {
        let mut all = self.registrations.iter().filter(|_| one != other);
        all.find_map(|own| {
            Some(Shared {
                curve: &own.curve,
                motions: [own.motion(one)?, own.motion(other)?],
            })
        })
    }

    /// From when to when an animation is on all the curves that it is on; `None` where it is on none, or on cyclic
    /// curves alone: those are of whole loops.
    pub(super) fn registered(&self, animation: AnimationIndex) -> Option<[f32; 2]> {
        let all = self.registrations.iter().filter_map(|own| {
            let motion = own.motion(animation).filter(|_| !own.curve.is_cyclic())?;
            Some([0.0, 1.0].map(|position| own.curve.time(motion, position) as f32))
        });
        all.reduce(|[a, b], [c, d]| [a.max(c), b.min(d)])
    }
}
