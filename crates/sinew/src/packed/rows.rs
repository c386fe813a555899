//! Rows of quantized components at uniform times.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use super::fast::FastRows;
use super::head::{Head, RotationHead};
use super::pose_assembly::PoseAssembly;
use super::small::SmallRows;
use crate::animation::KeyTimes;
use crate::skeleton::Skeleton;
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// Rows of quantized components at uniform times, with the tables that turn them into poses.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    pub head: Head,
    /// For each component of the stream, its position in the order of the head.
    pub order: Vec<u32>,
    pub stream: Stream<'a>,
    pub assembly: PoseAssembly,
    pub times: KeyTimes,
    /// A hash that identifies the rows to cursors.
    pub id: u64,
}

/// The encoded rows.
#[derive(Clone, Debug)]
pub enum Stream<'a> {
    Small(SmallRows<'a>),
    Fast(FastRows<'a>),
}

impl<'a> Rows<'a> {
    /// Builds the tables for sampling. `order` contains every component once; `head` has as many joints as the
    /// skeleton, a finite positive rate and at least one row.
    pub fn new(
        head: Head,
        order: Vec<u32>,
        stream: Stream<'a>,
        skeleton: &Skeleton,
    ) -> Option<Self> {
        let times = KeyTimes::uniform(head.rate, head.rows as usize).ok()?;
        Some(Self {
            assembly: PoseAssembly::new(&head, skeleton, &order),
            id: hash(&head, &order, &stream),
            head,
            order,
            stream,
            times,
        })
    }

    pub fn into_owned(self) -> Rows<'static> {
        Rows {
            head: self.head,
            order: self.order,
            stream: match self.stream {
                Stream::Small(rows) => Stream::Small(SmallRows {
                    words: Cow::Owned(rows.words.into_owned()),
                    starts: Cow::Owned(rows.starts.into_owned()),
                    ..rows
                }),
                Stream::Fast(rows) => Stream::Fast(rows.into_owned()),
            },
            assembly: self.assembly,
            times: self.times,
            id: self.id,
        }
    }
}

/// Hashes everything that determines a cursor's cached state: the rows of a segment and the slots in use.
fn hash(head: &Head, order: &[u32], stream: &Stream<'_>) -> u64 {
    // FNV-1a, one word at a time.
    fn add(hash: u64, word: u32) -> u64 {
        (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3)
    }
    let components = head.joints.iter().map(|joint| {
        let bits = joint.components().into_iter().zip(0..);
        let turns = matches!(joint.rotation, RotationHead::Mrp { .. });
        let kind = u32::from(turns) << 9;
        bits.fold(kind, |all, (is, at)| all | u32::from(is) << at)
    });
    let hash = components.fold(0xcbf2_9ce4_8422_2325, add);
    let hash = order.iter().copied().fold(hash, add);
    // Equal words are different rows if orders or counts differ.
    match stream {
        Stream::Small(rows) => {
            let [a, b, c] = rows.orders.0;
            let orders = u32::from_le_bytes([a, b, c, 0]);
            let sizes = [rows.components as u32, rows.rows, orders];
            let starts = rows.starts.as_flattened();
            let all = sizes.iter().chain(starts).chain(&*rows.words);
            all.copied().fold(hash, add)
        }
        Stream::Fast(rows) => {
            let hash = [u32::MAX, rows.rows, 0].into_iter().fold(hash, add);
            let words = rows.slices.as_flattened().as_chunks().0.iter();
            words.map(|&word| u32::from_le_bytes(word)).fold(hash, add)
        }
    }
}
