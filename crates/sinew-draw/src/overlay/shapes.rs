//! The outlines of an overlay's shapes, in pixels.

use crate::layer::ShapeLayer;
use sinew::glam::Vec2;
use tiny_skia::{Path, PathBuilder};

/// Position of the largest width of a bone, as a fraction of its length from the joint.
const SHOULDER: f32 = 0.18;

/// Width of a short bone as a fraction of its length.
const SLENDERNESS: f32 = 0.3;

/// The largest size of a shape in pixels; larger settings are clamped.
const MAX_SIZE: f32 = 1000.0;

/// Draws a tapered kite, half light and half dark, which shows its direction even where bones overlap.
pub(super) fn bone(layer: &mut ShapeLayer, from: Vec2, to: Vec2, width: f32, color: [u8; 4]) {
    let along = to - from;
    let length = along.length();
    if length < 1e-3 {
        return;
    }
    let half = sane(width).min(length * SLENDERNESS) * 0.5;
    let side = Vec2::new(-along.y, along.x) * (half / length);
    let shoulder = from + along * SHOULDER;
    let (left, right) = (shoulder + side, shoulder - side);
    if let Some(path) = polygon(&[from, left, to, right]) {
        layer.fill(&path, translucent(color, 0.6));
    }
    if let Some(path) = polygon(&[from, right, to]) {
        layer.fill(&path, translucent(darker(color, 0.45), 0.5));
    }
    if let Some(path) = polygon(&[from, left, to, right]) {
        layer.stroke(&path, darker(color, 0.3), 1.2);
    }
}

/// Draws a filled circle with a dark rim.
pub(super) fn joint(layer: &mut ShapeLayer, position: Vec2, radius: f32, color: [u8; 4]) {
    if let Some(path) = PathBuilder::from_circle(position.x, position.y, sane(radius)) {
        layer.fill(&path, color);
        layer.stroke(&path, darker(color, 0.3), 1.2);
    }
}

/// Draws a ring with four ticks and a free centre, light lines on dark ones.
pub(super) fn target(layer: &mut ShapeLayer, position: Vec2, radius: f32, color: [u8; 4]) {
    let radius = sane(radius);
    if radius <= 0.0 {
        return;
    }
    let mut path = PathBuilder::new();
    path.push_circle(position.x, position.y, radius);
    for direction in [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y] {
        let (inner, outer) = (
            position + direction * (radius * 0.45),
            position + direction * (radius * 1.5),
        );
        path.move_to(inner.x, inner.y);
        path.line_to(outer.x, outer.y);
    }
    if let Some(path) = path.finish() {
        layer.stroke(&path, darker(color, 0.2), 3.0);
        layer.stroke(&path, color, 1.5);
    }
}

fn polygon(points: &[Vec2]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, point) in points.iter().enumerate() {
        if i == 0 {
            path.move_to(point.x, point.y);
        } else {
            path.line_to(point.x, point.y);
        }
    }
    path.close();
    path.finish()
}

/// Clamps a size; NaN and negative sizes count as 0.
fn sane(size: f32) -> f32 {
    if size > 0.0 { size.min(MAX_SIZE) } else { 0.0 }
}

fn darker([r, g, b, a]: [u8; 4], factor: f32) -> [u8; 4] {
    let scaled = |c: u8| (f32::from(c) * factor) as u8;
    [scaled(r), scaled(g), scaled(b), a]
}

fn translucent([r, g, b, a]: [u8; 4], factor: f32) -> [u8; 4] {
    [r, g, b, (f32::from(a) * factor) as u8]
}
