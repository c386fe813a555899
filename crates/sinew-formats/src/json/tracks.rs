//! Transform tracks and variant tracks.

use super::JsonError;
use super::keys::{self, KeyFields, Keys};
use super::read::KeyBudget;
use super::spanned::Spanned;
use super::value::{RotationElement, ValueElement, Vec3Element};
use super::variant::TypedValue;
use crate::json_text::RawJson;
use crate::{Warnings, escape};
use serde::Deserialize;
use sinew::animation::{
    Channel, ChannelValue, ChannelWeights, Interpolation, TransformTrack, VariantInterpolation,
    VariantKey, VariantTrack, VariantType,
};

/// The default tension of a spline.
const USUAL_TENSION: f32 = 0.5;

#[derive(Deserialize)]
struct TrackFields<'a> {
    joint: String,
    #[serde(borrow)]
    position: Option<RawJson<'a>>,
    #[serde(borrow)]
    rotation: Option<RawJson<'a>>,
    #[serde(borrow)]
    scale: Option<RawJson<'a>>,
    weights: Option<WeightFields>,
}

#[derive(Deserialize)]
struct WeightFields {
    position: Option<f32>,
    rotation: Option<f32>,
    scale: Option<f32>,
}

/// Reads a transform track of a joint.
pub(super) fn read_transform(
    spanned: &Spanned<'_>,
    budget: &mut KeyBudget,
    warnings: &mut Warnings,
) -> Result<TransformTrack, JsonError> {
    let fields: TrackFields<'_> = spanned.read(warnings)?;
    let mut track = TransformTrack::new(fields.joint);
    let channels = [
        ("position", fields.position),
        ("rotation", fields.rotation),
        ("scale", fields.scale),
    ];
    for (name, value) in channels {
        let Some(value) = value else {
            continue;
        };
        let channel = spanned.field(name, value);
        let Some(motion) = budget.motion else {
            return Err(channel.invalid("notes without keys of joints", "some"));
        };
        (motion.channel)(name, &channel, &mut track, budget, warnings)?;
    }
    if let Some(weights) = fields.weights {
        let one = |weight: Option<f32>| match weight {
            None => Ok(1.0),
            Some(weight) => weight_of(spanned, weight),
        };
        track.weights = ChannelWeights {
            position: one(weights.position)?,
            rotation: one(weights.rotation)?,
            scale: one(weights.scale)?,
        };
    }
    Ok(track)
}

/// Reads the channel of that name.
pub(super) fn read_named_channel(
    name: &str,
    channel: &Spanned<'_>,
    track: &mut TransformTrack,
    budget: &mut KeyBudget,
    warnings: &mut Warnings,
) -> Result<(), JsonError> {
    if name == "rotation" {
        let keys = read_channel(channel, RotationElement::KEY, 4, budget, warnings)?;
        track.rotation = Some(keys);
        return Ok(());
    }
    let keys = Some(read_channel(channel, Vec3Element, 3, budget, warnings)?);
    if name == "position" {
        track.position = keys;
    } else {
        track.scale = keys;
    }
    Ok(())
}

fn weight_of(spanned: &Spanned<'_>, weight: f32) -> Result<f32, JsonError> {
    if weight.is_finite() && weight >= 0.0 {
        return Ok(weight);
    }
    Err(spanned.invalid("a weight that is finite and not negative", weight))
}

#[derive(Deserialize)]
struct ChannelFields<'a> {
    interpolation: Option<String>,
    rate: Option<f64>,
    #[serde(borrow)]
    times: Option<RawJson<'a>>,
    #[serde(borrow)]
    values: Option<RawJson<'a>>,
    #[serde(borrow)]
    in_tangents: Option<RawJson<'a>>,
    #[serde(borrow)]
    out_tangents: Option<RawJson<'a>>,
    #[serde(borrow)]
    keys: Option<RawJson<'a>>,
}

fn read_channel<E: ValueElement<Value: ChannelValue>>(
    spanned: &Spanned<'_>,
    element: E,
    width: usize,
    budget: &mut KeyBudget,
    warnings: &mut Warnings,
) -> Result<Channel<E::Value>, JsonError> {
    let fields: ChannelFields<'_> = spanned.read(warnings)?;
    let interpolation = match fields.interpolation.as_deref() {
        None | Some("linear") => Interpolation::Linear,
        Some("step") => Interpolation::Step,
        Some("cubic") => Interpolation::Cubic,
        Some(other) => {
            let expected = "an interpolation, \"step\", \"linear\" or \"cubic\"";
            return Err(spanned.invalid(expected, escape::text(other)));
        }
    };
    let fields = KeyFields {
        rate: fields.rate,
        times: fields.times,
        values: fields.values,
        in_tangents: fields.in_tangents,
        out_tangents: fields.out_tangents,
        keys: fields.keys,
    };
    let limit = budget.values / width;
    let Keys {
        times,
        values,
        tangents,
    } = keys::read(spanned, &fields, element, limit, warnings)?;
    budget.values = budget
        .values
        .saturating_sub(values.len().saturating_mul(width));
    let made = match (interpolation, tangents) {
        (Interpolation::Cubic, Some([into, out])) => Channel::cubic(times, values, into, out),
        (_, tangents) => {
            if tangents.is_some() {
                let problem = "they are for \"cubic\" keys; ignored";
                warnings.add(spanned.place(), "tangents", problem);
            }
            Channel::new(times, values, interpolation)
        }
    };
    made.map_err(|error| spanned.unplayable(error))
}

#[derive(Deserialize)]
struct VariantFields<'a> {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    interpolation: Option<String>,
    tension: Option<f32>,
    weight: Option<f32>,
    rate: Option<f64>,
    #[serde(borrow)]
    times: Option<RawJson<'a>>,
    #[serde(borrow)]
    values: Option<RawJson<'a>>,
    #[serde(borrow)]
    in_tangents: Option<RawJson<'a>>,
    #[serde(borrow)]
    out_tangents: Option<RawJson<'a>>,
    #[serde(borrow)]
    keys: Option<RawJson<'a>>,
}

/// Reads an attribute track.
pub(super) fn read_variant(
    spanned: &Spanned<'_>,
    budget: &mut KeyBudget,
    warnings: &mut Warnings,
) -> Result<VariantTrack, JsonError> {
    let fields: VariantFields<'_> = spanned.read(warnings)?;
    let kind = kind_of(spanned, &fields.kind)?;
    let asked = variant_interpolation(spanned, &fields)?;
    let is_tension = matches!(asked, VariantInterpolation::TensionSpline { .. });
    if fields.tension.is_some() && !is_tension {
        warnings.add(
            spanned.place(),
            "tension",
            "it is for tension splines; ignored",
        );
    }
    let weight = fields
        .weight
        .map_or(Ok(1.0), |weight| weight_of(spanned, weight))?;
    let element = TypedValue {
        kind,
        degrees: true,
        spelled: false,
    };
    let key_fields = KeyFields {
        rate: fields.rate,
        times: fields.times,
        values: fields.values,
        in_tangents: fields.in_tangents,
        out_tangents: fields.out_tangents,
        keys: fields.keys,
    };
    let read = keys::read(spanned, &key_fields, element, budget.keys, warnings)?;
    budget.keys = budget.keys.saturating_sub(read.values.len());
    if read.tangents.is_some() && asked != VariantInterpolation::TangentSpline {
        let problem = "they are for tangent splines; ignored";
        warnings.add(spanned.place(), "tangents", problem);
    }
    let mut keys: Vec<VariantKey> = (read.times.iter())
        .zip(read.values)
        .map(|(time, value)| VariantKey::new(time, value))
        .collect();
    if let Some([into, out]) = read.tangents {
        for ((key, into), out) in keys.iter_mut().zip(into).zip(out) {
            key.in_tangent = Some(into);
            key.out_tangent = Some(out);
        }
    }
    let track = VariantTrack::with_times(fields.name, asked, read.times, keys)
        .map_err(|error| spanned.unplayable(error))?;
    if track.interpolation() != asked && fields.interpolation.is_some() {
        let problem = format!("a {kind} does not support it; a supported one is used");
        warnings.add(spanned.place(), "interpolation", problem);
    }
    Ok(track.with_weight(weight))
}

pub(super) fn kind_of(spanned: &Spanned<'_>, name: &str) -> Result<VariantType, JsonError> {
    VariantType::from_name(name).ok_or_else(|| {
        let names: Vec<_> = VariantType::ALL.iter().map(|kind| kind.name()).collect();
        spanned.invalid(
            format_args!("a type: {}", names.join(", ")),
            escape::text(name),
        )
    })
}

fn variant_interpolation(
    spanned: &Spanned<'_>,
    fields: &VariantFields<'_>,
) -> Result<VariantInterpolation, JsonError> {
    Ok(match fields.interpolation.as_deref() {
        None | Some("linear") => VariantInterpolation::Linear,
        Some("none") => VariantInterpolation::None,
        Some("tension_spline") => VariantInterpolation::TensionSpline {
            tension: fields.tension.unwrap_or(USUAL_TENSION),
        },
        Some("tangent_spline") => VariantInterpolation::TangentSpline,
        Some(other) => {
            let expected = "an interpolation, \"none\", \"linear\", \"tension_spline\" or \
                            \"tangent_spline\"";
            return Err(spanned.invalid(expected, escape::text(other)));
        }
    })
}
