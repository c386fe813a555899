//! Transform tracks and variant tracks.

use super::XmlError;
use super::element::Element;
use super::value;
use crate::{Warnings, escape};
use sinew::animation::{
    Channel, ChannelWeights, Interpolation, KeyTimes, TransformTrack, VariantInterpolation,
    VariantKey, VariantTrack,
};
use sinew::glam::{Quat, Vec3};
use std::collections::HashMap;

/// The default tension of a spline.
const USUAL_TENSION: f32 = 0.5;

/// Tracks with unique names: of two with the same name the last one is used.
pub(super) struct UniqueTracks<T> {
    pub(super) list: Vec<T>,
    index_of: HashMap<String, usize>,
}

impl<T> Default for UniqueTracks<T> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            index_of: HashMap::new(),
        }
    }
}

impl<T> UniqueTracks<T> {
    pub(super) fn add(
        &mut self,
        element: &Element<'_>,
        track: Option<T>,
        name: impl Fn(&T) -> &String,
        warnings: &mut Warnings,
    ) {
        let Some(track) = track else {
            return;
        };
        let index = self.index_of.get(name(&track)).copied();
        if let Some(earlier) = index.and_then(|index| self.list.get_mut(index)) {
            let problem = "an earlier track has this name; the last one is used";
            warnings.add(element.place(), "", problem);
            *earlier = track;
            return;
        }
        self.index_of.insert(name(&track).clone(), self.list.len());
        self.list.push(track);
    }
}

/// Returns the name of a track; `None`, with a warning, if there is none.
fn name_of(element: &Element<'_>, warnings: &mut Warnings) -> Option<String> {
    let name = element.text("name");
    if name.is_none() {
        warnings.add(element.place(), "name", "missing; the track is ignored");
    }
    name.map(str::to_owned)
}

/// Reads an attribute as a weight.
fn weight(element: &Element<'_>, name: &str, usual: f32) -> Result<f32, XmlError> {
    let weight = element.number(name)?.unwrap_or(usual);
    if weight < 0.0 {
        return Err(element.invalid_at(name, "a weight that is not negative", weight));
    }
    Ok(weight)
}

/// Returns the keys of a track, sorted by time.
fn keys<'a>(
    track: &Element<'a>,
    known: &[&str],
    warnings: &mut Warnings,
) -> Result<Vec<(f32, Element<'a>)>, XmlError> {
    let mut keys = Vec::new();
    for child in track.children() {
        if child.tag() != "keyframe" {
            warnings.add(child.place(), "", "not part of a track; ignored");
            continue;
        }
        child.knows(known, warnings);
        let time = child.number("time")?;
        if time.is_none() {
            warnings.add(child.place(), "time", "missing; 0 is used");
        }
        let time = time.unwrap_or(0.0);
        if time < 0.0 {
            return Err(child.invalid_at("time", "a time that is not negative", time));
        }
        // Normalizes negative zero, so that keys at 0 stay in order.
        keys.push((time + 0.0, child));
    }
    keys.sort_by(|a, b| a.0.total_cmp(&b.0));
    if keys.is_empty() {
        warnings.add(track.place(), "", "it has no keys; ignored");
    }
    Ok(keys)
}

/// Reads a transform track of a node; `None` if it is discarded.
pub(super) fn read_transform(
    element: &Element<'_>,
    warnings: &mut Warnings,
) -> Result<Option<TransformTrack>, XmlError> {
    let known = [
        "name",
        "position",
        "rotation",
        "scale",
        "weight",
        "positionweight",
        "rotationweight",
        "scaleweight",
    ];
    element.knows(&known, warnings);
    let Some(name) = name_of(element, warnings) else {
        return Ok(None);
    };
    let keys = keys(
        element,
        &["time", "position", "rotation", "scale"],
        warnings,
    )?;
    if keys.is_empty() {
        return Ok(None);
    }
    let all = weight(element, "weight", 1.0)?;
    let mut track = TransformTrack::new(name);
    track.weights = ChannelWeights {
        position: weight(element, "positionweight", all)?,
        rotation: weight(element, "rotationweight", all)?,
        scale: weight(element, "scaleweight", all)?,
    };
    for channel in ["position", "rotation", "scale"] {
        let mut key_list = keys.iter();
        if !element.flag(channel) && key_list.any(|(_, key)| key.text(channel).is_some()) {
            let problem = format!("keys have it, but the track lacks {channel}=\"true\"; ignored");
            warnings.add(element.place(), channel, problem);
        }
    }
    let times = keys.iter().map(|(time, _)| *time).collect::<Vec<_>>();
    let times = KeyTimes::listed(times).map_err(|error| element.unplayable(error))?;
    let linear = Interpolation::Linear;
    if element.flag("position") {
        let values = column(&keys, "position", value::vector, Vec3::ZERO, warnings)?;
        let channel = Channel::new(times.clone(), values, linear);
        track.position = Some(channel.map_err(|error| element.unplayable(error))?);
    }
    if element.flag("rotation") {
        let values = column(&keys, "rotation", value::rotation, Quat::IDENTITY, warnings)?;
        let channel = Channel::new(times.clone(), values, linear);
        track.rotation = Some(channel.map_err(|error| element.unplayable(error))?);
    }
    if element.flag("scale") {
        let values = column(&keys, "scale", value::vector, Vec3::ONE, warnings)?;
        let channel = Channel::new(times, values, linear);
        track.scale = Some(channel.map_err(|error| element.unplayable(error))?);
    }
    Ok(Some(track))
}

/// Reads one attribute of all keys.
fn column<T: Copy>(
    keys: &[(f32, Element<'_>)],
    name: &str,
    read: impl Fn(&Element<'_>, &str) -> Result<Option<T>, XmlError>,
    usual: T,
    warnings: &mut Warnings,
) -> Result<Vec<T>, XmlError> {
    let mut values = Vec::with_capacity(keys.len());
    let mut absent = 0_usize;
    for (_, key) in keys {
        let value = read(key, name)?;
        absent += usize::from(value.is_none());
        values.push(value.unwrap_or(usual));
    }
    if let (Some((_, key)), true) = (keys.first(), absent > 0) {
        let problem = format!("missing in {absent} keys of the track; the default is used");
        warnings.add(key.place(), name, problem);
    }
    Ok(values)
}

/// Reads an attribute track; `None` if it is discarded.
pub(super) fn read_variant(
    element: &Element<'_>,
    length: f32,
    warnings: &mut Warnings,
) -> Result<Option<VariantTrack>, XmlError> {
    let known = ["name", "type", "interpolation", "tension", "weight"];
    element.knows(&known, warnings);
    let Some(name) = name_of(element, warnings) else {
        return Ok(None);
    };
    let kind_name = element.text("type").unwrap_or_default();
    let Some(kind) = value::kind_of(kind_name) else {
        let problem = format!(
            "{} is not a type that can be animated; the track is ignored",
            escape::text(kind_name)
        );
        warnings.add(element.place(), "type", problem);
        return Ok(None);
    };
    let interpolation = interpolation_of(element, warnings)?;
    let weight = weight(element, "weight", 1.0)?;
    let has_tangents = interpolation == VariantInterpolation::TangentSpline && kind.has_splines();
    let mut track_keys = Vec::new();
    for (time, key) in keys(element, &["time", "value"], warnings)? {
        let known_value = value::variant(&key, "value", kind)?;
        if known_value.is_none() {
            warnings.add(key.place(), "value", "missing; the default is used");
        }
        let mut track_key =
            VariantKey::new(time, known_value.unwrap_or_else(|| value::usual(kind)));
        if has_tangents {
            let mut tangent = |tag: &str| {
                let known_tangent = key.child(tag);
                let known_tangent =
                    known_tangent.map(|tangent| value::variant(&tangent, "value", kind));
                let known_tangent = known_tangent.transpose()?.flatten();
                if known_tangent.is_none() {
                    warnings.add(key.place(), tag, "missing; zero is used");
                }
                Ok::<_, XmlError>(known_tangent.unwrap_or_else(|| kind.from_numbers([0.0; 4])))
            };
            track_key.in_tangent = Some(tangent("intangent")?);
            track_key.out_tangent = Some(tangent("outtangent")?);
        }
        track_keys.push(track_key);
    }
    if track_keys.is_empty() {
        return Ok(None);
    }
    if has_tangents {
        tangents_per_second(&mut track_keys, length);
    }
    let track = VariantTrack::new(name, interpolation, track_keys);
    let track = track.map_err(|error| element.unplayable(error))?;
    Ok(Some(track.with_weight(weight)))
}

/// Sorts keys by time and converts their tangents from per segment, as in files, to per second. The segment after the
/// last key of a loop of `length` seconds leads to the first one. Tangents of zero-length segments, which have no
/// effect, become zero.
fn tangents_per_second(keys: &mut [VariantKey], length: f32) {
    keys.sort_by(|a, b| a.time.total_cmp(&b.time));
    let times: Vec<f32> = keys.iter().map(|key| key.time).collect();
    let last = times.len() - 1;
    let seconds_after = |index: usize| match index {
        index if index < last => times[index + 1] - times[index],
        _ => times[0] - times[last] + length,
    };
    for (index, key) in keys.iter_mut().enumerate() {
        let before = seconds_after(index.checked_sub(1).unwrap_or(last));
        let tangents = [
            (&mut key.in_tangent, before),
            (&mut key.out_tangent, seconds_after(index)),
        ];
        for (tangent, seconds) in tangents {
            let pace = if seconds > 0.0 {
                1.0 / f64::from(seconds)
            } else {
                0.0
            };
            if let Some(tangent) = tangent {
                let numbers = tangent.numbers().map(|number| number * pace);
                *tangent = tangent.kind().from_numbers(numbers);
            }
        }
    }
}

fn interpolation_of(
    element: &Element<'_>,
    warnings: &mut Warnings,
) -> Result<VariantInterpolation, XmlError> {
    let tension = element.number("tension")?.unwrap_or(USUAL_TENSION);
    let name = element.text("interpolation").unwrap_or("linear");
    Ok(match name.to_ascii_lowercase().as_str() {
        "none" => VariantInterpolation::None,
        "linear" => VariantInterpolation::Linear,
        "spline" => VariantInterpolation::TensionSpline { tension },
        "cubicspline" => VariantInterpolation::TangentSpline,
        _ => {
            let problem = format!("{} is unknown; linear is used", escape::text(name));
            warnings.add(element.place(), "interpolation", problem);
            VariantInterpolation::Linear
        }
    })
}
