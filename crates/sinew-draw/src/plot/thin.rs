//! Converts a series to lines in pixels: gaps, simplification, clipping.
//!
//! Of consecutive points in the same pixel column, only the first, the lowest, the highest and the last are kept, in
//! order: they touch the same pixels as all of them.

use super::axis::{Axis, plottable};
use sinew::glam::Vec2;

/// Returns the lines of a series, within the frame of both axes. A line of one point is an isolated point.
pub(crate) fn lines(points: &[(f64, f64)], x: &Axis, y: &Axis) -> Vec<Vec<Vec2>> {
    let mut lines = Vec::new();
    for run in points.split(|p| !(plottable(p.0) && plottable(p.1))) {
        let pixels = run.iter().map(|p| (x.pixel(p.0), y.pixel(p.1)));
        clip(&thin(pixels), x, y, &mut lines);
    }
    lines
}

/// Keeps up to four points per column.
fn thin(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut kept = Vec::new();
    let mut column: Option<Column> = None;
    for point in points {
        match &mut column {
            Some(open) if open.index == libm::floor(point.0) => open.add(point),
            _ => {
                if let Some(done) = column.take() {
                    done.keep(&mut kept);
                }
                column = Some(Column::new(point));
            }
        }
    }
    if let Some(done) = column {
        done.keep(&mut kept);
    }
    kept
}

/// Points of one column, with their order.
struct Column {
    index: f64,
    count: usize,
    first: (f64, f64),
    low: (usize, (f64, f64)),
    high: (usize, (f64, f64)),
    last: (f64, f64),
}

impl Column {
    fn new(point: (f64, f64)) -> Self {
        Self {
            index: libm::floor(point.0),
            count: 1,
            first: point,
            low: (0, point),
            high: (0, point),
            last: point,
        }
    }

    fn add(&mut self, point: (f64, f64)) {
        if point.1 < self.low.1.1 {
            self.low = (self.count, point);
        }
        if point.1 > self.high.1.1 {
            self.high = (self.count, point);
        }
        self.last = point;
        self.count += 1;
    }

    fn keep(self, kept: &mut Vec<(f64, f64)>) {
        let last = self.count - 1;
        let mut four = [(0, self.first), self.low, self.high, (last, self.last)];
        four.sort_by_key(|&(order, _)| order);
        let mut before = None;
        for (order, point) in four {
            if before != Some(order) {
                kept.push(point);
            }
            before = Some(order);
        }
    }
}

/// Clips a line to the frame; each remaining part is a line.
fn clip(points: &[(f64, f64)], x: &Axis, y: &Axis, lines: &mut Vec<Vec<Vec2>>) {
    let low = (x.from.min(x.to), y.from.min(y.to));
    let high = (x.from.max(x.to), y.from.max(y.to));
    let inside = |p: (f64, f64)| {
        p.0 >= low.0 - 1e-6 && p.0 <= high.0 + 1e-6 && p.1 >= low.1 - 1e-6 && p.1 <= high.1 + 1e-6
    };
    let pixel = |p: (f64, f64)| Vec2::new(p.0 as f32, p.1 as f32);
    if let [only] = points {
        if inside(*only) {
            lines.push(vec![pixel(*only)]);
        }
        return;
    }
    let mut line: Vec<Vec2> = Vec::new();
    for pair in points.windows(2) {
        let Some((from, to)) = clip_piece(pair[0], pair[1], low, high) else {
            lines.extend((!line.is_empty()).then(|| std::mem::take(&mut line)));
            continue;
        };
        let (from, to) = (pixel(from), pixel(to));
        if line.last() != Some(&from) {
            lines.extend((!line.is_empty()).then(|| std::mem::take(&mut line)));
            line.push(from);
        }
        line.push(to);
    }
    lines.extend((!line.is_empty()).then_some(line));
}

/// Clips a segment to a rectangle (Liang and Barsky).
fn clip_piece(
    from: (f64, f64),
    to: (f64, f64),
    low: (f64, f64),
    high: (f64, f64),
) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut start, mut end) = (0.0, 1.0);
    let edges = [
        (-dx, from.0 - low.0),
        (dx, high.0 - from.0),
        (-dy, from.1 - low.1),
        (dy, high.1 - from.1),
    ];
    for (slope, room) in edges {
        if slope == 0.0 {
            if room < -1e-6 {
                return None;
            }
            continue;
        }
        let crossing = room / slope;
        if slope < 0.0 {
            start = f64::max(start, crossing);
        } else {
            end = f64::min(end, crossing);
        }
    }
    let point_at = |fraction: f64| (from.0 + dx * fraction, from.1 + dy * fraction);
    let cut = |fraction: f64, whole: f64, point| {
        if fraction == whole {
            point
        } else {
            point_at(fraction)
        }
    };
    (start <= end).then(|| (cut(start, 0.0, from), cut(end, 1.0, to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Axis = Axis {
        low: 0.0,
        high: 10.0,
        from: 0.0,
        to: 100.0,
    };
    const Y: Axis = Axis {
        low: 0.0,
        high: 10.0,
        from: 100.0,
        to: 0.0,
    };

    #[test]
    fn what_is_not_finite_leaves_a_gap() {
        let points = [
            (0.0, 1.0),
            (1.0, 1.0),
            (2.0, f64::NAN),
            (3.0, 1.0),
            (f64::INFINITY, 0.0),
            (5.0, 5.0),
        ];
        let lines = lines(&points, &X, &Y);
        let lengths: Vec<usize> = lines.iter().map(Vec::len).collect();
        assert_eq!(lengths, [2, 1, 1]);
    }

    #[test]
    fn thinning_keeps_extremes_and_at_most_four_points_per_column() {
        let count = 100_000;
        let wave = (0..count).map(|i| {
            let t = f64::from(i) / f64::from(count) * 10.0;
            let spike = if i == 50_321 { 9.2 } else { 5.0 };
            (t, spike + 0.5 * libm::sin(t * 300.0))
        });
        let lines = lines(&wave.collect::<Vec<_>>(), &X, &Y);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].len() <= 4 * 101);
        let top = lines[0].iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        assert!(top < 14.0);
    }

    #[test]
    fn a_line_is_cut_at_the_frame_and_goes_on_behind_it() {
        let lines = lines(&[(0.0, 5.0), (2.0, 15.0), (4.0, 5.0)], &X, &Y);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], [Vec2::new(0.0, 50.0), Vec2::new(10.0, 0.0)]);
        assert!(lines.iter().flatten().all(|p| p.y >= -0.001));
    }

    #[test]
    fn curves_may_run_backwards() {
        let circle = (0..=100).map(|i| {
            let angle = f64::from(i) * 0.062_831_853;
            (5.0 + 4.0 * libm::cos(angle), 5.0 + 4.0 * libm::sin(angle))
        });
        let lines = lines(&circle.collect::<Vec<_>>(), &X, &Y);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].len() > 60);
    }
}
