//! The data of a chart.

use super::{bands::Bands, diagram::Diagram};
use crate::plot::shape::Shape;
use crate::plot::{picture, svg};
use crate::text::Font;
use sinew::AnimationController;
use sinew::control::BlendMode;
use sinew::skelform::Image;

/// The largest number of steps drawn as a diagram of boxes; more are drawn as bands.
pub const MAX_DIAGRAM_STEPS: usize = 12;

/// A chart of the playing animations of a controller and their weights over time.
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
    /// Title above the chart; omitted if empty.
    pub title: String,
    /// The playing animations at each time, sorted by time.
    pub steps: Vec<ChartStep>,
    /// Commands, such as `play_new wave`.
    pub marks: Vec<ChartMark>,
    /// Triggers that fired.
    pub triggers: Vec<ChartTrigger>,
    /// Marked times in seconds: the current time of a film, or the times of pictures.
    pub moments: Vec<f64>,
    /// Range of the time axis of bands in seconds; `None` is from the first step to the last.
    pub range: Option<(f64, f64)>,
    /// Animations whose colours are assigned first, so that several charts agree; others follow in order of appearance.
    pub names: Vec<String>,
    /// Text size in pixels, clamped to 6 to 40.
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

/// The playing animations at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartStep {
    /// Time in seconds. A step whose time is not finite is ignored.
    pub time: f64,
    /// The resulting value, such as `(0.5, 0.5, 0)`; shown below the time in a diagram.
    pub result: String,
    /// In the order of application.
    pub playing: Vec<ChartAnimation>,
}

/// A playing animation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartAnimation {
    /// The name. Animations of the same name have the same colour.
    pub name: String,
    /// Index among instances of the same animation; shown as `#1` from the second on.
    pub instance: u32,
    /// The layer. Layers are drawn separately, the highest on top.
    pub layer: u32,
    /// The weight; drawn from 0 to 1.
    pub weight: f32,
    /// The time in the animation, in seconds.
    pub time: f32,
    /// Whether it is additive.
    pub is_additive: bool,
}

/// A command at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartMark {
    /// Time in seconds.
    pub time: f64,
    /// The text of the command.
    pub label: String,
    /// A one-word form for narrow charts; if empty, the label is used.
    pub short: String,
}

/// A trigger that fired.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartTrigger {
    /// Time in seconds.
    pub time: f64,
    /// The name of its animation.
    pub name: String,
    /// Index among instances of the same animation.
    pub instance: u32,
    /// The text of the trigger.
    pub label: String,
}

impl ChartStep {
    /// Returns the playing animations of a controller, at a time.
    pub fn of(controller: &AnimationController, time: f64) -> Self {
        let set = controller.animation_set();
        let playing = controller
            .application_order()
            .map(|(_, animation)| ChartAnimation {
                name: set.name(animation.animation).unwrap_or_default().to_owned(),
                instance: animation.instance_index,
                layer: animation.layer,
                weight: animation.weight,
                time: animation.time.value(),
                is_additive: animation.blend_mode == BlendMode::Additive,
            });
        Self {
            time,
            result: String::new(),
            playing: playing.collect(),
        }
    }
}

impl WeightChart {
    /// Returns the size at which everything fits.
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

    /// Returns the height at which all rows fit a chart of this width.
    pub fn natural_height(&self, width: u32) -> u32 {
        match Font::builtin() {
            Some(font) if !self.is_diagram() => Bands::natural_height(self, &font, width as f32),
            _ => self.natural_size().1,
        }
    }

    /// Returns the start and end of the time axis, in pixels from the left, in a chart of this width; for a diagram
    /// those of its columns.
    pub fn axis_pixels(&self, width: u32) -> (f32, f32) {
        match Font::builtin() {
            Some(font) if self.is_diagram() => Diagram::columns(self, &font, width as f32),
            Some(font) => Bands::axis_pixels(self, &font, width as f32),
            None => (0.0, width as f32),
        }
    }

    /// Returns the chart as an SVG document for light pages, with a transparent background and no scripts, styles or
    /// external fonts.
    pub fn to_svg(&self, width: u32, height: u32) -> String {
        svg::write(&self.lay_out(width, height), width, height)
    }

    /// Returns the chart as a picture on white.
    pub fn to_image(&self, width: u32, height: u32) -> Image {
        picture::draw(&self.lay_out(width, height), width, height)
    }

    /// Marks a time in a picture of the chart, like [`Self::moments`]: for films, which draw the chart once.
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

    /// Returns the text size.
    pub(super) fn text(&self) -> f32 {
        if self.text_size.is_nan() {
            12.0
        } else {
            self.text_size.clamp(6.0, 40.0)
        }
    }

    /// Returns the range of the time axis in seconds: finite and ascending.
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
