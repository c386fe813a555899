//! Outlines: smooth curves through a few points, as an illustrator would place them.

use tiny_skia::{Path, PathBuilder, Rect, Transform};

/// A point of an outline, relative to the bone; y grows downward as in the texture.
#[derive(Clone, Copy, Debug)]
pub(super) enum Knot {
    /// The curve flows through.
    Smooth(f32, f32),
    /// The curve turns sharply, like a tuft of fur.
    Sharp(f32, f32),
}

impl Knot {
    fn at(self) -> (f32, f32) {
        match self {
            Self::Smooth(x, y) | Self::Sharp(x, y) => (x, y),
        }
    }
}

/// Shorthand for [`Knot::Smooth`].
pub(super) const fn s(x: f32, y: f32) -> Knot {
    Knot::Smooth(x, y)
}

/// Shorthand for [`Knot::Sharp`].
pub(super) const fn c(x: f32, y: f32) -> Knot {
    Knot::Sharp(x, y)
}

/// A path that may be empty, so that drawing needs no error handling: an empty shape draws nothing.
#[derive(Clone, Debug)]
pub(super) struct Shape(pub(super) Option<Path>);

impl Shape {
    /// A closed outline through the knots.
    pub(super) fn closed(knots: &[Knot]) -> Self {
        Self::spline(knots, true)
    }

    /// An open line through the knots.
    pub(super) fn open(knots: &[Knot]) -> Self {
        Self::spline(knots, false)
    }

    /// An ellipse about a centre.
    pub(super) fn ellipse(x: f32, y: f32, rx: f32, ry: f32) -> Self {
        Self(Rect::from_ltrb(x - rx, y - ry, x + rx, y + ry).and_then(PathBuilder::from_oval))
    }

    /// An ellipse turned clockwise by degrees.
    pub(super) fn tilted_ellipse(x: f32, y: f32, rx: f32, ry: f32, degrees: f32) -> Self {
        Self::ellipse(x, y, rx, ry).map(Transform::from_rotate_at(degrees, x, y))
    }

    /// A rectangle with rounded ends, turned clockwise by degrees about its centre.
    pub(super) fn pill(x: f32, y: f32, rx: f32, ry: f32, degrees: f32) -> Self {
        let r = rx.min(ry);
        Self::closed(&[
            s(x - rx + r * 0.3, y - ry + r * 0.3),
            s(x - rx + r, y - ry),
            s(x + rx - r, y - ry),
            s(x + rx - r * 0.3, y - ry + r * 0.3),
            s(x + rx, y - ry + r),
            s(x + rx, y + ry - r),
            s(x + rx - r * 0.3, y + ry - r * 0.3),
            s(x + rx - r, y + ry),
            s(x - rx + r, y + ry),
            s(x - rx + r * 0.3, y + ry - r * 0.3),
            s(x - rx, y + ry - r),
            s(x - rx, y - ry + r),
        ])
        .map(Transform::from_rotate_at(degrees, x, y))
    }

    /// The same shape moved.
    pub(super) fn moved(&self, dx: f32, dy: f32) -> Self {
        self.clone().map(Transform::from_translate(dx, dy))
    }

    fn map(self, transform: Transform) -> Self {
        Self(self.0.and_then(|path| path.transform(transform)))
    }

    /// A Catmull-Rom spline as cubic segments. At a sharp knot the tangent is dropped, so the curve
    /// leaves towards its neighbour.
    fn spline(knots: &[Knot], closed: bool) -> Self {
        let count = knots.len();
        if count < 2 {
            return Self(None);
        }
        let last = count - 1;
        let before = |i: usize| {
            if i > 0 {
                i - 1
            } else if closed {
                last
            } else {
                0
            }
        };
        let after = |i: usize| {
            if i < last {
                i + 1
            } else if closed {
                0
            } else {
                last
            }
        };
        let tangent = |i: usize| match knots[i] {
            Knot::Sharp(..) => (0.0, 0.0),
            Knot::Smooth(..) => {
                let (a, b) = (knots[before(i)].at(), knots[after(i)].at());
                ((b.0 - a.0) / 6.0, (b.1 - a.1) / 6.0)
            }
        };
        let mut path = PathBuilder::new();
        let (x, y) = knots[0].at();
        path.move_to(x, y);
        let segments = if closed { count } else { last };
        for from in 0..segments {
            let to = after(from);
            let ((ax, ay), (bx, by)) = (knots[from].at(), knots[to].at());
            let (leave, arrive) = (tangent(from), tangent(to));
            path.cubic_to(
                ax + leave.0,
                ay + leave.1,
                bx - arrive.0,
                by - arrive.1,
                bx,
                by,
            );
        }
        if closed {
            path.close();
        }
        Self(path.finish())
    }
}
