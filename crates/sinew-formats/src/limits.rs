//! How large a file may be before it is refused. Each limit is far above what real files need and low
//! enough that a hostile file cannot exhaust a machine: beside its own bytes, reading one takes up to
//! 0.8 GB at a time, for JSON made of nothing but the smallest objects. `tests/memory.rs` measures it.

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

/// Warnings that are kept in full; more are only counted.
pub const MAX_WARNINGS: usize = 500;
