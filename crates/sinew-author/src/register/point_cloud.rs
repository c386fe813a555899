//! A motion as a point cloud per frame: the positions of its joints in model space, weighted.
//!
//! For `procrustes` each frame is split into its weighted centroid over the ground (`f64`) and the points relative to it
//! (`f32`), all relative to the centroid of the whole motion:
//!
//! ```text
//! p = origin + centroid(frame) + centered(point, frame),      columns hold √w · centered
//! ```
//!
//! So sums stay small and precise however far the motion travels. Points are multiplied by the square root of their
//! weight, so that products of points are weighted without a further factor; weights sum to 1. Running sums of centroids and of
//! squares give the sums of any window in constant time. Building a cloud costs one model-space pose per frame.
//! `docs/decisions/2026-11-16-registration.md`, *What single precision does*.

use super::procrustes::AlignmentSums;
use super::settings::RegisterError;
use crate::error::NotFiniteError;
use alloc::vec::Vec;
use glam::Vec3;
use sinew::animation::LoopMotion;
use sinew::registration::Motion;
use sinew::sample::Sampler;
use sinew::simd::LANES;

/// Zero frames before the first and after the last, so that the kernel may read eight frames anywhere.
pub(super) const PADDING: usize = LANES;

/// Positions farther away than this are invalid, in metres, so that sums of their squares stay finite in `f32`.
const MAX_DISTANCE: f32 = 1e9;

/// The positions of all joints of a motion at `times`, in seconds, moved over the ground by `looping`, if there is any.
pub(super) fn joint_positions(
    motion: Motion<'_>,
    times: impl Iterator<Item = f64>,
    joints: usize,
    looping: Option<LoopMotion>,
) -> Result<Vec<Vec3>, RegisterError> {
    let animation = motion.animation;
    let mut sampler = Sampler::new(motion.skeleton, animation);
    let mut positions = Vec::new();
    for time in times {
        let time = (time as f32).min(animation.length);
        let model = sampler.model_at(time);
        let first = positions.len();
        positions.extend((0..joints).map(|joint| model.position(joint.into())));
        if let Some(looping) = looping {
            let ground = looping.placement(f64::from(time) / f64::from(animation.length));
            for position in &mut positions[first..] {
                let [x, z] = ground.apply([position.x.into(), position.z.into()]);
                *position = Vec3::new(x as f32, position.y, z as f32);
            }
        }
        let is_valid =
            |position: &Vec3| position.is_finite() && position.abs().max_element() < MAX_DISTANCE;
        if !positions[first..].iter().all(is_valid) {
            return Err(RegisterError::NotFinite(NotFiniteError {
                name: animation.name.clone(),
                time,
            }));
        }
    }
    Ok(positions)
}

/// The joint positions of a motion, frame by frame.
pub(crate) struct PointCloud {
    pub(crate) frames: usize,
    pub(super) points: usize,
    /// The centroid of the whole motion over the ground; everything else is relative to it.
    pub(crate) origin: [f64; 2],
    /// The square roots of the points' weights.
    roots: Vec<f64>,
    /// By frame, then by point: x, y, z relative to the centroid.
    centered: Vec<[f32; 3]>,
    /// The same by point, then by frame, with padding, as separate x, y and z.
    pub(super) columns: [Vec<f32>; 3],
    /// The centroids over the ground by frame, with padding, as separate x and z.
    pub(super) centroids: [Vec<f64>; 2],
    /// Running sums, from 0 on, of each frame's weighted squares of points relative to the origin.
    pub(super) squares: Vec<f64>,
    /// Running sums of the centroids.
    pub(super) sums: [Vec<f64>; 2],
}

impl PointCloud {
    /// The cloud of an animation at a rate. Its poses are moved over the ground by `looping`, if there is any.
    pub(crate) fn new(
        motion: Motion<'_>,
        rate: f64,
        frames: usize,
        weights: &[f64],
        looping: Option<LoopMotion>,
    ) -> Result<Self, RegisterError> {
        let times = (0..frames).map(|frame| frame as f64 / rate);
        let positions = joint_positions(motion, times, weights.len(), looping)?;
        Ok(Self::of_points(&positions, weights))
    }

    /// A cloud of given positions, frame after frame, with one weight for each point of a frame.
    pub(super) fn of_points(positions: &[Vec3], weights: &[f64]) -> Self {
        let points = weights.len();
        let frames = positions.len() / points.max(1);
        let total: f64 = weights.iter().sum();
        let weights: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        let padded = frames + 2 * PADDING;
        let mut cloud = Self {
            frames,
            points,
            origin: [0.0; 2],
            roots: weights.iter().map(|weight| libm::sqrt(*weight)).collect(),
            centered: Vec::with_capacity(frames * points),
            columns: [(); 3].map(|()| alloc::vec![0.0; points * padded]),
            centroids: [(); 2].map(|()| alloc::vec![0.0; padded]),
            squares: alloc::vec![0.0; frames + 1],
            sums: [(); 2].map(|()| alloc::vec![0.0; frames + 1]),
        };

        let sum = |axis: usize| {
            let frames = positions.chunks_exact(points);
            let weighted = frames.flat_map(|positions| positions.iter().zip(&weights));
            weighted
                .map(|(position, weight)| weight * f64::from(position[axis]))
                .sum::<f64>()
        };
        let origin = [sum(0), sum(2)].map(|sum| sum / frames.max(1) as f64);
        let roots = cloud.roots.clone();
        cloud.origin = origin;
        for (frame, positions) in positions.chunks_exact(points).enumerate() {
            let centroid = [(0, origin[0]), (2, origin[1])].map(|(axis, origin)| {
                let weighted = positions.iter().zip(&weights);
                weighted
                    .map(|(position, weight)| weight * (f64::from(position[axis]) - origin))
                    .sum::<f64>()
            });
            let mut square = centroid[0] * centroid[0] + centroid[1] * centroid[1];
            for (point, (position, root)) in positions.iter().zip(&roots).enumerate() {
                let centered = [
                    (root * (f64::from(position.x) - origin[0] - centroid[0])) as f32,
                    (root * f64::from(position.y)) as f32,
                    (root * (f64::from(position.z) - origin[1] - centroid[1])) as f32,
                ];
                for (column, number) in cloud.columns.iter_mut().zip(centered) {
                    column[point * padded + PADDING + frame] = number;
                    square += f64::from(number) * f64::from(number);
                }
                cloud.centered.push(centered);
            }
            let axes = cloud.centroids.iter_mut().zip(&mut cloud.sums);
            for ((centroids, sums), centroid) in axes.zip(centroid) {
                centroids[PADDING + frame] = centroid;
                sums[frame + 1] = sums[frame] + centroid;
            }
            cloud.squares[frame + 1] = cloud.squares[frame] + square;
        }
        cloud
    }

    /// Every `every`-th frame from `from` to `to`.
    pub(super) fn subsample(&self, from: usize, to: usize, every: usize) -> Self {
        let kept: Vec<usize> = (from..=to).step_by(every).collect();
        let padded = kept.len() + 2 * PADDING;
        let source_padded = self.frames + 2 * PADDING;
        let mut subsample = Self {
            frames: kept.len(),
            points: self.points,
            origin: self.origin,
            roots: self.roots.clone(),
            centered: Vec::with_capacity(kept.len() * self.points),
            columns: [(); 3].map(|()| alloc::vec![0.0; self.points * padded]),
            centroids: [(); 2].map(|()| alloc::vec![0.0; padded]),
            squares: alloc::vec![0.0; kept.len() + 1],
            sums: [(); 2].map(|()| alloc::vec![0.0; kept.len() + 1]),
        };
        for (frame, &source) in kept.iter().enumerate() {
            subsample.centered.extend_from_slice(self.centered(source));
            for (into, column) in subsample.columns.iter_mut().zip(&self.columns) {
                for point in 0..self.points {
                    into[point * padded + PADDING + frame] =
                        column[point * source_padded + PADDING + source];
                }
            }
            for axis in 0..2 {
                let centroid = self.centroids[axis][PADDING + source];
                subsample.centroids[axis][PADDING + frame] = centroid;
                subsample.sums[axis][frame + 1] = subsample.sums[axis][frame] + centroid;
            }
            let square = self.squares[source + 1] - self.squares[source];
            subsample.squares[frame + 1] = subsample.squares[frame] + square;
        }
        subsample
    }

    /// Writes the cloud at a time between frames, in frames, by linear interpolation.
    pub(crate) fn interpolate(&self, time: f64, frame_out: &mut PointCloudFrame) {
        let last = self.frames.saturating_sub(1);
        let time = time.clamp(0.0, last as f64);
        let (from, to) = (time as usize, (time as usize + 1).min(last));
        let ratio = time - from as f64;
        let mix = |a: f64, b: f64| a + (b - a) * ratio;
        let (first, second) = (self.centroid(from), self.centroid(to));
        frame_out.centroid = [mix(first[0], second[0]), mix(first[1], second[1])];
        frame_out.centered.clear();
        let mut square = 0.0;
        for (a, b) in self.centered(from).iter().zip(self.centered(to)) {
            let point = [0, 1, 2].map(|axis: usize| mix(f64::from(a[axis]), f64::from(b[axis])));
            square += point[0] * point[0] + point[1] * point[1] + point[2] * point[2];
            frame_out.centered.push(point);
        }
        let [x, z] = frame_out.centroid;
        frame_out.square = square + x * x + z * z;
    }

    /// The mean square distance of a motion from itself half a frame later, in square metres, at the 90th percentile: what
    /// remains between two samplings of one motion whose frames are out of phase.
    pub(super) fn half_step(&self) -> f64 {
        let (mut before, mut after) = (PointCloudFrame::default(), PointCloudFrame::default());
        let mut steps: Vec<f64> = (1..self.frames)
            .map(|frame| {
                self.interpolate(frame as f64 - 1.0, &mut before);
                self.interpolate(frame as f64, &mut after);
                let mut sums = AlignmentSums::default();
                sums.add(&before, &after, 1.0);
                // Half the distance, so a quarter of its square.
                0.25 * sums.distance()
            })
            .collect();
        let rank = steps.len() * 9 / 10;
        if steps.is_empty() {
            return 0.0;
        }
        *steps.select_nth_unstable_by(rank, f64::total_cmp).1
    }

    /// The size of the body: the root-mean-square distance of the points of a frame from their centroid, in metres.
    pub(super) fn size(&self, frame: usize) -> f64 {
        let (mut squares, mut height, mut weight) = (0.0, 0.0, 0.0);
        for (&[x, y, z], root) in self.centered(frame).iter().zip(&self.roots) {
            let [x, y, z] = [x, y, z].map(f64::from);
            squares += x * x + y * y + z * z;
            // y is already multiplied by the square root of the weight. Heights are not relative to a centroid.
            height += y * root;
            weight += root * root;
        }
        // A skeleton of one joint has no size: 1 mm.
        libm::sqrt((squares - height * height / weight).max(1e-6))
    }

    /// The points of a frame relative to its centroid.
    pub(super) fn centered(&self, frame: usize) -> &[[f32; 3]] {
        &self.centered[frame * self.points..(frame + 1) * self.points]
    }

    /// The centroid of a frame over the ground.
    pub(super) fn centroid(&self, frame: usize) -> [f64; 2] {
        [0, 1].map(|axis: usize| self.centroids[axis][PADDING + frame])
    }
}

/// A cloud at one time.
#[derive(Clone, Debug, Default)]
pub(crate) struct PointCloudFrame {
    centered: Vec<[f64; 3]>,
    centroid: [f64; 2],
    square: f64,
}

impl AlignmentSums {
    /// Adds a pair of frames.
    pub(crate) fn add(&mut self, a: &PointCloudFrame, b: &PointCloudFrame, weight: f64) {
        let (mut cosine, mut sine, mut height) = (0.0, 0.0, 0.0);
        for (p, q) in a.centered.iter().zip(&b.centered) {
            cosine += p[0] * q[0] + p[2] * q[2];
            sine += p[0] * q[2] - p[2] * q[0];
            height += p[1] * q[1];
        }
        let ([ax, az], [bx, bz]) = (a.centroid, b.centroid);
        self.weight += weight;
        self.cosine += weight * (cosine + (ax * bx + az * bz));
        self.sine += weight * (sine + (ax * bz - az * bx));
        self.height += weight * height;
        self.squares += weight * (a.square + b.square);
        for axis in 0..2 {
            self.a[axis] += weight * a.centroid[axis];
            self.b[axis] += weight * b.centroid[axis];
        }
    }
}
