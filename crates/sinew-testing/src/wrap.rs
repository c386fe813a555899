//! Motions below static joints, as other programs export them.

use sinew::animation::{Channel, ChannelValue, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::math::{quat_inverse, quat_mul, quat_rotate};
use sinew::{Animation, Joint, JointIndex, Skeleton, Transform};

/// Ways in which programs put static joints above the one that travels: what is in which frame, and whether the
/// static joints have keys. All put the body where it was.
pub fn wrappings() -> Vec<(&'static str, Vec<Transform>, bool)> {
    let turned = |angle: f32| Quat::from_xyzw((angle * 0.5).sin(), 0.0, 0.0, (angle * 0.5).cos());
    let lying = Transform {
        rotation: turned(-std::f32::consts::FRAC_PI_2),
        scale: Vec3::splat(0.01),
        ..Transform::IDENTITY
    };
    let aside = Transform::from_position(Vec3::new(3.0, 0.0, -5.0));
    vec![
        ("a root without keys", vec![Transform::IDENTITY], false),
        (
            "a root with a key per frame",
            vec![Transform::IDENTITY],
            true,
        ),
        ("a root elsewhere", vec![aside], false),
        ("centimetres with z up", vec![lying], true),
        ("two roots", vec![aside, lying], false),
    ]
}

/// The same motion below static joints.
pub fn wrapped(
    skeleton: &Skeleton,
    animation: &Animation,
    above: &[Transform],
    keyed: bool,
) -> (Skeleton, Animation) {
    let whole = above
        .iter()
        .fold(Transform::IDENTITY, |outer, inner| outer.then_after(inner));
    let scale = whole.scale.x;
    let back = quat_inverse(whole.rotation);
    let place = |p: Vec3| quat_rotate(back, p - whole.position) / scale;
    let slope = |v: Vec3| quat_rotate(back, v) / scale;
    let turn = |q: Quat| quat_mul(back, q);
    let mut joints: Vec<Joint> = Vec::new();
    for (index, rest) in above.iter().enumerate() {
        joints.push(Joint {
            name: format!("static {index}"),
            parent: index.checked_sub(1).map(JointIndex::from),
            rest: *rest,
            tip: None,
        });
    }
    let mut result = animation.clone();
    for joint in skeleton.joints() {
        let mut joint = joint.clone();
        let Some(parent) = joint.parent else {
            joint.parent = Some(JointIndex::from(above.len() - 1));
            joint.rest = Transform {
                position: place(joint.rest.position),
                rotation: turn(joint.rest.rotation),
                scale: joint.rest.scale / scale,
            };
            for track in result
                .tracks
                .iter_mut()
                .filter(|track| track.name == joint.name)
            {
                track.position = track
                    .position
                    .take()
                    .map(|channel| changed(&channel, place, slope));
                track.rotation = track
                    .rotation
                    .take()
                    .map(|channel| changed(&channel, turn, turn));
                track.scale = track
                    .scale
                    .take()
                    .map(|channel| changed(&channel, |s| s / scale, |s| s / scale));
            }
            joints.push(joint);
            continue;
        };
        joint.parent = Some(JointIndex::from(parent.index() + above.len()));
        joints.push(joint);
    }
    if keyed {
        let count = animation.frame_count().max(2);
        let times = KeyTimes::uniform(animation.frame_rate.unwrap_or(30.0), count).unwrap();
        for (index, rest) in above.iter().enumerate() {
            let mut track = TransformTrack::new(format!("static {index}"));
            let lines = Interpolation::Linear;
            track.position =
                Some(Channel::new(times.clone(), vec![rest.position; count], lines).unwrap());
            track.rotation =
                Some(Channel::new(times.clone(), vec![rest.rotation; count], lines).unwrap());
            result.tracks.insert(0, track);
        }
    }
    (Skeleton::new(joints).unwrap(), result)
}

fn changed<T: ChannelValue>(
    channel: &Channel<T>,
    value: impl Fn(T) -> T,
    slope: impl Fn(T) -> T,
) -> Channel<T> {
    let all = |values: &[T], f: &dyn Fn(T) -> T| values.iter().map(|v| f(*v)).collect::<Vec<T>>();
    let times = channel.times().clone();
    let values = all(channel.values(), &value);
    if channel.interpolation() == Interpolation::Cubic {
        let (from, to) = (
            all(channel.in_tangents(), &slope),
            all(channel.out_tangents(), &slope),
        );
        return Channel::cubic(times, values, from, to).unwrap();
    }
    Channel::new(times, values, channel.interpolation()).unwrap()
}

/// What is measured of a motion as numbers, with what each is allowed to differ by.
pub fn measures(skeleton: &Skeleton, animation: &Animation) -> Vec<(String, f64, f64)> {
    use sinew::anatomy::find_legs;
    use sinew_author::contacts::{PlantSettings, find_plants};
    use sinew_author::looping::{CycleSettings, find_cycle};
    let mut all: Vec<(String, f64, f64)> = Vec::new();
    let name = |joint: JointIndex| skeleton.joint(joint).unwrap().name.clone();
    let mut add = |what: &str, value: f64, within: f64| all.push((what.to_owned(), value, within));
    let bounds = sinew_author::measure::extent(skeleton, animation).unwrap();
    let rest = sinew::anatomy::rest_bounds(skeleton).unwrap();
    let size = f64::from(rest.size().max_element().max(bounds.size().max_element())).max(1e-3);
    let near = 2e-5 * size + 2e-6;
    for axis in 0..3 {
        add(
            &format!("extent from {axis}"),
            bounds.min[axis].into(),
            near,
        );
        add(&format!("extent to {axis}"), bounds.max[axis].into(), near);
    }
    let gap = sinew_author::measure::loop_gap(skeleton, animation);
    add("gap distance", gap.distance.into(), 4.0 * near);
    add("gap angle", gap.angle.into(), 2e-3);
    add("gap turn", gap.turn.abs().into(), 2e-3);
    add(
        "gap is of a rigid motion",
        f64::from(u8::from(gap.is_rigid)),
        0.0,
    );
    for axis in 0..3 {
        add(&format!("gap travel {axis}"), gap.travel[axis].into(), near);
    }
    // At rest nothing tells a static joint from the first of a chain that does not part.
    let parts = |joint: usize| skeleton.children(JointIndex::from(joint)).count() > 1;
    if !(0..skeleton.len()).any(parts) {
        return all;
    }
    for axis in 0..3 {
        add(&format!("rest size {axis}"), rest.size()[axis].into(), near);
    }
    let legs = find_legs(skeleton);
    add("legs", legs.len() as f64, 0.0);
    let plants = find_plants(skeleton, animation, &PlantSettings::default());
    add("plants", plants.len() as f64, 0.0);
    for plant in &plants {
        add(
            &format!("plant of {} from", name(plant.joint)),
            plant.span.start.into(),
            0.02,
        );
        add(
            &format!("plant of {} to", name(plant.joint)),
            plant.span.end.into(),
            0.02,
        );
    }
    let cycle = (animation.length <= 20.0 && legs.len() > 1)
        .then(|| find_cycle(skeleton, animation, &CycleSettings::default()).ok())
        .flatten();
    add("has a cycle", f64::from(u8::from(cycle.is_some())), 0.0);
    if let Some(cycle) = cycle {
        // A regular walk repeats from anywhere; where is decided by the last digit.
        add("cycle length", (cycle.end - cycle.start).into(), 0.02);
        add("cycle distance", cycle.distance, 1e-3 * size + 2e-3);
        let way = cycle.ground_transform.x.hypot(cycle.ground_transform.z);
        add("cycle way", way, 0.02 * size.max(way));
    }
    all
}

/// What differs between the measures of two motions, beyond what is allowed.
pub fn differences(first: &[(String, f64, f64)], second: &[(String, f64, f64)]) -> Vec<String> {
    if first.len() != second.len() {
        return vec![format!("{} measures against {}", first.len(), second.len())];
    }
    let pairs = first.iter().zip(second);
    let differ = pairs.filter(|(a, b)| a.0 != b.0 || (a.1 - b.1).abs() > a.2);
    differ
        .map(|(a, b)| format!("{}: {} against {}", a.0, a.1, b.1))
        .collect()
}
