//! The report of `sinew blend`.

use super::make::BlendResult;
use crate::commands::compress::facts::table;
use crate::commands::convert::round_fps;
use crate::commands::slides::{SlideRow, SlideSum};
use crate::inputs::InputMotion;
use crate::report::{self, bold, count, dim, plain_text};
use serde_json::{Value, json};
use sinew::registration::RegistrationCurve;
use sinew_formats::Warnings;
use std::fmt::Write;
use std::path::Path;

/// The contents of the report.
pub(super) struct BlendReport<'a> {
    pub(super) inputs: &'a [InputMotion],
    pub(super) curve: Option<&'a RegistrationCurve>,
    pub(super) blend: &'a BlendResult,
    /// Why there is no registration curve if one was requested.
    pub(super) note: Option<&'a str>,
    /// The headings of the foot-skate columns.
    pub(super) columns: &'a [&'static str],
    pub(super) slides: &'a [SlideRow],
    pub(super) written: &'a [&'a Path],
    /// Content of each motion that the result loses.
    pub(super) losses: &'a [Warnings],
}

pub(super) fn text(summary: &BlendReport<'_>) -> String {
    let mut out = String::new();
    let animation = &summary.blend.animation;
    let rate = animation
        .frame_rate
        .map_or(String::new(), |rate| format!(" at {} fps", round_fps(rate)));
    let _ = writeln!(
        out,
        "{} {}",
        bold(plain_text(&animation.name)),
        dim(format!(
            "{}: {}{rate}, {:.2} s",
            summary.blend.method,
            count(animation.frame_count(), "frame"),
            animation.length
        ))
    );
    if let Some(curve) = summary.curve {
        let spans = summary.inputs.iter().enumerate().map(|(motion, input)| {
            let (from, to) = (curve.time(motion, 0.0), curve.time(motion, 1.0));
            format!("{} {from:.2} to {to:.2} s", plain_text(input.name()))
        });
        let spans: Vec<String> = spans.collect();
        let distance = curve.distance() * 100.0;
        let spans = spans.join(" and ");
        let _ = writeln!(
            out,
            "  {spans} correspond: mean joint distance {distance:.1} cm"
        );
    }
    if let Some(note) = summary.note {
        let _ = writeln!(out, "  {}", plain_text(note));
    }
    let cell = |row: &SlideRow, column: usize| {
        row.slides.get(column).map_or(String::new(), SlideSum::text)
    };
    match *summary.columns {
        [one] => {
            let rows = summary
                .slides
                .iter()
                .map(|row| [row.name.clone(), cell(row, 0)]);
            lines(
                table(["foot skate", one], &rows.collect::<Vec<_>>()),
                &mut out,
            );
        }
        [one, two] => {
            let rows = summary.slides.iter();
            let rows = rows.map(|row| [row.name.clone(), cell(row, 0), cell(row, 1)]);
            lines(
                table(["foot skate", one, two], &rows.collect::<Vec<_>>()),
                &mut out,
            );
        }
        [one, two, three] => {
            let rows = summary.slides.iter();
            let rows = rows.map(|row| [row.name.clone(), cell(row, 0), cell(row, 1), cell(row, 2)]);
            let heads = ["foot skate", one, two, three];
            lines(table(heads, &rows.collect::<Vec<_>>()), &mut out);
        }
        _ => {}
    }
    if summary.slides.is_empty() {
        let _ = writeln!(out, "  {}", dim("no foot contacts"));
    }
    for path in summary.written {
        let _ = writeln!(out, "→ {}", plain_text(&path.display().to_string()));
    }
    out
}

fn lines(lines: Vec<String>, out: &mut String) {
    // Skips a table without rows.
    for line in lines.iter().filter(|_| lines.len() > 1) {
        let _ = writeln!(out, "{line}");
    }
}

pub(super) fn json(summary: &BlendReport<'_>) -> Value {
    let animation = &summary.blend.animation;
    let motions = summary.inputs.iter().zip(summary.losses).enumerate();
    let motions = motions.map(|(motion, (input, losses))| {
        json!({
            "file": input.path.display().to_string(),
            "name": input.name(),
            "from": summary.curve.map(|curve| curve.time(motion, 0.0)),
            "to": summary.curve.map(|curve| curve.time(motion, 1.0)),
            "warnings": report::warnings_json(input.warnings.list()),
            "losses": report::warnings_json(losses.list()),
        })
    });
    let slides = summary.slides.iter().map(|row| {
        let sums = row.slides.iter().zip(summary.columns).map(|(sum, column)| {
            let sum = json!({
                "plants": sum.plants,
                "seconds": sum.seconds,
                "path": sum.path,
                "deviation": sum.deviation,
            });
            ((*column).to_owned(), sum)
        });
        json!({ "name": row.name, "slides": sums.collect::<serde_json::Map<_, _>>() })
    });
    json!({
        "version": report::JSON_VERSION,
        "method": summary.blend.method,
        "note": summary.note,
        "name": animation.name,
        "frames": animation.frame_count(),
        "fps": animation.frame_rate,
        "seconds": animation.length,
        "distance": summary.curve.map(RegistrationCurve::distance),
        "motions": motions.collect::<Vec<_>>(),
        "slides": slides.collect::<Vec<_>>(),
        "files": summary.written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
    })
}
