//! Shapes as pixels.

use super::shape::{Anchor, Shape};
use crate::layer::Layer;
use crate::text::Font;
use sinew::Image;
use sinew::glam::Vec2;
use tiny_skia::{Path, PathBuilder, Rect, Transform};

pub(crate) fn draw(shapes: &[Shape], width: u32, height: u32) -> Image {
    let mut image = Image::new(width, height);
    image.pixels_mut().fill(255);
    let (Some(mut layer), Some(font)) = (Layer::for_image(&image), Font::builtin()) else {
        return image;
    };
    for shape in shapes {
        match shape {
            Shape::Rect { low, high, color } => {
                let rect = Rect::from_ltrb(low.x, low.y, high.x, high.y);
                if let Some(rect) = rect.filter(|_| Layer::reaches(*low) && Layer::reaches(*high)) {
                    layer.fill(&PathBuilder::from_rect(rect), *color);
                }
            }
            Shape::Line {
                points,
                color,
                width,
                dashes,
            } => {
                if let Some(path) = line(points) {
                    layer.stroke_dashed(&path, *color, *width, dashes);
                }
            }
            Shape::Dot { at, radius, color } => {
                if let Some(path) = PathBuilder::from_circle(at.x, at.y, *radius) {
                    layer.fill(&path, *color);
                }
            }
            Shape::Text {
                text,
                at,
                anchor,
                size,
                color,
                is_upright,
            } => {
                let back = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => 0.5,
                    Anchor::End => 1.0,
                } * font.width(text, *size);
                let path = font.path(text, Vec2::new(-back, 0.0), *size);
                let turn = if *is_upright {
                    Transform::from_row(0.0, -1.0, 1.0, 0.0, at.x, at.y)
                } else {
                    Transform::from_translate(at.x, at.y)
                };
                if let Some(path) = path.and_then(|path| path.transform(turn)) {
                    layer.fill(&path, *color);
                }
            }
        }
    }
    layer.put_over(&mut image);
    image
}

fn line(points: &[Vec2]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, point) in points.iter().filter(|&&p| Layer::reaches(p)).enumerate() {
        if i == 0 {
            path.move_to(point.x, point.y);
        } else {
            path.line_to(point.x, point.y);
        }
    }
    path.finish()
}
