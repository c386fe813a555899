//! The report of `sinew retarget`, as text and as JSON.

use super::RetargetRow;
use super::retarget_file::{RetargetResult, RetargetedFile, RetargetedMotion};
use super::roles::Roles;
use super::target::Target;
use crate::args::RetargetArgs;
use crate::commands::compress::facts::table;
use crate::report::{self, bad, bold, count, dim, good, plain_text};
use serde_json::{Value, json};
use sinew_author::retarget::RetargetReport;
use sinew_author::retarget::character::CharacterReport;
use std::fmt::Write;

/// The largest number of files listed; beyond it only those that were not written are.
const ROWS: usize = 20;

/// A measure of source and target.
pub(super) struct QualityRow {
    pub(super) name: &'static str,
    pub(super) source: String,
    pub(super) target: String,
}

/// Returns the measures of a result.
pub(super) fn quality_rows(result: &RetargetResult) -> Vec<QualityRow> {
    match result {
        RetargetResult::Figure { report, .. } => figure_rows(report),
        RetargetResult::Character { report, .. } => character_rows(report),
    }
}

fn figure_rows(report: &RetargetReport) -> Vec<QualityRow> {
    let centimetres = |metres: f32| format!("{:.2} cm", 100.0 * metres);
    let row = |name, source: String, target: String| QualityRow {
        name,
        source,
        target,
    };
    let none = String::new;
    vec![
        row(
            "path of the hips",
            format!("{:.2} m", report.root_path[0]),
            format!("{:.2} m (x {:.3})", report.root_path[1], report.scale),
        ),
        row(
            "planted feet, slide",
            centimetres(report.source_slide[0]),
            centimetres(report.slide[0]),
        ),
        row(
            "with rolling on and off",
            centimetres(report.source_contact_slide[0]),
            centimetres(report.contact_slide[0]),
        ),
        row(
            "planted feet, mean slide",
            centimetres(report.source_slide[1]),
            centimetres(report.slide[1]),
        ),
        row("planted feet, float", none(), centimetres(report.float)),
        row(
            "bone directions, 95 %",
            none(),
            format!("{:.1}°", report.direction),
        ),
        row(
            "hands, miss",
            none(),
            format!(
                "{:.1} % of the arm (mean {:.1} %)",
                100.0 * report.reach[0],
                100.0 * report.reach[1]
            ),
        ),
        row(
            "beyond joint limits",
            count(report.source_limit_frames, "frame"),
            count(report.limit_frames, "frame"),
        ),
        row("jerk, ratio", none(), format!("{:.2}", report.jerk)),
    ]
}

fn character_rows(report: &CharacterReport) -> Vec<QualityRow> {
    let row = |name, target: String| QualityRow {
        name,
        source: String::new(),
        target,
    };
    let means = report.foreshortening.iter().map(|limb| limb.mean);
    let mean = means.clone().sum::<f32>() / means.len().max(1) as f32;
    let least = means.fold(1.0, f32::min);
    vec![
        row("view", format!("{:.0}° from the side", report.view_degrees)),
        row("scale", format!("{:.1} px per metre", report.scale)),
        row(
            "limbs, projected",
            format!("{:.1} % (least {:.1} %)", 100.0 * mean, 100.0 * least),
        ),
        row(
            "planted feet, drift",
            format!(
                "{:.2} px of 300 (mean {:.2})",
                report.drift.max, report.drift.mean
            ),
        ),
        row(
            "keys",
            format!("{} of {}", report.keys_after, report.keys_before),
        ),
    ]
}

/// Describes the results.
pub(super) fn text(
    rows: &[RetargetRow],
    target: &Target,
    args: &RetargetArgs,
    seconds: f64,
) -> String {
    let mut out = String::new();
    if args.check || target.roles().is_incomplete() {
        out += &target
            .roles()
            .text(&format!("target {}", target.name()), args.check);
    }
    if let Some(path) = &args.save_map {
        let _ = writeln!(out, "→ {}", plain_text(&path.display().to_string()));
    }
    let lists_all = rows.len() <= ROWS;
    for row in rows {
        let name = plain_text(&row.input.display().to_string());
        match &row.result {
            Err(problem) => {
                let _ = writeln!(out, "{} {}", bad("failed"), plain_text(problem));
            }
            Ok(file) if file.is_refused() => {
                let _ = writeln!(out, "{} {}", bad("refused"), bold(&name));
                for reason in &file.refused {
                    let _ = writeln!(out, "  {}", plain_text(reason));
                }
                out += &details(file, args);
            }
            Ok(file) if file.is_skipped => {
                if lists_all {
                    let _ = writeln!(out, "{} {name}", dim("skipped"));
                }
            }
            Ok(file) => {
                if lists_all {
                    let _ = writeln!(out, "{} {}", good("ok"), bold(&name));
                    out += &details(file, args);
                }
            }
        }
    }
    let losses = rows.iter().filter_map(|row| {
        let file = row.result.as_ref().ok()?;
        Some((row.input.as_path(), &file.losses))
    });
    out += &report::loss_rows(losses);
    out += &summary(rows, args, seconds);
    out
}

/// Describes the motions of a file.
fn details(file: &RetargetedFile, args: &RetargetArgs) -> String {
    let mut out = String::new();
    if args.check {
        for roles in &file.roles {
            out += &roles.text("source", true);
        }
    }
    for motion in &file.motions {
        let _ = writeln!(
            out,
            "  {} {}",
            plain_text(&motion.name),
            dim(format!("{:.2} s", motion.source.length))
        );
        let rows = quality_rows(&motion.result).into_iter();
        let rows: Vec<[String; 3]> = rows
            .map(|row| [row.name.to_owned(), row.source, row.target])
            .collect();
        for line in table(["", "source", "target"], &rows) {
            let _ = writeln!(out, "  {line}");
        }
        for warning in motion.warnings() {
            let _ = writeln!(
                out,
                "  {} {}",
                report::caution("warning:"),
                plain_text(&warning)
            );
        }
    }
    for path in &file.outputs {
        let _ = writeln!(out, "  → {}", plain_text(&path.display().to_string()));
    }
    out
}

fn summary(rows: &[RetargetRow], args: &RetargetArgs, seconds: f64) -> String {
    let counts = Counts::of(rows);
    let mut sums = vec![format!("{} retargeted", count(counts.motions, "motion"))];
    if counts.skipped > 0 {
        sums.push(format!("{} skipped", counts.skipped));
    }
    if counts.refused > 0 {
        sums.push(bad(format!("{} refused", counts.refused)));
    }
    if counts.failed > 0 {
        sums.push(bad(format!("{} failed", counts.failed)));
    }
    let mut out = format!(
        "{} {}\n",
        bold(sums.join(", ")),
        dim(format!("in {seconds:.1} s"))
    );
    if counts.refused > 0 && !args.force {
        let hint = "nothing was written for refused files; see --check, --map and --force";
        let _ = writeln!(out, "{}", dim(hint));
    } else if counts.motions > 0
        && [&args.out, &args.compare, &args.save_map]
            .iter()
            .all(|path| path.is_none())
        && !args.check
    {
        let _ = writeln!(out, "{}", dim("nothing was written; use --out"));
    }
    out
}

/// Numbers of files and motions.
#[derive(Default)]
struct Counts {
    motions: usize,
    skipped: usize,
    refused: usize,
    failed: usize,
}

impl Counts {
    fn of(rows: &[RetargetRow]) -> Self {
        let mut counts = Self::default();
        for row in rows {
            match &row.result {
                Err(_) => counts.failed += 1,
                Ok(file) if file.is_refused() => counts.refused += 1,
                Ok(file) if file.is_skipped => counts.skipped += 1,
                Ok(file) => counts.motions += file.motions.len(),
            }
        }
        counts
    }
}

/// Returns the results as JSON.
pub(super) fn json(
    rows: &[RetargetRow],
    target: &Target,
    args: &RetargetArgs,
    seconds: f64,
) -> Value {
    let files = rows.iter().map(|row| {
        let input = row.input.display().to_string();
        let file = match &row.result {
            Err(problem) => {
                return json!({ "input": input, "status": "failed", "error": problem });
            }
            Ok(file) => file,
        };
        let status = match (file.is_refused(), file.is_skipped) {
            (true, _) => "refused",
            (_, true) => "skipped",
            _ => "retargeted",
        };
        let outputs = file.outputs.iter().map(|path| path.display().to_string());
        json!({
            "input": input,
            "status": status,
            "outputs": outputs.collect::<Vec<_>>(),
            "refused": file.refused,
            "roles": file.roles.iter().map(Roles::json).collect::<Vec<_>>(),
            "motions": file.motions.iter().map(motion_json).collect::<Vec<_>>(),
            "warnings": report::warnings_json(file.warnings.list()),
            "losses": report::warnings_json(file.losses.list()),
        })
    });
    let counts = Counts::of(rows);
    json!({
        "version": report::JSON_VERSION,
        "target": {
            "file": args.onto.display().to_string(),
            "kind": match target {
                Target::Figure(_) => "skeleton",
                Target::Character(_) => "character",
            },
            "roles": target.roles().json(),
        },
        "files": files.collect::<Vec<_>>(),
        "motions": counts.motions,
        "skipped": counts.skipped,
        "refused": counts.refused,
        "failed": counts.failed,
        "seconds": seconds,
    })
}

fn motion_json(motion: &RetargetedMotion) -> Value {
    let mut json = json!({
        "name": motion.name,
        "seconds": motion.source.length,
        "violations": motion.violations(),
        "warnings": motion.warnings(),
    });
    match &motion.result {
        RetargetResult::Figure { report, .. } => {
            json["quality"] = json!({
                "scale": report.scale,
                "frames": report.frames,
                "root_path": report.root_path,
                "plants": report.plants,
                "slide": report.slide,
                "source_slide": report.source_slide,
                "contact_slide": report.contact_slide,
                "source_contact_slide": report.source_contact_slide,
                "float": report.float,
                "direction": report.direction,
                "reach": report.reach,
                "limit_frames": report.limit_frames,
                "source_limit_frames": report.source_limit_frames,
                "jerk": report.jerk,
            });
        }
        RetargetResult::Character { report, .. } => {
            let limbs = report.foreshortening.iter().map(
                |limb| json!({ "role": limb.role.to_string(), "mean": limb.mean, "min": limb.min }),
            );
            let unreliable = report.unreliable.iter().map(|span| {
                json!({
                    "role": span.role.to_string(),
                    "from": span.span.start,
                    "to": span.span.end,
                })
            });
            let turned = report
                .turned
                .iter()
                .map(|span| json!({ "from": span.start, "to": span.end }));
            json["quality"] = json!({
                "view_degrees": report.view_degrees,
                "scale": report.scale,
                "frames": report.frames,
                "is_loop": report.is_loop,
                "foreshortening": limbs.collect::<Vec<_>>(),
                "unreliable": unreliable.collect::<Vec<_>>(),
                "turned": turned.collect::<Vec<_>>(),
                "drift": report.drift.max,
                "mean_drift": report.drift.mean,
                "lowered": report.lowered,
                "keys_before": report.keys_before,
                "keys": report.keys_after,
            });
        }
    }
    json
}
