//! Numbers that stand for bytes.

/// What [`fnv1a`] begins with.
pub(super) const START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a: short, and the same everywhere. `start` is [`START`], or what came of the bytes before.
pub(super) fn fnv1a(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The same in 32 bits.
pub(super) fn folded(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}
