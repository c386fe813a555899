//! Plots for documents and papers.
//!
//! ```text
//! Plot ─layout─▶ shapes in pixels ─┬─svg─▶ String
//!                                  └─picture─▶ Image
//! ```
//!
//! Both outputs draw the same shapes. A series of a hundred thousand points is first simplified to what its pixels can
//! show. Charts of weights ([`crate::WeightChart`]) use the same shapes.
//!
//! | file | what it does |
//! |---|---|
//! | `data.rs` | the data of a plot |
//! | `ticks.rs` | round numbers for axes |
//! | `axis.rs` | from values to pixels |
//! | `log.rs` | logarithmic axes |
//! | `thin.rs` | series to lines: gaps, simplification, clipping |
//! | `legend.rs`, `layout.rs` | layout |
//! | `bars.rs` | bar charts |
//! | `heat.rs`, `scale_colors.rs` | heat maps |
//! | `lanes.rs` | time ranges in lanes |
//! | `theme.rs` | light and dark pages |
//! | `page.rs` | several plots as one picture |
//! | `svg.rs`, `picture.rs` | shapes to SVG, shapes to pixels |

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
