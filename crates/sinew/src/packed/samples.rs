//! Samples of quantized components at uniform times: head, stream, and the tables that assemble poses.
//!
//! Everything that can be computed once is computed here, at loading: the cost is linear in joints and components, and
//! in the words of the stream for the hash by which a [`PackedCursor`](super::PackedCursor) recognizes its animation
//! (FNV-1a over 32-bit words: no collision resistance is needed, because a cursor is only a cache).
#![allow(missing_docs, reason = "shared with sinew-author only")]

use super::fast::FastSamples;
use super::head::{Head, RotationHead};
use super::pose_assembly::PoseAssembly;
use super::small::SmallSamples;
use crate::animation::KeyTimes;
use crate::skeleton::Skeleton;
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// Samples of quantized components at uniform times, with the tables that turn them into poses.
#[derive(Clone, Debug)]
pub struct PackedSamples<'a> {
    pub head: Head,
    /// For each component of the stream, its position in the order of the head.
    pub order: Vec<u32>,
    pub stream: Stream<'a>,
    pub assembly: PoseAssembly,
    pub times: KeyTimes,
    /// A hash that identifies the samples to cursors.
    pub id: u64,
}

/// The encoded samples.
#[derive(Clone, Debug)]
pub enum Stream<'a> {
    Small(SmallSamples<'a>),
    Fast(FastSamples<'a>),
}

impl<'a> PackedSamples<'a> {
    /// Builds the tables for sampling. `order` contains every component once; `head` has as many joints as the
    /// skeleton, a finite positive rate and at least one sample.
    pub fn new(
        head: Head,
        order: Vec<u32>,
        stream: Stream<'a>,
        skeleton: &Skeleton,
    ) -> Option<Self> {
        let times = KeyTimes::uniform(head.rate, head.sample_count as usize).ok()?;
        Some(Self {
            assembly: PoseAssembly::new(&head, skeleton, &order),
            id: hash(&head, &order, &stream),
            head,
            order,
            stream,
            times,
        })
    }

    pub fn into_owned(self) -> PackedSamples<'static> {
        PackedSamples {
            head: self.head,
            order: self.order,
            stream: match self.stream {
                Stream::Small(samples) => Stream::Small(SmallSamples {
                    words: Cow::Owned(samples.words.into_owned()),
                    starts: Cow::Owned(samples.starts.into_owned()),
                    ..samples
                }),
                Stream::Fast(samples) => Stream::Fast(samples.into_owned()),
            },
            assembly: self.assembly,
            times: self.times,
            id: self.id,
        }
    }
}

/// Hashes everything that determines a cursor's cached state: the samples of a segment and the slots in use.
fn hash(head: &Head, order: &[u32], stream: &Stream<'_>) -> u64 {
    // FNV-1a, one word at a time.
    fn add(hash: u64, word: u32) -> u64 {
        (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3)
    }
    let components = head.joints.iter().map(|joint| {
        let bits = joint.components().into_iter().zip(0..);
        let turns = matches!(joint.rotation, RotationHead::Mrp { .. });
        let kind = u32::from(turns) << 9;
        bits.fold(kind, |mask, (is_component, bit)| {
            mask | u32::from(is_component) << bit
        })
    });
    let hash = components.fold(0xcbf2_9ce4_8422_2325, add);
    let hash = order.iter().copied().fold(hash, add);
    // Equal words are different samples if orders or counts differ.
    match stream {
        Stream::Small(samples) => {
            let [a, b, c] = samples.orders.0;
            let orders = u32::from_le_bytes([a, b, c, 0]);
            let sizes = [samples.components as u32, samples.sample_count, orders];
            let starts = samples.starts.as_flattened();
            let all = sizes.iter().chain(starts).chain(&*samples.words);
            all.copied().fold(hash, add)
        }
        Stream::Fast(samples) => {
            let hash = [u32::MAX, samples.sample_count, 0]
                .into_iter()
                .fold(hash, add);
            let words = samples.slices.as_flattened().as_chunks().0.iter();
            words.map(|&word| u32::from_le_bytes(word)).fold(hash, add)
        }
    }
}
