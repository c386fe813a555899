//! What there is to see: figures made of bones, the paths of their joints, prints of their feet.
//!
//! Plain data in world space: metres, right-handed, y-up. Nothing is checked here; what is not finite
//! or absurdly far away is left out when it is measured or drawn.

use super::body::Body;
use super::bounds::bounds_of_balls;
use sinew::anatomy::Bounds;
use sinew::glam::Vec3;
use sinew::skeleton::Side;

/// What a bone looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoneShape {
    /// Thick at its joint, thin at its tip.
    #[default]
    Limb,
    /// An egg about the bone's outer half, never smaller than a head on such a body would be.
    Head,
}

/// One bone of one pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FigureBone {
    /// The joint that it turns about.
    pub from: Vec3,
    /// Its tip. A bone without length has no thickness either and is not seen.
    pub to: Vec3,
    /// Decides the colour.
    pub side: Side,
    /// Limb or head.
    pub shape: BoneShape,
}

impl FigureBone {
    /// A limb from joint to tip.
    pub fn new(from: Vec3, to: Vec3, side: Side) -> Self {
        Self {
            from,
            to,
            side,
            shape: BoneShape::Limb,
        }
    }

    /// The bone that carries the head, from neck to crown.
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
    /// Its bones in any order. How thick they are follows from their lengths, so that a body does not
    /// swell or shrink while it moves.
    pub bones: Vec<FigureBone>,
    /// From 0, unseen, to 1, solid; what is not a number counts as 0. Solid figures hide each other
    /// as bodies do; the others are drawn behind all solid ones, the farther the earlier.
    pub opacity: f32,
}

impl Figure {
    /// A solid figure.
    pub fn new(bones: Vec<FigureBone>) -> Self {
        Self {
            bones,
            opacity: 1.0,
        }
    }
}

impl Default for Figure {
    /// A solid figure without bones.
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

/// The path of a joint, oldest point first; it fades towards its old end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trail {
    /// Places in the order of time. One that is not finite leaves a gap.
    pub points: Vec<Vec3>,
    /// Decides the colour.
    pub side: Side,
}

/// Where a foot stood.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Footprint {
    /// The heel. Its height is the height of the print, which lies level.
    pub at: Vec3,
    /// The tip of the toes; its height is not used. A print without length is left out.
    pub toward: Vec3,
    /// Decides the colour and which foot it is the print of.
    pub side: Side,
}

/// Everything that a picture shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// Bodies; of those that are not solid and equally far away, the later are drawn over the earlier.
    pub figures: Vec<Figure>,
    /// Paths of joints.
    pub trails: Vec<Trail>,
    /// Prints on the ground.
    pub footprints: Vec<Footprint>,
    /// Height of the ground, which carries the grid and the shadows; `None` draws neither.
    pub ground: Option<f32>,
}

impl Stage {
    /// One figure on the ground.
    pub fn of(figure: Figure) -> Self {
        Self {
            figures: vec![figure],
            ground: Some(0.0),
            ..Self::default()
        }
    }

    /// A stroboscopic picture: poses of one motion in the order of time, the earlier the fainter, the
    /// last one solid, on the ground.
    pub fn stroboscopic(poses: impl IntoIterator<Item = Vec<FigureBone>>) -> Self {
        let mut figures: Vec<Figure> = poses.into_iter().map(Figure::new).collect();
        fade_by_age(&mut figures);
        Self {
            figures,
            ground: Some(0.0),
            ..Self::default()
        }
    }

    /// The box about everything, with the thickness of the bones; `None` when there is nothing.
    /// Ground has no end and does not count, nor does what is not finite or absurdly far away.
    pub fn bounds(&self) -> Option<Bounds> {
        bounds_of_balls(self.balls())
    }

    /// Balls that everything on the stage is in or between; places are balls without radius.
    pub(crate) fn balls(&self) -> impl Iterator<Item = (Vec3, f32)> {
        let solids = self
            .figures
            .iter()
            .flat_map(|figure| Body::of(figure).solids);
        let balls = solids.flat_map(|s| [(s.from, s.from_radius), (s.to, s.to_radius)]);
        let prints = self.footprints.iter().flat_map(|p| [p.at, p.toward]);
        let paths = self.trails.iter().flat_map(|t| t.points.iter().copied());
        balls.chain(prints.chain(paths).map(|point| (point, 0.0)))
    }
}

/// Faintest figure of a stroboscopic picture: just enough to be told from the grid.
const FAINTEST: f32 = 0.14;

/// The last but one figure of a stroboscopic picture; the step to the solid one sets that apart.
const FAINT: f32 = 0.55;

/// Sets the opacities of figures in the order of time: from faint to half there, the last one solid.
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
            at: Vec3::new(0.0, 0.0, -7.0),
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
