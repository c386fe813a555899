//! Every way in which an armature can be wrong is found when it is made.

use common::{animation, bone, key};
use sinew::skelform::{
    Armature, ArmatureData, ArmatureError, AtlasData, BindData, Element, IkFamilyData, MeshData,
    PhysicsData, StyleData, TextureData, VertexData, VisualData,
};
use sinew_testing::characters as common;

fn data() -> ArmatureData {
    ArmatureData {
        bones: vec![bone(None, (0.0, 0.0)), bone(Some(0), (1.0, 0.0))],
        visuals: vec![VisualData {
            mesh: Some(MeshData {
                vertices: vec![VertexData::default(); 3],
                indices: vec![0, 1, 2],
                binds: vec![BindData {
                    bone: Some(1),
                    is_path: false,
                    vertices: vec![(0, 1.0)],
                }],
            }),
            ..VisualData::default()
        }],
        ik_families: vec![IkFamilyData {
            bones: vec![0, 1],
            ..IkFamilyData::default()
        }],
        physics: vec![PhysicsData::default()],
        animations: vec![animation("a", vec![key(0, Element::Rotation, 1.0)])],
        styles: vec![StyleData {
            textures: vec![TextureData::default()],
            ..StyleData::default()
        }],
        atlases: vec![AtlasData::default()],
        default_styles: vec![0],
        ..ArmatureData::default()
    }
}

fn refused(change: impl FnOnce(&mut ArmatureData)) -> ArmatureError {
    let mut data = data();
    change(&mut data);
    Armature::new(data).map(drop).unwrap_err()
}

fn mesh(data: &mut ArmatureData) -> &mut MeshData {
    data.visuals[0].mesh.as_mut().unwrap()
}

#[test]
fn valid_data_is_accepted() {
    assert!(Armature::new(data()).is_ok());
}

#[test]
fn references_must_be_in_range() {
    type Change = fn(&mut ArmatureData);
    let changes: [(Change, &str); 12] = [
        (|d| d.bones[1].parent = Some(9), "bone 1: parent is 9"),
        (|d| d.bones[1].visual = Some(9), "bone 1: visual is 9"),
        (|d| d.bones[1].physics = Some(9), "bone 1: physics is 9"),
        (|d| d.bones[1].ik_family = Some(9), "bone 1: ik_family is 9"),
        (|d| mesh(d).indices[2] = 9, "visual 0: mesh index is 9"),
        (
            |d| mesh(d).binds[0].bone = Some(9),
            "visual 0: bind bone is 9",
        ),
        (
            |d| mesh(d).binds[0].vertices[0].0 = 9,
            "visual 0: bind vertex is 9",
        ),
        (|d| d.ik_families[0].bones[1] = 9, "IK family 0: bone is 9"),
        (
            |d| d.ik_families[0].target = Some(9),
            "IK family 0: target is 9",
        ),
        (
            |d| d.animations[0].keys[0].bone = 9,
            "animation 0: key bone is 9",
        ),
        (
            |d| d.styles[0].textures[0].atlas = 9,
            "style 0: texture atlas is 9",
        ),
        (|d| d.default_styles[0] = 9, "default style 0: style is 9"),
    ];
    for (change, message) in changes {
        let said = refused(change).to_string();
        assert!(
            said.starts_with(message),
            "said {said:?}, expected {message:?}"
        );
    }
}

#[test]
fn numbers_must_be_finite() {
    type Change = fn(&mut ArmatureData);
    let changes: [(Change, &str); 10] = [
        (
            |d| {
                let handles = sinew::skelform::curve::Handles::new(0.0, f32::NAN, 1.0, 1.0);
                d.animations[0].keys[0].ease = sinew::skelform::curve::Ease::Bezier(handles);
            },
            "animation 0: key handle",
        ),
        (|d| d.bones[0].position.y = f32::NAN, "bone 0: position"),
        (|d| d.bones[0].rotation = f32::INFINITY, "bone 0: rotation"),
        (|d| d.bones[0].scale.x = f32::NAN, "bone 0: scale"),
        (|d| d.visuals[0].tint.g = f32::NAN, "visual 0: tint"),
        (
            |d| d.visuals[0].pivot_scale.x = f32::NAN,
            "visual 0: pivot_scale",
        ),
        (
            |d| mesh(d).vertices[1].uv.x = f32::NAN,
            "visual 0: vertex uv",
        ),
        (
            |d| mesh(d).binds[0].vertices[0].1 = f32::NAN,
            "visual 0: bind weight",
        ),
        (|d| d.physics[0].sway = f32::NAN, "physics 0: sway"),
        (
            |d| d.animations[0].keys[0].value = f32::NAN,
            "animation 0: key value",
        ),
    ];
    for (change, message) in changes {
        let said = refused(change).to_string();
        assert!(
            said.starts_with(message),
            "said {said:?}, expected {message:?}"
        );
    }
}

#[test]
fn parents_must_precede_their_children() {
    let error = refused(|d| d.bones[0].parent = Some(1));
    assert_eq!(error, ArmatureError::ParentOrder { bone: 0, parent: 1 });
    let error = refused(|d| d.bones[0].parent = Some(0));
    assert_eq!(error, ArmatureError::ParentOrder { bone: 0, parent: 0 });
}

#[test]
fn visuals_and_physics_belong_to_one_bone() {
    let error = refused(|d| d.bones.iter_mut().for_each(|b| b.visual = Some(0)));
    assert_eq!(
        error,
        ArmatureError::Shared {
            bone: 1,
            field: "visual",
            value: 0
        }
    );
    let error = refused(|d| d.bones.iter_mut().for_each(|b| b.physics = Some(0)));
    assert_eq!(
        error,
        ArmatureError::Shared {
            bone: 1,
            field: "physics",
            value: 0
        }
    );
}

#[test]
fn chains_hold_a_bone_once_and_triangles_three_corners() {
    let error = refused(|d| d.ik_families[0].bones = vec![0, 1, 0]);
    assert_eq!(error, ArmatureError::RepeatedBone { family: 0, bone: 0 });
    let error = refused(|d| mesh(d).indices.truncate(2));
    assert_eq!(
        error,
        ArmatureError::PartialTriangle {
            visual: 0,
            count: 2
        }
    );
}

#[test]
fn names_are_found_exactly_first_then_without_blanks_then_without_capitals() {
    let mut data = data();
    data.animations = ["Run ", "Run", " Jump"]
        .map(|name| animation(name, vec![]))
        .to_vec();
    data.bones[1].name = "Arm".to_owned();
    data.styles[0].name = "Default".to_owned();
    let armature = Armature::new(data).unwrap();
    let find = |name| armature.find_animation(name).map(|index| index.index());
    assert_eq!(
        [find("Run"), find("Run "), find("Jump"), find("Walk")],
        [Some(1), Some(0), Some(2), None]
    );
    assert_eq!(armature.find_bone("Arm").unwrap().index(), 1);
    assert_eq!(armature.find_style("Default").unwrap().index(), 0);
    assert_eq!(armature.find_ik_family(1.into()).unwrap().index(), 0);
    assert_eq!(find("jump"), Some(2));
    assert!(armature.find_bone("Leg").is_none());
}
