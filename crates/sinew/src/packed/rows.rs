//! Rows of components at even times.

use super::compose::Compose;
use super::fast::FastRows;
use super::head::Head;
use super::small::SmallRows;
use crate::animation::KeyTimes;
use crate::skeleton::Skeleton;
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// Rows of components at even times, and what turns them into poses.
#[derive(Clone, Debug)]
pub(crate) struct Rows<'a> {
    pub(crate) head: Head,
    /// For each component of the stream, its position in the order of the head.
    pub(crate) order: Vec<u32>,
    pub(crate) stream: Stream<'a>,
    pub(crate) compose: Compose,
    pub(crate) times: KeyTimes,
    /// Tells streams apart: a hash of the words.
    pub(crate) id: u64,
}

/// The rows.
#[derive(Clone, Debug)]
pub(crate) enum Stream<'a> {
    Small(SmallRows<'a>),
    Fast(FastRows<'a>),
}

impl<'a> Rows<'a> {
    /// Makes what is needed to compute with. `order` has every component once, and `head` has as many joints as
    /// the skeleton, a rate that is finite and above zero, and a row.
    pub(crate) fn new(
        head: Head,
        order: Vec<u32>,
        stream: Stream<'a>,
        skeleton: &Skeleton,
    ) -> Option<Self> {
        let times = KeyTimes::uniform(head.rate, head.rows as usize).ok()?;
        Some(Self {
            compose: Compose::new(&head, skeleton, &order),
            id: stream.hash(),
            head,
            order,
            stream,
            times,
        })
    }

    pub(crate) fn into_owned(self) -> Rows<'static> {
        Rows {
            head: self.head,
            order: self.order,
            stream: match self.stream {
                Stream::Small(rows) => Stream::Small(SmallRows {
                    words: Cow::Owned(rows.words.into_owned()),
                    starts: Cow::Owned(rows.starts.into_owned()),
                    ..rows
                }),
                Stream::Fast(rows) => Stream::Fast(FastRows {
                    words: Cow::Owned(rows.words.into_owned()),
                    ..rows
                }),
            },
            compose: self.compose,
            times: self.times,
            id: self.id,
        }
    }
}

impl Stream<'_> {
    fn hash(&self) -> u64 {
        let words = match self {
            Self::Small(rows) => &rows.words[..],
            Self::Fast(rows) => bytemuck::cast_slice(&rows.words),
        };
        // FNV-1a, a word at a time.
        words
            .iter()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, &word| {
                (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3)
            })
    }
}
