//! Pass 5: quantization. Chooses the quantization step of each component.
//!
//! A component is stored as `round(value / step)`, so it is at most half a step off, and a rounding error of a joint
//! moves everything below it. Steps begin in inverse proportion to that influence (`joint_influence`), a little finer
//! where many limbs depend on the joint. They grow and shrink together until the largest error of the whole body
//! reaches the error bound; then the steps of limbs whose error is below it grow further, a few times over. Each try
//! measures the error with the real decoder's arithmetic.

use super::animated_components::Components;
use super::error_model::ErrorModel;
use alloc::vec::Vec;
use sinew::internal::packed::{CODES_PER_HALVING, step, step_code};
use sinew::skeleton::Skeleton;

/// How much finer a joint's steps are for each doubling of the limbs that hang on it: 2 to the minus this.
const SHARED: f64 = 0.25;

/// How often limbs that are better than they need to be are made coarser.
const ROUNDS: usize = 3;

/// How much of what a limb has to spare it is given in a round.
const GIVEN: f64 = 0.7;

/// The most by which a step grows in a round.
const MOST: f64 = 1.6;

/// How near to the error allowed the search stops.
const NEAR: f64 = 0.985;

/// Measurements, at most, in a round.
const TRIES: usize = 8;

/// Finds steps for an error again and again.
pub(super) struct StepSearch<'a> {
    skeleton: &'a Skeleton,
    parts: &'a Components,
    body: ErrorModel,
    /// Where the search begins: the step of each component for an error of 1.
    start: Vec<f64>,
    /// By joints, by how many codes steps are finer than the search finds.
    finer: Vec<i32>,
}

impl<'a> StepSearch<'a> {
    pub(super) fn new(skeleton: &'a Skeleton, parts: &'a Components, body: ErrorModel) -> Self {
        let leaves =
            (0..skeleton.len()).map(|joint| f64::from(u8::from(skeleton.is_leaf(joint.into()))));
        let leaves = gathered(skeleton, leaves.collect(), |all, own| all + own);
        let start = parts
            .list
            .iter()
            .map(|component| 1.0 / (component.reach * libm::pow(leaves[component.joint], SHARED)));
        Self {
            start: start.collect(),
            finer: alloc::vec![0; skeleton.len()],
            skeleton,
            parts,
            body,
        }
    }

    /// The code of each component's step, with which the error at rows is at most `error`.
    pub(super) fn codes(&mut self, error: f64) -> Vec<u8> {
        let mut wanted: Vec<f64> = self.start.iter().map(|step| step * error).collect();
        let mut errors = alloc::vec![0.0; self.parts.joints.len()];
        for round in 0..=ROUNDS {
            fit_all(&mut wanted, &mut self.body, error, &mut errors);
            if round == ROUNDS {
                break;
            }
            let worst = errors.iter().map(|&error| f64::from(error)).collect();
            let worst = gathered(self.skeleton, worst, f64::max);
            for (wanted, component) in wanted.iter_mut().zip(&self.parts.list) {
                let worst = worst[component.joint];
                let spare = error / worst.max(error * 1e-3);
                *wanted *= libm::pow(spare, GIVEN).min(MOST);
            }
        }
        let codes = wanted.into_iter().zip(&self.parts.list);
        let codes = codes.map(|(step, component)| {
            let finer = self.finer[component.joint];
            (i32::from(step_code(step)) + finer).clamp(0, 255) as u8
        });
        codes.collect()
    }

    /// Makes the steps of joints finer that are themselves at fault, now and in what is found later; whether there are
    /// any. `errors` are those of joints where `max_error` is allowed.
    pub(super) fn refine_joints(&mut self, errors: &[f64], max_error: f64) -> bool {
        let mut is_changed = false;
        for (index, joint) in self.skeleton.joints().iter().enumerate() {
            let above = joint.parent.map_or(0.0, |parent| errors[parent.index()]);
            if errors[index] > AT_FAULT * max_error && above <= max_error {
                let halvings = libm::log2(errors[index] / max_error);
                let codes = libm::ceil(halvings * f64::from(CODES_PER_HALVING));
                self.finer[index] += codes.clamp(1.0, 255.0) as i32;
                is_changed = true;
            }
        }
        is_changed
    }
}

/// What each joint and everything below it have, taken together.
fn gathered(skeleton: &Skeleton, mut own: Vec<f64>, add: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    // Children stand after their parents.
    for (index, joint) in skeleton.joints().iter().enumerate().rev() {
        if let Some(parent) = joint.parent {
            own[parent.index()] = add(own[parent.index()], own[index]);
        }
    }
    own
}

/// Makes all steps coarser or finer together until the worst error is as large as it may be.
fn fit_all(wanted: &mut [f64], body: &mut ErrorModel, max_error: f64, errors: &mut [f32]) {
    let mut factor = 1.0;
    // A factor that fits and one that does not.
    let (mut fits, mut fails) = (0.0f64, f64::INFINITY);
    let mut measure = |factor: f64, errors: &mut [f32]| {
        let codes = wanted.iter().map(|step| step_code(step * factor));
        let steps: Vec<f32> = codes.map(step).collect();
        body.errors(&steps, errors);
        f64::from(errors.iter().copied().fold(0.0, f32::max))
    };
    for _ in 0..TRIES {
        let error = measure(factor, errors);
        if error <= max_error {
            fits = factor;
            if error >= NEAR * max_error {
                break;
            }
        } else {
            fails = factor;
        }
        if fails / fits < 1.0 + 1.0 / f64::from(4 * CODES_PER_HALVING) {
            break;
        }
        // Errors grow about as steps do.
        let ideal = factor * (0.99 * max_error / error.max(max_error * 1e-3));
        let (low, high) = (fits.max(factor * 0.05), fails.min(factor * 20.0));
        factor = if ideal > low && ideal < high {
            ideal
        } else {
            0.5 * (low + high)
        };
    }
    let factor = if fits > 0.0 { fits } else { factor * 0.5 };
    for step in wanted.iter_mut() {
        *step *= factor;
    }
}

/// A joint that is off by this much more than it may be, while its parent is not, is at fault itself. So it is
/// with one that turns nearly half round within a frame: half-way between, a little decides which way.
const AT_FAULT: f64 = 1.25;
