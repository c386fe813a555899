//! Writing a character and reading it again gives the same character.
//!
//! What the format cannot say is settled before comparing ([`settle`]):
//! - the version is that of the layout, which also says whether rotation is mirrored;
//! - a straight line is written as the handles of one;
//! - keys come back sorted by frame, texts only on elements that have one;
//! - worn styles come back in list order, and when none is worn the reader chooses;
//! - a family is switched off by its first bone, together with others that begin there;
//! - a mesh without vertices is no mesh, and a bone with a texture key has something to show it on.

use crate::common::make;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use sinew::glam::{UVec2, Vec2};
use sinew::skelform::curve::{Ease, Handles, Preset};
use sinew::skelform::{
    AnimationData, Armature, ArmatureData, AtlasData, BindData, BoneData, Element, IkConstraint,
    IkFamilyData, IkMode, KeyData, MeshData, PhysicsData, PhysicsState, StyleData, TextureData,
    Tint, VertexData, VisualData,
};
use sinew_formats::limits::MAX_FRAME;
use sinew_formats::skf::{self, SkfError};

/// Any finite number, down to the smallest and up to the largest.
fn number() -> impl Strategy<Value = f32> {
    use proptest::num::f32::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![-9f32..9.0, POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO]
}

fn vec2() -> impl Strategy<Value = Vec2> {
    (number(), number()).prop_map(Vec2::from)
}

fn pixels() -> impl Strategy<Value = UVec2> {
    (0..1u32 << 24, 0..1u32 << 24).prop_map(UVec2::from)
}

/// Names, with what JSON must escape.
fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z ä\u{1f98a}\"\\\\/\n\t]{0,6}"
}

fn texture_name() -> impl Strategy<Value = String> {
    select(vec!["", "head", "hand", "a \"b\" c"]).prop_map(str::to_owned)
}

fn bone(count: usize, families: usize) -> impl Strategy<Value = BoneData> {
    let place = (vec2(), number(), vec2());
    (
        name(),
        option::of(0..count),
        place,
        any::<bool>(),
        option::of(0..families.max(1)),
    )
        .prop_map(
            move |(name, parent, (position, rotation, scale), hidden, family)| BoneData {
                name,
                parent,
                position,
                rotation,
                scale,
                hidden,
                ik_family: family.filter(|&family| family < families),
                ..BoneData::default()
            },
        )
}

fn mesh(bones: usize) -> impl Strategy<Value = MeshData> {
    let vertex = (vec2(), vec2()).prop_map(|(position, uv)| VertexData { position, uv });
    let bind = (
        option::of(0..bones),
        any::<bool>(),
        vec((any::<Index>(), number()), 0..4),
    );
    let triangles = vec(any::<[Index; 3]>(), 0..4);
    (vec(vertex, 0..6), triangles, vec(bind, 0..4)).prop_map(|(vertices, triangles, binds)| {
        let count = vertices.len();
        let at = |index: &Index| index.index(count) as u32;
        if count == 0 {
            return MeshData::default();
        }
        let binds = binds.iter().map(|(bone, is_path, bound)| BindData {
            bone: *bone,
            is_path: *is_path,
            vertices: bound
                .iter()
                .map(|(vertex, weight)| (at(vertex), *weight))
                .collect(),
        });
        MeshData {
            indices: triangles.iter().flatten().map(at).collect(),
            binds: binds.collect(),
            vertices,
        }
    })
}

fn visual(bones: usize) -> impl Strategy<Value = VisualData> {
    let tint = prop_oneof![
        Just(Tint::WHITE),
        (number(), number(), number(), number()).prop_map(|(r, g, b, a)| Tint { r, g, b, a }),
    ];
    let pivot = (vec2(), number(), vec2());
    (
        texture_name(),
        tint,
        any::<i32>(),
        pivot,
        option::of(mesh(bones)),
    )
        .prop_map(
            |(texture, tint, zindex, (pivot_position, pivot_rotation, pivot_scale), mesh)| {
                VisualData {
                    texture,
                    tint,
                    zindex,
                    pivot_position,
                    pivot_rotation,
                    pivot_scale,
                    mesh,
                }
            },
        )
}

fn family(bones: usize) -> impl Strategy<Value = IkFamilyData> {
    let chain = subsequence((0..bones).collect::<Vec<_>>(), 0..=bones).prop_shuffle();
    let constraint = select(IkConstraint::ALL.to_vec());
    let mode = select(IkMode::ALL.to_vec());
    (
        chain,
        option::of(0..bones),
        constraint,
        mode,
        any::<[bool; 2]>(),
    )
        .prop_map(
            |(bones, target, constraint, mode, [mimic_target, enabled])| IkFamilyData {
                bones,
                target,
                constraint,
                mode,
                mimic_target,
                enabled,
            },
        )
}

fn physics() -> impl Strategy<Value = PhysicsData> {
    (vec(number(), 7), vec2(), vec2(), vec(number(), 4)).prop_map(|(n, position, scale, s)| {
        PhysicsData {
            position_damping: n[0],
            position_ratio: n[1],
            rotation_damping: n[2],
            scale_damping: n[3],
            scale_ratio: n[4],
            sway: n[5],
            rotation_bounce: n[6],
            start: PhysicsState {
                position,
                scale,
                rotation: s[0],
                orbit: s[1],
                orbit_lead: s[2],
                orbit_velocity: s[3],
            },
        }
    })
}

fn ease() -> impl Strategy<Value = Ease> {
    let bezier = (vec2(), vec2()).prop_map(|(start, end)| Handles { start, end });
    let preset = select(Preset::ALL.to_vec()).prop_map(Preset::ease);
    prop_oneof![preset, bezier.prop_map(Ease::from_handles)]
}

fn key(bones: usize) -> impl Strategy<Value = KeyData> {
    let frame = prop_oneof![0..9u32, 0..=MAX_FRAME];
    let text = (
        texture_name(),
        select(IkConstraint::ALL.to_vec()),
        select(IkMode::ALL.to_vec()),
    );
    let element = select(Element::ALL.to_vec());
    (frame, 0..bones, element, number(), text, ease()).prop_map(
        |(frame, bone, element, value, (texture, constraint, mode), ease)| KeyData {
            frame,
            bone,
            element,
            value,
            text: match element {
                Element::Texture => texture,
                Element::IkConstraint => constraint.name().to_owned(),
                Element::IkMode => mode.name().to_owned(),
                _ => String::new(),
            },
            ease,
        },
    )
}

fn animation(bones: usize) -> impl Strategy<Value = AnimationData> {
    (name(), any::<u32>(), vec(key(bones), 0..12)).prop_map(|(name, frame_rate, keys)| {
        AnimationData {
            name,
            frame_rate,
            keys,
        }
    })
}

fn style(atlases: usize) -> impl Strategy<Value = StyleData> {
    let texture = (texture_name(), 0..atlases.max(1), pixels(), pixels());
    let textures = vec(texture, 0..3).prop_map(move |textures| {
        let textures = textures.into_iter().filter(|_| atlases > 0);
        let texture = |(name, atlas, offset, size)| TextureData {
            name,
            atlas,
            offset,
            size,
        };
        textures.map(texture).collect()
    });
    (prop_oneof![name(), Just("Default".to_owned())], textures)
        .prop_map(|(name, textures)| StyleData { name, textures })
}

/// Any character that plays.
fn character() -> impl Strategy<Value = ArmatureData> {
    let counts = (1..7usize, 0..3usize, 0..3usize, 0..4usize);
    counts
        .prop_flat_map(|(bones, families, atlases, styles)| {
            let structure = (
                vec(bone(bones, families), bones),
                vec(visual(bones), 0..4),
                vec(family(bones), families),
                vec(physics(), 0..3),
            );
            let look = (
                vec(style(atlases), styles),
                subsequence((0..styles).collect::<Vec<_>>(), 0..=styles).prop_shuffle(),
                vec(pixels(), atlases),
            );
            let head = (
                select(vec!["", "0.7.0", "0.8.1", "1.0"]),
                any::<[bool; 2]>(),
            );
            (head, structure, vec(animation(bones), 0..3), look)
        })
        .prop_map(|(head, structure, animations, look)| {
            let (mut bones, visuals, ik_families, physics) = structure;
            for (index, bone) in bones.iter_mut().enumerate() {
                bone.parent = bone.parent.filter(|&parent| parent < index);
                // Backwards, so that positions of bones and of entries differ.
                bone.visual = visuals.len().checked_sub(index + 1);
                bone.physics = physics.len().checked_sub(index + 2);
            }
            let atlases = look
                .2
                .into_iter()
                .enumerate()
                .map(|(index, size)| AtlasData {
                    filename: format!("atlas{index}.png"),
                    size,
                });
            ArmatureData {
                version: head.0.to_owned(),
                baked_ik: head.1[0],
                mirrored_rotation: head.1[1],
                bones,
                visuals,
                ik_families,
                physics,
                animations,
                styles: look.0,
                default_styles: look.1,
                atlases: atlases.collect(),
            }
        })
}

/// Says what the format cannot say as reading would say it.
fn settle(mut data: ArmatureData) -> ArmatureData {
    let version = if data.mirrored_rotation {
        "0.8.0"
    } else {
        "0.7.0"
    };
    data.version = version.to_owned();
    data.default_styles.sort_unstable();
    if data.default_styles.is_empty() {
        let default = data.styles.iter().position(|style| style.name == "Default");
        data.default_styles = default.map_or((0..data.styles.len()).collect(), |d| vec![d]);
    }
    let off = data.ik_families.iter().filter(|family| !family.enabled);
    let off: Vec<usize> = off
        .filter_map(|family| family.bones.first().copied())
        .collect();
    for family in &mut data.ik_families {
        family.enabled = !family
            .bones
            .first()
            .is_some_and(|first| off.contains(first));
    }
    for visual in &mut data.visuals {
        visual.mesh = visual.mesh.take().filter(|mesh| !mesh.vertices.is_empty());
    }
    for animation in &mut data.animations {
        animation.keys.sort_by_key(|key| key.frame);
        for key in &mut animation.keys {
            if key.ease == Ease::Linear {
                key.ease = Ease::Bezier(Preset::Linear.handles());
            }
            let bone = &mut data.bones[key.bone];
            if key.element == Element::Texture && !key.text.is_empty() && bone.visual.is_none() {
                bone.visual = Some(data.visuals.len());
                data.visuals.push(VisualData {
                    zindex: -1,
                    ..VisualData::default()
                });
            }
        }
    }
    data
}

/// A file for each atlas, which is no picture.
fn no_pictures(data: &ArmatureData) -> Vec<Vec<u8>> {
    vec![b"none".to_vec(); data.atlases.len()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn written_characters_are_read_back(data in character()) {
        prop_assert!(Armature::new(data.clone()).is_ok());
        let bytes = skf::write_bytes(&data, &no_pictures(&data)).unwrap();
        let read = skf::read_bytes(&bytes).unwrap();
        prop_assert_eq!(read.armature.data(), &settle(data));
        // Only the images, which are invalid, had to be repaired.
        for warning in read.warnings.list() {
            let expected = warning.place == "atlas"
                || warning.field == "fps"
                || warning.problem.ends_with("its keys do nothing");
            prop_assert!(expected, "{}", warning);
        }
    }

    #[test]
    fn read_characters_are_written_unchanged(data in character()) {
        let pictures = no_pictures(&data);
        let once = skf::write_bytes(&settle(data), &pictures).unwrap();
        let read = skf::read_bytes(&once).unwrap();
        prop_assert!(skf::write_bytes(read.armature.data(), &pictures).unwrap() == once);
    }
}

#[test]
fn pictures_round_trip_with_the_character() {
    let first = skf::read_bytes(&make::skf_of(&make::character())).unwrap();
    let picture = make::png(64, 64, [200, 100, 50, 255]);
    let bytes = skf::write_bytes(first.armature.data(), &[picture]).unwrap();
    let second = skf::read_bytes(&bytes).unwrap();
    assert_eq!(second.warnings.list(), []);
    assert_eq!(first.atlases, second.atlases);
    assert!(second.atlases[0].is_some());
}

#[test]
fn the_written_version_is_that_of_the_layout() {
    // Editors change a file by its version: 0.2 would have its layout changed again.
    for (version, mirrored_rotation, written) in [
        ("", false, "0.7.0"),
        ("0.2.0", false, "0.7.0"),
        ("0.9.3", true, "0.8.0"),
        ("0.7.0", true, "0.8.0"),
    ] {
        let data = ArmatureData {
            version: version.to_owned(),
            mirrored_rotation,
            ..ArmatureData::default()
        };
        let bytes = skf::write_bytes(&data, &[]).unwrap();
        let read = skf::read_bytes(&bytes).unwrap().armature;
        assert_eq!(read.data().version, written);
        assert_eq!(read.data().mirrored_rotation, mirrored_rotation);
    }
}

#[test]
fn characters_that_do_not_play_are_not_written() {
    let bone = |rotation| BoneData {
        rotation,
        ..BoneData::default()
    };
    let mut data = ArmatureData {
        bones: vec![bone(f32::NAN)],
        ..ArmatureData::default()
    };
    let error = skf::write_bytes(&data, &[]).unwrap_err().to_string();
    assert_eq!(
        error,
        "armature.json: bone 0: rotation is not a finite number"
    );
    data.bones = vec![bone(0.0)];
    data.bones[0].visual = Some(3);
    let error = skf::write_bytes(&data, &[]).unwrap_err();
    assert!(matches!(error, SkfError::Armature(_)), "{error}");
}

#[test]
fn there_must_be_a_picture_for_each_atlas() {
    let data = make::read_value(&make::character()).unwrap().armature;
    for pictures in [0, 2] {
        let given = vec![b"none".to_vec(); pictures];
        let error = skf::write_bytes(data.data(), &given).unwrap_err();
        let expected = format!("the character has 1 atlases, but {pictures} pictures were given");
        assert_eq!(error.to_string(), expected);
    }
}

/// Frame and `next_kf` of every key that is written.
fn next_keys(json: &serde_json::Value) -> Vec<(u64, i64)> {
    let data = make::read_value(json).unwrap();
    let data = data.armature.data();
    let bytes = skf::write_bytes(data, &no_pictures(data)).unwrap();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let written: serde_json::Value =
        serde_json::from_reader(archive.by_name("armature.json").unwrap()).unwrap();
    let keys = written["animations"][0]["keyframes"]
        .as_array()
        .unwrap()
        .iter();
    keys.map(|key| {
        (
            key["frame"].as_u64().unwrap(),
            key["next_kf"].as_i64().unwrap(),
        )
    })
    .collect()
}

#[test]
fn written_keys_name_the_next_key_of_their_track() {
    let key = |frame, bone| make::key(frame, bone, "Rotation", 0.0);
    let mut json = make::character();
    let keys = vec![
        key(4, 0),
        key(0, 1),
        key(0, 0),
        key(4, 0),
        key(9, 0),
        key(7, 1),
    ];
    json["animations"][0]["keyframes"] = keys.into();
    // Sorted: frame 0 of bones 1 and 0, frame 4 of bone 0 twice, 7 of bone 1, 9 of bone 0.
    let expected = [(0, 4), (0, 2), (4, 5), (4, 5), (7, -1), (9, -1)];
    assert_eq!(next_keys(&json), expected);
}
