//! FNV-1a of 64 bits: short, and the same on every target.

pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Adds the bits of numbers, so that zeros of either sign differ.
    pub(crate) fn add(&mut self, numbers: impl IntoIterator<Item = f32>) {
        for number in numbers {
            self.add_bytes(&number.to_bits().to_le_bytes());
        }
    }

    pub(crate) fn add_u64(&mut self, bits: u64) {
        self.add_bytes(&bits.to_le_bytes());
    }

    pub(crate) fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_published_fnv_1a() {
        let mut hash = Hash::new();
        hash.add_bytes(b"foobar");
        assert_eq!(hash.finish(), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn the_sign_of_zero_counts() {
        let hash = |number: f32| {
            let mut hash = Hash::new();
            hash.add([number]);
            hash.finish()
        };
        assert_ne!(hash(0.0), hash(-0.0));
    }
}
