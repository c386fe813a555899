//! What is plotted.

use super::{layout, picture, svg};
use sinew::skelform::Image;

/// Curves over a common axis. Anything may be empty: a plot without points shows its axes from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Above the plot; empty leaves it out, as for the labels.
    pub title: String,
    /// Below the horizontal axis, with its unit: `time (s)`.
    pub x_label: String,
    /// Beside the vertical axis, with its unit: `height (m)`.
    pub y_label: String,
    /// The curves, drawn in this order. Twelve colours, then the same ones dashed.
    pub series: Vec<Series>,
    /// Stretches of the horizontal axis during which something holds, such as a foot's contact.
    pub bands: Vec<Band>,
    /// Moments, as thin vertical lines.
    pub markers: Vec<Marker>,
    /// Values that matter, as dashed horizontal lines.
    pub levels: Vec<Level>,
    /// What the vertical axis shows; `None` is what the points and levels need. Curves are cut off at its
    /// ends.
    pub y_range: Option<(f64, f64)>,
    /// How the horizontal axis is divided.
    pub x_scale: Scale,
    /// How the vertical axis is divided.
    pub y_scale: Scale,
    /// Whether every point has a dot: for few of them that were measured one by one.
    pub has_dots: bool,
}

/// How an axis is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally far apart.
    #[default]
    Linear,
    /// Equal ratios are equally far apart. What is not above 0 leaves a gap.
    Log,
}

/// One curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// What the legend calls it; empty leaves it out of the legend.
    pub name: String,
    /// x and y in the order that they are joined in. A point that is not finite, or beyond ±10³⁰⁰,
    /// leaves a gap.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// A named curve.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self {
            name: name.into(),
            points,
        }
    }
}

/// Stretches of the horizontal axis: shaded, and as bars in a lane of their own above the curves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    /// What the legend calls it.
    pub name: String,
    /// From and to, in any order; what is not finite is left out.
    pub spans: Vec<(f64, f64)>,
}

/// A moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marker {
    /// Where on the horizontal axis; outside of it, it is left out.
    pub x: f64,
    /// Written beside the line.
    pub label: String,
}

/// A value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// Where on the vertical axis; outside of it, it is left out.
    pub y: f64,
    /// Written above the line's right end.
    pub label: String,
}

impl Plot {
    /// The plot as an SVG document for light pages, with a transparent background and no scripts,
    /// styles or fonts from elsewhere.
    pub fn to_svg(&self, width: u32, height: u32) -> String {
        svg::write(&layout::lay_out(self, width, height), width, height)
    }

    /// The plot as a picture on white.
    pub fn to_image(&self, width: u32, height: u32) -> Image {
        picture::draw(&layout::lay_out(self, width, height), width, height)
    }
}
