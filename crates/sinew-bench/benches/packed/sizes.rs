//! Bytes at the error that a peer makes.

use crate::clips::{Clip, clips, corpus};
use crate::peers::{ACL_MICROSECONDS, CLIPS};
use sinew::Animation;
use sinew_author::compress::{CompressSettings, Profile, compress, verify};
use sinew_author::edit::resample;
use sinew_bench::{Report, grouped};
use std::time::Instant;

/// Times that compressing is tried; the quickest counts.
const COMPRESSION_RUNS: usize = 5;

/// A clip packed in one form.
#[derive(Default)]
struct Packed {
    bytes: usize,
    /// In metres.
    error: f64,
    seconds: f64,
}

/// A clip in both forms beside ACL's.
struct Compared {
    name: &'static str,
    frames: usize,
    /// In centimetres.
    allowed: f32,
    acl: usize,
    small: Packed,
    fast: Packed,
}

/// Whether there are the clips that it takes.
pub(crate) fn run(report: &mut Report) -> bool {
    if corpus().is_none() {
        return false;
    }
    let clips = clips();
    report.say("# Bytes at equal error");
    report.say(&format!(
        "Every clip is packed within the largest error that the Animation Compression Library (ACL, the development version after \
         2.1) was measured to have on it at that precision; it exceeds every one of these precisions. Its error is at source frames, 3 cm from \
         three points of each joint; ours is proven for every time, the whole ball around each joint and the tips of limbs. Bytes are the \
         animation alone, without name and skeleton. Compressing is on one thread, the best of {COMPRESSION_RUNS}; ACL takes about \
         {ACL_MICROSECONDS} µs per frame."
    ));
    let mut sums = Vec::new();
    for (index, precision) in ["0.01", "0.1", "1"].into_iter().enumerate() {
        report.say(&format!("## ACL at {precision} cm"));
        let compare = |(clip, peer): (&Clip, &crate::peers::Clip)| {
            let (acl, allowed) = peer.precisions[index];
            compared(clip, &clip.animation, allowed, acl)
        };
        let all: Vec<Compared> = clips.iter().zip(&CLIPS).map(compare).collect();
        sums.push(clip_table(report, &format!("{precision} cm"), &all));
    }
    report.say("## Every fourth frame, ACL at 0.01 cm");
    report.say("ACL's error is not known here; ours is what was asked of both, which is stricter.");
    let compare = |(clip, peer): (&Clip, &crate::peers::Clip)| {
        let fourth = resample(&clip.animation, 30.0);
        compared(clip, &fourth, 0.01, peer.fourth)
    };
    let all: Vec<Compared> = clips.iter().zip(&CLIPS).map(compare).collect();
    sums.push(clip_table(report, "0.01 cm at 30 Hz", &all));
    report.say("## Sums");
    report.table(
        &["all clips", "ACL", "small", "of ACL", "fast", "of ACL"],
        &sums,
    );
    true
}

fn compared(clip: &Clip, animation: &Animation, allowed: f32, acl: usize) -> Compared {
    let [small, fast] = [Profile::Small, Profile::Fast].map(|profile| {
        let max_error = allowed * 0.01;
        let settings = CompressSettings { max_error, profile };
        let mut packed = Packed {
            seconds: f64::INFINITY,
            ..Packed::default()
        };
        for _ in 0..COMPRESSION_RUNS {
            let start = Instant::now();
            let result = compress(&clip.skeleton, animation, &settings).unwrap();
            packed.seconds = packed.seconds.min(start.elapsed().as_secs_f64());
            packed.bytes = sinew_author::packed::byte_len(&result);
            if packed.error == 0.0 {
                let deviation = verify(&result, &clip.skeleton, animation, |_, _| ()).unwrap();
                assert!(deviation.metres <= f64::from(max_error));
                packed.error = deviation.metres;
            }
        }
        packed
    });
    Compared {
        name: clip.name,
        frames: animation.frame_count(),
        allowed,
        acl,
        small,
        fast,
    }
}

/// Writes a table of all clips, and returns a row of the sums.
fn clip_table(report: &mut Report, precision: &str, all: &[Compared]) -> Vec<String> {
    let of = |bytes: usize, acl: usize| format!("{:.3}x", bytes as f64 / acl as f64);
    let per_frame = |packed: &Packed, frames: usize| {
        let microseconds = packed.seconds * 1e6 / frames.max(1) as f64;
        format!("{microseconds:.1} µs")
    };
    let centimetres = |packed: &Packed| format!("{:.4} cm", packed.error * 100.0);
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = |name: &str, compared: &Compared, allowed: String| {
        let mut row = vec![
            name.to_owned(),
            grouped(compared.frames),
            allowed,
            grouped(compared.acl),
        ];
        for form in [&compared.small, &compared.fast] {
            row.extend([
                grouped(form.bytes),
                of(form.bytes, compared.acl),
                centimetres(form),
                per_frame(form, compared.frames),
            ]);
        }
        rows.push(row);
    };
    for compared in all {
        row(compared.name, compared, format!("{} cm", compared.allowed));
    }
    let six = sum("six clips", &all[..all.len().min(6)]);
    let seven = sum("all clips", all);
    for sum in [&six, &seven] {
        row(sum.name, sum, String::new());
    }
    let heads = [
        "clip",
        "frames",
        "allowed",
        "ACL",
        "small",
        "of ACL",
        "error",
        "per frame",
        "fast",
        "of ACL",
        "error",
        "per frame",
    ];
    report.table(&heads, &rows);
    let mut row = vec![precision.to_owned(), grouped(seven.acl)];
    for form in [&seven.small, &seven.fast] {
        row.extend([grouped(form.bytes), of(form.bytes, seven.acl)]);
    }
    row
}

/// Bytes and times of several added up; of errors the worst.
fn sum(name: &'static str, all: &[Compared]) -> Compared {
    let packed = |of: fn(&Compared) -> &Packed| Packed {
        bytes: all.iter().map(|compared| of(compared).bytes).sum(),
        error: all
            .iter()
            .map(|compared| of(compared).error)
            .fold(0.0, f64::max),
        seconds: all.iter().map(|compared| of(compared).seconds).sum(),
    };
    Compared {
        name,
        frames: all.iter().map(|compared| compared.frames).sum(),
        allowed: 0.0,
        acl: all.iter().map(|compared| compared.acl).sum(),
        small: packed(|compared| &compared.small),
        fast: packed(|compared| &compared.fast),
    }
}
