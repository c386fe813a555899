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
//! | `thin.rs` | series to lines: gaps, thinning, clipping |
//! | `legend.rs`, `layout.rs` | where everything goes |
//! | `svg.rs`, `picture.rs` | shapes to text, shapes to pixels |

pub(crate) mod axis;
mod data;
pub(crate) mod layout;
mod legend;
pub(crate) mod picture;
pub(crate) mod shape;
pub(crate) mod svg;
mod thin;
pub(crate) mod ticks;

pub use data::{Band, Marker, Plot, Series};
