//! Writing an animation: tracks of keys relative to rest, closed into a seamless loop.
//!
//! Key lists → [`AnimationData`]. A clip of period N plays frames 0 to N - 1 and starts again, so a key
//! at N is a key at 0. Whatever segment crosses that seam is cut there, with its easing curve, and the
//! last key stands at N - 1: the loop shows no step and its period is exactly N.

use sinew::glam::Vec2;
use sinew::skelform::curve::{Ease, Handles, Preset};
use sinew::skelform::{AnimationData, ArmatureData, BoneData, Element, KeyData};

/// Frames per second of all clips.
pub(super) const FPS: u32 = 60;

/// Upward flight: fast, then slowing evenly to the top, as gravity has it.
pub(super) const RISE: Ease = Ease::Bezier(Handles::new(1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 1.0));

/// Downward flight: from the top, ever faster.
pub(super) const FALL: Ease = Ease::Bezier(Handles::new(1.0 / 3.0, 0.0, 2.0 / 3.0, 1.0 / 3.0));

/// Slow out of one pose and slow into the next.
pub(super) fn smooth() -> Ease {
    Preset::SineInOut.ease()
}

/// A frame, a value relative to rest, and how it is arrived at.
pub(super) type Mark = (u32, f32, Ease);

/// An animation being written.
#[derive(Debug)]
pub(super) struct Clip<'a> {
    rig: &'a ArmatureData,
    name: &'a str,
    period: u32,
    keys: Vec<KeyData>,
}

impl<'a> Clip<'a> {
    /// An empty clip that repeats after `period` frames.
    pub(super) fn new(rig: &'a ArmatureData, name: &'a str, period: u32) -> Self {
        Self {
            rig,
            name,
            period,
            keys: Vec::new(),
        }
    }

    /// The animation, its keys in order of time as the editor writes them.
    pub(super) fn finish(mut self) -> AnimationData {
        self.keys.sort_by_key(|key| key.frame);
        AnimationData {
            name: self.name.to_owned(),
            frame_rate: FPS,
            keys: self.keys,
        }
    }

    /// Turns a bone by degrees from rest, smoothly from key to key.
    pub(super) fn turn(&mut self, bone: usize, keys: &[(u32, f32)]) {
        self.quat_exp64(bone, &smoothly(keys));
    }

    /// Turns a bone by degrees from rest.
    pub(super) fn quat_exp64(&mut self, bone: usize, marks: &[Mark]) {
        let marks: Vec<Mark> = marks
            .iter()
            .map(|&(f, value, ease)| (f, value.to_radians(), ease))
            .collect();
        self.track(bone, Element::Rotation, &marks);
    }

    /// Swings a bone to and fro by degrees: `beats` times in the clip, first to the positive side
    /// `phase` frames after its start.
    pub(super) fn swing(&mut self, bone: usize, degrees: f32, beats: u32, phase: f32) {
        self.swing_track(bone, Element::Rotation, degrees.to_radians(), beats, phase);
    }

    /// As [`Clip::swing`], for any element.
    pub(super) fn swing_track(
        &mut self,
        bone: usize,
        element: Element,
        size: f32,
        beats: u32,
        phase: f32,
    ) {
        let half = self.period as f32 / (beats.max(1) * 2) as f32;
        let mut marks: Vec<Mark> = (0..beats * 2)
            .map(|i| {
                let frame = libm::roundf(phase + half * i as f32) as i64;
                let frame = frame.rem_euclid(i64::from(self.period)) as u32;
                (frame, if i % 2 == 0 { size } else { -size }, smooth())
            })
            .collect();
        marks.sort_by_key(|mark| mark.0);
        self.track(bone, element, &marks);
    }

    /// Moves a bone from rest, smoothly from key to key: frame, x, y.
    pub(super) fn shift(&mut self, bone: usize, keys: &[(u32, f32, f32)]) {
        let x: Vec<_> = keys.iter().map(|&(frame, x, _)| (frame, x)).collect();
        let y: Vec<_> = keys.iter().map(|&(frame, _, y)| (frame, y)).collect();
        self.track(bone, Element::PositionX, &smoothly(&x));
        self.track(bone, Element::PositionY, &smoothly(&y));
    }

    /// Scales a bone by factors of its rest, smoothly from key to key: frame, x, y.
    pub(super) fn squash(&mut self, bone: usize, keys: &[(u32, f32, f32)]) {
        let rest = self.rest(bone).scale;
        let x: Vec<_> = keys
            .iter()
            .map(|&(frame, x, _)| (frame, (x - 1.0) * rest.x))
            .collect();
        let y: Vec<_> = keys
            .iter()
            .map(|&(frame, _, y)| (frame, (y - 1.0) * rest.y))
            .collect();
        self.track(bone, Element::ScaleX, &smoothly(&x));
        self.track(bone, Element::ScaleY, &smoothly(&y));
    }

    /// Sets how opaque a bone's picture is, smoothly from key to key.
    pub(super) fn fade(&mut self, bone: usize, keys: &[(u32, f32)]) {
        let rest = self.value_at_rest(bone, Element::TintA);
        let keys: Vec<_> = keys
            .iter()
            .map(|&(frame, alpha)| (frame, alpha - rest))
            .collect();
        self.track(bone, Element::TintA, &smoothly(&keys));
    }

    /// Swaps the texture of a bone.
    pub(super) fn texture(&mut self, bone: usize, keys: &[(u32, &str)]) {
        for &(frame, name) in keys {
            self.keys.push(KeyData {
                text: name.to_owned(),
                ..step(frame, bone, Element::Texture, 0.0)
            });
        }
    }

    /// Shows a bone from one frame up to another and hides it otherwise.
    pub(super) fn show_during(&mut self, bone: usize, from: u32, to: u32) {
        for (frame, hidden) in [(0, 1.0), (from, 0.0), (to, 1.0)] {
            self.keys.push(step(frame, bone, Element::Hidden, hidden));
        }
    }

    /// Draws a bone at another place in the order from one frame up to another.
    pub(super) fn zindex_during(&mut self, bone: usize, zindex: i32, from: u32, to: u32) {
        let rest = self.value_at_rest(bone, Element::Zindex);
        for (frame, z) in [(0, rest), (from, zindex as f32), (to, rest)] {
            self.keys.push(step(frame, bone, Element::Zindex, z));
        }
    }

    /// Writes one track, given in rising frames relative to rest, and closes the loop.
    pub(super) fn track(&mut self, bone: usize, element: Element, marks: &[Mark]) {
        let rest = self.value_at_rest(bone, element);
        for (frame, value, ease) in close(marks, self.period) {
            self.keys.push(KeyData {
                frame,
                bone,
                element,
                value: rest + value,
                text: String::new(),
                ease,
            });
        }
    }

    fn rest(&self, bone: usize) -> &BoneData {
        &self.rig.bones[bone]
    }

    fn value_at_rest(&self, bone: usize, element: Element) -> f32 {
        let bone = self.rest(bone);
        let visual = bone.visual.and_then(|visual| self.rig.visuals.get(visual));
        let tint = visual.map(|visual| visual.tint).unwrap_or_default();
        match element {
            Element::PositionX => bone.position.x,
            Element::PositionY => bone.position.y,
            Element::Rotation => bone.rotation,
            Element::ScaleX => bone.scale.x,
            Element::ScaleY => bone.scale.y,
            Element::TintR => tint.r,
            Element::TintG => tint.g,
            Element::TintB => tint.b,
            Element::TintA => tint.a,
            Element::Zindex => visual.map_or(0.0, |visual| visual.zindex as f32),
            _ => 0.0,
        }
    }
}

fn smoothly(keys: &[(u32, f32)]) -> Vec<Mark> {
    keys.iter()
        .map(|&(frame, value)| (frame, value, smooth()))
        .collect()
}

fn step(frame: u32, bone: usize, element: Element, value: f32) -> KeyData {
    KeyData {
        frame,
        bone,
        element,
        value,
        text: String::new(),
        ease: Ease::Step,
    }
}

/// Cuts the segment from the last mark round to the first at the seam of the loop.
fn close(marks: &[Mark], period: u32) -> Vec<Mark> {
    let (Some(&(first, first_value, ease)), Some(&(last, last_value, _))) =
        (marks.first(), marks.last())
    else {
        return Vec::new();
    };
    let mut closed = marks.to_vec();
    let span = (first + period - last) as f32;
    let at = |frame: u32| (frame - last) as f32 / span;
    let value_at = |frame| last_value + (first_value - last_value) * ease.progress(at(frame));
    if first > 0 {
        closed[0].2 = part(ease, at(period), 1.0);
        closed.insert(0, (0, value_at(period), Ease::Linear));
    }
    if last + 1 < period {
        closed.push((
            period - 1,
            value_at(period - 1),
            part(ease, 0.0, at(period - 1)),
        ));
    }
    closed
}

/// The easing of the part of a segment between two fractions of its time.
fn part(ease: Ease, from: f32, to: f32) -> Ease {
    let Ease::Bezier(handles) = ease else {
        return ease;
    };
    let controls = [Vec2::ZERO, handles.start, handles.end, Vec2::ONE];
    let (from, to) = (parameter(controls, from), parameter(controls, to));
    let start = blossom(controls, [from, from, from]);
    let extent = blossom(controls, [to, to, to]) - start;
    // A piece that does not rise has no shape to keep.
    if extent.x < 1e-4 || extent.y.abs() < 1e-4 {
        return Ease::Linear;
    }
    Ease::Bezier(Handles {
        start: (blossom(controls, [from, from, to]) - start) / extent,
        end: (blossom(controls, [from, to, to]) - start) / extent,
    })
}

/// The curve parameter at which x reaches `time`, by halving.
fn parameter(controls: [Vec2; 4], time: f32) -> f32 {
    let (mut low, mut high) = (0.0f32, 1.0f32);
    for _ in 0..24 {
        let middle = (low + high) / 2.0;
        if blossom(controls, [middle; 3]).x < time {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// The blossom of a cubic: de Casteljau's construction with a parameter of its own per level. Equal
/// parameters give a point of the curve, mixed ones the control points of a piece of it.
fn blossom(controls: [Vec2; 4], [a, b, c]: [f32; 3]) -> Vec2 {
    let [p, q, r, s] = controls;
    let first = [p.lerp(q, a), q.lerp(r, a), r.lerp(s, a)];
    let second = [first[0].lerp(first[1], b), first[1].lerp(first[2], b)];
    second[0].lerp(second[1], c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(marks: &[Mark], frame: f32) -> f32 {
        let next = marks
            .iter()
            .position(|m| m.0 as f32 > frame)
            .unwrap_or(marks.len());
        let (Some(prev), Some(next)) = (marks.get(next.wrapping_sub(1)), marks.get(next)) else {
            return marks[next.saturating_sub(1)].1;
        };
        next.2.interpolate(
            frame - prev.0 as f32,
            (next.0 - prev.0) as f32,
            prev.1,
            next.1,
        )
    }

    #[test]
    fn cutting_at_the_seam_leaves_the_curve_as_it_was() {
        let open = [
            (10, 2.0, smooth()),
            (25, -3.0, smooth()),
            (50, 2.0, smooth()),
        ];
        let closed = close(&open[..2], 40);
        assert_eq!(closed.last().map(|m| m.0), Some(39));
        for frame in 0..40 {
            let expected = value(&open, if frame < 10 { frame + 40 } else { frame } as f32);
            let found = value(&closed, frame as f32);
            assert!(
                (expected - found).abs() < 2e-3,
                "frame {frame}: {expected} became {found}"
            );
        }
    }

    #[test]
    fn a_single_key_holds() {
        assert!(close(&[(0, 4.0, smooth())], 30).iter().all(|m| m.1 == 4.0));
        assert!(close(&[], 30).is_empty());
    }
}
