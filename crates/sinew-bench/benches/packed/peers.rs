//! Costs of other libraries, measured separately: ozz-animation 0.16 and the Animation Compression Library (ACL) 2.1 with
//! its development version's sizes, both in C++. Sizes are of the same seven clips, instructions of the first six.

/// A clip, and for precisions of 0.01, 0.1 and 1 cm the bytes and the worst error in cm that ACL makes of it; then
/// the bytes of every fourth frame at 0.01 cm.
pub(crate) struct Clip {
    pub(crate) name: &'static str,
    pub(crate) precisions: [(usize, f32); 3],
    pub(crate) fourth: usize,
}

const fn clip(name: &'static str, precisions: [(usize, f32); 3], fourth: usize) -> Clip {
    Clip {
        name,
        precisions,
        fourth,
    }
}

/// 31 joints at 120 Hz. The first six are of one skeleton.
#[rustfmt::skip]
pub(crate) const CLIPS: [Clip; 7] = [
    clip("attack",   [(17_067, 0.0129), (11_519, 0.142), ( 4_547, 1.21)],  5_510),
    clip("backward", [(70_463, 0.0141), (33_131, 0.153), (14_388, 1.10)], 21_265),
    clip("forward",  [(18_577, 0.0140), (12_603, 0.136), ( 5_169, 1.46)],  5_961),
    clip("idle",     [(71_943, 0.0145), (42_633, 0.148), (13_950, 1.21)], 19_871),
    clip("jump",     [(22_947, 0.0160), (15_503, 0.136), ( 5_927, 1.10)],  7_081),
    clip("run",      [( 9_562, 0.0147), ( 6_939, 0.141), ( 3_193, 1.33)],  3_106),
    clip("131_04",   [(98_892, 0.0144), (62_803, 0.160), (23_242, 1.56)], 29_604),
];

/// Microseconds that ACL takes to compress a frame.
pub(crate) const ACL_MICROSECONDS: f64 = 77.0;

/// Instructions of a stage, for 31 joints.
pub(crate) struct Counts {
    pub(crate) ozz: Option<u64>,
    pub(crate) acl: Option<u64>,
    /// What ours shall not exceed.
    pub(crate) target: Option<u64>,
}

const fn counts(ozz: Option<u64>, acl: Option<u64>, target: Option<u64>) -> Counts {
    Counts { ozz, acl, target }
}

/// In the order of [`STAGES`](crate::stages::STAGES). ozz plays backwards as it plays; at random it was measured
/// with snapshots every quarter of a second.
pub(crate) const STAGE_COUNTS: [Counts; 8] = [
    counts(Some(7_265), Some(8_504), Some(1_700)),
    counts(None, Some(8_504), Some(1_700)),
    counts(Some(14_687), Some(8_504), None),
    counts(Some(7_265), Some(8_504), None),
    counts(Some(14_687), Some(8_504), None),
    counts(Some(1_449), None, None),
    counts(Some(4_007), None, None),
    counts(Some(20_985), None, Some(6_300)),
];

/// How these counts compare with ours.
pub(crate) const COUNTS_LEGEND: &str = "ozz and ACL were counted on the first six clips, as they are usually built. Built for the machine, as our \
     kernels choose at run time, ACL takes 7,393 to sample, ozz 1,106 to blend and 3,029 from local to model.";

/// How many times a sample in order one at random may take.
pub(crate) const RANDOM_TARGET: f64 = 1.1;
