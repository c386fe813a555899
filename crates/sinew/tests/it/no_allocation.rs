//! Playing allocates nothing: counted by the allocator itself.

use common::{animation, chain, key};
use counting::allocations;
use sinew::Sampler;
use sinew::skelform::{
    AnimationFrame, Armature, ArmatureCrossfade, ArmaturePose, BindData, ConstructSettings,
    DrawList, Element, MeshData, PhysicsData, PhysicsStep, VertexData, VisualData, animate,
    construct,
};
use sinew_testing::characters as common;
use sinew_testing::counting;

#[test]
fn animate_fade_construct_and_draw_allocate_nothing_once_warm() {
    let mut data = chain(&[20.0, 20.0, 20.0], (30.0, 30.0));
    data.bones[2].physics = Some(0);
    data.physics.push(PhysicsData {
        sway: 1.0,
        position_damping: 5.0,
        ..PhysicsData::default()
    });
    data.bones[1].visual = Some(0);
    data.visuals.push(VisualData {
        mesh: Some(MeshData {
            vertices: vec![VertexData::default(); 3],
            indices: vec![0, 1, 2],
            binds: vec![BindData {
                bone: Some(2),
                is_path: true,
                vertices: vec![(0, 1.0)],
            }],
        }),
        ..VisualData::default()
    });
    let keys = (0..50).map(|i| key(i * 3, Element::Rotation, i as f32));
    data.animations.push(animation("a", keys.collect()));
    let armature = Armature::new(data).unwrap();
    let mut state = armature.new_state();
    let mut pose = ArmaturePose::new(&armature);
    let mut list = DrawList::new();
    let mut fade = ArmatureCrossfade::new(&armature);
    let mut frame = |number: usize| {
        let play = AnimationFrame::new(0.into(), number as f32 * 0.7).smooth((number % 3) as f32);
        let physics = match number % 2 {
            0 => PhysicsStep::PerCall,
            _ => PhysicsStep::Seconds(0.05),
        };
        let settings = ConstructSettings {
            physics,
            ..ConstructSettings::default()
        };
        animate(&armature, &mut state, &[play, play]).unwrap();
        if number.is_multiple_of(10) {
            fade.start(&state, 0.1);
        }
        fade.apply(&mut state, 0.01);
        construct(&armature, &mut state, &settings, &mut pose).unwrap();
        list.fill(&armature, &state, &pose, armature.default_styles());
    };
    frame(0);
    let count = allocations(|| (0..300).for_each(&mut frame));
    assert_eq!(count, 0);
    assert_ne!(
        allocations(|| drop(vec![0u8; 100])),
        0,
        "the counter counts"
    );
}

#[test]
fn sampling_and_forward_kinematics_allocate_nothing() {
    let skeleton = sinew_testing::motion::bent_figure();
    let animation = sinew_testing::motion::swinging(&skeleton, 120.0, 241);
    let mut sampler = Sampler::new(&skeleton, &animation);
    let count = allocations(|| {
        for tick in 0..500 {
            let model = sampler.model_at(tick as f32 * 0.00731);
            assert!(model.is_finite());
        }
    });
    assert_eq!(count, 0);
}
