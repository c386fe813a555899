//! The registration curves of a set, which synchronize its animations.

use super::set::{AnimationSet, SetError};
use crate::animation::AnimationIndex;
use crate::registration::RegistrationCurve;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A curve and the animation of each of its motions.
#[derive(Clone, Debug)]
pub(super) struct Registration {
    curve: Arc<RegistrationCurve>,
    animations: Vec<AnimationIndex>,
}

/// A curve that two animations share, and their motion indices on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedCurve<'a> {
    pub(super) curve: &'a RegistrationCurve,
    pub(super) motions: [usize; 2],
}

impl Registration {
    fn motion(&self, animation: AnimationIndex) -> Option<usize> {
        self.animations.iter().position(|known| *known == animation)
    }
}

impl AnimationSet {
    /// Adds a registration curve of several animations: `animations` are the motions of the curve, in its order.
    ///
    /// Looped animations of one [sync group](super::AnimationParameters::sync_group) are then synchronized along the
    /// curve: their foot contacts coincide even if they are at different normalized times. They loop over the range
    /// that the curve covers; on a [cyclic](RegistrationCurve::is_cyclic) curve over their full length, each with its
    /// own start phase, unless their time range is restricted. If two animations share several curves, the first is
    /// used; animations without a shared curve are synchronized by normalized time. Curves are not part of the
    /// [fingerprint](Self::fingerprint), and are kept when an animation is replaced.
    ///
    /// # Errors
    /// If the set has no such animation, or the number of animations differs from the curve's number of motions.
    pub fn add_registration(
        &mut self,
        curve: impl Into<Arc<RegistrationCurve>>,
        animations: impl IntoIterator<Item = AnimationIndex>,
    ) -> Result<(), SetError> {
        let curve = curve.into();
        let animations: Vec<_> = animations.into_iter().collect();
        if let Some(unknown) = animations
            .iter()
            .find(|animation| self.length(**animation).is_none())
        {
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

    /// Returns the curve that two different animations share.
    pub(super) fn shared_curve(
        &self,
        first: AnimationIndex,
        second: AnimationIndex,
    ) -> Option<SharedCurve<'_>> {
        let mut registrations = self.registrations.iter().filter(|_| first != second);
        registrations.find_map(|registration| {
            Some(SharedCurve {
                curve: &registration.curve,
                motions: [registration.motion(first)?, registration.motion(second)?],
            })
        })
    }

    /// Returns the time range of an animation that all of its curves cover; `None` if it is on none, or only on cyclic
    /// curves, which cover whole loops.
    pub(super) fn registered_range(&self, animation: AnimationIndex) -> Option<[f32; 2]> {
        let ranges = self.registrations.iter().filter_map(|registration| {
            let motion = registration
                .motion(animation)
                .filter(|_| !registration.curve.is_cyclic())?;
            Some([0.0, 1.0].map(|position| registration.curve.time(motion, position) as f32))
        });
        ranges.reduce(|[a, b], [c, d]| [a.max(c), b.min(d)])
    }
}
