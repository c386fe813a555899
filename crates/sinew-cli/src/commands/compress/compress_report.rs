//! The report of `sinew compress`.

use super::facts::{PackedStats, UNKNOWN, grouped, millimetres, ratio, table};
use super::{CompressRow, Results};
use crate::args::CompressArgs;
use crate::input;
use crate::report::{self, bad, bold, count, dim, plain_text};
use serde_json::{Value, json};
use std::fmt::Write;

/// Files listed in the table; the JSON lists all.
const ROWS: usize = 40;

/// Outputs listed below the table; they are named after their inputs.
const OUTPUTS: usize = 5;

pub(super) fn text(results: &Results, args: &CompressArgs) -> String {
    let rows = &results.rows;
    let mut out = String::new();
    let done: Vec<(&CompressRow, PackedStats)> = rows
        .iter()
        .filter_map(|row| {
            let done = row.result.as_ref().ok().filter(|done| !done.is_skipped)?;
            Some((row, PackedStats::sum(&done.motions)))
        })
        .collect();
    let mut cells: Vec<[String; 10]> = Vec::new();
    for (row, facts) in done.iter().take(ROWS) {
        let time = row.result.as_ref().map_or(0.0, |done| done.time);
        cells.push(line(&display_path(row), facts, time));
    }
    let total = PackedStats::sum(done.iter().map(|(_, facts)| facts));
    let time: f64 = rows
        .iter()
        .filter_map(|row| Some(row.result.as_ref().ok()?.time))
        .sum();
    if done.len() > 1 {
        cells.push(line("total", &total, time));
    }
    if !cells.is_empty() {
        let heads = [
            "motion", "frames", "joints", "seconds", "keys", "packed", "ratio", "vs poses",
            "error", "time",
        ];
        for line in table(heads, &cells) {
            out += &line;
            out.push('\n');
        }
    }
    if done.len() > ROWS {
        let more = format!("  … and {} more; --json lists all", done.len() - ROWS);
        let _ = writeln!(out, "{}", dim(more));
    }
    for row in rows {
        let input = display_path(row);
        let _ = match &row.result {
            Err(problem) => {
                let problem = problem.strip_prefix(&input).unwrap_or(problem);
                let problem = problem.trim_start_matches(": ");
                writeln!(out, "{} {input}  {problem}", bad("failed "))
            }
            Ok(done) if done.is_skipped => {
                writeln!(out, "{} {input}", dim("skipped"))
            }
            Ok(_) => Ok(()),
        };
    }
    summary(results, args, &total, &mut out);
    out
}

fn display_path(row: &CompressRow) -> String {
    plain_text(&row.input.display().to_string())
}

fn line(name: &str, facts: &PackedStats, time: f64) -> [String; 10] {
    [
        name.to_owned(),
        match facts.raw {
            Some(_) => facts.frames.to_string(),
            None => UNKNOWN.to_owned(),
        },
        facts.joints.to_string(),
        format!("{:.2}", facts.seconds),
        facts.plain.map_or(UNKNOWN.to_owned(), grouped),
        grouped(facts.bytes),
        facts.plain_ratio().map_or(UNKNOWN.to_owned(), ratio),
        ratio(facts.raw_ratio()),
        millimetres(f64::from(facts.error)),
        duration(time),
    ]
}

fn duration(seconds: f64) -> String {
    match seconds {
        long if long >= 10.0 => format!("{long:.0} s"),
        long if long >= 1.0 => format!("{long:.1} s"),
        short => format!("{:.0} ms", short * 1000.0),
    }
}

/// Reports the result, where it is, and what to do next.
fn summary(results: &Results, args: &CompressArgs, total: &PackedStats, out: &mut String) {
    let rows = &results.rows;
    let ok = || rows.iter().filter_map(|row| row.result.as_ref().ok());
    let skipped = ok().filter(|done| done.is_skipped).count();
    let made: Vec<_> = ok().filter(|done| !done.is_skipped).collect();
    let failed = rows.iter().filter(|row| row.result.is_err()).count();
    let bound = millimetres(f64::from(args.max_error));
    let mut sums = vec![match made.len() {
        0 => "0 compressed".to_owned(),
        count => format!("{count} compressed (max error {bound})"),
    }];
    if skipped > 0 {
        sums.push(format!("{skipped} skipped (up to date)"));
    }
    if failed > 0 {
        sums.push(bad(format!("{failed} failed")));
    }
    let mut about = format!("in {}", duration(results.seconds));
    if !made.is_empty() {
        about += &format!(", packed {}", total.packings.join(" and "));
    }
    let _ = writeln!(out, "{} {}", bold(sums.join(", ")), dim(about));
    let wrote = |out: &mut String, path: &std::path::Path, bytes: u64| {
        let path = plain_text(&path.display().to_string());
        let about = format!("{} bytes with skeletons and metadata", grouped(bytes));
        let _ = writeln!(out, "→ {path} {}", dim(about));
    };
    match &results.combined {
        Some((path, bytes)) => wrote(out, path, *bytes),
        None => {
            let written = || made.iter().filter(|done| done.file_bytes > 0);
            for done in written().take(OUTPUTS) {
                wrote(out, &done.output, done.file_bytes);
            }
            if written().count() > OUTPUTS {
                let bytes = written().map(|done| done.file_bytes).sum();
                let more = format!(
                    "… and {} more; {} files, {} bytes with skeletons and metadata",
                    written().count() - OUTPUTS,
                    written().count(),
                    grouped(bytes),
                );
                let _ = writeln!(out, "{}", dim(more));
            }
        }
    }
    if results.combined.is_none() && made.iter().any(|done| done.file_bytes == 0) {
        let problem = "nothing was written, because not all inputs could be compressed";
        let _ = writeln!(out, "{}", bad(problem));
    }
    for picture in &results.pictures {
        let _ = writeln!(out, "→ {}", plain_text(&picture.display().to_string()));
    }
    for row in rows {
        let warnings = row
            .result
            .as_ref()
            .map(|done| report::warning_rows(&done.warnings));
        if let Ok(warnings) = warnings
            && !warnings.is_empty()
        {
            let _ = write!(
                out,
                "{}\n{warnings}",
                plain_text(&row.input.display().to_string())
            );
        }
    }
    let losses = rows
        .iter()
        .filter_map(|row| Some((row.input.as_path(), &row.result.as_ref().ok()?.losses)));
    *out += &report::loss_rows(losses);
    let warnings: usize = made.iter().map(|done| done.warnings.count()).sum();
    if warnings > 0 {
        let text = format!("{}; see `sinew validate`", count(warnings, "warning"));
        let _ = writeln!(out, "{}", dim(text));
    }
    let is_repairable =
        |row: &CompressRow| row.result.is_err() && input::is_repairable(&row.input, &args.source);
    if args.source.strict && rows.iter().any(is_repairable) {
        let text = "some of these files can be repaired; try without --strict";
        let _ = writeln!(out, "{}", dim(text));
    }
}

pub(super) fn json(results: &Results, args: &CompressArgs) -> Value {
    let rows = &results.rows;
    let files = rows.iter().map(|row| {
        let input = row.input.display().to_string();
        match &row.result {
            Err(problem) => json!({ "input": input, "status": "failed", "error": problem }),
            Ok(done) if done.is_skipped => {
                let output = done.output.display().to_string();
                json!({ "input": input, "status": "skipped", "output": output })
            }
            Ok(done) => json!({
                "input": input,
                "status": "compressed",
                "output": done.output.display().to_string(),
                "motions": done.motions.iter().map(PackedStats::to_json).collect::<Vec<_>>(),
                "output_bytes": (done.file_bytes > 0).then_some(done.file_bytes),
                "seconds": done.time,
                "warnings": report::warnings_json(done.warnings.list()),
                "losses": report::warnings_json(done.losses.list()),
            }),
        }
    });
    let ok = || rows.iter().filter_map(|row| row.result.as_ref().ok());
    let total = PackedStats::sum(ok().flat_map(|done| &done.motions));
    let combined = results.combined.as_ref();
    let pictures = results
        .pictures
        .iter()
        .map(|path| path.display().to_string());
    json!({
        "version": report::JSON_VERSION,
        "max_error": args.max_error,
        "profile": args.profile.name(),
        "files": files.collect::<Vec<_>>(),
        "combined": combined.map(|(path, bytes)| {
            json!({ "output": path.display().to_string(), "output_bytes": bytes })
        }),
        "pictures": pictures.collect::<Vec<_>>(),
        "compressed": ok().filter(|done| !done.is_skipped).count(),
        "skipped": ok().filter(|done| done.is_skipped).count(),
        "failed": rows.iter().filter(|row| row.result.is_err()).count(),
        "frames": total.frames,
        "raw_bytes": total.raw,
        "plain_bytes": total.plain,
        "bytes": total.bytes,
        "error": total.error,
        "seconds": results.seconds,
    })
}
