//! What several test files need: the real program in a temporary folder, and files to give it.

pub(crate) mod mocap;
pub(crate) mod play;
#[cfg(feature = "viewer")]
pub(crate) mod server;

use serde_json::Value;
use sinew::glam::UVec2;
use sinew::skelform::Image;
use sinew::skelform::{
    AnimationData, ArmatureData, AtlasData, BoneData, StyleData, TextureData, VisualData,
};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The bytes of the built-in character.
pub(crate) const PIP: &[u8] = include_bytes!("../../../../../samples/pip.skf");

/// A temporary folder to run the program in.
pub(crate) struct Folder(TempDir);

/// What a run of the program left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// The program, ready to be run here, with nothing said about colours.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
        command.current_dir(self.0.path()).stdin(Stdio::null());
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs the program. Whatever happens, it neither panics nor leaves half a file.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Run {
        let output = self.command().args(args).output().unwrap();
        let run = Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        let left: Vec<String> = self.files();
        let parts = left.iter().filter(|name| name.ends_with(".part"));
        assert_eq!(parts.count(), 0, "{left:?}");
        run
    }

    /// Runs the program and expects that all went well.
    pub(crate) fn run_fine<S: AsRef<OsStr> + std::fmt::Debug>(&self, args: &[S]) -> Run {
        let run = self.run(args);
        assert_eq!(run.code, Some(0), "{args:?}: {}", run.stderr);
        assert_eq!(run.stderr, "", "{args:?}");
        run
    }

    /// Runs the program and expects an error that mentions all of `said`.
    pub(crate) fn run_refused<S: AsRef<OsStr> + std::fmt::Debug>(
        &self,
        args: &[S],
        said: &[&str],
    ) -> Run {
        let run = self.run(args);
        assert_eq!(run.code, Some(2), "{args:?}: {run:?}");
        assert_eq!(run.stdout, "", "{args:?}");
        let mut lines = run.stderr.lines();
        assert!(lines.any(|l| l.starts_with("error: ")), "{}", run.stderr);
        for said in said {
            assert!(run.stderr.contains(said), "{said:?} in {}", run.stderr);
        }
        for line in run.stderr.lines() {
            assert_no_repetition(line);
        }
        run
    }

    /// Runs a command that goes file by file and expects that a file failed, with rows that mention all of `said`.
    pub(crate) fn run_refused_row(&self, args: &[&str], said: &[&str]) -> Run {
        let run = self.run(args);
        assert_eq!(run.code, Some(2), "{args:?}: {run:?}");
        for said in said {
            assert!(run.stdout.contains(said), "{said:?} in {}", run.stdout);
        }
        run
    }

    /// Runs the program with something on its standard input, and fails if it takes longer than so many seconds.
    pub(crate) fn run_within_seconds(&self, args: &[&str], input: &[u8], seconds: u64) -> Run {
        let mut command = self.command();
        let command = command.args(args).stdin(Stdio::piped());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        let writer = std::thread::spawn(move || {
            // A program that does not read its input closes it.
            let _ = stdin.write_all(&input);
        });
        let id = child.id();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || sender.send(child.wait_with_output()));
        let Ok(output) = receiver.recv_timeout(std::time::Duration::from_secs(seconds)) else {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
            panic!("{args:?} takes longer than {seconds} s");
        };
        writer.join().unwrap();
        let output = output.unwrap();
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Makes a named pipe.
    #[cfg(unix)]
    pub(crate) fn make_pipe(&self, name: &str) {
        let made = Command::new("mkfifo").arg(self.path(name)).status();
        assert!(made.unwrap().success());
    }

    /// Everything here, with the folders' names, sorted; but for the records of `--resume`.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.0.path()).unwrap();
                if !name.ends_with(".sinew-made") {
                    files.push(name.to_string_lossy().replace('\\', "/"));
                }
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                }
            }
        }
        files.sort();
        files
    }

    /// Reads a PNG here.
    pub(crate) fn png(&self, name: &str) -> Image {
        png(&self.path(name))
    }

    /// Reads a GIF here.
    pub(crate) fn gif(&self, name: &str) -> Gif {
        Gif::read(&self.path(name))
    }
}

impl Run {
    /// Standard output as the one JSON document that it must be.
    pub(crate) fn json(&self) -> Value {
        let json: Value = serde_json::from_str(&self.stdout).unwrap();
        assert_eq!(json["version"], 1);
        json
    }
}

/// Reads a PNG of 8 bits per channel, with or without alpha.
fn png(path: &Path) -> Image {
    let bytes = std::io::Cursor::new(fs::read(path).unwrap());
    let mut reader = png::Decoder::new(bytes).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    pixels.truncate(info.buffer_size());
    if info.color_type == png::ColorType::Rgb {
        let rgba = pixels.chunks_exact(3).map(|p| [p[0], p[1], p[2], 255]);
        pixels = rgba.flatten().collect();
    }
    Image::from_pixels(info.width, info.height, pixels).unwrap()
}

/// What a test wants to know of a GIF.
#[derive(Debug)]
pub(crate) struct Gif {
    pub(crate) width: u16,
    pub(crate) height: u16,
    /// Hundredths of a second that each picture is shown.
    pub(crate) delays: Vec<u16>,
    /// The colour of the top left pixel of the first picture.
    pub(crate) corner: [u8; 4],
}

impl Gif {
    fn read(path: &Path) -> Self {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(fs::File::open(path).unwrap()).unwrap();
        let (width, height) = (decoder.width(), decoder.height());
        let mut delays = Vec::new();
        let mut corner = None;
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            delays.push(frame.delay);
            corner.get_or_insert([0, 1, 2, 3].map(|i| frame.buffer[i]));
        }
        Self {
            width,
            height,
            delays,
            corner: corner.unwrap(),
        }
    }

    /// How long it plays, in hundredths of a second.
    pub(crate) fn hundredths(&self) -> u32 {
        self.delays.iter().map(|&delay| u32::from(delay)).sum()
    }
}

/// How many pixels show anything.
pub(crate) fn ink(image: &Image) -> usize {
    let pixels = image.pixels().chunks_exact(4);
    pixels.filter(|pixel| pixel[3] > 0).count()
}

/// A red square on one bone; it never moves.
pub(crate) fn square() -> ArmatureData {
    let size = UVec2::splat(8);
    let texture = TextureData {
        name: "square".into(),
        size,
        ..TextureData::default()
    };
    ArmatureData {
        bones: vec![BoneData {
            name: "only".into(),
            visual: Some(0),
            ..BoneData::default()
        }],
        visuals: vec![VisualData {
            texture: "square".into(),
            ..VisualData::default()
        }],
        styles: vec![StyleData {
            name: "plain".into(),
            textures: vec![texture],
        }],
        default_styles: vec![0],
        atlases: vec![AtlasData {
            filename: "atlas0.png".into(),
            size,
        }],
        ..ArmatureData::default()
    }
}

/// The bytes of a `.skf` whose atlas is all red.
pub(crate) fn skf(data: &ArmatureData) -> Vec<u8> {
    let red = Image::from_pixels(8, 8, [255, 0, 0, 255].repeat(64)).unwrap();
    let red = sinew_draw::encode_png(&red).unwrap();
    sinew_formats::skf::write_bytes(data, &[red]).unwrap()
}

/// A `.skf` with three mistakes: a texture that no style has, two animations of one name, and the
/// second without keys.
pub(crate) fn mistaken() -> Vec<u8> {
    let mut data = square();
    data.visuals[0].texture = "circle".into();
    let animation = AnimationData {
        name: "twice".into(),
        frame_rate: 10,
        keys: Vec::new(),
    };
    data.animations = vec![animation.clone(), animation];
    skf(&data)
}

/// Says something even when the test passes, which `println!` does not.
pub(crate) fn say(text: &str) {
    let mut stderr = std::io::stderr();
    writeln!(stderr, "{text}").unwrap();
}

/// Asserts that no part of a message is there twice, as when an error repeats its cause.
fn assert_no_repetition(line: &str) {
    let mut parts: Vec<&str> = line.split(": ").filter(|part| part.len() > 12).collect();
    let count = parts.len();
    parts.sort_unstable();
    parts.dedup();
    assert_eq!(parts.len(), count, "{line}");
}
