//! The contents of a stage: figures of bones, trails of joints, footprints.
//!
//! Plain data in world space: metres, right-handed, y-up. Nothing is checked here; values that are not finite or too
//! far away are ignored when measured or drawn.

use super::body::Body;
use super::bounds::bounds_of_balls;
use sinew::anatomy::Bounds;
use sinew::glam::Vec3;
use sinew::skeleton::Side;

/// The shape of a bone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoneShape {
    /// Thick at its joint, thin at its tip.
    #[default]
    Limb,
    /// An egg around the bone's outer half, with a minimum size relative to the body.
    Head,
}

/// One bone of one pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FigureBone {
    /// Its joint.
    pub from: Vec3,
    /// Its tip. A bone without length is not visible.
    pub to: Vec3,
    /// The side, which sets the colour.
    pub side: Side,
    /// Limb or head.
    pub shape: BoneShape,
}

impl FigureBone {
    /// Creates a limb from joint to tip.
    pub fn new(from: Vec3, to: Vec3, side: Side) -> Self {
        Self {
            from,
            to,
            side,
            shape: BoneShape::Limb,
        }
    }

    /// Creates the bone of the head, from neck to crown.
    pub fn head(from: Vec3, to: Vec3) -> Self {
        Self {
            from,
            to,
            side: Side::Middle,
            shape: BoneShape::Head,
        }
    }
}

/// One body in one pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its bones in any order. Their thickness depends only on their lengths, so it is constant during a motion.
    pub bones: Vec<FigureBone>,
    /// From 0, invisible, to 1, solid; NaN counts as 0. Solid figures occlude each other; translucent ones are drawn
    /// behind all solid ones, far to near.
    pub opacity: f32,
}

impl Figure {
    /// Creates a solid figure.
    pub fn new(bones: Vec<FigureBone>) -> Self {
        Self {
            bones,
            opacity: 1.0,
        }
    }
}

impl Default for Figure {
    /// Returns a solid figure without bones.
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

/// The path of a joint, oldest point first; it fades towards its old end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trail {
    /// Positions in order of time. One that is not finite leaves a gap.
    pub points: Vec<Vec3>,
    /// The side, which sets the colour.
    pub side: Side,
}

/// A footprint of a planted foot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Footprint {
    /// The heel. Its height is the height of the print, which is horizontal.
    pub heel: Vec3,
    /// The tip of the toes; its height is ignored. A print without length is ignored.
    pub toe: Vec3,
    /// The side, which sets the colour and the foot.
    pub side: Side,
}

/// The contents of a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// Figures; among translucent ones at equal distance, later ones are drawn over earlier ones.
    pub figures: Vec<Figure>,
    /// Trails of joints.
    pub trails: Vec<Trail>,
    /// Footprints on the ground.
    pub footprints: Vec<Footprint>,
    /// Height of the ground with the grid and the shadows; `None` draws neither.
    pub ground: Option<f32>,
}

impl Stage {
    /// Creates a stage with one figure on the ground.
    pub fn of(figure: Figure) -> Self {
        Self {
            figures: vec![figure],
            ground: Some(0.0),
            ..Self::default()
        }
    }

    /// Creates a stroboscopic picture: poses of one motion in order of time, on the ground, the earlier the fainter,
    /// the last one solid.
    pub fn stroboscopic(poses: impl IntoIterator<Item = Vec<FigureBone>>) -> Self {
        let mut figures: Vec<Figure> = poses.into_iter().map(Figure::new).collect();
        fade_by_age(&mut figures);
        Self {
            figures,
            ground: Some(0.0),
            ..Self::default()
        }
    }

    /// Returns the bounding box of everything, with the thickness of the bones; `None` if the stage is empty. The
    /// infinite ground is not included, nor are values that are not finite or too far away.
    pub fn bounds(&self) -> Option<Bounds> {
        bounds_of_balls(self.balls())
    }

    /// Returns spheres whose hull contains everything on the stage; points are spheres of radius 0.
    pub(crate) fn balls(&self) -> impl Iterator<Item = (Vec3, f32)> {
        let solids = self
            .figures
            .iter()
            .flat_map(|figure| Body::of(figure).solids);
        let balls = solids.flat_map(|s| [(s.from, s.from_radius), (s.to, s.to_radius)]);
        let prints = self.footprints.iter().flat_map(|p| [p.heel, p.toe]);
        let paths = self.trails.iter().flat_map(|t| t.points.iter().copied());
        balls.chain(prints.chain(paths).map(|point| (point, 0.0)))
    }
}

/// Opacity of the faintest figure of a stroboscopic picture: just distinguishable from the grid.
const FAINTEST: f32 = 0.14;

/// Opacity of the last but one figure of a stroboscopic picture; the step to the solid one emphasizes the last.
const FAINT: f32 = 0.55;

/// Sets the opacities of figures in order of time: from faint to half opaque, the last one solid.
pub fn fade_by_age(figures: &mut [Figure]) {
    let Some((last, earlier)) = figures.split_last_mut() else {
        return;
    };
    last.opacity = 1.0;
    let steps = earlier.len().saturating_sub(1).max(1) as f32;
    let only_one = earlier.len() == 1;
    for (i, figure) in earlier.iter_mut().enumerate() {
        let age = if only_one { 1.0 } else { i as f32 / steps };
        figure.opacity = FAINTEST + (FAINT - FAINTEST) * age * age;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_stage_has_no_bounds() {
        assert_eq!(Stage::default().bounds(), None);
        assert_eq!(Stage::of(Figure::default()).bounds(), None);
    }

    #[test]
    fn bounds_leave_out_what_is_not_finite() {
        let bad = FigureBone::new(Vec3::ZERO, Vec3::new(f32::NAN, 1.0, 0.0), Side::Left);
        let good = FigureBone::new(Vec3::ZERO, Vec3::Y, Side::Middle);
        let alone = Stage::of(Figure::new(vec![good])).bounds();
        assert!(alone.is_some());
        assert_eq!(Stage::of(Figure::new(vec![bad, good])).bounds(), alone);
    }

    #[test]
    fn bounds_hold_bones_with_their_thickness_trails_and_prints() {
        let mut stage = Stage::of(Figure::new(vec![FigureBone::new(
            Vec3::ZERO,
            Vec3::Y,
            Side::Middle,
        )]));
        let bounds = stage.bounds().expect("there is a bone");
        assert!(bounds.min.x < 0.0 && bounds.max.y > 1.0);
        stage.trails.push(Trail {
            points: vec![Vec3::new(5.0, 0.0, 0.0), Vec3::splat(f32::INFINITY)],
            side: Side::Left,
        });
        stage.footprints.push(Footprint {
            heel: Vec3::new(0.0, 0.0, -7.0),
            ..Footprint::default()
        });
        let bounds = stage.bounds().expect("there is a bone");
        assert_eq!((bounds.max.x, bounds.min.z), (5.0, -7.0));
    }

    #[test]
    fn earlier_poses_are_fainter_and_the_last_is_solid() {
        let stage = Stage::stroboscopic(vec![Vec::new(); 5]);
        let opacities: Vec<f32> = stage.figures.iter().map(|f| f.opacity).collect();
        assert!(opacities.is_sorted() && opacities[0] > 0.0 && opacities[4] == 1.0);
        let two = Stage::stroboscopic(vec![Vec::new(); 2]);
        assert_eq!(two.figures[0].opacity, FAINT);
        assert!(Stage::stroboscopic(Vec::new()).figures.is_empty());
    }
}
