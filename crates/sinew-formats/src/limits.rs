//! Size limits of files. Each limit is far above what real files need and low enough that a hostile file cannot
//! exhaust a machine. Besides the bytes of the file, reading takes at most 0.8 GB for a character that consists only
//! of the smallest objects, and 1 GB for a JSON motion that consists only of keys with tangents. A `.sinew` file
//! takes up to twelve times the bytes of its bit width tables, and 1.5 GB for the rest. `tests/memory.rs`,
//! `tests/json_memory.rs` and `tests/pack_memory.rs` measure it.

/// Bytes of a file. The largest public character has 1.1 MB.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

/// Entries of an archive. Editors write about five.
pub const MAX_ARCHIVE_ENTRIES: usize = 1_000;

/// Bytes of `armature.json`. The largest public one has 0.3 MB. Parsed, real ones take 10 to 19 times as much; the
/// worst case, objects of seven bytes, 96 times, which is 0.8 GB at this limit.
pub const MAX_JSON_BYTES: u64 = 8 << 20;

/// Bytes of `editor.json`, of which only flags are kept. Real ones have about 10 kB.
pub const MAX_EDITOR_BYTES: u64 = 1 << 20;

/// Bytes of a name or another text. Names are copied to everything that refers to them and into warnings.
pub const MAX_TEXT_BYTES: usize = 1 << 12;

/// Bytes of a picture entry.
pub const MAX_PICTURE_BYTES: u64 = 128 << 20;

/// Total uncompressed bytes of all entries of an archive. Several atlases may refer to one entry.
pub const MAX_UNPACKED_BYTES: u64 = 512 << 20;

/// Maximum compression ratio of an entry larger than [`EXPANSION_FREE_BYTES`]. Text compresses about 10:1, zip bombs
/// 1000:1.
pub const MAX_EXPANSION: u64 = 200;

/// Entries up to this size may have any compression ratio.
pub const EXPANSION_FREE_BYTES: u64 = 1 << 20;

/// Total pixels of all pictures of a file: 8192 x 8192, 256 MB in memory, and up to 512 MB more while a picture is
/// decoded. No memory is allocated for pixels that the bytes of a picture cannot encode.
pub const MAX_PICTURE_PIXELS: u64 = 8192 * 8192;

/// Pictures of a file.
pub const MAX_ATLASES: usize = 256;

/// Bones of a character, and entries of each table that bones refer to. The largest public one has 64.
pub const MAX_BONES: usize = 10_000;

/// Animations of a character.
pub const MAX_ANIMATIONS: usize = 10_000;

/// Keys of all animations of a character. The largest public one has 536.
pub const MAX_KEYS: usize = 1_000_000;

/// Vertices, triangle corners and bindings of all meshes of a character; each has this limit.
pub const MAX_MESH_ENTRIES: usize = 1_000_000;

/// Bones of all IK chains of a character. The largest public one has 30; each is visited twenty times
/// for every pose.
pub const MAX_CHAIN_ENTRIES: usize = 100_000;

/// Styles of a character.
pub const MAX_STYLES: usize = 1_000;

/// Textures of all styles of a character.
pub const MAX_TEXTURES: usize = 100_000;

/// Last frame of an animation that `f32` can distinguish from the frame before it.
pub const MAX_FRAME: u32 = 1 << 24;

/// Joints of a skeleton, including end joints of bones. The largest public motion file has 173.
pub const MAX_JOINTS: usize = 4_096;

/// Maximum depth of the joint hierarchy.
pub const MAX_JOINT_DEPTH: usize = 1_024;

/// Frames of a motion file: almost a day at 120 frames per second.
pub const MAX_MOTION_FRAMES: usize = 10_000_000;

/// Total values of all frames of a motion file: 256 MB, and up to 512 MB more as keys. An hour at 60 frames per
/// second of a performer with 100 degrees of freedom has 22 million.
pub const MAX_MOTION_VALUES: usize = 1 << 25;

/// Values of a motion that are not in the file: held or interpolated by a lenient reader. Beyond this number a file
/// must have a byte for each value; real files have eight.
pub const MAX_HELD_VALUES: usize = 1 << 22;

/// Bytes of a line of an ASF or AMC file. Real ones have less than 100.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// Skins that an ASF file may name. The format definition mentions three.
pub const MAX_SKINS: usize = 1_000;

/// Lengths and positions of an ASF or AMC file, in its own units. The sum of a hundred of them is still far inside
/// the range of `f32`.
pub const MAX_COORDINATE: f64 = 1e12;

/// Nodes of a glTF file. Large scenes have thousands; only animated ones become joints.
pub const MAX_GLTF_NODES: usize = 100_000;

/// Entries of every other list of a glTF file: accessors, views, channels, samplers, …
pub const MAX_GLTF_ENTRIES: usize = 1_000_000;

/// Morph weight tracks of a glTF file. Faces have about fifty morph targets.
pub const MAX_MORPH_TRACKS: usize = 50_000;

/// Metadata entries of an animation of a glTF file.
pub const MAX_METADATA: usize = 1_000;

/// Total tracks, triggers and metadata entries of all animations of a JSON motion.
pub const MAX_TRACKS: usize = 1_000_000;

/// Total keys of all variant tracks of a JSON motion, or weights of all keys of a glTF file: 512 MB with their
/// tangents. Fifty morph targets of a face at 60 frames per second for twenty minutes have 3.6 million.
pub const MAX_VARIANT_KEYS: usize = 1 << 22;

/// Elements and other nodes of an XML file.
pub const MAX_XML_NODES: usize = 1 << 21;

/// Total attributes of all elements of an XML file.
pub const MAX_XML_ATTRIBUTES: usize = 1 << 22;

/// Attributes of one element of an XML file. Each is compared with all previous ones.
pub const MAX_XML_ELEMENT_ATTRIBUTES: usize = 64;

/// Namespaces that an XML file may declare. Each element may search all of them.
pub const MAX_XML_NAMESPACES: usize = 16;

/// Total skeletons, animations and curves of a `.sinew` file.
pub const MAX_PACK_SECTIONS: usize = 100_000;

/// Total bytes of all registration curves of a `.sinew` file: some thousands of pairs.
pub const MAX_PACK_CURVE_BYTES: usize = 16 << 20;

/// Total joints of all animations of a `.sinew` file, each counted with all joints of its skeleton: 512 MB. A hundred
/// thousand clips of a figure have as many.
pub const MAX_PACK_JOINTS: usize = 1 << 22;

/// Total bytes of the notes of all animations of a `.sinew` file. They are JSON; see [`MAX_VARIANT_KEYS`].
pub const MAX_PACK_NOTE_BYTES: usize = 64 << 20;

/// Warnings that are kept in full; others are only counted.
pub const MAX_WARNINGS: usize = 500;
