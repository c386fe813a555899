//! Curves over time, as a figure for a page or a paper.
//!
//! ```text
//! Plot ─layout─▶ shapes in pixels ─┬─svg─▶ String
//!                                  └─picture─▶ Image
//! ```
//!
//! Both outputs draw the same shapes, so they agree on every line. A series of a hundred thousand
//! points is thinned to what its pixels can show before anything is drawn.
//!
//! | file | what it does |
//! |---|---|
//! | `data.rs` | what is plotted |
//! | `ticks.rs` | round numbers for axes |
//! | `axis.rs` | from values to pixels |
//! | `thin.rs` | series to lines: gaps, thinning, clipping |
//! | `legend.rs`, `layout.rs` | where everything goes |
//! | `svg.rs`, `picture.rs` | shapes to text, shapes to pixels |

mod axis;
mod data;
mod layout;
mod legend;
mod picture;
mod shape;
mod svg;
mod thin;
mod ticks;

pub use data::{Band, Marker, Plot, Series};
