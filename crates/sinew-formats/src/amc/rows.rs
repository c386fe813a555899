//! Frames as they come → one list for each degree of freedom.
//!
//! Values arrive frame by frame and are wanted channel by channel. Some frames are gathered in a block
//! and then turned over, so that each list is written in runs; lists grow by what the rest of the file
//! is likely to need, because doubling them would take twice the room.

/// Values of a block: 128 kB, which stay in the cache.
const BLOCK_VALUES: usize = 1 << 14;

/// Frames of a block at most.
const BLOCK_FRAMES: usize = 64;

pub(super) struct AmcRows {
    /// How many values a frame has.
    width: usize,
    /// Whole frames and the one that is being read, frame after frame.
    block: Vec<f64>,
    /// Whole frames in the block.
    full: usize,
    /// The last frame before the block.
    last: Vec<f64>,
    /// Frames in all.
    count: usize,
    pub(super) channels: Vec<Vec<f64>>,
}

impl AmcRows {
    /// `first` is what the frame before the first is taken to hold.
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

    /// Whole frames so far.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The frame that is being read.
    #[inline(always)]
    pub(super) fn row(&mut self) -> &mut [f64] {
        let start = self.full * self.width;
        self.block
            .get_mut(start..start + self.width)
            .unwrap_or_default()
    }

    /// The frame before, and the one that is being read.
    pub(super) fn previous_and_row(&mut self) -> (&[f64], &mut [f64]) {
        let start = self.full * self.width;
        let (before, here) = self.block.split_at_mut(start);
        let previous = match before.len().checked_sub(self.width) {
            Some(from) => &before[from..],
            None => self.last.as_slice(),
        };
        (previous, here.get_mut(..self.width).unwrap_or_default())
    }

    /// The frame that was being read is whole. `share` says how much of the file was read so far.
    pub(super) fn commit(&mut self, share: ReadProgress) {
        self.full += 1;
        self.count += 1;
        if (self.full + 1) * self.width > self.block.len() {
            self.flush(share);
        }
    }

    /// Frames that hold what the frame before holds, or lie between it and the one being read when
    /// `turns` are given: for each value the size of a whole turn, or 0 when it is no angle.
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

    /// Turns the block over.
    fn flush(&mut self, share: ReadProgress) {
        if self.full == 0 {
            return;
        }
        let whole = self.full * self.width;
        let rows = self.block.get(..whole).unwrap_or_default();
        for (index, channel) in self.channels.iter_mut().enumerate() {
            if channel.capacity() - channel.len() < self.full {
                let likely = share.of_whole(self.count).saturating_sub(channel.len());
                // At least an eighth, so that copying stays in proportion.
                channel.reserve_exact(likely.max(channel.len() / 8).max(self.full));
            }
            channel.extend(rows.iter().skip(index).step_by(self.width));
        }
        if let Some(last) = rows.get(whole - self.width..) {
            self.last.copy_from_slice(last);
        }
        self.full = 0;
    }

    /// All values, in lists without spare room.
    pub(super) fn finish(mut self) -> Vec<Vec<f64>> {
        self.flush(ReadProgress::whole());
        for channel in &mut self.channels {
            channel.shrink_to_fit();
        }
        self.channels
    }
}

/// How much of a file was read.
#[derive(Clone, Copy)]
pub(super) struct ReadProgress {
    pub(super) read: usize,
    pub(super) total: usize,
}

impl ReadProgress {
    fn whole() -> Self {
        Self { read: 1, total: 1 }
    }

    /// How many frames the whole file is likely to have when its part has `count`. Never more than the
    /// bytes that are left can hold, at two bytes for each.
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
