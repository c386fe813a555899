//! `sinew loop`: extracts a seamless loop from a motion.

use crate::Outcome;
use crate::args::LoopArgs;
use crate::commands::compress::facts::table;
use crate::commands::convert::round_fps;
use crate::commands::motion_output::MotionOutput;
use crate::error::CliError;
use crate::inputs::{self, InputMotion};
use crate::report::{self, bold, count, dim, plain_text};
use serde_json::{Value, json};
use sinew_author::contacts::find_plants;
use sinew_author::edit::trim;
use sinew_author::looping::{
    Cycle, CycleError, CycleSettings, LoopReport, LoopSettings, LoopedMotion, find_cycle, make_loop,
};
use sinew_formats::Warnings;
use std::fmt::Write;
use std::path::Path;

/// The largest number of other cycles listed; the JSON lists all.
const CANDIDATES: usize = 4;

pub(crate) fn run(args: &LoopArgs) -> Result<Outcome, CliError> {
    let form = match &args.out {
        Some(out) => {
            inputs::check_not_input(out, std::slice::from_ref(&args.file), "--out")?;
            Some((out, MotionOutput::of(out)?))
        }
        None => None,
    };
    let mut chosen = inputs::open_one(&args.file, args.animation.as_deref(), &args.source)?;
    let mut start = 0.0;
    if let Some(part) = args.trim {
        if part.from >= chosen.animation.length {
            let problem = format!(
                "--trim starts at {} s, but the motion is {} s long",
                part.from, chosen.animation.length
            );
            return Err(CliError::unusable(&args.file, problem));
        }
        start = part.from;
        chosen.animation = trim(&chosen.animation, part.from..part.to);
    }
    let settings = CycleSettings {
        shortest: args.shortest,
        longest: args.longest,
        ..CycleSettings::default()
    };
    let failed = |error: &dyn std::error::Error| {
        CliError::unusable(&args.file, plain_text(&error.to_string()))
    };
    let cycle = match find_cycle(&chosen.skeleton, &chosen.animation, &settings) {
        Err(error @ CycleError::NoCycle { .. }) => return refuse(args, &error.to_string()),
        found => found.map_err(|error| failed(&error))?,
    };
    let usual = LoopSettings::default();
    let how = LoopSettings {
        max_gap: if args.force {
            Some(f32::INFINITY)
        } else {
            args.max_gap
        },
        in_place: args.in_place,
        clean: !args.no_cleanup,
        straighten: if args.keep_turn {
            0.0
        } else {
            usual.straighten
        },
        ..usual
    };
    let looped = match make_loop(&chosen.skeleton, &chosen.animation, &cycle, &how) {
        Err(CycleError::Gap { gap, allowed, .. }) => {
            let problem = format!(
                "the seam of the best cycle, {:.2} to {:.2} s, is {:.1} cm, above the maximum of {:.1} cm; use another \
                 --trim, a larger --max-gap, or --force",
                start + cycle.start,
                start + cycle.end,
                100.0 * gap,
                100.0 * allowed,
            );
            return refuse(args, &problem);
        }
        made => made.map_err(|error| failed(&error))?,
    };
    let mut losses = Warnings::default();
    if let Some((out, form)) = form {
        let plants = find_plants(&chosen.skeleton, &looped.animation, &how.plants);
        let source = chosen.gltf.as_ref();
        losses = form.write(out, source, &chosen.skeleton, &looped.animation, &plants)?;
        report::losses(&chosen.path, &losses);
    }
    let summary = LoopSummary {
        chosen: &chosen,
        start,
        cycle: &cycle,
        looped: &looped,
        out: args.out.as_deref(),
        is_cleaned: !args.no_cleanup,
        losses: &losses,
    };
    if args.json {
        report::print_json(&summary.json())?;
    } else {
        report::print(&summary.text())?;
    }
    Ok(Outcome::Fine)
}

/// Reports why there is no loop; exit code 1.
fn refuse(args: &LoopArgs, problem: &str) -> Result<Outcome, CliError> {
    if args.json {
        let file = args.file.display().to_string();
        let json = json!({ "version": report::JSON_VERSION, "file": file, "refused": problem });
        report::print_json(&json)?;
    } else {
        let error = CliError::unusable(&args.file, plain_text(problem));
        report::error(&error.to_string());
    }
    Ok(Outcome::CheckFailed)
}

/// The contents of the report.
struct LoopSummary<'a> {
    chosen: &'a InputMotion,
    /// The start of the analysed range.
    start: f32,
    cycle: &'a Cycle,
    looped: &'a LoopedMotion,
    out: Option<&'a Path>,
    is_cleaned: bool,
    /// Content of the input that the output loses.
    losses: &'a Warnings,
}

impl LoopSummary<'_> {
    fn text(&self) -> String {
        let mut out = String::new();
        let (cycle, animation) = (self.cycle, &self.looped.animation);
        let report = &self.looped.report;
        let _ = writeln!(
            out,
            "{} repeats from {:.2} to {:.2} s: cycle of {:.2} s, mean joint distance {:.1} cm",
            bold(plain_text(self.chosen.name())),
            self.start + cycle.start,
            self.start + cycle.end,
            cycle.end - cycle.start,
            cycle.distance * 100.0,
        );
        let length = f64::from(animation.length).max(1e-6);
        let way = report.ground_transform.x.hypot(report.ground_transform.z);
        let mut goes = vec![format!(
            "travels {way:.2} m per cycle, {:.2} m/s",
            way / length
        )];
        let turn = report.ground_transform.angle.to_degrees();
        if turn.abs() >= 0.05 {
            goes.push(format!("turns {turn:.1}° per cycle"));
        }
        if let Some(rate) = animation.frame_rate {
            let frames = count(animation.frame_count(), "frame");
            goes.push(format!("{frames} at {} fps", round_fps(rate)));
        }
        let _ = writeln!(out, "  {}", dim(goes.join(", ")));
        let rows = self.rows(report);
        for line in table(["", "before", "after"], &rows) {
            let _ = writeln!(out, "{line}");
        }
        let others = cycle
            .candidates
            .iter()
            .filter(|other| (other.start, other.end) != (cycle.start, cycle.end));
        let others = others.take(CANDIDATES).map(|other| {
            format!(
                "{:.2} to {:.2} s ({:.1} cm)",
                self.start + other.start,
                self.start + other.end,
                other.distance * 100.0
            )
        });
        let others: Vec<String> = others.collect();
        if !others.is_empty() {
            let _ = writeln!(
                out,
                "  {}",
                dim(format!("other cycles: {}", others.join(", ")))
            );
        }
        match self.out {
            Some(path) => {
                let _ = writeln!(out, "→ {}", plain_text(&path.display().to_string()));
            }
            None => {
                let _ = writeln!(out, "  {}", dim("nothing was written; use --out"));
            }
        }
        out
    }

    fn rows(&self, report: &LoopReport) -> Vec<[String; 3]> {
        let (before, after) = (&report.before, &report.after);
        let [slid, slides] = &report.slides;
        let centimetres = |metres: f32| format!("{:.2} cm", metres * 100.0);
        let slide = |path: f32, deviation: f32| {
            format!("{:.1} cm ({:.1})", path * 100.0, deviation * 100.0)
        };
        let mut rows = vec![
            [
                "seam, largest joint distance".to_owned(),
                centimetres(before.distance),
                centimetres(after.distance),
            ],
            [
                "seam, largest joint angle".to_owned(),
                format!("{:.1}°", before.angle.to_degrees()),
                format!("{:.1}°", after.angle.to_degrees()),
            ],
            [
                "seam, velocity jump".to_owned(),
                format!("{:.2} m/s", before.velocity),
                format!("{:.2} m/s", after.velocity),
            ],
        ];
        if self.is_cleaned {
            rows.push([
                "foot skate, maximum".to_owned(),
                slide(slid.path, slid.deviation),
                slide(slides.path, slides.deviation),
            ]);
        }
        rows
    }

    fn json(&self) -> Value {
        let (cycle, report) = (self.cycle, &self.looped.report);
        let seam = |seam: &sinew_author::looping::Seam| {
            json!({
                "distance": seam.distance,
                "angle": seam.angle,
                "velocity": seam.velocity,
            })
        };
        let slides = report
            .slides
            .map(|slide| json!({ "path": slide.path, "deviation": slide.deviation }));
        let candidates = cycle.candidates.iter().map(|other| {
            json!({
                "start": self.start + other.start,
                "end": self.start + other.end,
                "distance": other.distance,
            })
        });
        json!({
            "version": report::JSON_VERSION,
            "name": self.chosen.name(),
            "start": self.start + cycle.start,
            "end": self.start + cycle.end,
            "distance": cycle.distance,
            "frames": self.looped.animation.frame_count(),
            "fps": self.looped.animation.frame_rate,
            "seconds": self.looped.animation.length,
            "ground_transform": {
                "angle": report.ground_transform.angle,
                "x": report.ground_transform.x,
                "z": report.ground_transform.z,
            },
            "seam_before": seam(&report.before),
            "seam_after": seam(&report.after),
            "slide_before": slides[0],
            "slide_after": slides[1],
            "candidates": candidates.collect::<Vec<_>>(),
            "file": self.out.map(|path| path.display().to_string()),
            "warnings": report::warnings_json(self.chosen.warnings.list()),
            "losses": report::warnings_json(self.losses.list()),
        })
    }
}
