//! The report of `sinew blend`.

use super::make::BlendResult;
use crate::commands::compress::facts::table;
use crate::commands::convert::rounded;
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
    pub(super) chosen: &'a [InputMotion],
    pub(super) curve: Option<&'a RegistrationCurve>,
    pub(super) made: &'a BlendResult,
    /// Why there is no registration curve if one was requested.
    pub(super) why: Option<&'a str>,
    /// The headings of the foot-skate columns.
    pub(super) columns: &'a [&'static str],
    pub(super) slides: &'a [SlideRow],
    pub(super) written: &'a [&'a Path],
    /// What the result loses of each motion.
    pub(super) losses: &'a [Warnings],
}

pub(super) fn text(told: &BlendReport<'_>) -> String {
    let mut out = String::new();
    let animation = &told.made.animation;
    let rate = animation
        .frame_rate
        .map_or(String::new(), |rate| format!(" at {} fps", rounded(rate)));
    let _ = writeln!(
        out,
        "{} {}",
        bold(plain_text(&animation.name)),
        dim(format!(
            "{}: {}{rate}, {:.2} s",
            told.made.how,
            count(animation.frame_count(), "frame"),
            animation.length
        ))
    );
    if let Some(curve) = told.curve {
        let spans = told.chosen.iter().enumerate().map(|(motion, input)| {
            let (from, to) = (curve.time(motion, 0.0), curve.time(motion, 1.0));
            format!("{} {from:.2} to {to:.2} s", plain_text(input.name()))
        });
        let spans: Vec<String> = spans.collect();
        let apart = format!("{:.1} cm apart in the mean", curve.distance() * 100.0);
        let _ = writeln!(out, "  {} correspond, {apart}", spans.join(" and "));
    }
    if let Some(why) = told.why {
        let _ = writeln!(out, "  {}", plain_text(why));
    }
    let cell = |row: &SlideRow, column: usize| {
        row.slides.get(column).map_or(String::new(), SlideSum::text)
    };
    match *told.columns {
        [one] => {
            let rows = told
                .slides
                .iter()
                .map(|row| [row.name.clone(), cell(row, 0)]);
            lines(
                table(["foot skate", one], &rows.collect::<Vec<_>>()),
                &mut out,
            );
        }
        [one, two] => {
            let rows = told.slides.iter();
            let rows = rows.map(|row| [row.name.clone(), cell(row, 0), cell(row, 1)]);
            lines(
                table(["foot skate", one, two], &rows.collect::<Vec<_>>()),
                &mut out,
            );
        }
        [one, two, three] => {
            let rows = told.slides.iter();
            let rows = rows.map(|row| [row.name.clone(), cell(row, 0), cell(row, 1), cell(row, 2)]);
            let heads = ["foot skate", one, two, three];
            lines(table(heads, &rows.collect::<Vec<_>>()), &mut out);
        }
        _ => {}
    }
    if told.slides.is_empty() {
        let _ = writeln!(out, "  {}", dim("no foot contacts"));
    }
    for path in told.written {
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

pub(super) fn json(told: &BlendReport<'_>) -> Value {
    let animation = &told.made.animation;
    let motions = told.chosen.iter().zip(told.losses).enumerate();
    let motions = motions.map(|(motion, (input, losses))| {
        json!({
            "file": input.path.display().to_string(),
            "name": input.name(),
            "from": told.curve.map(|curve| curve.time(motion, 0.0)),
            "to": told.curve.map(|curve| curve.time(motion, 1.0)),
            "warnings": report::warnings_json(input.warnings.list()),
            "losses": report::warnings_json(losses.list()),
        })
    });
    let slides = told.slides.iter().map(|row| {
        let ways = row.slides.iter().zip(told.columns).map(|(sum, column)| {
            let sum = json!({
                "plants": sum.plants,
                "seconds": sum.seconds,
                "path": sum.path,
                "deviation": sum.deviation,
            });
            ((*column).to_owned(), sum)
        });
        json!({ "name": row.name, "slides": ways.collect::<serde_json::Map<_, _>>() })
    });
    json!({
        "version": report::JSON_VERSION,
        "method": told.made.how,
        "note": told.why,
        "name": animation.name,
        "frames": animation.frame_count(),
        "fps": animation.frame_rate,
        "seconds": animation.length,
        "distance": told.curve.map(RegistrationCurve::distance),
        "motions": motions.collect::<Vec<_>>(),
        "slides": slides.collect::<Vec<_>>(),
        "files": told.written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
    })
}
