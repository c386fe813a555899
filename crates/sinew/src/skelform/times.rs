//! Sorted key times with constant-time lookup, by as many equal buckets as keys: a lookup is one product and a search
//! among the keys of one bucket, one on average, where a bisection of `n` keys takes `log₂ n` steps.

use alloc::boxed::Box;
use alloc::vec;

/// The two keys around a time; the same key twice outside the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Neighbours {
    pub(super) prev: usize,
    pub(super) next: usize,
}

/// Key times of a track, at least one, sorted; several keys may share a time.
///
/// The span is divided into as many buckets as keys, and each bucket stores its keys, so a lookup reads one bucket
/// and searches the few keys inside. There is no cursor, so sequential and random access cost the same and a
/// character has no playback state.
#[derive(Clone, Debug)]
pub(super) struct FrameLookup {
    frames: Box<[f32]>,
    /// `starts[b]` is the number of keys in buckets before `b`; one entry more than buckets.
    starts: Box<[u32]>,
    buckets_per_frame: f32,
}

impl FrameLookup {
    /// Creates a lookup of sorted times; a track has at least one.
    pub(super) fn new(frames: Box<[f32]>) -> Self {
        let buckets = frames.len().max(1);
        let first = frames.first().copied().unwrap_or(0.0);
        let span = frames.last().copied().unwrap_or(0.0) - first;
        let mut times = Self {
            frames,
            starts: Box::default(),
            buckets_per_frame: if span > 0.0 {
                buckets as f32 / span
            } else {
                0.0
            },
        };
        let mut starts = vec![0u32; buckets + 1].into_boxed_slice();
        for &frame in &times.frames {
            starts[times.bucket(frame, buckets) + 1] += 1;
        }
        for b in 0..buckets {
            starts[b + 1] += starts[b];
        }
        times.starts = starts;
        times
    }

    /// Returns the bucket of `frame`. It is monotonic, as the search requires: a key in an earlier bucket is before
    /// `frame`, one in a later bucket after it.
    fn bucket(&self, frame: f32, buckets: usize) -> usize {
        (((frame - self.frames[0]) * self.buckets_per_frame) as usize).min(buckets - 1)
    }

    pub(super) fn frame(&self, key: usize) -> f32 {
        self.frames[key]
    }

    /// Returns the last key at or before `frame` and the first one after it.
    #[inline]
    pub(super) fn around(&self, frame: f32) -> Neighbours {
        let after = self.count_until(frame);
        let last = self.frames.len() - 1;
        Neighbours {
            prev: after.saturating_sub(1),
            next: after.min(last),
        }
    }

    /// Returns the last key at or before `frame`; `None` before the first key.
    #[inline]
    pub(super) fn last_until(&self, frame: f32) -> Option<usize> {
        self.count_until(frame).checked_sub(1)
    }

    /// Returns the number of keys at or before `frame`.
    #[inline]
    fn count_until(&self, frame: f32) -> usize {
        let bucket = self.bucket(frame, self.starts.len() - 1);
        let mut after = self.starts[bucket] as usize;
        let end = self.starts[bucket + 1] as usize;
        // A linear scan is faster for a few keys.
        if end - after <= 4 {
            while after < end && self.frames[after] <= frame {
                after += 1;
            }
        } else {
            after += self.frames[after..end].partition_point(|&key| key <= frame);
        }
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn times(frames: &[f32]) -> FrameLookup {
        FrameLookup::new(frames.into())
    }

    /// The specification: a scan of all keys.
    fn by_scan(frames: &[f32], frame: f32) -> Neighbours {
        let prev = frames.iter().rposition(|&k| k <= frame);
        let next = frames.iter().position(|&k| k > frame);
        Neighbours {
            prev: prev.or(next).unwrap_or(0),
            next: next.or(prev).unwrap_or(0),
        }
    }

    #[test]
    fn of_several_keys_at_one_time_the_last_holds_and_the_first_is_arrived_at() {
        let keys = times(&[0.0, 10.0, 10.0, 20.0]);
        assert_eq!(keys.around(10.0), Neighbours { prev: 2, next: 3 });
        assert_eq!(keys.around(9.0), Neighbours { prev: 0, next: 1 });
    }

    #[test]
    fn outside_the_keys_both_neighbours_are_the_nearest() {
        let keys = times(&[5.0, 10.0]);
        assert_eq!(keys.around(-3.0), Neighbours { prev: 0, next: 0 });
        assert_eq!(keys.around(10.0), Neighbours { prev: 1, next: 1 });
        assert_eq!(keys.around(f32::INFINITY), Neighbours { prev: 1, next: 1 });
        assert_eq!(
            keys.around(f32::NEG_INFINITY),
            Neighbours { prev: 0, next: 0 }
        );
    }

    proptest! {
        #[test]
        fn lookup_equals_a_scan_of_every_key(
            mut frames in proptest::collection::vec(0u32..5000, 1..80),
            clump in 0u32..3,
            asked in proptest::collection::vec(-10f32..5100.0, 20),
        ) {
            // Clustered keys share one bucket.
            if clump > 0 {
                for f in frames.iter_mut().skip(1) { *f %= 40 * clump; }
            }
            frames.sort_unstable();
            let frames: Vec<f32> = frames.into_iter().map(|f| f as f32).collect();
            let keys = times(&frames);
            for a in asked.into_iter().chain(frames.clone()) {
                let (got, want) = (keys.around(a), by_scan(&frames, a));
                // Past the last key both have the same time, and the last of equals is used.
                prop_assert_eq!(got.prev, want.prev);
                prop_assert_eq!(keys.last_until(a), frames.iter().rposition(|&k| k <= a));
                prop_assert_eq!(frames[got.next], frames[want.next]);
                if frames[want.next] > a { prop_assert_eq!(got.next, want.next); }
            }
        }
    }
}
