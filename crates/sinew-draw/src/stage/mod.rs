//! 3D stick figures on a stage, rendered in software.
//!
//! ```text
//! figures, trails, footprints ─▶ Stage ┐
//! ViewAngle, bounds ─▶ Camera ─────────┼─draw_stage─▶ Image
//! Background ─▶ StageStyle ────────────┘
//! ```
//!
//! Input is plain data in world space, metres, right-handed and y-up; the caller converts its poses to bones. Bones are
//! tapered solids with exact depth, lit from the upper left, on a grid with soft shadows.
//!
//! | file | what it does |
//! |---|---|
//! | `scene.rs`, `bounds.rs` | the contents of a stage |
//! | `camera.rs`, `lens.rs` | the camera; projection from world to pixels |
//! | `style.rs` | colours and light |
//! | `body.rs` | bones to solids: thickness |
//! | `cone.rs` | ray casting of a solid |
//! | `paint.rs`, `canvas.rs` | figures and everything else as pixels |
//! | `ground.rs`, `shadow.rs`, `print.rs`, `trail.rs` | the surroundings of figures |
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
