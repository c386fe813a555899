//! The projection from world to pixels: a camera prepared for a picture of a given size.
//!
//! View space has its origin in the eye: x to the right, y *down* as pixels go, z away from the eye.

use super::bounds::drawable;
use super::camera::{Camera, axes};
use sinew::glam::{Vec2, Vec3};

/// Distance of the near plane, relative to the target's distance.
const NEAR_RATIO: f32 = 0.02;

/// A camera prepared for a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lens {
    pub(crate) eye: Vec3,
    right: Vec3,
    down: Vec3,
    ahead: Vec3,
    /// The pixel of the target.
    middle: Vec2,
    /// Pixels per unit at distance 1.
    pub(crate) focal: f32,
    /// Distance of the near plane.
    pub(crate) near: f32,
    /// Distance of the target.
    pub(crate) distance: f32,
    /// The larger of the visible height and width at the target's distance, in metres.
    pub(crate) extent: f32,
}

impl Lens {
    /// Returns `None` if the camera sees nothing.
    pub(crate) fn new(camera: &Camera, width: u32, height: u32) -> Option<Self> {
        if !(drawable(camera.eye) && drawable(camera.target) && camera.up.is_finite()) {
            return None;
        }
        let distance = camera.eye.distance(camera.target);
        let half = libm::tanf(camera.field_of_view * 0.5);
        let sane = distance > 1e-6 && half > 1e-6 && half < 1e6;
        if !sane || !(0.0..std::f32::consts::PI).contains(&camera.field_of_view) {
            return None;
        }
        let back = (camera.eye - camera.target) / distance;
        let (right, up) = axes(back, camera.up.normalize_or_zero());
        let (width, height) = (width as f32, height as f32);
        let focal = height * 0.5 / half;
        Some(Self {
            eye: camera.eye,
            right,
            down: -up,
            ahead: -back,
            middle: Vec2::new(width * 0.5, height * 0.5),
            focal,
            near: distance * NEAR_RATIO,
            distance,
            extent: width.max(height) * distance / focal,
        })
    }

    /// Transforms a point to view space.
    pub(crate) fn view(&self, world: Vec3) -> Vec3 {
        self.turn(world - self.eye)
    }

    /// Rotates a direction to view space.
    pub(crate) fn turn(&self, world: Vec3) -> Vec3 {
        Vec3::new(
            world.dot(self.right),
            world.dot(self.down),
            world.dot(self.ahead),
        )
    }

    /// Rotates a direction from view space to world space.
    pub(crate) fn turn_back(&self, view: Vec3) -> Vec3 {
        self.right * view.x + self.down * view.y + self.ahead * view.z
    }

    /// Returns the pixel of a point in view space, which must be in front of the eye.
    pub(crate) fn pixel(&self, view: Vec3) -> Vec2 {
        self.middle + Vec2::new(view.x, view.y) * (self.focal / view.z)
    }

    /// Returns the world-space direction of a pixel's ray; its length is 1 along the line of sight.
    pub(crate) fn ray(&self, pixel: Vec2) -> Vec3 {
        let across = (pixel - self.middle) / self.focal;
        self.right * across.x + self.down * across.y + self.ahead
    }

    /// Returns the change of [`Self::ray`] from a pixel to its right neighbour.
    pub(crate) fn ray_step(&self) -> Vec3 {
        self.right / self.focal
    }

    /// Returns the change of [`Self::ray`] from a pixel to the one below.
    pub(crate) fn ray_step_down(&self) -> Vec3 {
        self.down / self.focal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Camera {
        Camera {
            eye: Vec3::new(1.0, 2.0, 5.0),
            target: Vec3::new(1.0, 1.0, 0.0),
            up: Vec3::Y,
            field_of_view: 0.8,
        }
    }

    #[test]
    fn cameras_that_see_nothing_are_refused() {
        let good = camera();
        let bad = [
            Camera {
                eye: Vec3::NAN,
                ..good
            },
            Camera {
                eye: good.target,
                ..good
            },
            Camera {
                target: Vec3::INFINITY,
                ..good
            },
            Camera {
                up: Vec3::NAN,
                ..good
            },
            Camera {
                field_of_view: 0.0,
                ..good
            },
            Camera {
                field_of_view: 4.0,
                ..good
            },
            Camera {
                field_of_view: f32::NAN,
                ..good
            },
        ];
        assert!(Lens::new(&good, 10, 10).is_some());
        for camera in bad {
            assert!(Lens::new(&camera, 10, 10).is_none(), "{camera:?}");
        }
    }

    #[test]
    fn the_target_is_in_the_middle_and_up_is_up() {
        let lens = Lens::new(&camera(), 100, 60).expect("it is a camera");
        let pixel = |world| lens.pixel(lens.view(world));
        assert!(pixel(camera().target).distance(Vec2::new(50.0, 30.0)) < 1e-3);
        assert!(pixel(Vec3::new(1.0, 1.5, 0.0)).y < 29.0);
        assert!(pixel(Vec3::new(1.5, 1.0, 0.0)).x > 51.0);
    }

    #[test]
    fn a_ray_meets_the_point_its_pixel_shows() {
        let lens = Lens::new(&camera(), 100, 60).expect("it is a camera");
        let point = Vec3::new(0.3, -0.2, 0.4);
        let view = lens.view(point);
        let there = lens.eye + lens.ray(lens.pixel(view)) * view.z;
        assert!(there.distance(point) < 1e-4);
        assert!(lens.turn_back(view).distance(point - lens.eye) < 1e-5);
    }

    #[test]
    fn an_up_along_the_line_of_sight_still_gives_a_picture() {
        let down = Camera {
            eye: Vec3::Y,
            target: Vec3::ZERO,
            ..camera()
        };
        let lens = Lens::new(&down, 10, 10).expect("it is a camera");
        assert!(lens.ray(Vec2::ZERO).is_finite());
    }
}
