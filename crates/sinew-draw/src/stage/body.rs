//! The thickness of a figure's bones and joints.
//!
//! Input: a [`Figure`] → output: solids, each a sphere swept from one position to another with a changing radius. All
//! sizes depend only on bone lengths, so they do not change with the pose. A bone's thickness is proportional to the
//! geometric mean of its own length and the figure's size: thighs are thicker than fingers, though less than in
//! proportion to their length, and figures of all sizes look alike.

use super::bounds::drawable;
use super::scene::{BoneShape, Figure, FigureBone};
use sinew::glam::Vec3;
use sinew::skeleton::Side;

/// Radius of a bone at its thick end, relative to the geometric mean of its length and the figure's size.
const THICKNESS: f32 = 0.060;

/// The largest radius of a bone at its thick end, relative to its length: short bones stay longer than thick.
const STOUTEST: f32 = 0.42;

/// Radius of a bone at its tip, relative to that of the thick end.
const TIP: f32 = 0.42;

/// Radius of a joint, relative to that of the bone that starts there.
const JOINT: f32 = 1.12;

/// Radius of the sphere at the tip of a bone, relative to that of the tip. Another bone's joint hides it, except at
/// fingers, toes and the end of a tail.
const END: f32 = 1.15;

/// The smallest half width of a head, relative to the figure's size.
const HEAD: f32 = 0.065;

/// A sphere swept from one position to another with a changing radius; in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Solid {
    pub(crate) from: Vec3,
    pub(crate) to: Vec3,
    pub(crate) from_radius: f32,
    pub(crate) to_radius: f32,
    pub(crate) side: Side,
    pub(crate) kind: SolidKind,
}

/// The kind of a solid; joints are lighter than bones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SolidKind {
    Bone,
    Joint,
}

/// A figure as solids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) solids: Vec<Solid>,
    /// The square root of the sum of squared bone lengths, about two thirds of a human's height. Many small bones
    /// hardly change it.
    pub(crate) size: f32,
}

impl Body {
    pub(crate) fn of(figure: &Figure) -> Self {
        let bones = || {
            let drawn = |bone: &&FigureBone| drawable(bone.from) && drawable(bone.to);
            figure.bones.iter().filter(drawn)
        };
        let squares: f32 = bones().map(|b| b.from.distance_squared(b.to)).sum();
        let size = squares.sqrt();
        let mut solids = Vec::with_capacity(figure.bones.len() * 3);
        for bone in bones() {
            match bone.shape {
                BoneShape::Limb => limb(bone, size, &mut solids),
                BoneShape::Head => head(bone, size, &mut solids),
            }
        }
        Self { solids, size }
    }
}

/// Returns the radius of a bone at its thick end.
fn thickness(length: f32, size: f32) -> f32 {
    let even = THICKNESS * (length * size).sqrt();
    even.min(length * STOUTEST)
}

fn limb(bone: &FigureBone, size: f32, solids: &mut Vec<Solid>) {
    let thick = thickness(bone.from.distance(bone.to), size);
    let tip = thick * TIP;
    solids.push(Solid {
        from: bone.from,
        to: bone.to,
        from_radius: thick,
        to_radius: tip,
        side: bone.side,
        kind: SolidKind::Bone,
    });
    solids.push(ball(bone.from, thick * JOINT, bone.side));
    solids.push(ball(bone.to, tip * END, bone.side));
}

fn ball(center: Vec3, radius: f32, side: Side) -> Solid {
    Solid {
        from: center,
        to: center,
        from_radius: radius,
        to_radius: radius,
        side,
        kind: SolidKind::Joint,
    }
}

/// Adds an egg with its broad end up, on a neck.
fn head(bone: &FigureBone, size: f32, solids: &mut Vec<Solid>) {
    let length = bone.from.distance(bone.to);
    let along = (bone.to - bone.from).try_normalize().unwrap_or(Vec3::Y);
    let broad = (length * 0.37).max(size * HEAD);
    let narrow = broad * 0.82;
    // The crown is at the bone's tip if the bone is long enough for a head.
    let top = bone.from + along * (length - broad).max(broad * 0.9);
    let neck = (thickness(length, size) * 0.75).min(broad * 0.4);
    solids.push(Solid {
        from: top,
        to: top - along * (broad * 0.62),
        from_radius: broad,
        to_radius: narrow,
        side: bone.side,
        kind: SolidKind::Bone,
    });
    solids.push(Solid {
        from: bone.from,
        to: top,
        from_radius: neck,
        to_radius: neck,
        side: bone.side,
        kind: SolidKind::Bone,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(bones: &[(f32, BoneShape)]) -> Body {
        let bones = bones.iter().map(|&(length, shape)| FigureBone {
            from: Vec3::ZERO,
            to: Vec3::Y * length,
            side: Side::Middle,
            shape,
        });
        Body::of(&Figure::new(bones.collect()))
    }

    #[test]
    fn bones_that_are_not_finite_are_left_out() {
        let bad = FigureBone::new(Vec3::NAN, Vec3::ZERO, Side::Left);
        assert!(Body::of(&Figure::new(vec![bad])).solids.is_empty());
    }

    #[test]
    fn longer_bones_are_thicker_but_not_in_proportion() {
        let body = body(&[(0.45, BoneShape::Limb), (0.05, BoneShape::Limb)]);
        let (thigh, stub) = (body.solids[0], body.solids[3]);
        assert!(thigh.from_radius > 2.0 * stub.from_radius);
        assert!(thigh.from_radius < 9.0 * stub.from_radius);
        assert!(thigh.to_radius < thigh.from_radius);
    }

    #[test]
    fn a_giant_looks_like_a_mouse() {
        let small = body(&[(0.04, BoneShape::Limb), (0.01, BoneShape::Head)]);
        let large = body(&[(40.0, BoneShape::Limb), (10.0, BoneShape::Head)]);
        for (s, l) in small.solids.iter().zip(&large.solids) {
            assert!((s.from_radius * 1000.0 - l.from_radius).abs() < 1e-4 * l.from_radius);
        }
    }

    #[test]
    fn bones_without_length_have_no_thickness() {
        assert!(
            body(&[(0.0, BoneShape::Limb)])
                .solids
                .iter()
                .all(|s| s.from_radius == 0.0)
        );
    }

    #[test]
    fn a_head_on_a_stub_is_as_large_as_the_body_asks_for() {
        let body = body(&[(1.0, BoneShape::Limb), (0.02, BoneShape::Head)]);
        assert!(body.solids.iter().any(|s| s.from_radius >= HEAD));
    }
}
