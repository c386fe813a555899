//! Placement of names without overlaps.
//!
//! Each name tries the right and the left of its position, then rows further up and down on both sides. It takes the
//! first free rectangle within the picture, otherwise the first free one; a thin line connects it to its position if it
//! was moved. If none is free it stays on the right, overlapped.

use super::{OverlayLabel, OverlaySettings};
use crate::layer::ShapeLayer;
use crate::text::Font;
use sinew::glam::Vec2;
use tiny_skia::PathBuilder;

/// Gap between a joint and its name, in pixels.
const GAP: f32 = 4.0;

/// The largest number of names drawn; more would be illegible and slow to place.
const MAX_LABELS: usize = 1000;

/// Rows above and below its position that a name may move to.
const ROWS: i32 = 4;

/// The largest text size in pixels.
const MAX_TEXT_SIZE: f32 = 500.0;

/// Corners of the rectangle of a name.
type Room = (Vec2, Vec2);

pub(super) fn draw<'a>(
    layer: &mut ShapeLayer,
    font: &Font,
    names: impl Iterator<Item = (&'a OverlayLabel, Vec2)>,
    settings: &OverlaySettings,
) {
    let size = settings.text_size.min(MAX_TEXT_SIZE);
    let mut taken: Vec<Room> = Vec::new();
    for (label, position) in names.take(MAX_LABELS) {
        let extent = Vec2::new(font.width(&label.text, size), font.cap_height(size));
        let gap = settings.joint_radius.clamp(0.0, MAX_TEXT_SIZE) + GAP;
        let is_free = |room: &Room| taken.iter().all(|other| !overlap(*room, *other));
        let beside = beside(position, extent, gap, 0);
        let moved = || {
            (1..=ROWS)
                .flat_map(|row| [row, -row])
                .flat_map(|row| self::beside(position, extent, gap, row))
        };
        let rooms = || beside.into_iter().chain(moved());
        let room = rooms()
            .find(|room| is_free(room) && layer.holds(*room))
            .or_else(|| rooms().find(is_free))
            .unwrap_or(beside[0]);
        taken.push(room);
        if !beside.contains(&room) {
            join(layer, position, room, label.color);
        }
        layer.text(
            font,
            &label.text,
            Vec2::new(room.0.x, room.1.y),
            size,
            label.color,
        );
    }
}

/// Returns the rectangles on the right and on the left of a position, offset by `row` rows.
fn beside(position: Vec2, extent: Vec2, gap: f32, row: i32) -> [Room; 2] {
    let y = position.y - extent.y * 0.5 + row as f32 * (extent.y * 1.25 + 2.0);
    [position.x + gap, position.x - gap - extent.x]
        .map(|x| (Vec2::new(x, y), Vec2::new(x, y) + extent))
}

/// Draws a line from a position to the nearer end of its name.
fn join(layer: &mut ShapeLayer, position: Vec2, room: Room, color: [u8; 4]) {
    let x = if room.0.x > position.x {
        room.0.x - 1.0
    } else {
        room.1.x + 1.0
    };
    let mut path = PathBuilder::new();
    path.move_to(position.x, position.y);
    path.line_to(x, (room.0.y + room.1.y) * 0.5);
    if let Some(path) = path.finish() {
        layer.stroke(&path, [0, 0, 0, 160], 2.0);
        layer.stroke(&path, color, 0.8);
    }
}

/// Returns whether two rectangles overlap, including a margin of one pixel for the halo.
fn overlap(a: Room, b: Room) -> bool {
    let air = Vec2::ONE;
    (a.0 - air).cmple(b.1).all() && (b.0 - air).cmple(a.1).all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_that_share_an_area_overlap_and_others_do_not() {
        let room = |x: f32, y: f32| (Vec2::new(x, y), Vec2::new(x + 10.0, y + 5.0));
        assert!(overlap(room(0.0, 0.0), room(5.0, 2.0)));
        assert!(!overlap(room(0.0, 0.0), room(12.0, 0.0)));
        assert!(!overlap(room(0.0, 0.0), room(0.0, 7.0)));
    }

    #[test]
    fn rooms_beside_a_place_leave_it_and_each_other_free() {
        let position = Vec2::new(50.0, 50.0);
        let rooms: Vec<Room> = (-2..=2)
            .flat_map(|row| beside(position, Vec2::new(30.0, 9.0), 4.0, row))
            .collect();
        for (i, &room) in rooms.iter().enumerate() {
            assert!(!overlap(room, (position, position)));
            assert!(rooms[..i].iter().all(|&other| !overlap(room, other)));
        }
    }
}
