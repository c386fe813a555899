//! Against `rusty_skelform` 0.8, in process, on the files that it can play.
//!
//! Where the format's runtimes disagree with its editor, the editor decides; each such difference is
//! named where it is left out of the comparison.

use rusty_skelform as peer;
use sinew::math::shortest_angle;
use sinew::skelform::{
    AnimationFrame, Armature, ArmaturePose, ConstructSettings, DrawList, Element, animate,
    construct,
};
use sinew_formats::skf;
use sinew_testing::corpus;
use std::io::Read;
use std::path::PathBuf;

fn playable() -> Vec<PathBuf> {
    let corpus = corpus::required_corpus();
    let names = [
        "macroquad-mit/skellina-0.7.skf",
        "macroquad-mit/skellington-0.7.skf",
        "macroquad-mit/test-0.6.skf",
        "skelform-history/2026-06-18_v0.6.0_split_tables.skf",
    ];
    names
        .iter()
        .map(|name| corpus.join("skf").join(name))
        .collect()
}

fn load_peer(file: &PathBuf) -> peer::Armature {
    let mut zip = zip::ZipArchive::new(std::fs::File::open(file).unwrap()).unwrap();
    let mut json = String::new();
    zip.by_name("armature.json")
        .unwrap()
        .read_to_string(&mut json)
        .unwrap();
    serde_json::from_str(&json).unwrap()
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn animate_agrees_with_rusty_skelform_on_every_frame() {
    let mut compared = 0usize;
    for file in playable() {
        let ours = skf::read(&file).unwrap().armature;
        let mut theirs = load_peer(&file);
        for index in 0..theirs.animations.len() {
            let animation = theirs.animations[index].clone();
            let mut state = ours.new_state();
            let last = animation
                .keyframes
                .iter()
                .map(|k| k.frame)
                .max()
                .unwrap_or(0);
            for frame in 0..=last {
                let play = AnimationFrame::new(index.into(), frame as f32);
                animate(&ours, &mut state, &[play]).unwrap();
                let (bones, ik, visuals) = (
                    &mut theirs.bones,
                    &mut theirs.inverse_kinematics,
                    &mut theirs.visuals,
                );
                peer::animate(
                    bones,
                    ik,
                    visuals,
                    &vec![&animation],
                    &vec![frame],
                    &vec![0],
                );
                for (bone, (a, b)) in state.bones().iter().zip(&theirs.bones).enumerate() {
                    for (element, a, b) in [
                        (Element::PositionX, a.position.x, b.pos.x),
                        (Element::PositionY, a.position.y, b.pos.y),
                        (Element::Rotation, a.rotation, b.rot),
                        (Element::ScaleX, a.scale.x, b.scale.x),
                        (Element::ScaleY, a.scale.y, b.scale.y),
                    ] {
                        compared += 1;
                        let name = file.display();
                        // 1e-5, and one unit in the last place of large positions.
                        let tolerance = 1e-5_f32.max(b.abs() * f32::EPSILON);
                        assert!(
                            (a - b).abs() <= tolerance,
                            "{name}: {} frame {frame} bone {bone} {element:?}: {a}, peer {b}",
                            animation.name
                        );
                    }
                }
                for (a, b) in state.tints().iter().zip(&theirs.visuals) {
                    assert_eq!(
                        (a.r, a.g, a.b, a.a),
                        (b.tint.r, b.tint.g, b.tint.b, b.tint.a)
                    );
                }
            }
        }
    }
    corpus::say(&format!("peer: {compared} fields agree"));
}

/// Bones whose pose the peer gets wrong: those that physics moves and whatever hangs on them,
/// because it simulates against the pose that its IK solver left behind.
fn moved_by_physics(armature: &Armature) -> Vec<bool> {
    let mut moved = vec![false; armature.bone_count()];
    for (index, bone) in armature.data().bones.iter().enumerate() {
        moved[index] = bone.physics.is_some() || bone.parent.is_some_and(|parent| moved[parent]);
    }
    moved
}

/// How far positions may be apart, in pixels. They reach 1,500, of which f32 resolves 1e-4; ten rounds
/// of reaching and a chain of bones add up to some times that.
const TOLERANCE: f32 = 5e-3;

/// Compares the meshes that hang on no bone that the peer gets wrong; tells how many vertices there are.
fn compare_meshes(
    ours: &Armature,
    theirs: &peer::Armature,
    list: &DrawList,
    skip: &[bool],
) -> usize {
    let mut vertices = 0;
    for item in &list.items {
        let bone = item.bone.index();
        let visual = ours.data().bones[bone].visual.unwrap();
        let Some(mesh) = &ours.data().visuals[visual].mesh else {
            continue;
        };
        let mut bones = mesh.binds.iter().filter_map(|bind| bind.bone);
        if skip[bone] || bones.any(|bone| skip[bone]) {
            continue;
        }
        let theirs = &theirs.visuals[visual].vertices;
        let ours = &list.vertices[item.vertices.clone()];
        assert_eq!(ours.len(), theirs.len());
        for (a, b) in ours.iter().zip(theirs) {
            let off = (a.position.x - b.pos.x).hypot(a.position.y - b.pos.y);
            assert!(off < TOLERANCE, "bone {bone}: a vertex is off by {off} px");
        }
        vertices += ours.len();
    }
    vertices
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn construct_agrees_where_rusty_skelform_follows_the_editor() {
    let (mut compared, mut left_out, mut vertices) = (0usize, 0usize, 0usize);
    let mut worst = 0f32;
    for file in playable() {
        let ours = skf::read(&file).unwrap().armature;
        let mut theirs = load_peer(&file);
        // Without a pivot scale of its own a 0.6 file collapses in the peer.
        for visual in &mut theirs.visuals {
            if visual.pivot_scale == peer::Vec2::new(0.0, 0.0) {
                visual.pivot_scale = peer::Vec2::new(1.0, 1.0);
            }
        }
        let skip = moved_by_physics(&ours);
        let mut state = ours.new_state();
        let mut pose = ArmaturePose::new(&ours);
        let mut list = DrawList::new();
        for index in 0..theirs.animations.len() {
            let animation = theirs.animations[index].clone();
            let last = animation
                .keyframes
                .iter()
                .map(|k| k.frame)
                .max()
                .unwrap_or(0);
            for frame in 0..=last {
                animate(
                    &ours,
                    &mut state,
                    &[AnimationFrame::new(index.into(), frame as f32)],
                )
                .unwrap();
                // Start from our fields, so that only construct is compared.
                for (a, b) in state.bones().iter().zip(&mut theirs.bones) {
                    b.pos = peer::Vec2::new(a.position.x, a.position.y);
                    b.rot = a.rotation;
                    b.scale = peer::Vec2::new(a.scale.x, a.scale.y);
                }
                construct(&ours, &mut state, &ConstructSettings::default(), &mut pose).unwrap();
                peer::construct(&mut theirs);
                for (bone, (a, b)) in pose.bones().zip(&theirs.constructed_bones).enumerate() {
                    if skip[bone] {
                        left_out += 1;
                        continue;
                    }
                    compared += 1;
                    let name = file.display();
                    let off = (a.position.x - b.pos.x).hypot(a.position.y - b.pos.y);
                    let turn = shortest_angle(a.rotation(), b.rot).abs();
                    worst = worst.max(off);
                    assert!(
                        off < TOLERANCE && turn < 1e-3,
                        "{name}: {} frame {frame} bone {bone}: off by {off} px, {turn} rad",
                        animation.name
                    );
                    assert!((a.scale.x - b.scale.x).abs() < 1e-5);
                    assert!((a.scale.y - b.scale.y).abs() < 1e-5);
                }
                list.fill(&ours, &state, &pose, ours.default_styles());
                vertices += compare_meshes(&ours, &theirs, &list, &skip);
            }
        }
    }
    corpus::say(&format!(
        "peer: {compared} bones agree (worst {worst} px), {left_out} moved by physics left out; \
         {vertices} mesh vertices agree"
    ));
}
