//! Raster output of shapes.

use super::shape::{Anchor, Color, Shape};
use crate::layer::ShapeLayer;
use crate::text::Font;
use sinew::glam::Vec2;
use sinew::skelform::Image;
use tiny_skia::{Path, PathBuilder, Rect, Transform};

pub(crate) fn draw(shapes: &[Shape], width: u32, height: u32) -> Image {
    draw_on([255; 4], shapes, width, height)
}

/// Like [`draw`], on a colour.
pub(crate) fn draw_on(background: Color, shapes: &[Shape], width: u32, height: u32) -> Image {
    let mut image = Image::new(width, height);
    for pixel in image.pixels_mut().chunks_exact_mut(4) {
        pixel.copy_from_slice(&background);
    }
    draw_over(&mut image, shapes);
    image
}

/// Draws shapes over a picture.
pub(crate) fn draw_over(image: &mut Image, shapes: &[Shape]) {
    let (Some(mut layer), Some(font)) = (ShapeLayer::for_image(image), Font::builtin()) else {
        return;
    };
    for shape in shapes {
        match shape {
            Shape::Rect { low, high, color } => {
                let rect = Rect::from_ltrb(low.x, low.y, high.x, high.y);
                if let Some(rect) =
                    rect.filter(|_| ShapeLayer::reaches(*low) && ShapeLayer::reaches(*high))
                {
                    layer.fill(&PathBuilder::from_rect(rect), *color);
                }
            }
            Shape::Picture {
                low,
                high,
                image: picture,
            } => layer.picture(picture, *low, *high),
            Shape::Area { points, color } => {
                if let Some(path) = outline(points, true) {
                    layer.fill(&path, *color);
                }
            }
            Shape::Line {
                points,
                color,
                width,
                dashes,
            } => {
                if let Some(path) = outline(points, false) {
                    layer.stroke_dashed(&path, *color, *width, dashes);
                }
            }
            Shape::Dot {
                position,
                radius,
                color,
            } => {
                if let Some(path) = PathBuilder::from_circle(position.x, position.y, *radius) {
                    layer.fill(&path, *color);
                }
            }
            Shape::Text {
                text,
                position,
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
                    Transform::from_row(0.0, -1.0, 1.0, 0.0, position.x, position.y)
                } else {
                    Transform::from_translate(position.x, position.y)
                };
                if let Some(path) = path.and_then(|path| path.transform(turn)) {
                    layer.fill(&path, *color);
                }
            }
        }
    }
    layer.composite(image);
}

fn outline(points: &[Vec2], is_closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, point) in points
        .iter()
        .filter(|&&p| ShapeLayer::reaches(p))
        .enumerate()
    {
        if i == 0 {
            path.move_to(point.x, point.y);
        } else {
            path.line_to(point.x, point.y);
        }
    }
    if is_closed {
        path.close();
    }
    path.finish()
}
