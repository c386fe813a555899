//! The camera of a stage.
//!
//! Input: points, a direction and a picture's size → output: a [`Camera`] that shows them as large as possible. The fit
//! is exact: each side of the picture is a plane through the eye, and the nearest eye with all points inside all four
//! planes has a closed form.

use super::bounds::drawable;
use super::scene::Stage;
use sinew::anatomy::Bounds;
use sinew::glam::Vec3;

/// Field of view of fitted cameras: a portrait lens, which keeps bodies undistorted.
const PORTRAIT: f32 = 0.44;

/// The largest size ratio of the nearest to the farthest things before a longer lens is used: seen from above, heads
/// must not hide the bodies below them.
const MOST_FORESHORTENING: f32 = 1.7;

/// The field of view of the longest lens. What is still foreshortened then is deep, not near.
const LONGEST_LENS: f32 = 0.12;

/// The smallest visible extent in metres: a camera that fits a single point would be inside it.
const LEAST_EXTENT: f32 = 1e-3;

/// The side from which a body is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ViewAngle {
    /// From the front, slightly from above.
    Front,
    /// From the body's right, slightly from above: forward is to the right in the picture.
    Side,
    /// From the front and the body's right, somewhat from above.
    #[default]
    ThreeQuarter,
    /// From straight above; forward is to the right in the picture.
    Top,
}

impl ViewAngle {
    /// Returns the unit direction from a body that faces `forward` to the camera.
    ///
    /// Only the ground component of `forward` counts; without one it is +z.
    pub fn direction(self, forward: Vec3) -> Vec3 {
        let level = Vec3::new(forward.x, 0.0, forward.z);
        let forward = level.try_normalize().unwrap_or(Vec3::Z);
        let right = forward.cross(Vec3::Y);
        let toward = match self {
            Self::Front => forward + Vec3::Y * 0.20,
            Self::Side => right + Vec3::Y * 0.20,
            Self::ThreeQuarter => forward * 0.80 + right * 0.72 + Vec3::Y * 0.42,
            // Slightly off the vertical, so that the right side determines the up direction.
            Self::Top => right * 1e-3 + Vec3::Y,
        };
        toward.normalize()
    }
}

/// A pinhole camera. It need not be level; if a value is not finite or the eye equals the target, only the background
/// is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Its position in metres.
    pub eye: Vec3,
    /// The point at the centre of the picture. Its distance also sets the scale of things without their own size: the
    /// grid spacing and the depth over which limbs fade.
    pub target: Vec3,
    /// The up direction of the picture; its component perpendicular to the line of sight counts.
    pub up: Vec3,
    /// Vertical field of view in radians, above 0 and below π.
    pub field_of_view: f32,
}

impl Camera {
    /// Returns the camera that shows a box, from the given side of a body that faces +z, as large as possible with
    /// `margin` pixels to the edges.
    ///
    /// A margin that leaves no room is reduced. Without finite bounds it shows a cubic metre around the origin.
    pub fn framing(
        bounds: Option<Bounds>,
        angle: ViewAngle,
        width: u32,
        height: u32,
        margin: f32,
    ) -> Self {
        let corners = bounds.map(|b| b.corners());
        let points = corners.into_iter().flatten();
        Self::framing_points(points, angle.direction(Vec3::Z), width, height, margin)
    }

    /// Like [`Self::framing`], closer: it fits the contents of the stage instead of their bounding box.
    pub fn framing_stage(
        stage: &Stage,
        direction: Vec3,
        width: u32,
        height: u32,
        margin: f32,
    ) -> Self {
        Self::framing_balls(stage.balls(), direction, width, height, margin)
    }

    /// Returns the camera that shows points as large as possible with `margin` pixels to the edges; `direction` leads
    /// from them to the camera (see [`ViewAngle::direction`]).
    ///
    /// Points that are not finite are ignored. For a film, pass the points of all its pictures.
    pub fn framing_points(
        points: impl IntoIterator<Item = Vec3>,
        direction: Vec3,
        width: u32,
        height: u32,
        margin: f32,
    ) -> Self {
        let balls = points.into_iter().map(|point| (point, 0.0));
        Self::framing_balls(balls, direction, width, height, margin)
    }

    fn framing_balls(
        balls: impl IntoIterator<Item = (Vec3, f32)>,
        direction: Vec3,
        width: u32,
        height: u32,
        margin: f32,
    ) -> Self {
        let back = direction
            .is_finite()
            .then(|| direction.try_normalize())
            .flatten()
            .unwrap_or_else(|| ViewAngle::default().direction(Vec3::Z));
        let balls = balls.into_iter();
        let mut balls: Vec<_> = balls
            .filter(|&(center, radius)| drawable(center) && radius.is_finite())
            .collect();
        if balls.is_empty() {
            let cube = Bounds {
                min: Vec3::splat(-0.5),
                max: Vec3::splat(0.5),
            };
            balls.extend(cube.corners().map(|corner| (corner, 0.0)));
        }
        let inner = |side: u32| {
            let side = side.max(1) as f32;
            // At least a tenth is left; NaN counts as no margin.
            (side - 2.0 * margin.max(0.0)).max(side * 0.1) / side
        };
        let aspect = width.max(1) as f32 / height.max(1) as f32;
        let room = (aspect * inner(width), inner(height));
        let mut angle = PORTRAIT;
        loop {
            let fit = Fit::new(&balls, back, room, angle);
            if fit.foreshortening() <= MOST_FORESHORTENING || angle < LONGEST_LENS {
                return fit.camera(back, angle);
            }
            angle *= 0.8;
        }
    }

    /// Returns the camera moved to look at `point`, with the same distance and direction. To follow a body, use its
    /// position on the ground, so that the picture does not bob.
    pub fn looking_at(self, point: Vec3) -> Self {
        Self {
            eye: self.eye + (point - self.target),
            target: point,
            ..self
        }
    }
}

/// The nearest eye that sees everything at a field of view.
struct Fit {
    across: Wedge,
    along: Wedge,
    /// Positions of the farthest point, the nearest point and the eye along the direction to the camera.
    farthest: f32,
    nearest: f32,
    eye: f32,
}

impl Fit {
    /// `room` is the width and height of the picture without its margins, relative to its height.
    fn new(balls: &[(Vec3, f32)], back: Vec3, room: (f32, f32), angle: f32) -> Self {
        let (right, up) = axes(back, Vec3::Y);
        let half = libm::tanf(angle * 0.5);
        let mut across = Wedge::new(half * room.0);
        let mut along = Wedge::new(half * room.1);
        let (mut farthest, mut nearest) = (f32::INFINITY, f32::NEG_INFINITY);
        for &(center, radius) in balls {
            let near = center.dot(back);
            across.hold(center.dot(right), near, radius);
            along.hold(center.dot(up), near, radius);
            farthest = farthest.min(near - radius);
            nearest = nearest.max(near + radius);
        }
        // The eye stays in front of everything, whatever the wedges give.
        let clear = nearest + ((nearest - farthest) * 0.1).max(LEAST_EXTENT);
        Self {
            eye: across.nearest_eye().max(along.nearest_eye()).max(clear),
            across,
            along,
            farthest,
            nearest,
        }
    }

    /// Returns the size ratio of near to far things.
    fn foreshortening(&self) -> f32 {
        (self.eye - self.farthest) / (self.eye - self.nearest)
    }

    fn camera(&self, back: Vec3, angle: f32) -> Camera {
        let (right, up) = axes(back, Vec3::Y);
        let aside = right * self.across.middle(self.eye) + up * self.along.middle(self.eye);
        let middle = (self.farthest + self.nearest) * 0.5;
        Camera {
            eye: aside + back * self.eye,
            target: aside + back * middle,
            up,
            field_of_view: angle,
        }
    }
}

/// Returns the picture's right and up for a direction to the camera.
pub(crate) fn axes(back: Vec3, up: Vec3) -> (Vec3, Vec3) {
    let right = up.cross(back).try_normalize();
    // Looking along `up`, any perpendicular direction is valid.
    let right = right.unwrap_or_else(|| back.any_orthonormal_vector());
    (right, back.cross(right))
}

/// Two planes through the eye, left and right or above and below, and the extent between them.
struct Wedge {
    slope: f32,
    /// Minimum of position − slope · nearness, maximum of position + slope · nearness.
    low: f32,
    high: f32,
}

impl Wedge {
    fn new(slope: f32) -> Self {
        Self {
            slope,
            low: f32::INFINITY,
            high: f32::NEG_INFINITY,
        }
    }

    /// Extends the wedge to a sphere.
    fn hold(&mut self, position: f32, near: f32, radius: f32) {
        // The planes touch a sphere at an angle.
        let aside = radius * (1.0 + self.slope * self.slope).sqrt();
        self.low = self.low.min(position - self.slope * near - aside);
        self.high = self.high.max(position + self.slope * near + aside);
    }

    /// Returns the smallest position of the eye along the direction to the camera.
    fn nearest_eye(&self) -> f32 {
        (self.high - self.low) / (2.0 * self.slope)
    }

    /// Returns the eye's position between the planes that leaves equal margins.
    fn middle(&self, eye: f32) -> f32 {
        let (low, high) = (self.high - self.slope * eye, self.low + self.slope * eye);
        (low + high) * 0.5
    }
}

#[cfg(test)]
mod tests {
    use super::super::lens::Lens;
    use super::*;

    const ANGLES: [ViewAngle; 4] = [
        ViewAngle::Front,
        ViewAngle::Side,
        ViewAngle::ThreeQuarter,
        ViewAngle::Top,
    ];

    fn bounds() -> Bounds {
        Bounds {
            min: Vec3::new(-0.4, 0.0, -1.0),
            max: Vec3::new(0.6, 1.8, 3.0),
        }
    }

    /// Returns the pixels of the box's corners: smallest and largest, horizontal and vertical.
    fn extremes(camera: &Camera, width: u32, height: u32) -> [f32; 4] {
        let lens = Lens::new(camera, width, height).expect("it is a camera");
        let pixels = bounds().corners().map(|c| lens.pixel(lens.view(c)));
        let most = |values: [f32; 8]| {
            let low = values.into_iter().fold(f32::INFINITY, f32::min);
            (low, values.into_iter().fold(f32::NEG_INFINITY, f32::max))
        };
        let (x, y) = (most(pixels.map(|p| p.x)), most(pixels.map(|p| p.y)));
        [x.0, x.1, y.0, y.1]
    }

    #[test]
    fn a_framed_box_touches_the_margin_on_two_opposite_sides_and_crosses_none() {
        for angle in ANGLES {
            for (width, height) in [(300, 200), (100, 400)] {
                let camera = Camera::framing(Some(bounds()), angle, width, height, 10.0);
                let [left, right, top, bottom] = extremes(&camera, width, height);
                let (w, h) = (width as f32, height as f32);
                let gaps = [left - 10.0, w - 10.0 - right, top - 10.0, h - 10.0 - bottom];
                assert!(gaps.iter().all(|&g| g > -0.05), "{angle:?}: {gaps:?}");
                let touches = |a: f32, b: f32| a < 0.05 && b < 0.05;
                assert!(touches(gaps[0], gaps[1]) || touches(gaps[2], gaps[3]));
            }
        }
    }

    #[test]
    fn forward_is_to_the_right_from_the_side_and_from_above() {
        for angle in [ViewAngle::Side, ViewAngle::Top, ViewAngle::ThreeQuarter] {
            let camera = Camera::framing(Some(bounds()), angle, 100, 100, 0.0);
            let lens = Lens::new(&camera, 100, 100).expect("it is a camera");
            let pixel = |point| lens.pixel(lens.view(point)).x;
            assert!(pixel(Vec3::Z) > pixel(Vec3::ZERO) + 1.0, "{angle:?}");
        }
    }

    #[test]
    fn nothing_to_see_still_gives_a_camera() {
        let nothing = Camera::framing(None, ViewAngle::Front, 1, 1, f32::NAN);
        assert!(nothing.eye.is_finite() && Lens::new(&nothing, 1, 1).is_some());
        let point = Bounds::of([Vec3::ONE]);
        let camera = Camera::framing(point, ViewAngle::Top, 0, 0, 1e9);
        assert!(Lens::new(&camera, 10, 10).is_some());
    }

    #[test]
    fn directions_that_are_none_count_as_three_quarters() {
        for bad in [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY] {
            let camera = Camera::framing_points([Vec3::ZERO], bad, 10, 10, 0.0);
            assert!(camera.eye.is_finite());
            assert!(ViewAngle::Side.direction(bad).is_finite());
        }
    }

    #[test]
    fn following_keeps_distance_and_direction() {
        let camera = Camera::framing(Some(bounds()), ViewAngle::Side, 100, 100, 0.0);
        let moved = camera.looking_at(Vec3::new(5.0, 1.0, 2.0));
        assert_eq!(moved.target, Vec3::new(5.0, 1.0, 2.0));
        assert!(((moved.eye - moved.target) - (camera.eye - camera.target)).length() < 1e-5);
    }
}
