//! What is charted.

use super::{bands::Bands, diagram::Diagram};
use crate::plot::shape::Shape;
use crate::plot::{picture, svg};
use crate::text::Font;
use sinew::AnimationController;
use sinew::control::BlendMode;
use sinew::skelform::Image;

/// Steps up to which a chart is a diagram of boxes; more are drawn as bands.
pub const MAX_DIAGRAM_STEPS: usize = 12;

/// Which animations play and how much of each, step by step: why a pose looks as it does.
///
/// ```
/// use std::sync::Arc;
/// use sinew::{Animation, AnimationController, AnimationParameters, AnimationSet};
/// use sinew_draw::{ChartStep, WeightChart};
///
/// let mut set = AnimationSet::new();
/// let walk = set.add(Animation::new("walk", 1.0))?;
/// let set = Arc::new(set);
/// let mut controller = AnimationController::new(set.clone());
/// controller.play_new(AnimationParameters::new(&set, walk).looped(), 0.4)?;
/// let mut chart = WeightChart::default();
/// for step in 0..5 {
///     controller.update(if step == 0 { 0.0 } else { 0.1 });
///     chart.steps.push(ChartStep::of(&controller, f64::from(step) * 0.1));
/// }
/// let (width, height) = chart.natural_size();
/// let svg = chart.to_svg(width, height);
/// assert!(svg.contains("weight 0.50"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WeightChart {
    /// Above the chart; empty leaves it out.
    pub title: String,
    /// What plays at each moment, in the order of time.
    pub steps: Vec<ChartStep>,
    /// Commands, such as `play_new wave`.
    pub marks: Vec<ChartMark>,
    /// Triggers that fired.
    pub triggers: Vec<ChartTrigger>,
    /// Moments that are pointed at, in seconds: where a film is, or where pictures were taken.
    pub moments: Vec<f64>,
    /// Seconds that the time axis of bands shows; `None` is from the first step to the last.
    pub range: Option<(f64, f64)>,
    /// Animations whose colours come first, so that those of several charts agree; others follow as they
    /// begin.
    pub names: Vec<String>,
    /// Size of letters in pixels, brought to between 6 and 40.
    pub text_size: f32,
}

impl Default for WeightChart {
    fn default() -> Self {
        Self {
            title: String::new(),
            steps: Vec::new(),
            marks: Vec::new(),
            triggers: Vec::new(),
            moments: Vec::new(),
            range: None,
            names: Vec::new(),
            text_size: 12.0,
        }
    }
}

/// A moment: what plays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartStep {
    /// In seconds. A step whose time is not finite is left out.
    pub time: f64,
    /// What comes of it, such as `(0.5, 0.5, 0)`; written under the time in a diagram.
    pub result: String,
    /// In the order in which they are applied.
    pub playing: Vec<ChartAnimation>,
}

/// An animation that plays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartAnimation {
    /// What it is called. Animations of one name have one colour.
    pub name: String,
    /// Which of several that play it; written as `#1` from the second on.
    pub instance: u32,
    /// Layers are drawn apart, the highest on top.
    pub layer: u32,
    /// How much of it is seen; drawn from 0 to 1.
    pub weight: f32,
    /// Where it is, in seconds.
    pub time: f32,
    /// Whether it is added to what is there.
    pub is_additive: bool,
}

/// A command at a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartMark {
    /// In seconds.
    pub time: f64,
    /// What was done.
    pub label: String,
    /// The same in a word, for charts with little room; empty is the label.
    pub short: String,
}

/// A trigger that fired.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartTrigger {
    /// In seconds.
    pub time: f64,
    /// The animation that it belongs to.
    pub name: String,
    /// Which of several that play it.
    pub instance: u32,
    /// What it says.
    pub label: String,
}

impl ChartStep {
    /// What a controller plays, at a time.
    pub fn of(controller: &AnimationController, time: f64) -> Self {
        let set = controller.animation_set();
        let playing = controller.applied().map(|(_, own)| ChartAnimation {
            name: set.name(own.animation).unwrap_or_default().to_owned(),
            instance: own.instance_index,
            layer: own.layer,
            weight: own.weight,
            time: own.time.value(),
            is_additive: own.blend_mode == BlendMode::Additive,
        });
        Self {
            time,
            result: String::new(),
            playing: playing.collect(),
        }
    }
}

impl WeightChart {
    /// The size at which everything has room.
    pub fn natural_size(&self) -> (u32, u32) {
        let Some(font) = Font::builtin() else {
            return (1, 1);
        };
        if self.is_diagram() {
            Diagram::natural_size(self, &font)
        } else {
            let width = Bands::natural_width(self);
            (width, Bands::natural_height(self, &font, width as f32))
        }
    }

    /// The height at which a chart of this width has room for all rows.
    pub fn natural_height(&self, width: u32) -> u32 {
        match Font::builtin() {
            Some(font) if !self.is_diagram() => Bands::natural_height(self, &font, width as f32),
            _ => self.natural_size().1,
        }
    }

    /// Between which pixels from the left the time axis runs in a chart of this width; for a diagram between
    /// which its columns are.
    pub fn axis_pixels(&self, width: u32) -> (f32, f32) {
        match Font::builtin() {
            Some(font) if self.is_diagram() => Diagram::columns(self, &font, width as f32),
            Some(font) => Bands::axis_pixels(self, &font, width as f32),
            None => (0.0, width as f32),
        }
    }

    /// The chart as an SVG document for light pages, with a transparent background and no scripts, styles
    /// or fonts from elsewhere.
    pub fn to_svg(&self, width: u32, height: u32) -> String {
        svg::write(&self.lay_out(width, height), width, height)
    }

    /// The chart as a picture on white.
    pub fn to_image(&self, width: u32, height: u32) -> Image {
        picture::draw(&self.lay_out(width, height), width, height)
    }

    /// Points at a moment in a picture of the chart, as [`Self::moments`] does: for films, whose chart is drawn
    /// once.
    pub fn point_at(&self, image: &mut Image, time: f64) {
        let Some(font) = Font::builtin() else {
            return;
        };
        let (width, height) = (image.width() as f32, image.height() as f32);
        let shapes = if self.is_diagram() {
            Diagram::pointer(self, &font, width, height, time)
        } else {
            Bands::pointer(self, &font, width, height, time)
        };
        picture::draw_over(image, &shapes);
    }

    fn is_diagram(&self) -> bool {
        self.steps.len() <= MAX_DIAGRAM_STEPS
    }

    fn lay_out(&self, width: u32, height: u32) -> Vec<Shape> {
        let (Some(font), true) = (Font::builtin(), width > 0 && height > 0) else {
            return Vec::new();
        };
        let (width, height) = (width as f32, height as f32);
        if self.is_diagram() {
            Diagram::lay_out(self, &font, width, height)
        } else {
            Bands::lay_out(self, &font, width, height)
        }
    }

    /// Size of letters.
    pub(super) fn text(&self) -> f32 {
        if self.text_size.is_nan() {
            12.0
        } else {
            self.text_size.clamp(6.0, 40.0)
        }
    }

    /// Seconds that the time axis shows: finite, from low to high.
    pub(super) fn seconds(&self) -> (f64, f64) {
        let usable = |time: f64| time.abs() <= 1e9;
        let given = self.range.filter(|r| usable(r.0) && usable(r.1));
        let times = self
            .steps
            .iter()
            .map(|step| step.time)
            .filter(|t| usable(*t));
        let seen = times.fold(None, |seen, time| {
            let (low, high): (f64, f64) = seen.unwrap_or((time, time));
            Some((low.min(time), high.max(time)))
        });
        let (a, b) = given.or(seen).unwrap_or((0.0, 1.0));
        let (low, high) = (a.min(b), a.max(b));
        if high - low < 1e-6 {
            (low, low + 1.0)
        } else {
            (low, high)
        }
    }
}
