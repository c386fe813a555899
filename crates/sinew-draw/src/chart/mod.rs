//! What plays, how much of it, and when: the weights of a controller over time, as a figure.
//!
//! ```text
//! AnimationController ─ChartStep::of─▶ WeightChart ─layout─▶ shapes ─┬─svg─▶ String
//!                                                                     └─picture─▶ Image
//! ```
//!
//! A few steps are drawn as a diagram: a column per step, in it a box per playing animation, the one added
//! last on top, filled to its weight. Many steps are drawn as bands: a row per animation, filled to its weight
//! over time. Shapes and their two outputs are those of plots.
//!
//! | file | what it does |
//! |---|---|
//! | `data.rs` | what is charted |
//! | `rows.rs` | which animation is in which row |
//! | `diagram.rs` | few steps: boxes in columns |
//! | `bands.rs`, `scale.rs`, `labels.rs` | many steps: bands along a time axis, commands and triggers on them |

mod bands;
mod data;
mod diagram;
mod labels;
mod rows;
mod scale;

pub use data::{
    ChartAnimation, ChartMark, ChartStep, ChartTrigger, MAX_DIAGRAM_STEPS, WeightChart,
};
