//! What BVH files hold beyond the letter of the format, and what becomes of it.

use crate::bvh_common;
use bvh_common::{GOOD, LENIENT, STRICT, changed, motion, places, strict, warnings};
use sinew::JointIndex;
use sinew::animation::MetaValue;
use sinew::glam::{DQuat, Vec3};
use sinew::math::{dquat_to_quat, quat_dot, rotation_x, rotation_y, rotation_z};
use sinew_formats::bvh::{BvhChannel, BvhSettings, read_bytes};
use std::fmt::Write;

#[test]
fn joints_channels_and_numbers_are_read() {
    let bvh = strict(GOOD).unwrap();
    let [hips, chest] = &bvh.joints[..] else {
        panic!("{:?}", bvh.joints)
    };
    assert_eq!((hips.name.as_str(), hips.parent), ("Hips", None));
    assert_eq!((chest.name.as_str(), chest.parent), ("Chest", Some(0)));
    assert_eq!((hips.first_channel, chest.first_channel), (0, 6));
    assert_eq!(chest.offset, [0.0, 50.0, 0.0]);
    assert_eq!(chest.ends, [[0.0, 40.0, 0.0]]);
    use BvhChannel::{XPosition, XRotation, YPosition, YRotation, ZPosition, ZRotation};
    assert_eq!(
        hips.channels,
        [
            XPosition, YPosition, ZPosition, ZRotation, XRotation, YRotation
        ]
    );
    assert_eq!((bvh.frame_count(), bvh.channel_count()), (2, 9));
    assert_eq!(bvh.channel(8), [7.0, 10.5]);
    assert_eq!(bvh.value(1, 1), Some(91.0));
    assert_eq!((bvh.value(9, 0), bvh.value(0, 2)), (None, None));
    assert_eq!(bvh.channel(9), [0.0; 0]);
    assert_eq!(bvh.channel(usize::MAX), [0.0; 0]);
    assert_eq!(bvh.frame_time, 0.0333333);
    assert_eq!(bvh.frame_time_text, "0.0333333");
    assert!(bvh.warnings.is_empty());
}

#[test]
fn line_ends_white_space_case_and_a_byte_order_mark_do_not_matter() {
    let bvh = strict(GOOD).unwrap();
    let one_line = GOOD.replace('\n', " ");
    let shouted = GOOD
        .to_uppercase()
        .replace("HIPS", "Hips")
        .replace("CHEST", "Chest");
    let mixed: String = GOOD
        .lines()
        .zip(["\n", "\r\n", "\r", "\n\n", " \t\r\n"].iter().cycle())
        .flat_map(|(line, end)| [line, end])
        .collect();
    for text in [
        GOOD.replace('\n', "\r\n"),
        GOOD.replace('\n', "\r"),
        GOOD.replace(' ', "\t"),
        format!("\u{feff}{GOOD}"),
        GOOD.trim_end().to_owned(),
        one_line,
        shouted,
        GOOD.to_lowercase()
            .replace("hips", "Hips")
            .replace("chest", "Chest"),
        mixed,
        GOOD.replace("Hips\n{", "Hips{")
            .replace("Chest\n  {", "Chest {"),
        GOOD.replace("End Site\n    {\n", "End Site{"),
        GOOD.replace("End Site", "EndSite"),
        GOOD.replace("End Site", "End Site ChestEnd"),
        GOOD.replace("0 40 0\n    }\n  }\n}\n", "0 40 0}}}"),
        GOOD.replace("Frames: 2", "Frames:2")
            .replace("Time: ", "Time:"),
        GOOD.replace("Frames:", "Frames :")
            .replace("Frame Time:", "FrameTime:"),
        GOOD.replace("Frame Time:", "Frame Time :"),
        GOOD.replace(
            "Frames: 2\nFrame Time: 0.0333333",
            "Frame Time: 0.0333333\nFrames: 2",
        ),
        GOOD.replace("10 20 30 5 6 7\n1", "10 20\n30 5 6 7 1"),
        GOOD.replace("7\n1 91", "7 1 91"),
        GOOD.replace('\n', "\n  # a comment {\n"),
        GOOD.replace("10.5", "1.05e1")
            .replace("0 90 2", "-0 +90. 2.000"),
    ] {
        let mut other = strict(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        for value in 0..9 {
            assert_eq!(other.channel(value), bvh.channel(value), "{text}");
        }
        other.warnings = bvh.warnings.clone();
        assert_eq!(other, bvh, "{text}");
    }
}

#[test]
fn names_are_the_rest_of_their_line() {
    for (written, expected) in [
        ("Left Arm", "Left Arm"),
        ("  mixamorig:Hips\t", "mixamorig:Hips"),
        ("pelvis.R", "pelvis.R"),
        ("TORSO#", "TORSO#"),
        ("#1", "#1"),
        ("a-b_c", "a-b_c"),
        ("\u{e9}paule", "\u{e9}paule"),
        ("OFFSET", "OFFSET"),
    ] {
        let bvh = strict(&changed("Chest", written)).unwrap();
        assert_eq!(bvh.joints[1].name, expected);
    }
    let next_line = strict(&changed("JOINT Chest", "JOINT\n  Chest")).unwrap();
    assert_eq!(next_line.joints[1].name, "Chest");
    let mut bytes = changed("Chest", "Ch?st").into_bytes();
    let at = bytes.iter().position(|&byte| byte == b'?').unwrap();
    bytes[at] = 0xe9;
    let latin = read_bytes(&bytes, &STRICT).unwrap();
    assert_eq!(latin.joints[1].name, "Ch\u{fffd}st");
}

#[test]
fn equal_names_are_numbered() {
    let file = motion(changed("Chest", "Hips").as_bytes());
    assert_eq!(file.skeleton.joints()[1].name, "Hips_2");
    let warning = "joint \"Hips\": another joint has this name, this one is called \"Hips_2\"";
    assert_eq!(warnings(&file), [warning]);
    assert_eq!(file.animations[0].tracks[1].name, "Hips_2");
}

#[test]
fn surplus_rows_are_ignored_with_a_warning() {
    for (text, words) in [
        (format!("{GOOD}1 2 3\n"), "3 words"),
        (format!("{GOOD}trailing"), "1 word"),
        (changed("Frames: 2", "Frames: 1"), "9 words"),
    ] {
        let bvh = strict(&text).unwrap();
        let warning = bvh.warnings.list()[0].to_string();
        let expected = format!("of 9 numbers due, {words} more follow; they are ignored");
        assert!(warning.ends_with(&expected), "{warning}");
    }
}

#[test]
fn no_frames_and_no_channels_are_a_skeleton_without_motion() {
    let head = GOOD.split("Frames").next().unwrap();
    for text in [
        format!("{head}Frames:\t0\nFrame Time: 0.03"),
        "HIERARCHY ROOT a { OFFSET 0 0 0 End Site { OFFSET 0 90 0 } } MOTION Frames: 99999999999 \
         Frame Time: 0.03"
            .to_owned(),
    ] {
        let bvh = strict(&text).unwrap();
        assert_eq!(bvh.frame_count(), 0);
        let file = bvh.into_motion(&STRICT).unwrap();
        assert!(file.animations.is_empty());
        let warning = "MOTION, Frames: there are no frames, the skeleton has no motion";
        assert_eq!(warnings(&file), [warning]);
    }
}

/// A root with all channels and one joint with the channels given, its numbers after six zeros.
fn with_channels(channels: &str, numbers: &str) -> String {
    changed("CHANNELS 3 Zrotation Xrotation Yrotation", channels)
        .replace("0 90 2 10 20 30 5 6 7", &format!("0 0 0 0 0 0 {numbers}"))
        .replace(
            "1 91 3 11 21 31 8 9 10.5",
            &format!("0 0 0 0 0 0 {numbers}"),
        )
}

#[test]
fn rotations_multiply_left_to_right_in_listed_order() {
    let angles = [0.7f64, -0.4, 1.9];
    for order in ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "X", "YZ", "ZX"] {
        let mut channels = format!("CHANNELS {}", order.len());
        let mut numbers = String::new();
        let mut expected = DQuat::IDENTITY;
        for (axis, angle) in order.chars().zip(angles) {
            write!(channels, " {axis}rotation").unwrap();
            write!(numbers, "{:.17} ", angle.to_degrees()).unwrap();
            expected *= match axis {
                'X' => rotation_x(angle),
                'Y' => rotation_y(angle),
                _ => rotation_z(angle),
            };
        }
        let file = motion(with_channels(&channels, &numbers).as_bytes());
        let track = file.animations[0].track("Chest").unwrap();
        let found = track.rotation.as_ref().unwrap().values()[1];
        let dot = quat_dot(found, dquat_to_quat(expected)).abs();
        assert!(dot > 1.0 - 1e-6, "{order}: {found} {expected:?}");
        assert!(track.position.is_none());
    }
}

#[test]
fn positions_replace_the_offset_of_a_joint_one_by_one() {
    let file = motion(with_channels("CHANNELS 2 Zposition Xposition", "7 3").as_bytes());
    let track = file.animations[0].track("Chest").unwrap();
    let expected = Vec3::new(0.03, 0.5, 0.07);
    assert_eq!(track.position.as_ref().unwrap().values(), [expected; 2]);
    assert!(track.rotation.is_none());
}

#[test]
fn positions_add_to_the_offset_of_a_root_with_a_warning() {
    let text = changed("OFFSET 0 0 0", "OFFSET 1 2 3");
    let file = motion(text.as_bytes());
    let position = file.animations[0].tracks[0].position.as_ref().unwrap();
    assert_eq!(position.values()[0], Vec3::new(0.01, 0.92, 0.05));
    let warning = "joint \"Hips\", OFFSET: a root with position channels has an offset that is not 0; \
                   it is added to them";
    assert_eq!(warnings(&file), [warning]);
}

#[test]
fn positions_that_begin_at_the_offset_of_a_root_include_it() {
    let text = changed("OFFSET 0 0 0", "OFFSET 1 88 3");
    let file = motion(text.as_bytes());
    let position = file.animations[0].tracks[0].position.as_ref().unwrap();
    assert_eq!(position.values()[0], Vec3::new(0.0, 0.9, 0.02));
    let warning = "joint \"Hips\", OFFSET: a root with position channels has an offset that is not 0; \
                   the channels are mostly near it and seem to include it already";
    assert_eq!(warnings(&file), [warning]);
}

#[test]
fn roots_end_sites_and_leaves_come_in_any_number() {
    let text = "HIERARCHY
        ROOT a { OFFSET 0 0 0 CHANNELS 0
            End Site { OFFSET 1 0 0 }
            JOINT b { OFFSET 0 100 0 }
            End Site { OFFSET 2 0 0 }
            JOINT a_end3 { OFFSET 0 3 0 CHANNELS 1 Xrotation }
            End Site { OFFSET 3 0 0 } }
        ROOT c { OFFSET 9 0 0 CHANNELS 1 Yposition End Site { OFFSET 0 0 5 } }
        MOTION Frames: 1 Frame Time: 0.04 90 7";
    let bvh = strict(text).unwrap();
    assert_eq!(bvh.joints[0].ends.len(), 3);
    let file = bvh.into_motion(&STRICT).unwrap();
    let names: Vec<_> = file
        .skeleton
        .joints()
        .iter()
        .map(|joint| &joint.name)
        .collect();
    assert_eq!(names, ["a", "a_end2", "a_end3_2", "b", "a_end3", "c"]);
    let parents = file.skeleton.joints().iter().map(|joint| joint.parent);
    let a = Some(JointIndex(0));
    assert!(parents.eq([None, a, a, a, a, None]));
    let tips: Vec<_> = file
        .skeleton
        .joints()
        .iter()
        .map(|joint| joint.tip)
        .collect();
    assert_eq!(tips[0], Some(Vec3::X * 0.01));
    assert_eq!(tips[1..5], [None; 4]);
    assert_eq!(tips[5], Some(Vec3::Z * 0.05));
    let places = places(&file.skeleton, file.animations.first());
    assert_eq!(places[0][2], Vec3::X * 0.02);
    assert_eq!(places[0][6], Vec3::new(0.09, 0.07, 0.0));
}

#[test]
fn frame_rates_are_restored_from_rounded_frame_times() {
    for (written, rate, length) in [
        ("0.0333333", 30.0, 1.0f32 / 30.0),
        (".0083333", 120.0, 1.0 / 120.0),
        ("0.0417083750417", 24_000.0 / 1001.0, 1001.0 / 24_000.0),
        ("0.123", 1.0 / 0.123, 0.123),
    ] {
        let file = motion(changed("0.0333333", written).as_bytes());
        let animation = &file.animations[0];
        assert_eq!(animation.frame_rate, Some(rate));
        assert!((animation.length - length).abs() < 1e-7);
        let said = MetaValue::Text(written.to_owned());
        assert_eq!(animation.metadata["bvh_frame_time"], said);
    }
    let settings = BvhSettings {
        frame_rate: Some(10.0),
        ..STRICT
    };
    let file = strict(GOOD).unwrap().into_motion(&settings).unwrap();
    assert_eq!(file.animations[0].frame_rate, Some(10.0));
}

#[test]
fn rotation_keys_stay_in_one_hemisphere() {
    let mut text = changed("Frames: 2", "Frames: 200");
    text.truncate(text.find("0 90").unwrap());
    for frame in 0..200 {
        writeln!(
            text,
            "0 0 0 {} 0 {} 0 {} 0",
            frame * 17,
            -frame * 31,
            frame * 53
        )
        .unwrap();
    }
    let file = motion(text.as_bytes());
    for track in &file.animations[0].tracks {
        let keys = track.rotation.as_ref().unwrap().values();
        assert_eq!(keys.len(), 200);
        assert!(
            keys.windows(2)
                .all(|pair| quat_dot(pair[0], pair[1]) >= 0.0)
        );
    }
}

#[test]
fn implausible_sizes_have_a_warning() {
    for (scale, expected) in [
        (0.01, None),
        (
            1.0,
            Some(
                "skeleton: at 1 metres per unit the skeleton is 90.00 m tall; --units in would make it \
                 2.29 m",
            ),
        ),
        (
            0.001,
            Some(
                "skeleton: at 0.001 metres per unit the skeleton is 0.09 m tall; --units in would make \
                 it 2.29 m",
            ),
        ),
    ] {
        let settings = BvhSettings { scale, ..LENIENT };
        let file = strict(GOOD).unwrap().into_motion(&settings).unwrap();
        assert_eq!(warnings(&file).first().map(String::as_str), expected);
    }
    for (height, unit) in [
        ("1.7", "--units m would make it 1.70 m"),
        ("170", "without --units it would be 1.70 m"),
        ("1700", "--units mm would make it 1.70 m"),
        ("65", "--units in would make it 1.65 m"),
        ("28", "--units 0.0564444 would make it 1.58 m"),
        ("9", "the skeleton is 9.00e-4 m tall"),
    ] {
        let text = changed("OFFSET 0 50 0", &format!("OFFSET 0 {height} 0"))
            .replace("OFFSET 0 40 0", "OFFSET 0 0 0");
        let settings = BvhSettings {
            scale: 1e-4,
            ..STRICT
        };
        let file = strict(&text).unwrap().into_motion(&settings).unwrap();
        let found = warnings(&file);
        assert!(found[0].ends_with(unit), "{height}: {found:?}");
    }
}
