//! Plays everything that a character has: shared by the tests and, by path, by the fuzz target.

use sinew::glam::Vec2;
use sinew::skelform::{
    AnimationFrame, Armature, ArmatureCrossfade, ArmaturePose, ArmatureState, ConstructSettings,
    DrawList, FrameSettings, PhysicsStep, Repeat, animate, construct, format_frame, time_frame,
    time_frame_exact,
};

/// Whole frames that are played of each animation, at most: spread over its length.
const FRAMES: u32 = 24;

/// Animations that are played, at most.
const ANIMATIONS: usize = 12;

/// Moments at which no animation has a frame.
const ODD_FRAMES: [f32; 8] = [
    -1.0,
    0.5,
    1e-30,
    16_777_217.5,
    1e38,
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
];

/// Plays every animation over its length and at odd moments, constructs each pose with every kind of
/// physics and fills a draw list. Whether every pose was finite.
pub(crate) fn play(armature: &Armature) -> bool {
    let mut stage = Stage {
        armature,
        state: armature.new_state(),
        pose: ArmaturePose::new(armature),
        list: DrawList::new(),
        fade: ArmatureCrossfade::new(armature),
        finite: true,
    };
    for _ in 0..3 {
        stage.show();
    }
    for index in 0..armature.animations().len().min(ANIMATIONS) {
        stage.fade.start(&stage.state, 0.1);
        for play in plays(armature, index) {
            stage.animate(&[play]);
            stage.show();
        }
        stage.animate(&[
            AnimationFrame::new(0.into(), 1.5),
            AnimationFrame::new(index.into(), 2.0),
        ]);
        stage.show();
    }
    stage.animate(&[]);
    stage.show();
    stage.finite
}

/// The moments of an animation that are worth a look.
fn plays(armature: &Armature, index: usize) -> Vec<AnimationFrame> {
    let animation = &armature.animations()[index];
    let last = animation.last_frame().unwrap_or(0);
    let whole = (0..=last).step_by((last / FRAMES).max(1) as usize);
    let mut frames: Vec<f32> = whole.map(|frame| frame as f32).collect();
    frames.extend(ODD_FRAMES);
    for repeat in [Repeat::Once, Repeat::Loop, Repeat::LoopSeamless] {
        for reverse in [false, true] {
            let settings = FrameSettings { reverse, repeat };
            for count in [-3.5, 1e300, f64::NAN, f64::INFINITY, f64::from(last) + 1.5] {
                for frame in [
                    format_frame(count, animation, settings),
                    time_frame(count, animation, settings),
                    time_frame_exact(count, animation, settings),
                ] {
                    assert!(
                        (0.0..=f64::from(last)).contains(&f64::from(frame)),
                        "{settings:?} makes {count} the frame {frame} of {last}"
                    );
                }
            }
        }
    }
    let plain = frames
        .iter()
        .map(|&frame| AnimationFrame::new(index.into(), frame));
    let smooth = ODD_FRAMES
        .into_iter()
        .map(|frame| AnimationFrame::new(index.into(), 3.0).smooth(frame));
    plain.chain(smooth).collect()
}

struct Stage<'a> {
    armature: &'a Armature,
    state: ArmatureState,
    pose: ArmaturePose,
    list: DrawList,
    fade: ArmatureCrossfade,
    finite: bool,
}

impl Stage<'_> {
    fn animate(&mut self, plays: &[AnimationFrame]) {
        let done = animate(self.armature, &mut self.state, plays);
        assert_eq!(done, Ok(()), "the animations are the armature's own");
        self.fade.apply(&mut self.state, 1.0 / 60.0);
    }

    /// Constructs the pose in every way and fills the list.
    fn show(&mut self) {
        let physics = [
            PhysicsStep::PerCall,
            PhysicsStep::Seconds(0.1),
            PhysicsStep::Seconds(f32::NAN),
            PhysicsStep::Off,
        ];
        for physics in physics {
            let settings = ConstructSettings {
                scale: Vec2::new(-0.5, 0.5),
                velocity: Vec2::new(3.0, -4.0),
                physics,
                ..ConstructSettings::default()
            };
            self.construct(&settings);
            let styles = self.armature.default_styles();
            self.list
                .fill(self.armature, &self.state, &self.pose, styles);
            self.look();
        }
    }

    /// Constructs in place and, from a copy of the state, into a fresh pose: what the buffers held
    /// before must not show.
    fn construct(&mut self, settings: &ConstructSettings) {
        let mut copy = self.state.clone();
        let mut fresh = ArmaturePose::new(self.armature);
        for (state, pose) in [(&mut self.state, &mut self.pose), (&mut copy, &mut fresh)] {
            let done = construct(self.armature, state, settings, pose);
            assert_eq!(done, Ok(()), "the state is the armature's own");
        }
        assert_eq!(bits(&self.pose), bits(&fresh));
        assert_eq!(self.pose.hidden(), fresh.hidden());
    }

    /// Notes whether everything is finite; indices and parts of the list must fit in any case.
    fn look(&mut self) {
        let bones = self.pose.bones().all(|bone| {
            bone.position.is_finite() && bone.scale.is_finite() && bone.rotation().is_finite()
        });
        let vertices = self.list.vertices.iter().all(|v| v.position.is_finite());
        self.finite &= bones && vertices;
        for item in &self.list.items {
            let indices = &self.list.indices[item.indices.clone()];
            assert!(
                indices
                    .iter()
                    .all(|&i| item.vertices.contains(&(i as usize)))
            );
        }
    }
}

/// The numbers of all bones, so that one that is not finite equals itself.
fn bits(pose: &ArmaturePose) -> Vec<[u32; 6]> {
    let numbers = pose.bones().map(|bone| {
        let (position, rotor, scale) = (bone.position, bone.rotor, bone.scale);
        [
            position.x, position.y, rotor.cos, rotor.sin, scale.x, scale.y,
        ]
    });
    // Which NaN a sum of two NaNs returns is not specified.
    let bits = |number: f32| {
        if number.is_nan() {
            u32::MAX
        } else {
            number.to_bits()
        }
    };
    numbers.map(|numbers| numbers.map(bits)).collect()
}
