//! Motions that exist both as AMC and as BVH, converted by others: the two readers must agree on where
//! joints are, which neither could do with a wrong order of rotations.

use crate::common;
use sinew::{Animation, ModelPose, Pose, local_to_model, sample};
use sinew_formats::amc::{self, AmcSettings};
use sinew_formats::asf::Units;
use sinew_formats::bvh::{self, BvhSettings};
use sinew_formats::{MotionFile, bvh::BvhWriteSettings};

/// A joint of the BVH, and the joint of the ASF that begins at the same place. From the shoulders up
/// the conversion leaves a bone out.
const SAME: [(&str, &str); 11] = [
    ("Hips", "root"),
    ("LeftUpLeg", "lfemur"),
    ("LeftLeg", "ltibia"),
    ("LeftFoot", "lfoot"),
    ("LeftToeBase", "ltoes"),
    ("RightUpLeg", "rfemur"),
    ("RightLeg", "rtibia"),
    ("RightFoot", "rfoot"),
    ("RightToeBase", "rtoes"),
    ("Spine", "upperback"),
    ("Spine1", "thorax"),
];

fn pose_at(file: &MotionFile, animation: &Animation, frame: usize) -> ModelPose {
    let mut pose = Pose::rest(&file.skeleton);
    let mut model = ModelPose::new(&file.skeleton);
    let binding = animation.bind(&file.skeleton);
    let time = animation.frame_time(frame);
    sample(animation, &binding, time, &mut pose).unwrap();
    local_to_model(&file.skeleton, &pose, &mut model).unwrap();
    model
}

/// The largest distance between joints that are the same, over all frames; the BVH is `ahead` frames
/// ahead.
fn apart(a: &MotionFile, b: &MotionFile, pairs: &[(&str, &str)], ahead: usize) -> f32 {
    let (bvh, amc) = (&a.animations[0], &b.animations[0]);
    assert_eq!(bvh.frame_count(), amc.frame_count() + ahead);
    assert_eq!(bvh.frame_rate, amc.frame_rate);
    let mut worst = 0.0f32;
    for frame in 0..amc.frame_count() {
        let (left, right) = (pose_at(a, bvh, frame + ahead), pose_at(b, amc, frame));
        for (of_a, of_b) in pairs {
            let of_a = a.skeleton.find(of_a).unwrap();
            let of_b = b.skeleton.find(of_b).unwrap();
            worst = worst.max((left.position(of_a) - right.position(of_b)).length());
        }
    }
    worst
}

const TWINS: [(&str, &str, &str); 2] = [
    (
        "cmu-una-dinosauria/02_01.bvh",
        "cmu-cyun9601/02_01.amc",
        "cmu-cyun9601/02.asf",
    ),
    (
        "cmu-una-dinosauria/09_06.bvh",
        "cmu-visdoom/09_06-run.amc",
        "cmu-visdoom/09-run.asf",
    ),
];

/// Both in the files' own unit, in which the twins agree to 1e-4.
fn twin(bvh: &str, amc: &str, asf: &str) -> (MotionFile, MotionFile) {
    let corpus = common::required_corpus();
    let settings = BvhSettings {
        scale: 1.0,
        ..BvhSettings::default()
    };
    let bvh = bvh::read(corpus.join("bvh").join(bvh), &settings).unwrap();
    let acclaim = corpus.join("asf-amc");
    let settings = AmcSettings {
        units: Units::MetresPerUnit(1.0),
        ..AmcSettings::default()
    };
    let amc = amc::read(acclaim.join(amc), Some(&acclaim.join(asf)), &settings).unwrap();
    (bvh, amc)
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn a_bvh_and_an_amc_of_one_motion_agree() {
    for (bvh, amc, asf) in TWINS {
        let (a, b) = twin(bvh, amc, asf);
        // The conversion begins with a frame of the rest pose.
        let worst = apart(&a, &b, &SAME, 1);
        common::say(&format!(
            "bvh twins: {bvh} and {amc}: {worst:.1e} units apart"
        ));
        assert!(worst < 1e-4, "{bvh}: {worst}");
    }
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn an_amc_written_as_bvh_is_the_same_motion() {
    for (bvh, amc, asf) in TWINS {
        let (_, b) = twin(bvh, amc, asf);
        let settings = BvhWriteSettings {
            scale: 1.0,
            ..BvhWriteSettings::default()
        };
        let text = bvh::write_bytes(&b.skeleton, &b.animations[0], &settings).unwrap();
        let settings = BvhSettings {
            scale: 1.0,
            ..BvhSettings::default()
        };
        let again = bvh::read_bytes(&text, &settings).unwrap();
        let again = again.into_motion(&settings).unwrap();
        let names = b.skeleton.joints().iter().map(|joint| joint.name.as_str());
        let pairs: Vec<_> = names.map(|name| (name, name)).collect();
        let worst = apart(&again, &b, &pairs, 0);
        common::say(&format!(
            "bvh twins: {amc} written as BVH: {worst:.1e} units apart"
        ));
        assert!(worst < 1e-4, "{amc}: {worst}");
    }
}
