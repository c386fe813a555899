//! Curves over time, as a figure for a page or a paper.
//!
//! ```text
//! Plot ─layout─▶ shapes in pixels ─┬─svg─▶ String
//!                                  └─picture─▶ Image
//! ```
//!
//! Both outputs draw the same shapes, so they agree on every line. A series of a hundred thousand
//! points is thinned to what its pixels can show before anything is drawn. Charts of weights
//! ([`crate::WeightChart`]) are made of the same shapes.
//!
//! | file | what it does |
//! |---|---|
//! | `data.rs` | what is plotted |
//! | `ticks.rs` | round numbers for axes |
//! | `axis.rs` | from values to pixels |
//! | `log.rs` | axes of equal ratios |
//! | `thin.rs` | series to lines: gaps, thinning, clipping |
//! | `legend.rs`, `layout.rs` | where everything goes |
//! | `bars.rs` | amounts of things with names, as bars |
//! | `heat.rs`, `scale_colors.rs` | numbers over two axes, as colours |
//! | `lanes.rs` | stretches of time in lanes |
//! | `theme.rs` | light and dark pages |
//! | `page.rs` | several plots as one picture |
//! | `svg.rs`, `picture.rs` | shapes to text, shapes to pixels |

pub(crate) mod axis;
mod bars;
mod data;
mod heat;
mod lanes;
pub(crate) mod layout;
mod legend;
mod log;
mod page;
pub(crate) mod picture;
mod scale_colors;
pub(crate) mod shape;
pub(crate) mod svg;
pub(crate) mod theme;
mod thin;
pub(crate) mod ticks;

pub use bars::{Bar, Bars};
pub use data::{Band, Level, Marker, Plot, Scale, Series};
pub use heat::{HeatLine, HeatMap};
pub use lanes::{Lane, LaneSpan, Lanes};
pub use page::{PageRow, Panel, PlotPage};
pub use theme::Theme;
