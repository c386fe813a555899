//! The data of a plot.

use super::{layout, picture, svg};
use sinew::skelform::Image;

/// Curves over a common axis. Every list may be empty: a plot without points shows its axes from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Title above the plot; omitted if empty, like the labels.
    pub title: String,
    /// Label below the horizontal axis, with its unit: `time (s)`.
    pub x_label: String,
    /// Label beside the vertical axis, with its unit: `height (m)`.
    pub y_label: String,
    /// The curves, in drawing order. There are twelve colours, repeated with dashes.
    pub series: Vec<Series>,
    /// Ranges of the horizontal axis, such as foot contacts.
    pub bands: Vec<Band>,
    /// Marked x values, as thin vertical lines.
    pub markers: Vec<Marker>,
    /// Marked y values, as dashed horizontal lines.
    pub levels: Vec<Level>,
    /// Range of the vertical axis; `None` fits the points and levels. Curves are clipped to it.
    pub y_range: Option<(f64, f64)>,
    /// Scale of the horizontal axis.
    pub x_scale: Scale,
    /// Scale of the vertical axis.
    pub y_scale: Scale,
    /// Whether every point has a dot: for a few measured points.
    pub has_dots: bool,
}

/// The scale of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Linear.
    #[default]
    Linear,
    /// Logarithmic. Values not above 0 leave a gap.
    Log,
}

/// One curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name in the legend; if empty, the curve is not listed.
    pub name: String,
    /// x and y in drawing order. A point that is not finite, or beyond ±10³⁰⁰, leaves a gap.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// Creates a named curve.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self {
            name: name.into(),
            points,
        }
    }
}

/// Ranges of the horizontal axis: shaded, and as bars in a lane above the curves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    /// Name in the legend.
    pub name: String,
    /// Start and end, in any order; non-finite spans are ignored.
    pub spans: Vec<(f64, f64)>,
}

/// A marked x value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marker {
    /// Position on the horizontal axis; ignored if outside.
    pub x: f64,
    /// Label beside the line.
    pub label: String,
}

/// A marked y value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// Position on the vertical axis; ignored if outside.
    pub y: f64,
    /// Label above the line's right end.
    pub label: String,
}

impl Plot {
    /// Returns the plot as an SVG document for light pages, with a transparent background and no scripts, styles or
    /// external fonts.
    pub fn to_svg(&self, width: u32, height: u32) -> String {
        svg::write(&layout::lay_out(self, width, height), width, height)
    }

    /// Returns the plot as a picture on white.
    pub fn to_image(&self, width: u32, height: u32) -> Image {
        picture::draw(&layout::lay_out(self, width, height), width, height)
    }
}
