//! The forms that sound files take: line ends, spaces, capitals, orders of sections; writing; units.

use crate::common;
use crate::common::acclaim;
use acclaim::{AMC, ASF, changed, good_files, read_amc, read_asf, skeleton_of, warned};
use sinew_formats::Warnings;
use sinew_formats::amc::{self, Amc, FrameRun};
use sinew_formats::asf::{self, Asf, AsfBone, AxisOrder, Dof, Units};

/// Without what depends on lines.
fn bare(mut asf: Asf) -> Asf {
    asf.warnings = Warnings::default();
    for bone in &mut asf.bones {
        bone.line = 0;
    }
    asf
}

#[test]
fn line_ends_marks_and_a_missing_last_end_do_not_matter() {
    let asf = read_asf(ASF.as_bytes(), false).unwrap();
    let amc = read_amc(AMC.as_bytes(), &asf, false).unwrap();
    let forms: [fn(&str) -> String; 5] = [
        |text| text.replace('\n', "\r\n"),
        |text| text.replace('\n', "\r"),
        |text| format!("\u{feff}{text}"),
        |text| text.trim_end().to_owned(),
        |text| format!("\u{feff}{}", text.trim_end().replace('\n', "\r\n")),
    ];
    for form in forms {
        assert_eq!(read_asf(form(ASF).as_bytes(), false).unwrap(), asf);
        assert_eq!(read_amc(form(AMC).as_bytes(), &asf, false).unwrap(), amc);
    }
    let spaced = |text: &str| text.replace('\n', " \t# a comment\n\n   # another\n\t");
    let mut noted = read_asf(spaced(ASF).as_bytes(), false).unwrap();
    // In notes for people a comment is a note.
    assert_eq!(
        noted.documentation,
        "# a comment\n\n# another\ntwo bones \t# a comment\n\n# another"
    );
    noted.documentation.clone_from(&asf.documentation);
    assert_eq!(bare(noted), bare(asf.clone()));
    assert_eq!(read_amc(spaced(AMC).as_bytes(), &asf, false).unwrap(), amc);
}

#[test]
fn keywords_have_any_capitals_and_bones_are_found_without() {
    let asf = read_asf(ASF.as_bytes(), false).unwrap();
    let shouted = ASF
        .replace("begin", "BEGIN")
        .replace("dof", "Dof")
        .replace(":root", ":Root");
    let shouted = shouted
        .replace("direction", "DIRECTION")
        .replace("XYZ", "xyz")
        .replace("deg", "Degrees");
    assert_eq!(read_asf(shouted.as_bytes(), false).unwrap(), asf);
    let other = changed(ASF, "femur tibia", "Femur TIBIA");
    assert_eq!(read_asf(other.as_bytes(), false).unwrap(), asf);
    let amc = read_amc(AMC.as_bytes(), &asf, false).unwrap();
    let other = AMC.replace("femur", "FEMUR").replace("root", "Root");
    assert_eq!(read_amc(other.as_bytes(), &asf, false).unwrap(), amc);
}

#[test]
fn exact_names_win_over_other_capitals() {
    let asf = changed(ASF, "name foot", "name Tibia\n dof ry");
    let asf = changed(&asf, "tibia foot", "tibia Tibia");
    let asf = read_asf(asf.as_bytes(), false).unwrap();
    warned(
        &asf.warnings,
        "line 37, column 10: bone \"Tibia\" differs only in its capitals from the bone in line 26",
    );
    let amc = AMC.replace("tibia 7", "Tibia 5\ntibia 7");
    let amc = read_amc(amc.as_bytes(), &asf, false).unwrap();
    assert_eq!(amc.channel(Some(1), Dof::Rx).unwrap(), [70.0, 71.0, 72.0]);
    assert_eq!(amc.channel(Some(2), Dof::Ry).unwrap(), [5.0, 5.0, 5.0]);
}

#[test]
fn sections_come_in_any_order() {
    let asf = read_asf(ASF.as_bytes(), false).unwrap();
    let at = ASF.find(":hierarchy").unwrap();
    let bones = ASF.find(":bonedata").unwrap();
    let units = ASF.find(":units").unwrap();
    let root = ASF.find(":documentation").unwrap();
    let text = format!(
        "{}{}{}{}{}",
        &ASF[..units],
        &ASF[at..],
        &ASF[root..bones],
        &ASF[bones..at],
        &ASF[units..root]
    );
    assert_eq!(bare(read_asf(text.as_bytes(), false).unwrap()), bare(asf));
}

#[test]
fn a_bone_may_be_one_line_and_its_limits_many() {
    let fields = "begin name a direction 0 1 0 length 1 axis 0 0 0 xyz dof rx l limits (-1 1),(0\n\n inf)\n end";
    let text = format!(
        ":root order tx axis xyz\n:bonedata {fields}\n:hierarchy begin\nroot a\nend\n:skin a b.obj\n c (1).obj # x\n"
    );
    let asf = read_asf(text.as_bytes(), false).unwrap();
    assert_eq!(asf.bones[0].dof, [Dof::Rx, Dof::Length]);
    assert_eq!(asf.bones[0].limits, [[-1.0, 1.0], [0.0, f64::INFINITY]]);
    assert_eq!(asf.root.order, [Dof::Tx]);
    assert_eq!(asf.skin, ["a b.obj", "c (1).obj"]);
    assert_eq!(asf.units.length, 1.0);
}

#[test]
fn typos_of_the_specifications_sample_are_accepted() {
    let text = changed(
        ASF,
        "(-10 170)",
        "(-l80 180)\n    bodymass 10.0\n    cofmass 1.0 end",
    );
    assert!(read_asf(text.as_bytes(), false).is_err());
    let asf = read_asf(text.as_bytes(), true).unwrap();
    assert_eq!(asf.bones[1].limits, [[f64::NEG_INFINITY, 180.0]]);
    assert_eq!(asf.bones[1].cofmass, Some(1.0));
    assert_eq!(asf.bones.len(), 3);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn every_sound_skeleton_of_the_corpus_is_read() {
    let (mut strict, mut all) = (0, 0);
    let mut refused = Vec::new();
    for path in &good_files("asf") {
        let bytes = std::fs::read(path).unwrap();
        let lenient =
            read_asf(&bytes, true).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        asf::to_skeleton(&lenient, Units::CmuMetres).unwrap();
        all += 1;
        match read_asf(&bytes, false) {
            Ok(asf) => {
                assert_eq!(asf, lenient);
                strict += 1;
            }
            Err(_) => refused.push(path.file_name().unwrap().to_owned()),
        }
        let again = read_asf(&asf::write_bytes(&lenient), true).unwrap();
        same(&bare(again), &bare(lenient));
    }
    common::say(&format!(
        "asf: {all} sound skeletons, {strict} of them strictly, all written and read back"
    ));
    assert!(all > 0, "the corpus has no skeletons");
    assert_eq!(refused, ["skel.asf"]);
}

/// Equal but for the last bits of directions.
fn same(a: &Asf, b: &Asf) {
    let mut a = a.clone();
    for (a, b) in a.bones.iter_mut().zip(&b.bones) {
        for (x, y) in a.direction.iter().zip(b.direction) {
            assert!((x - y).abs() < 1e-15);
        }
        a.direction = b.direction;
    }
    a.version = b.version;
    assert_eq!(&a, b);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn motions_of_the_corpus_are_written_and_read_back_bit_for_bit() {
    let mut count = 0;
    for path in &good_files("amc") {
        let bytes = std::fs::read(path).unwrap();
        if bytes.len() > 300_000 {
            continue;
        }
        let asf = read_asf(&std::fs::read(skeleton_of(path)).unwrap(), true).unwrap();
        let amc = read_amc(&bytes, &asf, true).unwrap();
        let again = read_amc(&amc::write_bytes(&asf, &amc), &asf, true).unwrap();
        assert_eq!(again.tracks, amc.tracks, "{}", path.display());
        assert_eq!(again.frames, amc.frames);
        assert_eq!((again.frame_rate, again.angle), (amc.frame_rate, amc.angle));
        count += 1;
    }
    common::say(&format!("amc: {count} motions written and read back"));
    assert!(count > 0, "the corpus has no motions");
}

#[test]
fn a_skeleton_and_a_motion_made_in_code_are_written_and_read_back() {
    let bone = |name: &str, parent| AsfBone {
        name: name.to_owned(),
        direction: [0.0, 1.0, 0.0],
        length: 2.0,
        axis: [0.0, 0.25, 90.0],
        axis_order: AxisOrder::Zyx,
        dof: vec![Dof::Rz, Dof::Rx],
        limits: vec![[f64::NEG_INFINITY, 10.0], [-1.0, f64::INFINITY]],
        parent,
        ..AsfBone::default()
    };
    let asf = Asf {
        name: "made".to_owned(),
        documentation: "a\n:b".to_owned(),
        bones: vec![
            bone("a", None),
            bone("b", Some(0)),
            bone("c", Some(0)),
            bone("d", None),
        ],
        skin: ["x.obj", "y z.obj", ":root"].map(String::from).to_vec(),
        ..Asf::default()
    };
    let read = bare(read_asf(&asf::write_bytes(&asf), false).unwrap());
    let expected = Asf {
        version: Some(1.1),
        documentation: "a\n;:b".to_owned(),
        ..asf.clone()
    };
    assert_eq!(read, expected);

    let mut amc = Amc::new(&asf, 60.0);
    amc.frames = vec![FrameRun { first: 5, count: 2 }];
    for track in &mut amc.tracks {
        for (index, values) in track.values.iter_mut().enumerate() {
            *values = vec![index as f64 / 3.0, -1e-17];
        }
    }
    let read = read_amc(&amc::write_bytes(&asf, &amc), &asf, false).unwrap();
    assert_eq!(
        (read.frame_rate, &read.frames, &read.tracks),
        (60.0, &amc.frames, &amc.tracks)
    );
    assert!(amc::to_motion(&asf, amc.clone(), Units::Raw).is_ok());
    amc.tracks[1].values[0].pop();
    let error = amc::to_motion(&asf, amc, Units::Raw).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("2 values in each channel of track 1"),
        "{error}"
    );
}

#[test]
fn units_scale_bones_and_motion_alike() {
    let asf = read_asf(ASF.as_bytes(), false).unwrap();
    let amc = read_amc(AMC.as_bytes(), &asf, false).unwrap();
    let cases = [
        (Units::CmuMetres, 0.0254 / 0.45),
        (Units::Literal, 0.45),
        (Units::Raw, 1.0),
        (Units::MetresPerUnit(0.01), 0.01),
        (Units::MetresPerUnit(f64::NAN), 1.0),
    ];
    for (units, scale) in cases {
        let motion = amc::to_motion(&asf, amc.clone(), units).unwrap();
        let tibia = &motion.skeleton.joints()[2];
        assert!(
            (f64::from(tibia.rest.position.y) + 7.5 * scale).abs() < 1e-6,
            "{units:?}"
        );
        let tip = motion.skeleton.joints()[3].tip.unwrap();
        assert!((f64::from(tip.z) - 2.0 * scale).abs() < 1e-6);
        let root = motion.animations[0]
            .track("root")
            .unwrap()
            .position
            .as_ref()
            .unwrap();
        assert!((f64::from(root.values()[2].z) - 5.0 * scale).abs() < 1e-6);
    }
}

#[test]
fn a_figure_of_implausible_height_has_a_warning() {
    let text = changed(ASF, "length 0.45", "length 0.01");
    let asf = read_asf(text.as_bytes(), false).unwrap();
    let amc = read_amc(AMC.as_bytes(), &asf, false).unwrap();
    let motion = amc::to_motion(&asf, amc.clone(), Units::CmuMetres).unwrap();
    warned(
        &motion.warnings,
        "skeleton: at 2.54 metres per unit the skeleton is 36.83 m tall; --units 0.1 would make it 1.45 m",
    );
    let motion = amc::to_motion(&asf, amc, Units::MetresPerUnit(0.1)).unwrap();
    assert!(motion.warnings.is_empty());
}
