//! Horizontal bar charts.

use super::axis::{Axis, plottable};
use super::layout::{FAINT_TEXT, FRAME, GRID, Sizes, TEXT, crisp, fit};
use super::shape::{Anchor, Shape, series_look};
use super::ticks::ticks;
use crate::text::Font;
use sinew::glam::Vec2;

/// The largest width of names, as a fraction of the picture.
const WIDEST_NAMES: f32 = 0.4;

/// The smallest distance between two bars, in text sizes.
const CLOSEST: f32 = 1.15;

/// Horizontal bars, one below another. Without bars, only the axes are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// Title above the bars; omitted if empty, like the label.
    pub title: String,
    /// Label below the axis, with its unit: `bytes`.
    pub x_label: String,
    /// Bars from the top. If not all fit, the last bar is the sum of the small ones.
    pub bars: Vec<Bar>,
}

/// A named amount.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// Name beside the bar.
    pub name: String,
    /// The amount; non-finite and negative values count as 0.
    pub amount: f64,
}

impl Bars {
    pub(super) fn lay_out(&self, font: &Font, sizes: &Sizes, size: Vec2) -> Vec<Shape> {
        let [top, bottom] = sizes.room(&self.title, &self.x_label, size.y);
        let room = ((bottom - top) / (sizes.text * CLOSEST)) as usize;
        let bars = self.visible_bars(room.max(1));
        let most = bars.iter().map(|bar| bar.amount).fold(0.0, f64::max);
        let most = if most > 0.0 { most } else { 1.0 };

        let letters = sizes.text * 0.9;
        let names = bars.iter().map(|bar| font.width(&bar.name, letters));
        let names = names.fold(0.0, f32::max).min(size.x * WIDEST_NAMES);
        let left = sizes.gap * 1.6 + names;
        let numbers = font.width(&number(most), letters) + sizes.gap;
        let right = (size.x - sizes.gap - numbers).max(left + 1.0);
        let axis = Axis::between((0.0, most), left, right);

        let mut shapes = Vec::new();
        let mut text = |text: String, position: Vec2, anchor: Anchor, size: f32, color| {
            shapes.push(Shape::text(text, position, anchor, size, color));
        };
        let across = (left + right) * 0.5;
        let around = 2.0 * across.min(size.x - across);
        for (label, y, size) in [
            (&self.title, sizes.gap + sizes.title * 0.9, sizes.title),
            (&self.x_label, size.y - sizes.gap * 0.8, sizes.text),
        ] {
            let label = fit(font, label, size, around);
            text(label, Vec2::new(across, y), Anchor::Middle, size, TEXT);
        }
        let wanted = (right - left) / (font.width("000000", sizes.text) * 1.4);
        let ticks = ticks(0.0, most, (wanted as usize).clamp(2, 8));
        let below = bottom + sizes.gap * 0.6 + font.cap_height(sizes.text);
        for tick in &ticks {
            let position = Vec2::new(axis.pixel(tick.value) as f32, below);
            text(
                tick.label.clone(),
                position,
                Anchor::Middle,
                sizes.text,
                FAINT_TEXT,
            );
        }
        let step = ((bottom - top) / bars.len().max(1) as f32).min(sizes.line * 1.6);
        let half = font.cap_height(letters) * 0.5;
        let middle = |row: usize| top + (row as f32 + 0.5) * step;
        for (row, bar) in bars.iter().enumerate() {
            let position = Vec2::new(left - sizes.gap * 0.6, middle(row) + half);
            let name = fit(font, &bar.name, letters, names);
            text(name, position, Anchor::End, letters, TEXT);
            let end = axis.pixel(bar.amount) as f32 + sizes.gap * 0.5;
            let position = Vec2::new(end, middle(row) + half);
            text(
                number(bar.amount),
                position,
                Anchor::Start,
                letters,
                FAINT_TEXT,
            );
        }

        let line = |from: Vec2, to: Vec2, color| Shape::Line {
            points: vec![from, to],
            color,
            width: 1.0,
            dashes: &[],
        };
        let mut behind: Vec<Shape> = Vec::new();
        for tick in &ticks {
            let x = crisp(axis.pixel(tick.value));
            behind.push(line(Vec2::new(x, top), Vec2::new(x, bottom), GRID));
        }
        let (color, _) = series_look(0);
        for (row, bar) in bars.iter().enumerate() {
            let (low, high) = (middle(row) - step * 0.36, middle(row) + step * 0.36);
            behind.push(Shape::Rect {
                low: Vec2::new(left, low),
                high: Vec2::new(axis.pixel(bar.amount) as f32, high),
                color,
            });
        }
        let x = crisp(left.into());
        behind.push(line(Vec2::new(x, top), Vec2::new(x, bottom), FRAME));
        behind.append(&mut shapes);
        behind
    }

    /// Returns the bars that fit, in order, and the sum of the small ones.
    fn visible_bars(&self, room: usize) -> Vec<Bar> {
        let amount = |bar: &Bar| {
            let is_one = plottable(bar.amount) && bar.amount > 0.0;
            if is_one { bar.amount } else { 0.0 }
        };
        let mut bars: Vec<Bar> = self
            .bars
            .iter()
            .map(|bar| Bar {
                amount: amount(bar),
                name: bar.name.clone(),
            })
            .collect();
        if bars.len() <= room {
            return bars;
        }
        let mut order: Vec<usize> = (0..bars.len()).collect();
        order.sort_by(|&a, &b| bars[b].amount.total_cmp(&bars[a].amount));
        let mut is_kept = vec![false; bars.len()];
        for &index in order.iter().take(room - 1) {
            is_kept[index] = true;
        }
        let count = bars.len() - (room - 1);
        let others = bars.iter().zip(&is_kept).filter(|(_, is_kept)| !**is_kept);
        let rest = Bar {
            amount: others.map(|(bar, _)| bar.amount).sum::<f64>().min(1e300),
            name: format!("{count} others"),
        };
        let mut kept = is_kept.into_iter();
        bars.retain(|_| kept.next().unwrap_or(false));
        bars.push(rest);
        bars
    }
}

/// Formats a number.
fn number(value: f64) -> String {
    if value >= 1e9 {
        return format!("{value:.1e}");
    }
    if value < 10.0 && value.fract() != 0.0 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(name: &str, amount: f64) -> Bar {
        Bar {
            name: name.into(),
            amount,
        }
    }

    #[test]
    fn amounts_that_are_none_count_as_nothing() {
        let bars = Bars {
            bars: vec![bar("a", f64::NAN), bar("b", -1.0), bar("c", f64::INFINITY)],
            ..Bars::default()
        };
        assert!(bars.visible_bars(9).iter().all(|bar| bar.amount == 0.0));
    }

    #[test]
    fn small_bars_without_room_become_one() {
        let bars = Bars {
            bars: vec![bar("a", 5.0), bar("b", 1.0), bar("c", 9.0), bar("d", 2.0)],
            ..Bars::default()
        };
        assert_eq!(bars.visible_bars(4), bars.bars);
        let few = [bar("a", 5.0), bar("c", 9.0), bar("2 others", 3.0)];
        assert_eq!(bars.visible_bars(3), few);
        assert_eq!(bars.visible_bars(1), [bar("4 others", 17.0)]);
    }

    #[test]
    fn numbers_are_in_groups_of_three() {
        assert_eq!(number(1234567.0), "1,234,567");
        assert_eq!(
            [number(0.0), number(0.25), number(999.0)],
            ["0", "0.2", "999"]
        );
    }
}
