//! Motions to pack.

use crate::peers;
use sinew::{Animation, PackedAnimation, Skeleton};
use sinew_author::compress::{CompressSettings, Profile, compress};
use sinew_formats::{MotionSettings, read_motion};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A motion and what it moves.
pub(crate) struct Clip {
    pub(crate) name: &'static str,
    pub(crate) skeleton: Arc<Skeleton>,
    pub(crate) animation: Animation,
}

impl Clip {
    /// Within 0.1 mm.
    pub(crate) fn packed(&self, profile: Profile) -> PackedAnimation<'static> {
        packed(&self.skeleton, &self.animation, profile)
    }
}

/// Within 0.1 mm.
pub(crate) fn packed(
    skeleton: &Skeleton,
    animation: &Animation,
    profile: Profile,
) -> PackedAnimation<'static> {
    let settings = CompressSettings {
        profile,
        ..CompressSettings::default()
    };
    compress(skeleton, animation, &settings).expect("any clip can be packed")
}

/// The repository's.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn corpus() -> Option<PathBuf> {
    std::env::var_os("SINEW_CORPUS").map(PathBuf::from)
}

/// The peers' clips, or the sample walk where they are not there.
pub(crate) fn clips() -> Vec<Clip> {
    let Some(corpus) = corpus() else {
        let path = root().join("samples/motion/walk.bvh");
        return vec![read("walk", &path, None)];
    };
    let folder = corpus.join("asf-amc");
    let clip = |clip: &peers::Clip| match clip.name {
        "131_04" => {
            let folder = folder.join("cmu-visdoom");
            let asf = folder.join("131-dance.asf");
            read(clip.name, &folder.join("131_04-dance.amc"), Some(asf))
        }
        name => {
            let folder = folder.join("seed-clips");
            let asf = folder.join("skeleton.asf");
            read(name, &folder.join(format!("{name}.amc")), Some(asf))
        }
    };
    peers::CLIPS.iter().map(clip).collect()
}

pub(crate) fn read(name: &'static str, path: &Path, asf: Option<PathBuf>) -> Clip {
    let settings = MotionSettings {
        asf,
        ..MotionSettings::default()
    };
    let file = read_motion(path, &settings).unwrap_or_else(|error| panic!("{error}"));
    Clip {
        name,
        skeleton: Arc::new(file.skeleton),
        animation: file.animations.into_iter().next().expect("a motion"),
    }
}
