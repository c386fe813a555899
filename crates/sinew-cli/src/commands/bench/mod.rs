//! `sinew bench`: measures the cost of a motion on this machine.

mod stages;

use super::compress::compress_file::describe;
use super::compress::facts::{PackedStats, UNKNOWN, grouped, millimetres, ratio, table};
use crate::Outcome;
use crate::args::BenchArgs;
use crate::error::CliError;
use crate::input;
use crate::report::{self, bad, bold, dim, plain_text};
use serde_json::{Value, json};
use sinew::simd::SimdLevel;
use sinew::{Animation, PackedAnimation, Skeleton};
use sinew_author::compress::{CompressSettings, Profile, compress};
use sinew_timing::CrowdTimes;
use stages::{Stages, Times};
use std::time::Instant;

/// Number of compression runs; the fastest counts.
const COMPRESSION_RUNS: usize = 3;

/// A motion in one of its packed forms.
struct PackedForm {
    name: &'static str,
    packed: PackedAnimation<'static>,
    facts: PackedStats,
    /// Compression time in seconds.
    time: f64,
}

pub(crate) fn run(args: &BenchArgs) -> Result<Outcome, CliError> {
    let motion = input::open_only_motion(&args.file, &args.source)?;
    report::warnings(&motion.path, &motion.file.warnings);
    let Some(animation) = motion.animation(args.animation.as_deref())? else {
        return Err(CliError::unusable(&motion.path, "no animation found"));
    };
    let skeleton = &motion.file.skeleton;
    let (forms, missing) = forms(skeleton, animation, args);
    if forms.is_empty() {
        return Err(CliError::unusable(&motion.path, missing.join("; ")));
    }
    let packed: Vec<&PackedAnimation<'_>> = forms.iter().map(|form| &form.packed).collect();
    let times = Stages::new(skeleton, &packed)
        .race(args.quick)
        .map_err(|error| CliError::unusable(&motion.path, error))?;
    if args.json {
        report::print_json(&to_json(args, animation, &forms, &missing, &times))?;
    } else {
        report::print(&to_text(args, animation, &forms, &missing, &times))?;
    }
    Ok(Outcome::Fine)
}

/// Returns the motion in every packed form and unpacked, and the reasons for missing forms.
fn forms(
    skeleton: &Skeleton,
    animation: &Animation,
    args: &BenchArgs,
) -> (Vec<PackedForm>, Vec<String>) {
    let all = [
        ("small", Profile::Small, args.max_error),
        ("fast", Profile::Fast, args.max_error),
        ("keyframes", Profile::Keyframes, args.max_error),
        ("plain", Profile::Small, 0.0),
    ];
    let tries = if args.quick { 1 } else { COMPRESSION_RUNS };
    let (mut forms, mut missing) = (Vec::new(), Vec::new());
    for (name, profile, max_error) in all {
        let settings = CompressSettings { max_error, profile };
        let mut time = f64::INFINITY;
        let mut last = None;
        for _ in 0..tries {
            let started = Instant::now();
            let packed = compress(skeleton, animation, &settings);
            time = time.min(started.elapsed().as_secs_f64());
            last = Some(packed);
        }
        match last {
            Some(Ok(packed)) => forms.push(PackedForm {
                name,
                facts: PackedStats::with_source(&packed, skeleton, animation),
                packed,
                time,
            }),
            Some(Err(error)) => missing.push(format!("{name}: {}", describe(&error, skeleton))),
            None => {}
        }
    }
    (forms, missing)
}

fn to_text(
    args: &BenchArgs,
    animation: &Animation,
    forms: &[PackedForm],
    missing: &[String],
    times: &Times,
) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        out += &text;
        out.push('\n');
    };
    let Some(first) = forms.first().map(|form| &form.facts) else {
        return out;
    };
    line(format!(
        "{} {}",
        bold(plain_text(&animation.name)),
        dim(format!(
            "{} frames, {} joints, {:.2} s, max error {}; SIMD {}, one thread",
            first.frames,
            first.joints,
            first.seconds,
            millimetres(f64::from(args.max_error)),
            SimdLevel::best().name(),
        ))
    ));
    if cfg!(debug_assertions) {
        let problem = "debug build: these times are meaningless; build with --release";
        line(bad(problem));
    }
    let rows = forms.iter().map(|form| {
        let per_frame = form.time * 1e6 / form.facts.frames.max(1) as f64;
        [
            form.name.to_owned(),
            grouped(form.facts.bytes),
            form.facts.plain_ratio().map_or(UNKNOWN.to_owned(), ratio),
            ratio(form.facts.raw_ratio()),
            millimetres(f64::from(form.facts.error)),
            format!("{per_frame:.1} µs"),
            form.facts.packings.join("+"),
        ]
    });
    let heads = [
        "profile",
        "bytes",
        "vs keys",
        "vs poses",
        "error",
        "per frame",
        "packing",
    ];
    table(heads, &rows.collect::<Vec<_>>())
        .into_iter()
        .for_each(&mut line);
    for problem in missing {
        line(dim(format!("  {problem}")));
    }
    line(String::new());

    let mut rows = Vec::new();
    let mut row = |what: String, time: f64| {
        rows.push([
            what,
            format!("{time:.0} ns"),
            format!("{:.1}x", time / times.copy),
            format!("{:.2}x", time / times.slerp),
        ]);
    };
    for (form, stage_times) in forms.iter().zip(&times.forms) {
        row(
            format!("sample {}, sequential", form.name),
            stage_times.sequential,
        );
        row(
            format!("sample {}, reverse", form.name),
            stage_times.reverse,
        );
        row(
            format!("sample {}, random access", form.name),
            stage_times.random,
        );
    }
    row("blend two poses".to_owned(), times.blend);
    row("local to model".to_owned(), times.to_model);
    for (form, stage_times) in forms.iter().zip(&times.forms) {
        row(format!("character, {}", form.name), stage_times.chain);
    }
    row("copy a pose".to_owned(), times.copy);
    row("slerp every joint".to_owned(), times.slerp);
    let heads = ["stage", "time", "vs copy", "vs slerp"];
    table(heads, &rows).into_iter().for_each(&mut line);
    let all = "character: two samples, a blend and local to model";
    line(dim(format!("  {all}")));
    for (form, stage_times) in forms.iter().zip(&times.forms).take(2) {
        let [one, all] = [stage_times.crowd.one, stage_times.crowd.all].map(CrowdTimes::at_60_hz);
        line(format!(
            "{} {}",
            bold(format!("{} characters", grouped(one))),
            dim(format!(
                "at 60 Hz on one core, {} on {} cores ({})",
                grouped(all),
                stage_times.crowd.threads,
                form.name
            ))
        ));
    }
    out
}

fn to_json(
    args: &BenchArgs,
    animation: &Animation,
    forms: &[PackedForm],
    missing: &[String],
    times: &Times,
) -> Value {
    let time = |nanoseconds: f64| {
        json!({
            "nanoseconds": nanoseconds,
            "of_copy": nanoseconds / times.copy,
            "of_slerp": nanoseconds / times.slerp,
        })
    };
    let packings = forms.iter().zip(&times.forms).map(|(form, stage_times)| {
        json!({
            "form": form.name,
            "packed": form.facts.to_json(),
            "compress_seconds": form.time,
            "compress_microseconds_per_frame": form.time * 1e6 / form.facts.frames.max(1) as f64,
            "sample_sequential": time(stage_times.sequential),
            "sample_reverse": time(stage_times.reverse),
            "sample_random": time(stage_times.random),
            "chain": time(stage_times.chain),
            "characters_at_60_hz": CrowdTimes::at_60_hz(stage_times.crowd.one),
            "characters_at_60_hz_on_all_cores": CrowdTimes::at_60_hz(stage_times.crowd.all),
            "crowd": {
                "nanoseconds_per_character": stage_times.crowd.one,
                "nanoseconds_per_character_on_all_cores": stage_times.crowd.all,
                "cores": stage_times.crowd.threads,
            },
        })
    });
    json!({
        "version": report::JSON_VERSION,
        "file": args.file.display().to_string(),
        "animation": animation.name,
        "max_error": args.max_error,
        "simd": SimdLevel::best().name(),
        "debug_build": cfg!(debug_assertions),
        "packings": packings.collect::<Vec<_>>(),
        "missing": missing,
        "blend": time(times.blend),
        "local_to_model": time(times.to_model),
        "copy_nanoseconds": times.copy,
        "slerp_nanoseconds": times.slerp,
    })
}
