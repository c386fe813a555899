//! The weights of a controller over time, as a figure.
//!
//! ```text
//! AnimationController ─ChartStep::of─▶ WeightChart ─layout─▶ shapes ─┬─svg─▶ String
//!                                                                     └─picture─▶ Image
//! ```
//!
//! A few steps are drawn as a diagram: a column per step with a box per playing animation, the last one added on top,
//! filled to its weight. Many steps are drawn as bands: a row per animation, filled to its weight over time. Shapes and
//! their two outputs are shared with plots.
//!
//! | file | what it does |
//! |---|---|
//! | `data.rs` | the data of a chart |
//! | `rows.rs` | the row of each animation |
//! | `diagram.rs` | few steps: boxes in columns |
//! | `bands.rs`, `scale.rs`, `labels.rs` | many steps: bands along a time axis, with commands and triggers |

mod bands;
mod data;
mod diagram;
mod labels;
mod rows;
mod scale;

pub use data::{
    ChartAnimation, ChartMark, ChartStep, ChartTrigger, MAX_DIAGRAM_STEPS, WeightChart,
};
