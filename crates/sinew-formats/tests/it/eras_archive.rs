//! What stands beside `armature.json` in archives of every version: pictures and the editor's notes.

use crate::common::make;
use crate::common::play;
use make::{DEFLATED, STORED, bone, character, jpeg, png, skf_of, xy, zip};
use play::play;
use serde_json::{Value, json};
use sinew::glam::UVec2;
use sinew::skelform::Element;
use sinew_formats::skf::{self, ReadSettings, Skf};

fn with_editor(armature: &Value, editor: &Value) -> Skf {
    let (armature, editor) = (armature.to_string(), editor.to_string());
    let entries: [(&str, &[u8]); 3] = [
        ("editor.json", editor.as_bytes()),
        ("armature.json", armature.as_bytes()),
        ("atlas0.png", &png(64, 64, [1, 2, 3, 4])),
    ];
    let character = skf::read_bytes(&zip(STORED, &entries)).unwrap();
    assert_eq!(character.warnings.list(), []);
    assert!(play(&character.armature));
    character
}

fn said(character: &Skf) -> Vec<String> {
    let warnings = character.warnings.list().iter();
    warnings.map(ToString::to_string).collect()
}

#[test]
fn stored_and_deflated_archives_and_the_bare_json_give_one_model() {
    let json = character().to_string();
    let atlas = png(64, 64, [200, 100, 50, 255]);
    let entries: [(&str, &[u8]); 4] = [
        ("readme.md", b"made by hand"),
        ("atlas0.png", &atlas),
        ("armature.json", json.as_bytes()),
        ("thumbnail.png", &atlas),
    ];
    let stored = skf::read_bytes(&zip(STORED, &entries)).unwrap();
    let deflated = skf::read_bytes(&zip(DEFLATED, &entries)).unwrap();
    let bare = skf::read_bytes(json.as_bytes()).unwrap();
    assert_eq!(stored.armature.data(), deflated.armature.data());
    assert_eq!(stored.armature.data(), bare.armature.data());
    assert_eq!(stored.atlases, deflated.atlases);
    assert_eq!(bare.atlases, [None]);
    for character in [&stored, &deflated, &bare] {
        assert_eq!(said(character), [""; 0]);
    }
}

#[test]
fn exports_and_saves_differ_in_their_names_only() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = skf_of(&character());
    let [save, export] = ["a.skf", "a.skfe"].map(|name| folder.path().join(name));
    std::fs::write(&save, &bytes).unwrap();
    std::fs::write(&export, &bytes).unwrap();
    let (save, export) = (skf::read(&save).unwrap(), skf::read(&export).unwrap());
    assert_eq!(save.armature.data(), export.armature.data());
    assert_eq!(save.atlases, export.atlases);
}

#[test]
fn json_may_begin_with_blanks_or_a_byte_order_mark() {
    let json = character().to_string();
    for start in ["\n\t ", "\u{feff}", "\u{feff} "] {
        let bytes = format!("{start}{json}");
        assert!(skf::read_bytes(bytes.as_bytes()).is_ok(), "{start:?}");
    }
}

#[test]
fn a_folder_that_was_zipped_whole_is_read_from_within() {
    let json = character().to_string();
    let entries: [(&str, &[u8]); 2] = [
        ("hero/armature.json", json.as_bytes()),
        ("hero/atlas0.png", &png(64, 64, [1, 2, 3, 4])),
    ];
    let character = skf::read_bytes(&zip(DEFLATED, &entries)).unwrap();
    assert!(character.atlases[0].is_some());
    let expected = "archive, armature.json: is in the folder \"hero/\"; read from there";
    assert_eq!(said(&character), [expected]);
}

#[test]
fn the_editor_knows_which_styles_are_worn() {
    let mut armature = character();
    let style = |name: &str| json!({ "id": 0, "name": name, "textures": [] });
    armature["styles"] = json!([style("Skin"), style("Default"), style("Coat")]);
    let worn = |editor: Value| {
        let character = with_editor(&armature, &editor);
        character.armature.data().default_styles.clone()
    };
    let active =
        |flags: [bool; 3]| json!({ "styles": flags.map(|active| json!({ "active": active })) });
    assert_eq!(worn(active([true, false, true])), [0, 2]);
    // Without a word from the editor: the style named Default.
    assert_eq!(worn(active([false, false, false])), [1]);
    assert_eq!(worn(json!({})), [1]);
    assert_eq!(worn(json!({ "styles": [{ "active": "yes" }, 7] })), [1]);
    // And failing that, all of them.
    armature["styles"][1]["name"] = "Hat".into();
    let without = skf::read_bytes(&skf_of(&armature)).unwrap();
    assert_eq!(without.armature.data().default_styles, [0, 1, 2]);
}

#[test]
fn the_editor_can_switch_a_family_off() {
    let off = |bone: usize| {
        let mut bones = vec![json!({ "ik_disabled": false }); 5];
        bones[bone]["ik_disabled"] = true.into();
        let character = with_editor(&character(), &json!({ "bones": bones }));
        !character.armature.data().ik_families[0].enabled
    };
    assert!(off(0), "the first bone of the chain");
    assert!(!off(1), "another one");
}

#[test]
fn the_editors_list_of_bones_follows_the_order_of_the_file() {
    // The chain's first bone stands last in the file and first in the model.
    let json = json!({
        "version": "0.7.0",
        "bones": [bone(0, "hand", 2), bone(1, "target", -1), bone(2, "arm", -1)],
        "inverse_kinematics": [{ "target_id": 1, "bone_ids": [2, 0] }],
    });
    let editor = json!({ "bones": [{}, {}, { "ik_disabled": true }] });
    let (json, editor) = (json.to_string(), editor.to_string());
    let entries: [(&str, &[u8]); 2] = [
        ("armature.json", json.as_bytes()),
        ("editor.json", editor.as_bytes()),
    ];
    let character = skf::read_bytes(&zip(STORED, &entries)).unwrap();
    let data = character.armature.data();
    assert_eq!(data.bones[0].name, "arm");
    assert_eq!(data.ik_families[0].bones, [0, 1]);
    assert!(!data.ik_families[0].enabled);
}

#[test]
fn a_damaged_editor_json_is_named_and_ignored() {
    let json = character().to_string();
    let entries: [(&str, &[u8]); 3] = [
        ("armature.json", json.as_bytes()),
        ("editor.json", b"{ nonsense"),
        ("atlas0.png", &png(64, 64, [1, 2, 3, 4])),
    ];
    let character = skf::read_bytes(&zip(STORED, &entries)).unwrap();
    let expected = "archive, editor.json: editor.json, line 1, column 3: expected a key in quotes, found \"n\"; ignored";
    assert_eq!(said(&character), [expected]);
}

#[test]
fn a_bone_that_only_keys_give_a_texture_is_shown() {
    let mut json = character();
    json["bones"][2]["visuals_id"] = (-1).into();
    json["animations"][0]["keyframes"] = json!([
        { "frame": 1, "bone_id": 2, "element": "Texture", "value_str": "box" },
        { "frame": 1, "bone_id": 4, "element": "Texture" },
        { "frame": 2, "bone_id": 2, "element": "Tex", "value_str": "mesh" },
    ]);
    let character = skf::read_bytes(&skf_of(&json)).unwrap();
    let data = character.armature.data();
    let visual = &data.visuals[data.bones[2].visual.unwrap()];
    assert_eq!((visual.texture.as_str(), visual.zindex), ("", -1));
    assert_eq!(data.bones[4].visual, None, "an empty key shows nothing");
    assert!(
        data.animations[0]
            .keys
            .iter()
            .all(|key| key.element == Element::Texture)
    );
}

#[test]
fn jpeg_atlases_become_transparent_near_the_clear_colour() {
    let mut json = character();
    json["img_format"] = "JPG".into();
    json["clear_color"] = json!({ "r": 0, "g": 0, "b": 0, "a": 0 });
    json["atlases"] = json!([{ "filename": "atlas0.jpg", "size": xy(24.0, 8.0) }]);
    let read = |json: &Value| {
        let json = json.to_string();
        let picture = jpeg(&[0, 100, 101, 255]);
        let entries: [(&str, &[u8]); 2] =
            [("armature.json", json.as_bytes()), ("atlas0.jpg", &picture)];
        let character = skf::read_bytes(&zip(STORED, &entries)).unwrap();
        assert_eq!(said(&character), [""; 0]);
        let atlas = character.atlases[0].clone().unwrap();
        assert_eq!((atlas.width(), atlas.height()), (32, 8));
        [4, 12, 20, 28].map(|x| atlas.pixel(x, 4))
    };
    let clear = read(&json);
    assert_eq!(
        clear,
        [
            [0, 0, 0, 0],
            [100, 100, 100, 0],
            [101, 101, 101, 255],
            [255; 4]
        ]
    );
    json["clear_color"] = json!({ "r": 255, "g": 0, "b": 255, "a": 0 });
    assert_eq!(
        read(&json).map(|pixel| pixel[3]),
        [255; 4],
        "every channel must be near"
    );
    json.as_object_mut().unwrap().remove("clear_color");
    assert_eq!(read(&json).map(|pixel| pixel[3]), [255; 4]);
}

#[test]
fn an_invalid_clear_colour_is_ignored_with_a_warning() {
    for (color, found) in [
        (json!({ "r": 0, "g": 0 }), "an object"),
        (json!({ "r": 0, "g": 0, "b": 256 }), "an object"),
        (json!("black"), "a text"),
    ] {
        let mut json = character();
        json["clear_color"] = color;
        json["atlases"][0]["filename"] = "atlas0.jpg".into();
        let json = json.to_string();
        let entries: [(&str, &[u8]); 2] = [
            ("armature.json", json.as_bytes()),
            ("atlas0.jpg", &jpeg(&[0; 8])),
        ];
        let character = skf::read_bytes(&zip(STORED, &entries)).unwrap();
        let expected = format!(
            "armature.json, clear_color: {found} is not a colour with r, g and b from 0 to 255; nothing is cleared"
        );
        assert_eq!(said(&character), [expected]);
        let atlas = character.atlases[0].as_ref().unwrap();
        assert_eq!(atlas.pixel(4, 4), [0, 0, 0, 255]);
    }
}

#[test]
fn pictures_are_detected_from_content_not_from_names() {
    let mut json = character();
    json["atlases"][0]["filename"] = "sheet".into();
    let json = json.to_string();
    for picture in [png(64, 64, [1, 2, 3, 4]), jpeg(&[9; 8])] {
        let entries: [(&str, &[u8]); 2] = [("armature.json", json.as_bytes()), ("sheet", &picture)];
        let character = skf::read_bytes(&zip(STORED, &entries)).unwrap();
        assert_eq!(character.atlases[0].as_ref().unwrap().width(), 64);
    }
}

#[test]
fn pictures_of_every_colour_type_become_rgba() {
    let json = character().to_string();
    let with = |color: png::ColorType, depth: png::BitDepth, row: &[u8]| {
        let mut picture = Vec::new();
        let mut encoder = png::Encoder::new(&mut picture, 1, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == png::ColorType::Indexed {
            encoder.set_palette(vec![1, 2, 3, 4, 5, 6]);
            encoder.set_trns(vec![255, 7]);
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(row).unwrap();
        writer.finish().unwrap();
        let entries: [(&str, &[u8]); 2] =
            [("armature.json", json.as_bytes()), ("atlas0.png", &picture)];
        let character = skf::read_bytes(&zip(STORED, &entries)).unwrap();
        assert_eq!(said(&character), [""; 0]);
        character.atlases[0].as_ref().unwrap().pixel(0, 0)
    };
    use png::{BitDepth, ColorType};
    assert_eq!(
        with(ColorType::Rgba, BitDepth::Eight, &[1, 2, 3, 4]),
        [1, 2, 3, 4]
    );
    assert_eq!(
        with(ColorType::Rgb, BitDepth::Eight, &[1, 2, 3]),
        [1, 2, 3, 255]
    );
    assert_eq!(
        with(ColorType::Grayscale, BitDepth::Eight, &[9]),
        [9, 9, 9, 255]
    );
    assert_eq!(
        with(ColorType::Grayscale, BitDepth::One, &[0x80]),
        [255, 255, 255, 255]
    );
    assert_eq!(
        with(ColorType::GrayscaleAlpha, BitDepth::Eight, &[9, 5]),
        [9, 9, 9, 5]
    );
    assert_eq!(
        with(ColorType::Indexed, BitDepth::Eight, &[1]),
        [4, 5, 6, 7]
    );
    let deep = [1, 99, 2, 99, 3, 99, 4, 99];
    assert_eq!(
        with(ColorType::Rgba, BitDepth::Sixteen, &deep),
        [1, 2, 3, 4]
    );
}

#[test]
fn an_editor_without_textures_in_its_first_style_writes_no_atlas() {
    let mut json = character();
    json["atlases"] = json!([]);
    json["styles"] = json!([
        { "id": 0, "name": "Default", "textures": [] },
        { "id": 1, "name": "Coat", "textures": [
            { "name": "box", "offset": xy(0.0, 0.0), "size": xy(16.0, 16.0), "atlas_idx": 0 },
        ] },
    ]);
    let json = json.to_string();
    let character = skf::read_bytes(&zip(STORED, &[("armature.json", json.as_bytes())])).unwrap();
    assert!(play(&character.armature));
    assert_eq!(character.armature.data().styles[1].textures, []);
    let expected =
        "style 1 \"Coat\", texture 0 \"box\", atlas_idx: 0 is not an atlas; the texture is ignored";
    assert_eq!(said(&character), [expected]);
}

#[test]
fn pictures_are_left_out_when_they_are_not_asked_for() {
    let settings = ReadSettings { pictures: false };
    let character = skf::read_bytes_with(&skf_of(&character()), settings).unwrap();
    assert_eq!(character.atlases, [None]);
    assert_eq!(
        character.armature.data().atlases[0].size,
        UVec2::new(64, 64)
    );
    assert_eq!(said(&character), [""; 0]);
}

#[test]
fn rotation_is_mirrored_from_0_8_on() {
    let mirrored = |version: &str| {
        let mut json = character();
        json["version"] = version.into();
        let character = skf::read_bytes(json.to_string().as_bytes()).unwrap();
        assert_eq!(said(&character), [""; 0]);
        assert_eq!(character.armature.data().version, version);
        character.armature.data().mirrored_rotation
    };
    for version in ["", "0.2", "0.7.0", "0.7.9", "next"] {
        assert!(!mirrored(version), "{version}");
    }
    for version in ["0.8", "0.8.0", "0.10.0", "1.0.0"] {
        assert!(mirrored(version), "{version}");
    }
}
