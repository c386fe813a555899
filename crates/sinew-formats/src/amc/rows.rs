//! Transposition of frames into one list per degree of freedom.
//!
//! Values arrive frame by frame and are needed channel by channel. Frames are collected in a block and then
//! transposed, so that each list is written in runs. Lists grow by the estimated need of the rest of the file,
//! because doubling would take twice the memory.

/// Values of a block: 128 kB, which fit the cache.
const BLOCK_VALUES: usize = 1 << 14;

/// Maximum number of frames of a block.
const BLOCK_FRAMES: usize = 64;

pub(super) struct AmcRows {
    /// Number of values of a frame.
    width: usize,
    /// Complete frames and the current one, frame after frame.
    block: Vec<f64>,
    /// Number of complete frames in the block.
    full: usize,
    /// The last frame before the block.
    last: Vec<f64>,
    /// Total number of frames.
    count: usize,
    pub(super) channels: Vec<Vec<f64>>,
}

impl AmcRows {
    /// `first` is the virtual frame before the first.
    pub(super) fn new(first: Vec<f64>) -> Self {
        let width = first.len();
        let frames = (BLOCK_VALUES / width.max(1)).clamp(1, BLOCK_FRAMES);
        Self {
            width,
            block: vec![0.0; frames * width],
            full: 0,
            last: first,
            count: 0,
            channels: vec![Vec::new(); width],
        }
    }

    /// Returns the number of complete frames.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the current frame.
    #[inline(always)]
    pub(super) fn row(&mut self) -> &mut [f64] {
        let start = self.full * self.width;
        self.block
            .get_mut(start..start + self.width)
            .unwrap_or_default()
    }

    /// Returns the previous and the current frame.
    pub(super) fn previous_and_row(&mut self) -> (&[f64], &mut [f64]) {
        let start = self.full * self.width;
        let (before, here) = self.block.split_at_mut(start);
        let previous = match before.len().checked_sub(self.width) {
            Some(from) => &before[from..],
            None => self.last.as_slice(),
        };
        (previous, here.get_mut(..self.width).unwrap_or_default())
    }

    /// Completes the current frame. `share` is the progress of reading the file.
    pub(super) fn commit(&mut self, share: ReadProgress) {
        self.full += 1;
        self.count += 1;
        if (self.full + 1) * self.width > self.block.len() {
            self.flush(share);
        }
    }

    /// Inserts frames that repeat the previous one, or that are interpolated to the current one if `turns` are given:
    /// the size of a full turn for each value, 0 for values that are not angles.
    pub(super) fn fill(&mut self, frames: u32, turns: Option<&[f64]>, share: ReadProgress) {
        let target = self.row().to_vec();
        let (previous, _) = self.previous_and_row();
        let origin = previous.to_vec();
        for index in 1..=frames {
            let ratio = f64::from(index) / (f64::from(frames) + 1.0);
            let row = self.row();
            match turns {
                None => row.copy_from_slice(&origin),
                Some(turns) => {
                    let ends = origin.iter().zip(&target).zip(turns);
                    for (value, ((&from, &to), &turn)) in row.iter_mut().zip(ends) {
                        let mut way = to - from;
                        if turn > 0.0 {
                            way -= turn * (way / turn).round();
                        }
                        *value = from + way * ratio;
                    }
                }
            }
            self.commit(share);
        }
        self.row().copy_from_slice(&target);
    }

    /// Transposes the block.
    fn flush(&mut self, share: ReadProgress) {
        if self.full == 0 {
            return;
        }
        let whole = self.full * self.width;
        let rows = self.block.get(..whole).unwrap_or_default();
        for (index, channel) in self.channels.iter_mut().enumerate() {
            if channel.capacity() - channel.len() < self.full {
                let likely = share.of_whole(self.count).saturating_sub(channel.len());
                // At least an eighth, so that copying stays amortized.
                channel.reserve_exact(likely.max(channel.len() / 8).max(self.full));
            }
            channel.extend(rows.iter().skip(index).step_by(self.width));
        }
        if let Some(last) = rows.get(whole - self.width..) {
            self.last.copy_from_slice(last);
        }
        self.full = 0;
    }

    /// Returns all values, in lists without spare capacity.
    pub(super) fn finish(mut self) -> Vec<Vec<f64>> {
        self.flush(ReadProgress::whole());
        for channel in &mut self.channels {
            channel.shrink_to_fit();
        }
        self.channels
    }
}

/// Progress of reading a file.
#[derive(Clone, Copy)]
pub(super) struct ReadProgress {
    pub(super) read: usize,
    pub(super) total: usize,
}

impl ReadProgress {
    fn whole() -> Self {
        Self { read: 1, total: 1 }
    }

    /// Estimates the number of frames of the whole file, given `count` so far. At most what the remaining bytes can
    /// hold, at two bytes per frame.
    fn of_whole(self, count: usize) -> usize {
        let likely = count as f64 * self.total as f64 / self.read.max(1) as f64;
        let left = self.total.saturating_sub(self.read) / 2;
        (likely as usize).min(count.saturating_add(left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_become_channels_across_blocks() {
        for (width, frames) in [
            (1, 1),
            (1, 200),
            (3, 63),
            (3, 64),
            (3, 65),
            (20_000, 3),
            (0, 5),
        ] {
            let mut rows = AmcRows::new(vec![-1.0; width]);
            for frame in 0..frames {
                let (previous, row) = rows.previous_and_row();
                let expected = if frame == 0 {
                    -1.0
                } else {
                    (frame * width) as f64 - 1.0
                };
                assert!(previous.last().is_none_or(|&last| last == expected));
                for (index, value) in row.iter_mut().enumerate() {
                    *value = (frame * width + index) as f64;
                }
                rows.commit(ReadProgress {
                    read: frame + 1,
                    total: frames,
                });
            }
            assert_eq!(rows.count(), frames);
            for (index, channel) in rows.finish().into_iter().enumerate() {
                let expected: Vec<_> = (0..frames).map(|f| (f * width + index) as f64).collect();
                assert_eq!(channel, expected, "{width} {frames}");
            }
        }
    }

    #[test]
    fn gaps_are_filled_by_the_shorter_way() {
        let share = ReadProgress { read: 1, total: 1 };
        let mut rows = AmcRows::new(vec![0.0; 2]);
        rows.row().copy_from_slice(&[0.0, 170.0]);
        rows.commit(share);
        rows.row().copy_from_slice(&[4.0, -170.0]);
        rows.fill(3, Some(&[0.0, 360.0]), share);
        rows.commit(share);
        let channels = rows.finish();
        assert_eq!(channels[0], [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(channels[1], [170.0, 175.0, 180.0, 185.0, -170.0]);
    }
}
