//! Animates a struct of your own, a lamp: `cargo run -p sinew --example 06_animate_a_struct`
#![allow(clippy::print_stdout, reason = "it shows what happens")]

use sinew::animation::*;
use sinew::control::*;
use sinew::glam::{Vec3, Vec4};
use std::{error::Error, sync::Arc};

/// What a game has already; nothing in it knows of animations.
#[derive(Default)]
struct Lamp {
    brightness: f32,
    colour: Vec4,
    is_on: bool,
    position: Vec3,
}

/// What of it can be animated: found once for each track, set every frame.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
#[rustfmt::skip]
enum Part { Brightness, Colour, IsOn, Position }

impl AnimationTarget for Lamp {
    type Node = ();
    type Attribute = Part;

    fn find_attribute(&self, path: &AttributePath<'_>) -> Result<(Part, VariantType), PathError> {
        match path.attribute {
            "Brightness" => Ok((Part::Brightness, VariantType::Float)),
            "Colour" => Ok((Part::Colour, VariantType::Color)),
            "IsOn" => Ok((Part::IsOn, VariantType::Bool)),
            "Position" => Ok((Part::Position, VariantType::Vec3)),
            _ => Err(path.no_such_attribute()),
        }
    }

    fn set_attribute(&mut self, part: &Part, value: &Variant) {
        match (part, value) {
            (Part::Brightness, Variant::Float(value)) => self.brightness = *value,
            (Part::Colour, Variant::Color(value)) => self.colour = *value,
            (Part::IsOn, Variant::Bool(value)) => self.is_on = *value,
            (Part::Position, Variant::Vec3(value)) => self.position = *value,
            _ => {}
        }
    }
}

/// From one value to another in a second.
fn track<V: Into<Variant>>(name: &str, from: V, to: V) -> Result<VariantTrack, AnimationError> {
    VariantTrack::new(name, VariantInterpolation::Linear, [(0.0, from), (1.0, to)])
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut set = AnimationSet::new();
    for (name, colour, to) in [("swing", Vec3::X, Vec3::X), ("rise", Vec3::Z, Vec3::Y)] {
        let [white, colour] = [Vec3::ONE, colour].map(|rgb| Variant::Color(rgb.extend(1.0)));
        let mut animation = Animation::new(name, 1.0);
        animation.set_variant(track("@/Brightness", 0.0_f32, 1.0)?);
        animation.set_variant(track("@/Colour", white, colour)?);
        animation.set_variant(track("@/IsOn", true, false)?);
        animation.set_variant(track("@/Position", Vec3::ZERO, to)?);
        set.add(animation)?;
    }
    let (set, mut lamp) = (Arc::new(set), Lamp::default());
    let mut controller = AnimationController::new(set.clone());
    let mut binding = TargetBinding::new(&set);
    controller.play_new(AnimationParameters::new(&set, 0.into()).looped(), 0.0)?;
    for tick in 1..=15 {
        if tick == 5 {
            let rise = AnimationParameters::new(&set, 1.into()).keep_on_completion();
            controller.play_new_exclusive(rise, 0.5)?;
        }
        controller.update(0.1);
        binding.apply(&controller, &mut lamp);
        let weights: Vec<f32> = controller.animations().iter().map(|a| a.weight).collect();
        let (brightness, position) = (lamp.brightness, lamp.position);
        let (colour, is_on) = (lamp.colour, lamp.is_on);
        println!(
            "weights {weights:.1?}: {brightness:.2} of {colour:.2} at {position:.2}, on: {is_on}"
        );
    }
    Ok(())
}
