//! The skeleton overlay of a character: bones, joints, IK targets, names.
//!
//! Input: an [`Overlay`] in world coordinates and a [`View`] → output: shapes blended over an [`Image`].
//! [`overlay_for`] creates one from a constructed character.

mod armature;
mod labels;
mod shapes;

pub use armature::{OverlayParts, overlay_for};

use crate::layer::ShapeLayer;
use crate::text::Font;
use crate::view::View;
use sinew::glam::Vec2;
use sinew::skelform::Image;

/// A bone: a kite from joint to tip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlayBone {
    /// Its joint, in world space.
    pub from: Vec2,
    /// Its tip, in world space.
    pub to: Vec2,
    /// Fill colour; the outline is a darker shade of it.
    pub color: [u8; 4],
}

/// A joint, drawn as a small circle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlayJoint {
    /// Its centre, in world space.
    pub position: Vec2,
    /// Fill colour.
    pub color: [u8; 4],
}

/// The target of an IK chain, drawn as a ring with a cross-hair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlayTarget {
    /// Its centre, in world space.
    pub position: Vec2,
    /// Line colour.
    pub color: [u8; 4],
}

/// A name beside a position.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlayLabel {
    /// The named position, in world space.
    pub position: Vec2,
    /// A single line; line breaks are removed and very long names truncated.
    pub text: String,
    /// Text colour; the text has a dark halo.
    pub color: [u8; 4],
}

/// The shapes of an overlay, each list from back to front.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Kites, drawn first.
    pub bones: Vec<OverlayBone>,
    /// Circles, over the bones.
    pub joints: Vec<OverlayJoint>,
    /// Cross-hair rings, over the joints.
    pub targets: Vec<OverlayTarget>,
    /// Names, drawn last. Earlier names get the better positions.
    pub labels: Vec<OverlayLabel>,
}

/// Sizes of an overlay, in pixels of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlaySettings {
    /// Width of a long bone at its widest; short bones are slimmer.
    pub bone_width: f32,
    /// Radius of joints.
    pub joint_radius: f32,
    /// Radius of target rings.
    pub target_radius: f32,
    /// Text size of names; 0 omits names.
    pub text_size: f32,
}

impl Default for OverlaySettings {
    fn default() -> Self {
        Self {
            bone_width: 14.0,
            joint_radius: 3.5,
            target_radius: 8.0,
            text_size: 12.0,
        }
    }
}

/// Draws an overlay over a picture that shows `view`.
///
/// Shapes whose position is not finite or thousands of pixels outside the picture are ignored.
pub fn draw_overlay(image: &mut Image, view: &View, overlay: &Overlay, settings: &OverlaySettings) {
    let Some(mut layer) = ShapeLayer::for_image(image) else {
        return;
    };
    let visible =
        |world: Vec2| Some(view.to_pixels(world)).filter(|&position| ShapeLayer::reaches(position));
    for bone in &overlay.bones {
        if let (Some(from), Some(to)) = (visible(bone.from), visible(bone.to)) {
            shapes::bone(&mut layer, from, to, settings.bone_width, bone.color);
        }
    }
    for joint in &overlay.joints {
        if let Some(position) = visible(joint.position) {
            shapes::joint(&mut layer, position, settings.joint_radius, joint.color);
        }
    }
    for target in &overlay.targets {
        if let Some(position) = visible(target.position) {
            shapes::target(&mut layer, position, settings.target_radius, target.color);
        }
    }
    if let Some(font) = Font::builtin().filter(|_| settings.text_size > 0.0) {
        let names = overlay
            .labels
            .iter()
            .filter_map(|label| Some((label, visible(label.position)?)));
        labels::draw(&mut layer, &font, names, settings);
    }
    layer.composite(image);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RED: [u8; 4] = [255, 0, 0, 255];

    fn view() -> View {
        View {
            scale: 1.0,
            center: Vec2::ZERO,
            width: 80,
            height: 60,
        }
    }

    fn draw_overlay_alone(overlay: &Overlay) -> Image {
        let mut image = Image::new(80, 60);
        draw_overlay(&mut image, &view(), overlay, &OverlaySettings::default());
        image
    }

    fn ink(image: &Image) -> usize {
        image.pixels().chunks(4).filter(|p| p[3] > 0).count()
    }

    #[test]
    fn shapes_at_impossible_places_are_left_out() {
        for bad in [f32::NAN, f32::INFINITY, 1e30] {
            let position = Vec2::new(bad, 0.0);
            let overlay = Overlay {
                bones: vec![OverlayBone {
                    from: Vec2::ZERO,
                    to: position,
                    color: RED,
                }],
                joints: vec![OverlayJoint {
                    position,
                    color: RED,
                }],
                targets: vec![OverlayTarget {
                    position,
                    color: RED,
                }],
                labels: vec![OverlayLabel {
                    position,
                    text: "hand".into(),
                    color: RED,
                }],
            };
            assert_eq!(ink(&draw_overlay_alone(&overlay)), 0);
        }
    }

    #[test]
    fn a_bone_without_length_draws_nothing() {
        let bone = OverlayBone {
            from: Vec2::ONE,
            to: Vec2::ONE,
            color: RED,
        };
        assert_eq!(
            ink(&draw_overlay_alone(&Overlay {
                bones: vec![bone],
                ..Overlay::default()
            })),
            0
        );
    }

    #[test]
    fn sizes_of_zero_or_nonsense_are_safe() {
        let overlay = Overlay {
            bones: vec![OverlayBone {
                from: Vec2::ZERO,
                to: Vec2::new(20.0, 0.0),
                color: RED,
            }],
            joints: vec![OverlayJoint {
                position: Vec2::ZERO,
                color: RED,
            }],
            targets: vec![OverlayTarget {
                position: Vec2::ZERO,
                color: RED,
            }],
            labels: vec![OverlayLabel {
                position: Vec2::ZERO,
                text: "hand".into(),
                color: RED,
            }],
        };
        for size in [0.0, -3.0, 1e30, f32::INFINITY, f32::NAN] {
            let settings = OverlaySettings {
                bone_width: size,
                joint_radius: size,
                target_radius: size,
                text_size: size,
            };
            draw_overlay(&mut Image::new(40, 40), &view(), &overlay, &settings);
        }
    }

    #[test]
    fn every_kind_of_shape_leaves_ink_where_it_is_placed() {
        let position = Vec2::new(10.0, 5.0);
        let pixel = |overlay: &Overlay, x: u32, y: u32| draw_overlay_alone(overlay).pixel(x, y);
        let joint = Overlay {
            joints: vec![OverlayJoint {
                position,
                color: RED,
            }],
            ..Overlay::default()
        };
        assert_eq!(pixel(&joint, 50, 25), RED);
        let target = Overlay {
            targets: vec![OverlayTarget {
                position,
                color: RED,
            }],
            ..Overlay::default()
        };
        assert!(pixel(&target, 50, 17)[3] > 0 && ink(&draw_overlay_alone(&target)) > 40);
        let bone = OverlayBone {
            from: Vec2::new(-30.0, 0.0),
            to: Vec2::new(30.0, 0.0),
            color: RED,
        };
        let bone = Overlay {
            bones: vec![bone],
            ..Overlay::default()
        };
        assert!(pixel(&bone, 24, 30)[3] > 0);
        let label = OverlayLabel {
            position: Vec2::new(-35.0, 0.0),
            text: "elbow".into(),
            color: RED,
        };
        assert!(
            ink(&draw_overlay_alone(&Overlay {
                labels: vec![label],
                ..Overlay::default()
            })) > 100
        );
    }

    proptest! {
        #[test]
        fn hostile_places_never_panic(
            from in proptest::array::uniform2(any::<f32>()),
            to in proptest::array::uniform2(-40_000.0f32..40_000.0),
            near in proptest::array::uniform2(-30.0f32..30.0),
        ) {
            let (from, to, near) = (Vec2::from(from), Vec2::from(to), Vec2::from(near));
            let overlay = Overlay {
                bones: vec![
                    OverlayBone { from, to, color: RED },
                    OverlayBone { from: near, to, color: RED },
                ],
                joints: vec![OverlayJoint { position: to, color: RED }],
                targets: vec![OverlayTarget { position: from, color: RED }],
                labels: vec![OverlayLabel { position: to, text: "hand".into(), color: RED }],
            };
            draw_overlay_alone(&overlay);
        }
    }
}
