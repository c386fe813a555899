//! The frame rate of glTF files of other programs, which list the times of their keys and say no rate.

use crate::gltf_common;
use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::math::{dquat_to_quat, rotation_x};
use sinew::packed::Packing;
use sinew::{Animation, Joint, JointIndex, Skeleton, Transform};
use sinew_author::compress::{CompressSettings, Profile, compress};
use sinew_formats::MotionFile;

fn skeleton() -> Skeleton {
    let joint = |name: &str, parent: Option<u32>| Joint {
        name: name.to_owned(),
        parent: parent.map(JointIndex),
        rest: Transform::from_position(Vec3::Y),
        tip: None,
    };
    Skeleton::new(vec![
        joint("hips", None),
        joint("spine", Some(0)),
        joint("head", Some(1)),
    ])
    .unwrap()
}

/// Numbers from -1 to 1 that are the same in every run.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as f64 / (1_u64 << 30) as f64) - 1.0
    }
}

/// How an exporter writes frames.
#[derive(Clone, Copy, Debug)]
struct Export {
    frame_rate: f64,
    frames: usize,
    /// The number of the first frame; Blender's is 1.
    first: usize,
    /// Of a frame.
    jitter: f64,
    /// Whether times are sums of a rounded step.
    in_single: bool,
    /// Whether each channel leaves out keys, and the spine has two only.
    sparse: bool,
}

impl Export {
    fn time(&self, frame: usize, noise: &mut Noise) -> f32 {
        let number = (self.first + frame) as f64;
        if self.in_single {
            return number as f32 * (1.0 / self.frame_rate as f32);
        }
        ((number + self.jitter * noise.next()) / self.frame_rate).max(0.0) as f32
    }

    /// Where the hips are at a frame.
    fn place(frame: usize) -> Vec3 {
        Vec3::new((frame as f32 * 0.37).sin(), 1.0, frame as f32 * 0.02)
    }

    fn turn(frame: usize) -> Quat {
        dquat_to_quat(rotation_x(libm::sin(frame as f64 * 0.21)))
    }

    fn clip(&self) -> Animation {
        let mut noise = Noise(self.frames as u64 + self.first as u64);
        let mut kept = |every: usize| -> (Vec<usize>, Vec<f32>) {
            let is_kept = |frame: &usize| {
                !self.sparse
                    || *frame == 0
                    || *frame + 1 == self.frames
                    || !frame.is_multiple_of(every)
            };
            let frames: Vec<usize> = (0..self.frames).filter(is_kept).collect();
            let times = frames
                .iter()
                .map(|frame| self.time(*frame, &mut noise))
                .collect();
            (frames, times)
        };
        let lines = Interpolation::Linear;
        let mut hips = TransformTrack::new("hips");
        let (frames, times) = kept(3);
        let end = *times.last().unwrap();
        let values = frames.iter().map(|frame| Self::place(*frame)).collect();
        hips.position =
            Some(Channel::new(KeyTimes::listed(times).unwrap(), values, lines).unwrap());
        let mut spine = TransformTrack::new("spine");
        let (frames, times) = kept(5);
        let values = frames.iter().map(|frame| Self::turn(*frame)).collect();
        spine.rotation =
            Some(Channel::new(KeyTimes::listed(times).unwrap(), values, lines).unwrap());
        let mut head = TransformTrack::new("head");
        let ends = KeyTimes::listed(vec![self.time(0, &mut noise), end]).unwrap();
        head.rotation =
            Some(Channel::new(ends, vec![Self::turn(0), Self::turn(1)], lines).unwrap());
        let mut animation = Animation::new("clip", end);
        animation.tracks = vec![hips, spine, head];
        animation
    }
}

/// The clip as another program would have written it.
fn foreign(animation: &Animation) -> MotionFile {
    gltf_common::foreign(&skeleton(), animation)
}

fn exports() -> Vec<Export> {
    let usual = [24000.0 / 1001.0, 30000.0 / 1001.0, 60000.0 / 1001.0, 12.5];
    let rates = (10..=240).map(f64::from).chain(usual);
    let mut all = Vec::new();
    for (number, frame_rate) in rates.enumerate() {
        let frames = [30, 100, 400][number % 3];
        for (first, jitter, in_single, sparse) in [
            (0, 0.0, false, false),
            (0, 0.0, true, false),
            (1, 0.0, false, false),
            (1, 0.0, true, false),
            (7, 0.0, false, true),
            (0, 0.009, false, false),
            (1, 0.009, false, true),
            (25, 0.005, false, false),
        ] {
            all.push(Export {
                frame_rate,
                frames,
                first,
                jitter,
                in_single,
                sparse,
            });
        }
    }
    all
}

/// Whatever frame a clip begins at, however its times are rounded, jittered or thinned out, its rate is found, every
/// key is on its frame, and before the first key the motion waits as it did.
#[test]
fn frames_are_found_at_any_rate_start_and_jitter() {
    let (mut count, mut faults) = (0, Vec::new());
    for export in exports() {
        count += 1;
        // The step of a jittered clip of 24000/1001 and of 24 frames per second cannot be told apart in 30 frames.
        let allowed = if export.jitter > 0.0 {
            2.0 * export.jitter / export.frames as f64
        } else {
            1e-9
        };
        let file = foreign(&export.clip());
        let animation = &file.animations[0];
        let Some(rate) = animation.frame_rate else {
            faults.push(format!("{export:?}: no rate"));
            continue;
        };
        if (rate / export.frame_rate - 1.0).abs() > allowed {
            faults.push(format!("{export:?}: {rate}"));
            continue;
        }
        let hips = animation.track("hips").unwrap().position.as_ref().unwrap();
        for frame in (0..export.frames).filter(|frame| !export.sparse || !frame.is_multiple_of(3)) {
            let time = ((export.first + frame) as f64 / rate) as f32;
            let off = (hips.sample(time) - Export::place(frame)).length();
            if off > 1e-5 {
                faults.push(format!("{export:?}: frame {frame} is {off} m off"));
                break;
            }
        }
        let before = hips.sample(0.5 / rate as f32 * export.first as f32);
        if (before - Export::place(0)).length() > 1e-5 {
            faults.push(format!("{export:?}: it moves before its first key"));
        }
        if !export.sparse && hips.times().rate() != Some(rate) {
            faults.push(format!("{export:?}: keys on all frames are not even"));
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {count}: {}",
        faults.len(),
        faults[0]
    );
    assert!(count > 1800, "{count}");
}

/// A clip of Blender's default export, 24 frames per second from frame 1 on, and one with jittered times are compressed
/// as rows at their own rate, not as plain keys.
#[test]
fn jittered_and_late_clips_compress_as_frames() {
    for (first, jitter) in [(1, 0.0), (0, 0.009), (1, 0.009)] {
        let export = Export {
            frame_rate: 24.0,
            frames: 240,
            first,
            jitter,
            in_single: false,
            sparse: false,
        };
        let file = foreign(&export.clip());
        let animation = &file.animations[0];
        let settings = CompressSettings {
            max_error: 1e-4,
            profile: Profile::Small,
        };
        let packed = compress(&file.skeleton, animation, &settings).unwrap();
        assert_eq!(packed.packing(), Packing::Small, "{export:?}");
        assert_eq!(packed.info().frame_rate, Some(24.0), "{export:?}");
    }
}

/// A clip whose frames begin between those that are counted from 0 is moved to them by less than a frame, and it is
/// said so.
#[test]
fn a_clip_between_frames_is_moved_to_them_with_a_message() {
    for (frame_rate, start) in [(24.0, 0.51), (30.0, 0.015), (60.0, 2.004)] {
        let times: Vec<f32> = (0..80)
            .map(|frame| (start + f64::from(frame) / frame_rate) as f32)
            .collect();
        let mut animation = Animation::new("late", *times.last().unwrap());
        let mut hips = TransformTrack::new("hips");
        let values = (0..80).map(Export::place).collect();
        let times = KeyTimes::listed(times).unwrap();
        hips.position = Some(Channel::new(times, values, Interpolation::Linear).unwrap());
        animation.tracks.push(hips);
        let file = foreign(&animation);
        let read = &file.animations[0];
        assert_eq!(read.frame_rate, Some(frame_rate));
        let hips = read.track("hips").unwrap().position.as_ref().unwrap();
        let first = (start * frame_rate).floor();
        for frame in 0..80 {
            let time = ((first + frame as f64) / frame_rate) as f32;
            assert!(
                (hips.sample(time) - Export::place(frame)).length() < 1e-5,
                "{frame_rate} {frame}"
            );
        }
        let problems = file
            .warnings
            .list()
            .iter()
            .any(|warning| warning.problem.contains("ms"));
        assert!(problems, "{:?}", file.warnings);
    }
}

/// Keys that are on no frames have no rate, and it is said that other formats will sample them.
#[test]
fn keys_between_frames_have_no_rate_and_a_warning() {
    let mut noise = Noise(5);
    let mut time = 0.0;
    let times: Vec<f32> = (0..60)
        .map(|_| {
            time += 0.04 + 0.03 * noise.next();
            time as f32
        })
        .collect();
    let mut animation = Animation::new("loose", *times.last().unwrap());
    let mut hips = TransformTrack::new("hips");
    let values = (0..60).map(Export::place).collect();
    let keys = KeyTimes::listed(times.clone()).unwrap();
    hips.position = Some(Channel::new(keys, values, Interpolation::Linear).unwrap());
    animation.tracks.push(hips);
    let file = foreign(&animation);
    assert_eq!(file.animations[0].frame_rate, None);
    let hips = file.animations[0]
        .track("hips")
        .unwrap()
        .position
        .as_ref()
        .unwrap();
    assert!(hips.times().iter().eq(times), "times stay as they are");
    let problems = file
        .warnings
        .list()
        .iter()
        .any(|warning| warning.problem.contains("sampled"));
    assert!(problems, "{:?}", file.warnings);
}
