//! Easing kinds, their named presets, and their evaluation.
//!
//! A segment from `a` to `b` has the value `a + (b - a) e(t)` at the fraction `t` of its time. The easing `e` is 0 for a
//! step, `t` for a line, and a cubic Bezier curve otherwise, the only kind that costs more than a product
//! ([`Handles::progress`]). The sine presets are Bezier approximations, with the handles that the editor stores.

use super::Handles;

/// The easing of a segment between two keys.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Ease {
    /// Constant until the segment's end.
    Step,
    /// Linear.
    Linear,
    /// A cubic Bezier curve with two handles.
    Bezier(Handles),
}

impl Ease {
    /// Returns the easing of a pair of handles: [`Ease::Step`] if both are snap.
    ///
    /// The handles of a straight line stay a curve, because the solver's error is visible in other players of a file.
    pub fn from_handles(handles: Handles) -> Self {
        if handles.is_snap() {
            Self::Step
        } else {
            Self::Bezier(handles)
        }
    }

    /// Returns the progress at `fraction` (0 to 1) of the time.
    ///
    /// ```
    /// use sinew::skelform::curve::{Ease, Preset};
    /// assert_eq!(Ease::Step.progress(0.9), 0.0);
    /// assert_eq!(Ease::Linear.progress(0.25), 0.25);
    /// assert!(Preset::SineIn.ease().progress(0.25) < 0.25);
    /// ```
    pub fn progress(&self, fraction: f32) -> f32 {
        match self {
            Self::Linear => fraction,
            Self::Bezier(handles) if !handles.is_snap() => handles.progress(fraction),
            Self::Step | Self::Bezier(_) => 0.0,
        }
    }

    /// Returns whether the start value is held: a step, or snap handles.
    pub fn holds(&self) -> bool {
        match self {
            Self::Step => true,
            Self::Linear => false,
            Self::Bezier(handles) => handles.is_snap(),
        }
    }

    /// Returns the value at `current` of `span` time units into a segment from `start` to `end`.
    ///
    /// At or past the end the result is exactly `end`, unless the easing [holds](Ease::holds) and gives `start`: the
    /// caller then advances to the next segment.
    pub fn interpolate(&self, current: f32, span: f32, start: f32, end: f32) -> f32 {
        if self.holds() {
            return start;
        }
        if span == 0.0 || current >= span {
            return end;
        }
        start + (end - start) * self.progress(current / span)
    }
}

/// The named curves of the SkelForm editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Linear.
    Linear,
    /// Starts slowly.
    SineIn,
    /// Ends slowly.
    SineOut,
    /// Starts and ends slowly.
    SineInOut,
    /// Holds until the end.
    Snap,
}

impl Preset {
    /// All presets, in the editor's order.
    pub const ALL: [Self; 5] = [
        Self::Linear,
        Self::SineIn,
        Self::SineOut,
        Self::SineInOut,
        Self::Snap,
    ];

    /// Returns the name used in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "Linear",
            Self::SineIn => "SineIn",
            Self::SineOut => "SineOut",
            Self::SineInOut => "SineInOut",
            Self::Snap => "Snap",
        }
    }

    /// Returns the preset of that name. Editors before March 2026 called Snap "None".
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "None" {
            return Some(Self::Snap);
        }
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Returns the handles that the editor stores for this preset.
    pub const fn handles(self) -> Handles {
        const THIRD: f32 = 1.0 / 3.0;
        const TWO_THIRDS: f32 = 2.0 / 3.0;
        const SNAP: f32 = super::SNAP_HANDLE;
        match self {
            Self::Linear => Handles::new(THIRD, THIRD, TWO_THIRDS, TWO_THIRDS),
            Self::SineIn => Handles::new(0.5, 0.0, 1.0, 1.0),
            Self::SineOut => Handles::new(THIRD, 1.0, TWO_THIRDS, 1.0),
            Self::SineInOut => Handles::new(0.5, 0.0, 0.5, 1.0),
            Self::Snap => Handles::new(SNAP, SNAP, SNAP, SNAP),
        }
    }

    /// Returns the easing of this preset.
    pub fn ease(self) -> Ease {
        match self {
            Self::Linear => Ease::Linear,
            Self::Snap => Ease::Step,
            _ => Ease::Bezier(self.handles()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_holds_even_at_the_end_of_its_segment() {
        for step in [Ease::Step, Ease::Bezier(Preset::Snap.handles())] {
            assert_eq!(step.interpolate(10.0, 10.0, 1.0, 2.0), 1.0);
            assert_eq!(step.progress(0.5), 0.0);
        }
    }

    #[test]
    fn an_empty_segment_is_at_its_end() {
        assert_eq!(Ease::Linear.interpolate(0.0, 0.0, 1.0, 2.0), 2.0);
        assert_eq!(
            Ease::Bezier(Handles::ZERO).interpolate(5.0, 4.0, 1.0, 2.0),
            2.0
        );
    }

    #[test]
    fn snap_needs_both_handles() {
        assert_eq!(Ease::from_handles(Preset::Snap.handles()), Ease::Step);
        let half = Handles::new(0.0, 999.0, 0.0, 1.0);
        assert_eq!(Ease::from_handles(half), Ease::Bezier(half));
        // The x coordinates are irrelevant.
        assert_eq!(
            Ease::from_handles(Handles::new(0.1, 999.0, 7.0, 999.0)),
            Ease::Step
        );
    }

    #[test]
    fn every_preset_is_found_by_its_name() {
        for preset in Preset::ALL {
            assert_eq!(Preset::from_name(preset.name()), Some(preset));
        }
        assert_eq!(Preset::from_name("None"), Some(Preset::Snap));
        assert_eq!(Preset::from_name("Custom"), None);
    }

    #[test]
    fn sine_presets_ease_at_the_named_end() {
        let quarter = |p: Preset| p.ease().progress(0.25);
        assert!(quarter(Preset::SineIn) < 0.2);
        assert!(quarter(Preset::SineOut) > 0.4);
        assert!(quarter(Preset::SineInOut) < 0.2);
        assert!((Preset::SineInOut.ease().progress(0.5) - 0.5).abs() < 1e-6);
    }
}
