//! How large a file may be before it is refused. Each limit is far above what real files need and low
//! enough that a hostile file cannot exhaust a machine: beside its own bytes, reading one takes up to
//! 0.8 GB at a time for a character made of nothing but the smallest objects, and 1 GB for a JSON motion made
//! of nothing but keys with tangents. `tests/memory.rs`, `tests/json_memory.rs` and `tests/pack_memory.rs` measure
//! it. A `.sinew` file takes up to twelve times its bytes where it says how wide numbers are, and 1.5 GB for the rest.

/// Bytes of a whole file. The largest public character has 1.1 MB.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

/// Entries of an archive. Editors write about five.
pub const MAX_ARCHIVE_ENTRIES: usize = 1_000;

/// Bytes of `armature.json`. The largest public one has 0.3 MB. Parsed, real ones take 10 to 19 times
/// as much; the worst, made of objects of seven bytes, 96 times, which is 0.8 GB for the largest.
pub const MAX_JSON_BYTES: u64 = 8 << 20;

/// Bytes of `editor.json`, of which only flags are kept. Real ones have about 10 kB.
pub const MAX_EDITOR_BYTES: u64 = 1 << 20;

/// Bytes of a name or another text. Names are copied to whatever refers to them and into warnings.
pub const MAX_TEXT_BYTES: usize = 1 << 12;

/// Bytes of a picture entry.
pub const MAX_PICTURE_BYTES: u64 = 128 << 20;

/// Bytes that all entries of an archive unpack to together. Several atlases may name one entry.
pub const MAX_UNPACKED_BYTES: u64 = 512 << 20;

/// How often an entry may be larger than its compressed form, once it is larger than
/// [`EXPANSION_FREE_BYTES`]. Text compresses about tenfold; bombs a thousandfold.
pub const MAX_EXPANSION: u64 = 200;

/// Entries up to this size may expand at any ratio.
pub const EXPANSION_FREE_BYTES: u64 = 1 << 20;

/// Pixels of all pictures of a file together: 8192 x 8192, a quarter of a gigabyte in memory, and up to
/// half a gigabyte more while a picture is decoded. What a picture's bytes cannot hold gets no room.
pub const MAX_PICTURE_PIXELS: u64 = 8192 * 8192;

/// Pictures of a file.
pub const MAX_ATLASES: usize = 256;

/// Bones of a character, and entries of each table that bones refer to. The largest public one has 64.
pub const MAX_BONES: usize = 10_000;

/// Animations of a character.
pub const MAX_ANIMATIONS: usize = 10_000;

/// Keys of all animations of a character. The largest public one has 536.
pub const MAX_KEYS: usize = 1_000_000;

/// Vertices, triangle corners and bindings of all meshes of a character, each.
pub const MAX_MESH_ENTRIES: usize = 1_000_000;

/// Bones of all IK chains of a character. The largest public one has 30; each is visited twenty times
/// for every pose.
pub const MAX_CHAIN_ENTRIES: usize = 100_000;

/// Styles of a character.
pub const MAX_STYLES: usize = 1_000;

/// Textures of all styles of a character.
pub const MAX_TEXTURES: usize = 100_000;

/// The last frame of an animation that `f32` tells from the one before it.
pub const MAX_FRAME: u32 = 1 << 24;

/// Joints of a skeleton, with the ends of its bones. The largest public motion file has 173.
pub const MAX_JOINTS: usize = 4_096;

/// How deep joints may be nested.
pub const MAX_JOINT_DEPTH: usize = 1_024;

/// Frames of a motion file: a day at 120 frames per second.
pub const MAX_MOTION_FRAMES: usize = 10_000_000;

/// Numbers of all frames of a motion file together: a quarter of a gigabyte, and up to half a gigabyte
/// more as keys. An hour at 60 frames per second of a performer with 100 degrees of freedom has 22
/// million.
pub const MAX_MOTION_VALUES: usize = 1 << 25;

/// Numbers of a motion that may come from nothing, because a lenient reader holds what frames leave out
/// or fills gaps. Beyond them a file must have a byte for each number; honest files have eight.
pub const MAX_HELD_VALUES: usize = 1 << 22;

/// Bytes of a line of an ASF or AMC file. Real ones have less than a hundred.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// Skins that an ASF file may name. Its definition speaks of three.
pub const MAX_SKINS: usize = 1_000;

/// Lengths and positions of an ASF or AMC file, in its own units. A hundred of them one after another
/// are still far inside the range of `f32`.
pub const MAX_COORDINATE: f64 = 1e12;

/// Nodes of a glTF file. Large scenes have thousands; only those that move become joints.
pub const MAX_GLTF_NODES: usize = 100_000;

/// Entries of each other list of a glTF file: accessors, views, channels, samplers, …
pub const MAX_GLTF_ENTRIES: usize = 1_000_000;

/// Tracks of the weights of shapes of a glTF file. Faces have about fifty shapes.
pub const MAX_MORPH_TRACKS: usize = 50_000;

/// Things that are known about an animation, read from a glTF file.
pub const MAX_METADATA: usize = 1_000;

/// Tracks, triggers and things known of all animations of a JSON motion together.
pub const MAX_TRACKS: usize = 1_000_000;

/// Keys of all variant tracks of a JSON motion, or weights of all keys of a glTF file, together: half a gigabyte with their tangents. Fifty shapes of
/// a face at 60 frames per second for twenty minutes have 3.6 million.
pub const MAX_VARIANT_KEYS: usize = 1 << 22;

/// Elements and other nodes of an XML file.
pub const MAX_XML_NODES: usize = 1 << 21;

/// Attributes of all elements of an XML file together.
pub const MAX_XML_ATTRIBUTES: usize = 1 << 22;

/// Attributes of one element of an XML file. Each is compared with all before it.
pub const MAX_XML_ELEMENT_ATTRIBUTES: usize = 64;

/// Namespaces that an XML file may declare. Each element may look through all of them.
pub const MAX_XML_NAMESPACES: usize = 16;

/// Skeletons, animations and curves of a `.sinew` file together.
pub const MAX_PACK_SECTIONS: usize = 100_000;

/// Bytes of all registration curves of a `.sinew` file together: some thousands of pairs.
pub const MAX_PACK_CURVE_BYTES: usize = 16 << 20;

/// Joints of all animations of a `.sinew` file together, each counted with all joints of its skeleton: half a
/// gigabyte. A hundred thousand clips of a figure have as many.
pub const MAX_PACK_JOINTS: usize = 1 << 22;

/// Bytes of the notes of all animations of a `.sinew` file together. They are JSON; see [`MAX_VARIANT_KEYS`].
pub const MAX_PACK_NOTE_BYTES: usize = 64 << 20;

/// Warnings that are kept in full; more are only counted.
pub const MAX_WARNINGS: usize = 500;
