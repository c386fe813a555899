//! Pass 5: quantization. Finds the coarsest quantization step of each component that keeps the error at samples below a
//! target.
//!
//! A component is stored as `k = round(value / step)` and decoded as `k · step`, so its error is at most `step / 2`; a
//! rounding error of a joint moves everything below it. The search is:
//!
//! ```text
//! step₀ = target / (influence · leaves^¼)      leaves: of the limbs below the joint
//! step  = f · step₀                            f by bracketing: largest error of the body = target
//! step *= min((target / limb error)^0.7, 1.6)  three rounds, f again after each
//! ```
//!
//! The fourth root shares the error of a joint among the limbs that hang on it; the rounds give back what limbs with a
//! small error have to spare. Both exponents were measured: `docs/decisions/2026-11-16-packed.md`, *Quantization steps*. Steps are
//! codes of a geometric scale, eight per halving, so that one byte stores each. The cost is up to 32 evaluations of
//! `error_model` per target error.

use super::animated_components::Components;
use super::error_model::ErrorModel;
use alloc::vec::Vec;
use sinew::internal::packed::step;
use sinew::skeleton::Skeleton;

/// Exponent of the number of leaves below a joint, by which its steps are divided. 0.5 or 0 give up to 2 % more bytes.
const LEAF_EXPONENT: f64 = 0.25;

/// Rounds in which limbs whose error is below the target get coarser steps. Without them 2 to 4 % more bytes.
const RELAXATION_ROUNDS: usize = 3;

/// Exponent of `target / error`, by which a limb's steps grow in a round: below 1, because growing one limb's steps
/// adds to the error of others.
const SLACK_EXPONENT: f64 = 0.7;

/// The largest factor by which a step grows in a round.
const MAX_STEP_GROWTH: f64 = 1.6;

/// The bracketing stops when the error is at least this share of the target.
const CLOSE_ENOUGH: f64 = 0.985;

/// [`StepSearch::refine_joints`] refines joints whose error exceeds the bound by this factor.
const REFINED_ABOVE: f64 = 1.25;

/// Error measurements per round, at most.
const MAX_MEASUREMENTS: usize = 8;

/// Codes per halving of the quantization step.
const CODES_PER_HALVING: i32 = 8;

/// Finds steps for a target error; reused for several targets.
pub(super) struct StepSearch<'a> {
    skeleton: &'a Skeleton,
    components: &'a Components,
    error_model: ErrorModel,
    /// The initial step of each component for a target of 1 metre.
    start: Vec<f64>,
    /// By joint, how many codes finer its steps are than the search finds.
    finer_codes: Vec<i32>,
}

impl<'a> StepSearch<'a> {
    pub(super) fn new(
        skeleton: &'a Skeleton,
        components: &'a Components,
        error_model: ErrorModel,
    ) -> Self {
        let leaves =
            (0..skeleton.len()).map(|joint| f64::from(u8::from(skeleton.is_leaf(joint.into()))));
        let leaves = fold_subtrees(skeleton, leaves.collect(), |total, subtree| total + subtree);
        let start = components.list.iter().map(|component| {
            1.0 / (component.influence * libm::pow(leaves[component.joint], LEAF_EXPONENT))
        });
        Self {
            start: start.collect(),
            finer_codes: alloc::vec![0; skeleton.len()],
            skeleton,
            components,
            error_model,
        }
    }

    /// The code of each component's step, with which the error at samples is at most `target` metres.
    pub(super) fn codes(&mut self, target: f64) -> Vec<u8> {
        let mut steps: Vec<f64> = self.start.iter().map(|step| step * target).collect();
        let mut errors = alloc::vec![0.0; self.components.joints.len()];
        for round in 0..=RELAXATION_ROUNDS {
            scale_to_target(&mut steps, &mut self.error_model, target, &mut errors);
            if round == RELAXATION_ROUNDS {
                break;
            }
            let worst = errors.iter().map(|&error| f64::from(error)).collect();
            let worst = fold_subtrees(self.skeleton, worst, f64::max);
            for (step, component) in steps.iter_mut().zip(&self.components.list) {
                let worst = worst[component.joint];
                let spare = target / worst.max(target * 1e-3);
                *step *= libm::pow(spare, SLACK_EXPONENT).min(MAX_STEP_GROWTH);
            }
        }
        let codes = steps.into_iter().zip(&self.components.list);
        let codes = codes.map(|(step, component)| {
            let finer_codes = self.finer_codes[component.joint];
            (i32::from(step_code(step)) + finer_codes).clamp(0, 255) as u8
        });
        codes.collect()
    }

    /// Makes the steps of each joint finer whose error exceeds the bound while its parent's does not, for all later
    /// calls of [`codes`](Self::codes). Returns whether there are any.
    ///
    /// Such joints turn by nearly half a turn within a frame: half-way between samples a small rounding decides on
    /// which side they pass, which the error at samples does not see.
    pub(super) fn refine_joints(&mut self, errors: &[f64], max_error: f64) -> bool {
        let mut is_changed = false;
        for (index, joint) in self.skeleton.joints().iter().enumerate() {
            let above = joint.parent.map_or(0.0, |parent| errors[parent.index()]);
            if errors[index] > REFINED_ABOVE * max_error && above <= max_error {
                let halvings = libm::log2(errors[index] / max_error);
                let codes = libm::ceil(halvings * f64::from(CODES_PER_HALVING));
                self.finer_codes[index] += codes.clamp(1.0, 255.0) as i32;
                is_changed = true;
            }
        }
        is_changed
    }
}

/// Folds the value of each joint and of everything below it.
fn fold_subtrees(
    skeleton: &Skeleton,
    mut values: Vec<f64>,
    fold: impl Fn(f64, f64) -> f64,
) -> Vec<f64> {
    // Children come after their parents, so that in reverse order every subtree is complete when it is added.
    for (index, joint) in skeleton.joints().iter().enumerate().rev() {
        if let Some(parent) = joint.parent {
            values[parent.index()] = fold(values[parent.index()], values[index]);
        }
    }
    values
}

/// Scales all steps by the largest factor, within rounding of the codes, that keeps the largest error below `target`.
fn scale_to_target(
    steps: &mut [f64],
    error_model: &mut ErrorModel,
    target: f64,
    errors: &mut [f32],
) {
    let mut factor = 1.0;
    // The bracket: the largest factor that is known to fit, and the smallest that is known to fail.
    let (mut fits, mut fails) = (0.0f64, f64::INFINITY);
    let mut measure = |factor: f64, errors: &mut [f32]| {
        let codes = steps.iter().map(|step| step_code(step * factor));
        let scaled: Vec<f32> = codes.map(step).collect();
        error_model.errors(&scaled, errors);
        f64::from(errors.iter().copied().fold(0.0, f32::max))
    };
    for _ in 0..MAX_MEASUREMENTS {
        let error = measure(factor, errors);
        if error <= target {
            fits = factor;
            if error >= CLOSE_ENOUGH * target {
                break;
            }
        } else {
            fails = factor;
        }
        // A quarter of a code: the same codes for all but a few components.
        if fails / fits < 1.0 + 1.0 / f64::from(4 * CODES_PER_HALVING) {
            break;
        }
        // The error is about proportional to the steps (secant through zero); bisection where that leaves the bracket.
        let ideal = factor * (0.99 * target / error.max(target * 1e-3));
        let (low, high) = (fits.max(factor * 0.05), fails.min(factor * 20.0));
        factor = if ideal > low && ideal < high {
            ideal
        } else {
            0.5 * (low + high)
        };
    }
    let factor = if fits > 0.0 { fits } else { factor * 0.5 };
    for step in steps.iter_mut() {
        *step *= factor;
    }
}

/// Returns the code of the largest step not above `wanted`, or of the smallest step.
fn step_code(wanted: f64) -> u8 {
    let codes = 0..=u8::MAX;
    let found = codes
        .into_iter()
        .find(|&code| f64::from(step(code)) <= wanted);
    found.unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_step_is_found_again() {
        for code in 0..=u8::MAX {
            assert_eq!(step_code(f64::from(step(code))), code);
        }
        assert_eq!(
            (step_code(1e9), step_code(0.0), step_code(f64::NAN)),
            (0, 255, 255)
        );
    }
}
