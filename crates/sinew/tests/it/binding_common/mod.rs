//! Bodies to bind controllers to, and animations for them.
#![allow(clippy::print_stdout, reason = "shown when a test fails")]

pub(crate) mod rig;

use sinew::animation::{Channel, Interpolation, TransformTrack, Variant};
use sinew::control::{AnimationTarget, BindingWarning, Contribution};
use sinew::glam::{Quat, Vec3};
use sinew::scene::{NodeIndex, Scene, SceneBinding};
use sinew::{
    Animation, AnimationController, AnimationParameters, AnimationSet, Joint, JointIndex,
    ModelPose, Pose, PoseBinding, Skeleton, Transform, local_to_model,
};
use std::sync::Arc;

/// Something with joints that a controller moves.
pub(crate) trait Body {
    /// What it is, for messages.
    fn kind(&self) -> &'static str;
    fn apply(&mut self, controller: &AnimationController);
    fn local(&self, joint: &str) -> Transform;
    fn world(&self, joint: &str) -> Vec3;
    fn put(&mut self, joint: &str, transform: Transform);
    fn reset_skeleton(&mut self, reset: bool);
    fn warnings(&self) -> &[BindingWarning];
}

/// A pose of a skeleton.
pub(crate) struct PoseBody {
    pub(crate) binding: PoseBinding,
    pub(crate) pose: Pose,
}

impl PoseBody {
    pub(crate) fn new(skeleton: &Arc<Skeleton>, set: &Arc<AnimationSet>) -> Self {
        Self {
            binding: PoseBinding::new(set, skeleton),
            pose: Pose::rest(skeleton),
        }
    }

    fn find(&self, joint: &str) -> JointIndex {
        self.binding.skeleton().find(joint).unwrap()
    }
}

impl Body for PoseBody {
    fn kind(&self) -> &'static str {
        "pose"
    }

    fn apply(&mut self, controller: &AnimationController) {
        self.binding.apply(controller, &mut self.pose).unwrap();
    }

    fn local(&self, joint: &str) -> Transform {
        self.pose.get(self.find(joint))
    }

    fn world(&self, joint: &str) -> Vec3 {
        let skeleton = self.binding.skeleton();
        let mut model = ModelPose::new(skeleton);
        local_to_model(skeleton, &self.pose, &mut model).unwrap();
        model.position(self.find(joint))
    }

    fn put(&mut self, joint: &str, transform: Transform) {
        self.pose.set(self.find(joint), transform);
    }

    fn reset_skeleton(&mut self, reset: bool) {
        self.binding.reset_skeleton = reset;
    }

    fn warnings(&self) -> &[BindingWarning] {
        self.binding.warnings()
    }
}

/// What was done to a joint, which a pose and a scene explain alike.
pub(crate) fn explained(
    (pose, scene): (&mut PoseBody, &mut SceneBody),
    controller: &AnimationController,
    joint: &str,
) -> Vec<Contribution> {
    let list = pose.binding.explain(controller, pose.find(joint));
    let target = scene.scene.target(scene.scene.root());
    let node = target.find_node(joint, None).unwrap();
    let nodes = scene.binding.explain_node(controller, &target, &node);
    assert_eq!(nodes, list);
    list
}

/// Puts a transform where a contribution left it.
pub(crate) fn put_result(contribution: &Contribution, transform: &mut Transform) {
    match (contribution.quantity, &contribution.result) {
        ("position", Variant::Vec3(value)) => transform.position = *value,
        ("rotation", Variant::Quat(value)) => transform.rotation = *value,
        ("scale", Variant::Vec3(value)) => transform.scale = *value,
        other => panic!("{other:?}"),
    }
}

/// The same joints as nodes of a scene, bones of a model or not.
pub(crate) struct SceneBody {
    pub(crate) scene: Scene,
    pub(crate) binding: SceneBinding,
    nodes: Vec<(String, NodeIndex)>,
    kind: &'static str,
}

impl SceneBody {
    pub(crate) fn with_bones(skeleton: &Skeleton, set: &Arc<AnimationSet>) -> Self {
        let mut scene = Scene::new("Node");
        let nodes = scene.add_skeleton(scene.root(), skeleton).unwrap();
        let names = skeleton.joints().iter().map(|joint| joint.name.clone());
        Self {
            scene,
            binding: SceneBinding::new(set),
            nodes: names.zip(nodes).collect(),
            kind: "scene with bones",
        }
    }

    pub(crate) fn of_nodes(skeleton: &Skeleton, set: &Arc<AnimationSet>) -> Self {
        let mut scene = Scene::new("Node");
        let mut nodes: Vec<(String, NodeIndex)> = Vec::new();
        for joint in skeleton.joints() {
            let parent = joint
                .parent
                .map_or(scene.root(), |parent| nodes[parent.index()].1);
            let node = scene.add_node(parent, joint.name.as_str()).unwrap();
            scene.set_transform(node, joint.rest).unwrap();
            nodes.push((joint.name.clone(), node));
        }
        Self {
            scene,
            binding: SceneBinding::new(set),
            nodes,
            kind: "scene of nodes",
        }
    }

    pub(crate) fn node(&self, joint: &str) -> NodeIndex {
        self.nodes.iter().find(|(name, _)| name == joint).unwrap().1
    }
}

impl Body for SceneBody {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn apply(&mut self, controller: &AnimationController) {
        let root = self.scene.root();
        self.binding.apply(controller, &mut self.scene.target(root));
    }

    fn local(&self, joint: &str) -> Transform {
        self.scene.transform(self.node(joint)).unwrap()
    }

    fn world(&self, joint: &str) -> Vec3 {
        let world = self.scene.world_transform(self.node(joint));
        world.unwrap().position
    }

    fn put(&mut self, joint: &str, transform: Transform) {
        let node = self.node(joint);
        self.scene.set_transform(node, transform).unwrap();
    }

    fn reset_skeleton(&mut self, reset: bool) {
        self.binding.reset_skeleton = reset;
    }

    fn warnings(&self) -> &[BindingWarning] {
        self.binding.warnings()
    }
}

/// A body and what plays on it.
pub(crate) struct Stage {
    pub(crate) controller: AnimationController,
    pub(crate) body: Box<dyn Body>,
}

impl Stage {
    /// An animation of the set by its name, once from its beginning.
    pub(crate) fn parameters(&self, name: &str) -> AnimationParameters {
        let set = self.controller.animation_set();
        AnimationParameters::new(set, set.find(name).unwrap())
    }

    /// Plays an animation at once, looped.
    pub(crate) fn play(&mut self, name: &str) {
        self.play_as(name, |parameters| parameters);
    }

    /// The same with what `how` makes of its parameters.
    pub(crate) fn play_as(
        &mut self,
        name: &str,
        how: impl FnOnce(AnimationParameters) -> AnimationParameters,
    ) {
        let parameters = how(self.parameters(name).looped());
        self.controller.play_new(parameters, 0.0).unwrap();
    }

    pub(crate) fn update(&mut self, seconds: f32) {
        self.controller.update(seconds);
        self.body.apply(&self.controller);
    }

    /// Where a joint is in its parent's frame.
    pub(crate) fn at(&self, joint: &str) -> Vec3 {
        self.body.local(joint).position
    }
}

/// Runs a test on a pose, on a scene with bones and on a scene of plain nodes.
pub(crate) fn on_each_body(
    skeleton: Skeleton,
    animations: impl IntoIterator<Item = Animation>,
    test: impl Fn(&mut Stage),
) {
    on_each_body_with(skeleton, set_of(animations), test);
}

/// The same with a whole set.
pub(crate) fn on_each_body_with(skeleton: Skeleton, set: AnimationSet, test: impl Fn(&mut Stage)) {
    let (skeleton, set) = (Arc::new(skeleton), Arc::new(set));
    let bodies: [Box<dyn Body>; 3] = [
        Box::new(PoseBody::new(&skeleton, &set)),
        Box::new(SceneBody::with_bones(&skeleton, &set)),
        Box::new(SceneBody::of_nodes(&skeleton, &set)),
    ];
    for body in bodies {
        println!("on a {}", body.kind());
        let controller = AnimationController::new(set.clone());
        test(&mut Stage { controller, body });
    }
}

pub(crate) fn set_of(animations: impl IntoIterator<Item = Animation>) -> AnimationSet {
    let mut set = AnimationSet::new();
    for animation in animations {
        set.add(animation).unwrap();
    }
    set
}

/// Joints in a chain, each at its parent's origin.
pub(crate) fn chain(names: &[&str]) -> Skeleton {
    let joints = names.iter().enumerate().map(|(index, name)| Joint {
        name: (*name).to_owned(),
        parent: index.checked_sub(1).map(JointIndex::from),
        rest: Transform::IDENTITY,
        tip: None,
    });
    Skeleton::new(joints.collect()).unwrap()
}

/// A turn about an axis, in degrees.
pub(crate) fn turn(axis: Vec3, degrees: f64) -> Quat {
    let (sine, cosine) = (degrees.to_radians() / 2.0).sin_cos();
    let axis = axis * sine as f32;
    Quat::from_xyzw(axis.x, axis.y, axis.z, cosine as f32)
}

pub(crate) fn positions<const N: usize>(keys: [(f32, [f32; 3]); N]) -> Option<Channel<Vec3>> {
    let keys = keys.map(|(time, position)| (time, Vec3::from(position)));
    Some(Channel::from_keys(keys, Interpolation::Linear).unwrap())
}

pub(crate) fn rotations<const N: usize>(keys: [(f32, Quat); N]) -> Option<Channel<Quat>> {
    Some(Channel::from_keys(keys, Interpolation::Linear).unwrap())
}

/// An animation of one track.
pub(crate) fn animation(name: &str, length: f32, track: TransformTrack) -> Animation {
    let mut animation = Animation::new(name, length);
    animation.set_track(track);
    animation
}

/// An animation of one second that holds a joint at a place.
pub(crate) fn held(name: &str, joint: &str, position: [f32; 3]) -> Animation {
    let track = TransformTrack {
        position: positions([(0.0, position)]),
        ..TransformTrack::new(joint)
    };
    animation(name, 1.0, track)
}

/// An animation of one second that holds a joint turned.
pub(crate) fn turned(name: &str, joint: &str, rotation: Quat) -> Animation {
    let track = TransformTrack {
        rotation: rotations([(0.0, rotation)]),
        ..TransformTrack::new(joint)
    };
    animation(name, 1.0, track)
}

/// A track that swings a joint about `origin`: away by `-way`, then by `way`, and back.
pub(crate) fn swing(joint: &str, origin: Vec3, way: Vec3, length: f32) -> TransformTrack {
    let keys = [
        (0.0, origin),
        (length / 4.0, origin - way),
        (length * 3.0 / 4.0, origin + way),
        (length, origin),
    ];
    TransformTrack {
        position: positions(keys.map(|(time, position)| (time, position.to_array()))),
        ..TransformTrack::new(joint)
    }
}

pub(crate) fn near(a: Vec3, b: [f32; 3], tolerance: f32) {
    let b = Vec3::from(b);
    assert!((a - b).abs().max_element() <= tolerance, "{a} is not {b}");
}

/// Whether two quaternions are the same rotation.
pub(crate) fn same_turn(a: Quat, b: Quat) {
    let (a, b) = (a.to_array(), b.to_array());
    let apart = |sign: f32| {
        let pairs = a.iter().zip(b);
        pairs.fold(0.0_f32, |most, (a, b)| most.max((a - sign * b).abs()))
    };
    assert!(apart(1.0).min(apart(-1.0)) <= 1e-5, "{a:?} is not {b:?}");
}
