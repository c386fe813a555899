//! FNV-1a hashes.

/// The initial value of [`fnv1a`].
pub(super) const START: u64 = 0xcbf2_9ce4_8422_2325;

/// Computes FNV-1a: short, and the same on every machine. `start` is [`START`], or the hash of the preceding bytes.
pub(super) fn fnv1a(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Folds a hash to 32 bits.
pub(super) fn fold(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}
