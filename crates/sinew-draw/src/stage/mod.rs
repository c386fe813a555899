//! Motion in three dimensions: stick figures on a stage, in software.
//!
//! ```text
//! figures, trails, footprints ─▶ Stage ┐
//! ViewAngle, bounds ─▶ Camera ─────────┼─draw_stage─▶ Image
//! Background ─▶ StageStyle ────────────┘
//! ```
//!
//! Input is plain data in world space, metres, right-handed and y-up; a caller turns whatever poses it
//! has into bones. Bones are tapered solids with exact depth, lit from the upper left; they stand on a
//! grid and cast soft shadows.
//!
//! | file | what it does |
//! |---|---|
//! | `scene.rs`, `bounds.rs` | what there is to see |
//! | `camera.rs`, `lens.rs` | where it is seen from; from the world to pixels |
//! | `style.rs` | colours and light |
//! | `body.rs` | bones to solids: how thick they are |
//! | `cone.rs` | what a pixel sees of a solid |
//! | `paint.rs`, `canvas.rs` | figures and everything else as pixels |
//! | `ground.rs`, `shadow.rs`, `print.rs`, `trail.rs` | what is around the figures |
//! | `draw.rs` | all of it in order |

mod body;
mod bounds;
mod camera;
mod canvas;
mod cone;
mod draw;
mod figure_for;
mod ground;
mod lens;
mod outline;
mod paint;
mod print;
mod scene;
mod shadow;
mod style;
mod trail;

pub use camera::{Camera, ViewAngle};
pub use draw::draw_stage;
pub use figure_for::{figure_below, figure_for};
pub use scene::{BoneShape, Figure, FigureBone, Footprint, Stage, Trail, fade_by_age};
pub use style::{Light, StageStyle};
