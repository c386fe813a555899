//! Meshes and the draw list.

use common::{Actor, assert_near, bone};
use sinew::glam::{UVec2, Vec2};
use sinew::skelform::{
    ArmatureData, AtlasData, BindData, DrawList, MeshData, StyleData, StyleIndex, TextureData,
    Tint, VertexData, VisualData,
};
use sinew_testing::characters as common;
use std::f32::consts::FRAC_PI_2;

fn texture(name: &str, width: u32, height: u32) -> TextureData {
    TextureData {
        name: name.to_owned(),
        size: UVec2::new(width, height),
        ..TextureData::default()
    }
}

fn visual(texture: &str, zindex: i32) -> VisualData {
    VisualData {
        texture: texture.to_owned(),
        zindex,
        ..VisualData::default()
    }
}

/// A bone per visual, side by side, and one style with a texture of 20 x 10.
fn gallery(visuals: Vec<VisualData>) -> ArmatureData {
    let mut bones: Vec<_> = (0..visuals.len())
        .map(|i| bone(None, (i as f32 * 100.0, 0.0)))
        .collect();
    for (index, bone) in bones.iter_mut().enumerate() {
        bone.visual = Some(index);
    }
    ArmatureData {
        bones,
        visuals,
        styles: vec![StyleData {
            name: "plain".into(),
            textures: vec![texture("t", 20, 10)],
        }],
        default_styles: vec![0],
        atlases: vec![AtlasData::default()],
        ..ArmatureData::default()
    }
}

fn list(actor: &mut Actor) -> DrawList {
    actor.construct();
    let mut list = DrawList::new();
    let styles = actor.armature.default_styles().to_vec();
    list.fill(&actor.armature, &actor.state, &actor.pose, &styles);
    list
}

fn drawn_bones(list: &DrawList) -> Vec<usize> {
    list.items.iter().map(|item| item.bone.index()).collect()
}

fn corners(list: &DrawList) -> Vec<Vec2> {
    list.vertices.iter().map(|v| v.position).collect()
}

#[test]
fn higher_is_drawn_later_and_ties_keep_bone_order() {
    let z = [3, -1, 3, 0, -1];
    let mut actor = Actor::new(gallery(z.map(|z| visual("t", z)).to_vec()));
    assert_eq!(drawn_bones(&list(&mut actor)), [1, 4, 3, 0, 2]);
}

#[test]
fn hidden_bones_empty_and_unknown_textures_are_left_out() {
    let visuals = vec![
        visual("t", 0),
        visual("", 0),
        visual("unknown", 0),
        visual("t", 0),
    ];
    let mut actor = Actor::new(gallery(visuals));
    actor.state.hidden_mut()[3] = true;
    assert_eq!(drawn_bones(&list(&mut actor)), [0]);
}

#[test]
fn the_first_style_that_has_a_texture_gives_it() {
    let mut data = gallery(vec![visual("t", 0), visual("extra", 0)]);
    data.styles.push(StyleData {
        name: "fancy".into(),
        textures: vec![texture("extra", 2, 2), texture("t", 40, 40)],
    });
    let mut actor = Actor::new(data);
    actor.construct();
    let wearing = |styles: &[StyleIndex]| {
        let mut list = DrawList::new();
        list.fill(&actor.armature, &actor.state, &actor.pose, styles);
        list.items
            .iter()
            .map(|i| (i.texture.style.0, i.texture.texture))
            .collect::<Vec<_>>()
    };
    let (plain, fancy) = (StyleIndex(0), StyleIndex(1));
    assert_eq!(wearing(&[plain]), [(0, 0)]);
    assert_eq!(wearing(&[plain, fancy]), [(0, 0), (1, 0)]);
    assert_eq!(wearing(&[fancy, plain]), [(1, 1), (1, 0)]);
    assert!(wearing(&[]).is_empty());
    assert!(wearing(&[StyleIndex(9)]).is_empty());
    let shown = actor
        .armature
        .get_bone_texture(&actor.state, 0.into(), &[fancy, plain])
        .unwrap();
    assert_eq!(
        actor.armature.texture(shown).unwrap().size,
        UVec2::new(40, 40)
    );
}

#[test]
fn a_pose_of_another_armature_draws_what_fits() {
    let mut small = Actor::new(gallery(vec![visual("t", 0)]));
    let mut large = Actor::new(mesh(vec![]));
    small.construct();
    large.construct();
    let styles = [StyleIndex(0)];
    let mut list = DrawList::new();
    list.fill(&large.armature, &large.state, &small.pose, &styles);
    assert!(drawn_bones(&list).is_empty());
    list.fill(&small.armature, &large.state, &large.pose, &styles);
    assert_eq!(drawn_bones(&list), [0]);
}

#[test]
fn a_rectangle_lies_about_its_bone() {
    let mut actor = Actor::new(gallery(vec![visual("t", 0)]));
    let list = list(&mut actor);
    let expected = [(-10.0, 5.0), (10.0, 5.0), (10.0, -5.0), (-10.0, -5.0)];
    assert_eq!(corners(&list), expected.map(Vec2::from));
    assert_eq!(list.vertices[0].uv, Vec2::ZERO);
    assert_eq!(list.vertices[2].uv, Vec2::ONE);
    assert_eq!(
        list.bounds(),
        Some((Vec2::new(-10.0, -5.0), Vec2::new(10.0, 5.0)))
    );
    assert_eq!(DrawList::new().bounds(), None);
}

#[test]
fn pivots_offset_turn_and_scale_the_picture() {
    let mut data = gallery(vec![VisualData {
        pivot_position: Vec2::new(0.5, 0.0),
        pivot_rotation: FRAC_PI_2,
        pivot_scale: Vec2::new(2.0, 1.0),
        ..visual("t", 0)
    }]);
    data.bones[0].scale = Vec2::new(3.0, 1.0);
    data.bones[0].rotation = FRAC_PI_2;
    let mut actor = Actor::new(data);
    let drawn = list(&mut actor);
    // The offset of 10 turns to +y with the bone and is then scaled along the world's axes, y by 1;
    // the corner (-10, 5) is scaled by (6, 1) and turned by half a turn.
    assert_near(
        drawn.vertices[0].position,
        Vec2::new(60.0, -5.0 + 10.0),
        1e-4,
    );
}

#[test]
fn placing_mirrors_the_whole_picture() {
    let mut data = gallery(vec![VisualData {
        pivot_rotation: 0.3,
        ..visual("t", 0)
    }]);
    data.bones[0].rotation = 0.4;
    data.bones[0].position = Vec2::new(50.0, 5.0);
    let mut actor = Actor::new(data);
    let upright = corners(&list(&mut actor));
    actor.settings.scale = Vec2::new(-1.0, 1.0);
    actor.settings.position = Vec2::new(7.0, 0.0);
    let mirrored = corners(&list(&mut actor));
    for (a, b) in upright.iter().zip(&mirrored) {
        assert_near(Vec2::new(7.0 - a.x, a.y), *b, 1e-4);
    }
}

/// A mesh of a square on bone 0, with binds to bones at (100, 0), (200, 0) and (300, 0).
fn mesh(binds: Vec<BindData>) -> ArmatureData {
    let corner = |x, y| VertexData {
        position: Vec2::new(x, y),
        uv: Vec2::ZERO,
    };
    let mut data = gallery(vec![VisualData {
        mesh: Some(MeshData {
            vertices: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0)],
            indices: vec![0, 1, 2],
            binds,
        }),
        tint: Tint {
            r: 0.5,
            ..Tint::WHITE
        },
        ..visual("t", 0)
    }]);
    for x in [100.0, 200.0, 300.0] {
        data.bones.push(bone(None, (x, 0.0)));
    }
    data
}

fn bind(bone: impl Into<Option<usize>>, is_path: bool, vertices: &[(u32, f32)]) -> BindData {
    BindData {
        bone: bone.into(),
        is_path,
        vertices: vertices.to_vec(),
    }
}

#[test]
fn an_unbound_mesh_follows_its_own_bone() {
    let mut data = mesh(vec![
        bind(None, false, &[(0, 1.0)]),
        bind(None, true, &[(1, 1.0)]),
    ]);
    data.bones[0].position = Vec2::new(10.0, 0.0);
    data.bones[0].scale = Vec2::new(2.0, 1.0);
    let mut actor = Actor::new(data);
    let drawn = list(&mut actor);
    let expected = [(8.0, -1.0), (12.0, -1.0), (12.0, 1.0)];
    assert_eq!(corners(&drawn), expected.map(Vec2::from));
    assert_eq!(drawn.items[0].tint.r, 0.5);
}

#[test]
fn weights_pull_one_after_the_other() {
    let binds = vec![bind(1, false, &[(0, 0.5)]), bind(2, false, &[(0, 0.5)])];
    let mut actor = Actor::new(mesh(binds));
    // Half way to 100 is 50, half way from there to 200 is 125.
    assert_near(
        list(&mut actor).vertices[0].position,
        Vec2::new(124.0, -1.0),
        1e-4,
    );
}

#[test]
fn paths_carry_vertices_along_their_normal() {
    let binds = vec![
        bind(1, true, &[(0, 1.0)]),
        bind(2, true, &[(1, 2.0)]),
        bind(3, true, &[(2, 1.0)]),
    ];
    let mut actor = Actor::new(mesh(binds));
    let drawn = list(&mut actor);
    // Along +x the normal points up, which turns vertices by a quarter.
    assert_near(drawn.vertices[0].position, Vec2::new(101.0, -1.0), 1e-4);
    assert_near(drawn.vertices[1].position, Vec2::new(202.0, 2.0), 1e-4);
    assert_near(drawn.vertices[2].position, Vec2::new(299.0, 1.0), 1e-4);
}

#[test]
fn a_path_sets_a_vertex_whatever_pulled_it_before() {
    let pulled_first = vec![bind(1, false, &[(0, 1.0)]), bind(3, true, &[(0, 1.0)])];
    let path_alone = vec![bind(1, false, &[]), bind(3, true, &[(0, 1.0)])];
    let mut a = Actor::new(mesh(pulled_first));
    let mut b = Actor::new(mesh(path_alone));
    assert_eq!(list(&mut a).vertices[0], list(&mut b).vertices[0]);
    // And is pulled on from there by what comes after.
    let pulled_after = vec![bind(3, true, &[(0, 1.0)]), bind(1, false, &[(0, 1.0)])];
    let mut c = Actor::new(mesh(pulled_after));
    assert_near(
        list(&mut c).vertices[0].position,
        Vec2::new(99.0, -1.0),
        1e-4,
    );
}

#[test]
fn a_path_of_one_bone_has_no_direction() {
    let mut actor = Actor::new(mesh(vec![bind(2, true, &[(0, 1.0)])]));
    assert_near(
        list(&mut actor).vertices[0].position,
        Vec2::new(199.0, -1.0),
        1e-4,
    );
}

/// A path bind whose neighbour has no bone leaves its vertices to the mesh's own bone and to other binds.
#[test]
fn a_path_beside_an_unbound_bind_moves_nothing() {
    let path = || bind(2, true, &[(0, 1.0)]);
    let unbound = || bind(None, true, &[]);
    for binds in [
        vec![unbound(), path(), unbound()],
        vec![unbound(), path()],
        vec![path(), unbound()],
    ] {
        let mut actor = Actor::new(mesh(binds));
        assert_near(
            list(&mut actor).vertices[0].position,
            Vec2::new(-1.0, -1.0),
            1e-4,
        );
    }
    let pulled = vec![bind(1, false, &[(0, 1.0)]), path(), unbound()];
    let mut actor = Actor::new(mesh(pulled));
    assert_near(
        list(&mut actor).vertices[0].position,
        Vec2::new(99.0, -1.0),
        1e-4,
    );
}

#[test]
fn texture_coordinates_are_coordinates_in_the_atlas() {
    let mut data = gallery(vec![visual("t", 0)]);
    data.atlases[0].size = UVec2::new(100, 200);
    data.styles[0].textures[0].offset = UVec2::new(10, 20);
    let mut actor = Actor::new(data);
    let texture = list(&mut actor).items[0].texture;
    let at = |uv| actor.armature.atlas_uv(texture, uv).unwrap();
    assert_near(at(Vec2::ZERO), Vec2::new(0.1, 0.1), 1e-6);
    assert_near(at(Vec2::ONE), Vec2::new(0.3, 0.15), 1e-6);
}

#[test]
fn an_appended_list_is_drawn_after() {
    let mut actor = Actor::new(gallery(vec![visual("t", 0), visual("t", 1)]));
    let first = list(&mut actor);
    actor.settings.position = Vec2::new(0.0, 50.0);
    let second = list(&mut actor);
    let mut both = first.clone();
    both.append(&second);
    assert_eq!(drawn_bones(&both), [0, 1, 0, 1]);
    for (item, alone) in both.items[2..].iter().zip(&second.items) {
        let position = |list: &DrawList, item: &sinew::skelform::DrawItem| -> Vec<Vec2> {
            let indices = &list.indices[item.indices.clone()];
            indices
                .iter()
                .map(|&i| list.vertices[i as usize].position)
                .collect()
        };
        assert_eq!(position(&both, item), position(&second, alone));
        assert_eq!(
            both.vertices[item.vertices.clone()],
            second.vertices[alone.vertices.clone()]
        );
    }
}
