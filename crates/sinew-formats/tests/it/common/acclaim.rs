//! Small ASF and AMC files, and where the corpus keeps real ones.

use super::{corpus_files, warning_texts};
use sinew_formats::amc::{self, Amc, AmcSettings};
use sinew_formats::asf::{self, Asf, AsfSettings};
use sinew_formats::{Rule, TextError, Warnings};
use std::path::{Path, PathBuf};

/// Two bones on the root, one below the other.
pub(crate) const ASF: &str = "\
:version 1.10
:name leg
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  two bones
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name femur
    direction 0 -1 0
    length 7.5
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160 20)
           (-70 70)
           (-60 70)
  end
  begin
    id 2
    name tibia
    direction 0 -1 0
    length 7
    axis 0 0 20 XYZ
    dof rx
    limits (-10 170)
  end
  begin
    id 3
    name foot
    direction 0 0 1
    length 2
    axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root femur
    femur tibia
    tibia foot
  end
";

/// Three frames on it.
pub(crate) const AMC: &str = "\
:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 10 20 30
femur 40 50 60
tibia 70
2
root 1 2 4 10 20 30
femur 41 51 61
tibia 71
3
root 1 2 5 10 20 30
femur 42 52 62
tibia 72
";

pub(crate) fn read_asf(text: &[u8], lenient: bool) -> Result<Asf, TextError> {
    asf::read_bytes(text, &AsfSettings { lenient })
}

pub(crate) fn read_amc(text: &[u8], asf: &Asf, lenient: bool) -> Result<Amc, TextError> {
    let settings = AmcSettings {
        lenient,
        ..AmcSettings::default()
    };
    amc::read_bytes(text, asf, &settings)
}

/// A text in which exactly one place is another.
pub(crate) fn changed(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from:?}");
    text.replace(from, to)
}

/// What is expected of a lenient reader.
pub(crate) enum Lenient {
    /// The same error.
    Error,
    /// A result with this warning.
    Warns(&'static str),
}

/// Checks what a strict and a lenient reader say of a text.
pub(crate) fn refused<T>(
    text: &str,
    read: impl Fn(&[u8], bool) -> Result<T, TextError>,
    warnings: impl Fn(&T) -> &Warnings,
    rule: Rule,
    message: &str,
    lenient: &Lenient,
) {
    let Err(error) = read(text.as_bytes(), false) else {
        panic!("strict reads what should be {rule:?}: {message}");
    };
    assert_eq!((error.rule, error.to_string().as_str()), (rule, message));
    match (read(text.as_bytes(), true), lenient) {
        (Err(found), Lenient::Error) => assert_eq!(found, error),
        (Ok(result), Lenient::Warns(expected)) => warned(warnings(&result), expected),
        (Err(found), Lenient::Warns(_)) => panic!("lenient refuses: {found}"),
        (Ok(_), Lenient::Error) => panic!("lenient reads what should be {rule:?}: {message}"),
    }
}

/// Checks that a warning is there, once.
pub(crate) fn warned(warnings: &Warnings, expected: &str) {
    let texts = warning_texts(warnings);
    let count = texts.iter().filter(|text| *text == expected).count();
    assert_eq!(count, 1, "{expected:?} in {texts:#?}");
}

/// Files of the corpus's Acclaim folder with an ending, sorted, without those that were made to be refused.
pub(crate) fn good_files(ending: &str) -> Vec<PathBuf> {
    let mut files = corpus_files("asf-amc", &[ending]);
    files.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        !name.starts_with("bad_")
    });
    files
}

/// The skeleton that the corpus's notes say a motion belongs to, where names do not.
pub(crate) fn skeleton_of(amc: &Path) -> PathBuf {
    let folder = amc.parent().unwrap();
    let family = folder.file_name().unwrap().to_string_lossy();
    let name = amc.file_name().unwrap().to_string_lossy();
    match &*family {
        "seed-clips" => folder.join("skeleton.asf"),
        "dm_control" => folder.join("../cmu-cyun9601/02.asf"),
        "snu-tilling" if !name.contains("_box_") => folder.join("wd2.asf"),
        "synthetic" if name.starts_with("bad_") => folder.join("base.asf"),
        _ => amc::find_asf(amc).unwrap(),
    }
}
