//! SVG output of shapes.
//!
//! Coordinates are rounded to 0.1 pixels and relative, which keeps files small.

use super::shape::{Anchor, Color, Shape};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sinew::glam::Vec2;
use std::fmt::Write;

/// Font families as wide as the built-in font.
const FONTS: &str = "Hack,Menlo,'DejaVu Sans Mono',Consolas,monospace";

pub(crate) fn write(shapes: &[Shape], width: u32, height: u32) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\" fill=\"none\" \
         stroke-linecap=\"round\" stroke-linejoin=\"round\">\n"
    );
    for shape in shapes {
        match shape {
            Shape::Rect { low, high, color } => {
                let size = *high - *low;
                let (x, y, w, h) = (tenth(low.x), tenth(low.y), tenth(size.x), tenth(size.y));
                let fill = paint("fill", *color);
                push(
                    &mut svg,
                    format_args!(
                        "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"{fill}/>\n"
                    ),
                );
            }
            Shape::Picture { low, high, image } => {
                let size = *high - *low;
                let (x, y, w, h) = (tenth(low.x), tenth(low.y), tenth(size.x), tenth(size.y));
                // An image that cannot be encoded as PNG has no pixels.
                let png = crate::png_out::encode_png(image).unwrap_or_default();
                let data = STANDARD.encode(png);
                push(
                    &mut svg,
                    format_args!(
                        "<image x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" \
                         preserveAspectRatio=\"none\" image-rendering=\"pixelated\" \
                         href=\"data:image/png;base64,{data}\"/>\n"
                    ),
                );
            }
            Shape::Area { points, color } => {
                let (path, fill) = (path(points), paint("fill", *color));
                push(&mut svg, format_args!("<path d=\"{path}z\"{fill}/>\n"));
            }
            Shape::Line {
                points,
                color,
                width,
                dashes,
            } => {
                let (path, stroke, width) = (path(points), paint("stroke", *color), tenth(*width));
                let dashes = dash_array(dashes);
                push(
                    &mut svg,
                    format_args!("<path d=\"{path}\"{stroke} stroke-width=\"{width}\"{dashes}/>\n"),
                );
            }
            Shape::Dot {
                position,
                radius,
                color,
            } => {
                let (x, y, r) = (tenth(position.x), tenth(position.y), tenth(*radius));
                let fill = paint("fill", *color);
                push(
                    &mut svg,
                    format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{fill}/>\n"),
                );
            }
            Shape::Text {
                text,
                position,
                anchor,
                size,
                color,
                is_upright,
            } => {
                let (x, y, size) = (tenth(position.x), tenth(position.y), tenth(*size));
                let place = if *is_upright {
                    format!("transform=\"translate({x} {y})rotate(-90)\"")
                } else {
                    format!("x=\"{x}\" y=\"{y}\"")
                };
                let anchor = match anchor {
                    Anchor::Start => "",
                    Anchor::Middle => " text-anchor=\"middle\"",
                    Anchor::End => " text-anchor=\"end\"",
                };
                let (fill, text) = (paint("fill", *color), escape(text));
                push(
                    &mut svg,
                    format_args!(
                        "<text {place} font-size=\"{size}\"{anchor}{fill}>{text}</text>\n"
                    ),
                );
            }
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn push(svg: &mut String, what: std::fmt::Arguments) {
    // Writing to a string cannot fail.
    let _ = svg.write_fmt(what);
}

/// Rounds to integer tenths, clamped so that differences do not overflow.
fn tenths(value: f32) -> i32 {
    libm::roundf(value * 10.0).clamp(-1e8, 1e8) as i32
}

/// Formats a number with at most one decimal and no leading zero.
fn tenth(value: f32) -> String {
    number(tenths(value))
}

fn number(tenths: i32) -> String {
    let sign = if tenths < 0 { "-" } else { "" };
    let (whole, rest) = (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
    match (whole, rest) {
        (_, 0) => format!("{sign}{whole}"),
        (0, _) => format!("{sign}.{rest}"),
        _ => format!("{sign}{whole}.{rest}"),
    }
}

fn path(points: &[Vec2]) -> String {
    let mut path = String::new();
    let mut last = (0, 0);
    for (i, point) in points.iter().enumerate() {
        let here = (tenths(point.x), tenths(point.y));
        let (dx, dy) = (here.0 - last.0, here.1 - last.1);
        // Relative to the last rounded point, so errors do not accumulate.
        match i {
            0 => path.push('M'),
            1 => path.push('l'),
            _ if dx == 0 && dy == 0 => continue,
            _ if dx >= 0 => path.push(' '),
            _ => {}
        }
        let gap = if dy >= 0 { " " } else { "" };
        push(&mut path, format_args!("{}{gap}{}", number(dx), number(dy)));
        last = here;
    }
    path
}

fn dash_array(dashes: &[f32]) -> String {
    if dashes.is_empty() {
        return String::new();
    }
    let lengths: Vec<String> = dashes.iter().map(|&d| tenth(d)).collect();
    format!(
        " stroke-dasharray=\"{}\" stroke-linecap=\"butt\"",
        lengths.join(" ")
    )
}

fn paint(attribute: &str, [r, g, b, a]: Color) -> String {
    let mut paint = format!(" {attribute}=\"#{r:02x}{g:02x}{b:02x}\"");
    if a < 255 {
        let hundredths = (u32::from(a) * 100 + 127) / 255;
        push(
            &mut paint,
            format_args!(" {attribute}-opacity=\".{hundredths:02}\""),
        );
    }
    paint
}

/// Escapes text for XML and removes invalid characters.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let written = [0.0, -0.04, 0.5, -0.5, 12.0, 12.34, -3.96].map(tenth);
        assert_eq!(written, ["0", "0", ".5", "-.5", "12", "12.3", "-4"]);
    }

    #[test]
    fn paths_are_relative_and_do_not_drift() {
        let points: Vec<Vec2> = (0..4).map(|i| Vec2::new(i as f32 * 0.26, 5.0)).collect();
        assert_eq!(path(&points), "M0 5l.3 0 .2 0 .3 0");
        assert_eq!(path(&[Vec2::ONE, Vec2::ZERO]), "M1 1l-1-1");
    }

    #[test]
    fn markup_and_control_characters_are_harmless() {
        assert_eq!(
            escape("a<b>&\"'\u{0}\u{1b}\u{ffff}é"),
            "a&lt;b&gt;&amp;&quot;&#39;é"
        );
    }
}
