//! A motion as points over time.

use super::procrustes::AlignmentSums;
use super::settings::RegisterError;
use alloc::vec::Vec;
use glam::Vec3;
use sinew::animation::LoopMotion;
use sinew::registration::Motion;
use sinew::sample::Sampler;
use sinew::simd::LANES;

/// Frames before the first and after the last that can be read and are nothing.
pub(super) const PADDING: usize = LANES;

/// Places farther away than this are taken for nonsense, in metres: sums of their squares would not be finite.
const FARTHEST: f32 = 1e9;

/// Positions of all joints of a motion at times, in seconds, moved over the ground by what `looping` says, if anything.
pub(super) fn joint_positions(
    motion: Motion<'_>,
    times: impl Iterator<Item = f64>,
    joints: usize,
    looping: Option<LoopMotion>,
) -> Result<Vec<Vec3>, RegisterError> {
    let animation = motion.animation;
    let mut sampler = Sampler::new(motion.skeleton, animation);
    let mut places = Vec::new();
    for time in times {
        let time = (time as f32).min(animation.length);
        let model = sampler.model_at(time);
        let first = places.len();
        places.extend((0..joints).map(|joint| model.position(joint.into())));
        if let Some(looping) = looping {
            let ground = looping.placement(f64::from(time) / f64::from(animation.length));
            for place in &mut places[first..] {
                let [x, z] = ground.apply([place.x.into(), place.z.into()]);
                *place = Vec3::new(x as f32, place.y, z as f32);
            }
        }
        // Finite, and near enough that sums of their squares are.
        let is_near = |place: &Vec3| place.is_finite() && place.abs().max_element() < FARTHEST;
        if !places[first..].iter().all(is_near) {
            return Err(RegisterError::NotFinite {
                name: animation.name.clone(),
                time,
            });
        }
    }
    Ok(places)
}

/// Where the joints of a motion are, frame by frame.
///
/// Each frame is told apart into the middle of its points over the ground and the points about it, so that
/// what is summed stays small however far the motion goes. Points are multiplied by the root of their weight;
/// weights sum to 1.
pub(crate) struct PointCloud {
    pub(crate) frames: usize,
    pub(super) points: usize,
    /// Where the middle of the whole motion is over the ground; everything else is relative to it.
    pub(crate) origin: [f64; 2],
    /// The roots of the points' weights.
    roots: Vec<f64>,
    /// By frames, then by points: x, y, z about the middle.
    about: Vec<[f32; 3]>,
    /// By points, then by frames, with padding: x, y and z apart.
    pub(super) columns: [Vec<f32>; 3],
    /// The middles over the ground, by frames, with padding: x and z apart.
    pub(super) middles: [Vec<f64>; 2],
    /// For each frame, the weighted squares of its points about the origin; running sums from 0 on.
    pub(super) squares: Vec<f64>,
    /// Running sums of the middles.
    pub(super) sums: [Vec<f64>; 2],
}

impl PointCloud {
    /// The cloud of an animation at a rate. Its poses are moved over the ground by what `looping` says, if anything.
    pub(crate) fn new(
        motion: Motion<'_>,
        rate: f64,
        frames: usize,
        weights: &[f64],
        looping: Option<LoopMotion>,
    ) -> Result<Self, RegisterError> {
        let times = (0..frames).map(|frame| frame as f64 / rate);
        let places = joint_positions(motion, times, weights.len(), looping)?;
        Ok(Self::of_points(&places, weights))
    }

    /// A cloud of given points, frame after frame; one weight for each point of a frame.
    pub(super) fn of_points(places: &[Vec3], weights: &[f64]) -> Self {
        let points = weights.len();
        let frames = places.len() / points.max(1);
        let total: f64 = weights.iter().sum();
        let weights: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        let padded = frames + 2 * PADDING;
        let mut cloud = Self {
            frames,
            points,
            origin: [0.0; 2],
            roots: weights.iter().map(|weight| libm::sqrt(*weight)).collect(),
            about: Vec::with_capacity(frames * points),
            columns: [(); 3].map(|()| alloc::vec![0.0; points * padded]),
            middles: [(); 2].map(|()| alloc::vec![0.0; padded]),
            squares: alloc::vec![0.0; frames + 1],
            sums: [(); 2].map(|()| alloc::vec![0.0; frames + 1]),
        };
        // The middle of the whole motion is at the origin.
        let sum = |axis: usize| {
            let frames = places.chunks_exact(points);
            let each = frames.flat_map(|places| places.iter().zip(&weights));
            each.map(|(place, weight)| weight * f64::from(place[axis]))
                .sum::<f64>()
        };
        let origin = [sum(0), sum(2)].map(|sum| sum / frames.max(1) as f64);
        let roots = cloud.roots.clone();
        cloud.origin = origin;
        for (frame, places) in places.chunks_exact(points).enumerate() {
            let middle = [(0, origin[0]), (2, origin[1])].map(|(axis, origin)| {
                let each = places.iter().zip(&weights);
                each.map(|(place, weight)| weight * (f64::from(place[axis]) - origin))
                    .sum::<f64>()
            });
            let mut square = middle[0] * middle[0] + middle[1] * middle[1];
            for (point, (place, root)) in places.iter().zip(&roots).enumerate() {
                let about = [
                    (root * (f64::from(place.x) - origin[0] - middle[0])) as f32,
                    (root * f64::from(place.y)) as f32,
                    (root * (f64::from(place.z) - origin[1] - middle[1])) as f32,
                ];
                for (column, number) in cloud.columns.iter_mut().zip(about) {
                    column[point * padded + PADDING + frame] = number;
                    square += f64::from(number) * f64::from(number);
                }
                cloud.about.push(about);
            }
            let axes = cloud.middles.iter_mut().zip(&mut cloud.sums);
            for ((middles, sums), middle) in axes.zip(middle) {
                middles[PADDING + frame] = middle;
                sums[frame + 1] = sums[frame] + middle;
            }
            cloud.squares[frame + 1] = cloud.squares[frame] + square;
        }
        cloud
    }

    /// Every so manieth frame of a stretch, both ends included where they are met.
    pub(super) fn stretch(&self, from: usize, to: usize, every: usize) -> Self {
        let kept: Vec<usize> = (from..=to).step_by(every).collect();
        let padded = kept.len() + 2 * PADDING;
        let own = self.frames + 2 * PADDING;
        let mut stretch = Self {
            frames: kept.len(),
            points: self.points,
            origin: self.origin,
            roots: self.roots.clone(),
            about: Vec::with_capacity(kept.len() * self.points),
            columns: [(); 3].map(|()| alloc::vec![0.0; self.points * padded]),
            middles: [(); 2].map(|()| alloc::vec![0.0; padded]),
            squares: alloc::vec![0.0; kept.len() + 1],
            sums: [(); 2].map(|()| alloc::vec![0.0; kept.len() + 1]),
        };
        for (frame, &at) in kept.iter().enumerate() {
            stretch.about.extend_from_slice(self.about(at));
            for (into, column) in stretch.columns.iter_mut().zip(&self.columns) {
                for point in 0..self.points {
                    into[point * padded + PADDING + frame] = column[point * own + PADDING + at];
                }
            }
            for axis in 0..2 {
                let middle = self.middles[axis][PADDING + at];
                stretch.middles[axis][PADDING + frame] = middle;
                stretch.sums[axis][frame + 1] = stretch.sums[axis][frame] + middle;
            }
            let square = self.squares[at + 1] - self.squares[at];
            stretch.squares[frame + 1] = stretch.squares[frame] + square;
        }
        stretch
    }

    /// The cloud at a moment between frames, in frames: straight from one to the next.
    pub(crate) fn between(&self, at: f64, moment: &mut PointCloudFrame) {
        let last = self.frames.saturating_sub(1);
        let at = at.clamp(0.0, last as f64);
        let (from, to) = (at as usize, (at as usize + 1).min(last));
        let ratio = at - from as f64;
        let mix = |a: f64, b: f64| a + (b - a) * ratio;
        let (first, second) = (self.middle(from), self.middle(to));
        moment.middle = [mix(first[0], second[0]), mix(first[1], second[1])];
        moment.about.clear();
        let mut square = 0.0;
        for (a, b) in self.about(from).iter().zip(self.about(to)) {
            let point = [0, 1, 2].map(|axis: usize| mix(f64::from(a[axis]), f64::from(b[axis])));
            square += point[0] * point[0] + point[1] * point[1] + point[2] * point[2];
            moment.about.push(point);
        }
        let [x, z] = moment.middle;
        moment.square = square + x * x + z * z;
    }

    /// How far frames typically are from moments half a frame later, as a mean square in square metres: what is left where
    /// frames of the same motion were sampled at other moments. Of the faster frames, nine of ten are below it.
    pub(super) fn half_step(&self) -> f64 {
        let (mut before, mut after) = (PointCloudFrame::default(), PointCloudFrame::default());
        let mut steps: Vec<f64> = (1..self.frames)
            .map(|frame| {
                self.between(frame as f64 - 1.0, &mut before);
                self.between(frame as f64, &mut after);
                let mut sums = AlignmentSums::default();
                sums.add(&before, &after, 1.0);
                0.25 * sums.distance()
            })
            .collect();
        let most = steps.len() * 9 / 10;
        if steps.is_empty() {
            return 0.0;
        }
        *steps.select_nth_unstable_by(most, f64::total_cmp).1
    }

    /// The size of the body: how far points of a frame are from their centre, as the root of the mean square in metres.
    pub(super) fn size(&self, frame: usize) -> f64 {
        let (mut squares, mut height, mut weight) = (0.0, 0.0, 0.0);
        for (&[x, y, z], root) in self.about(frame).iter().zip(&self.roots) {
            let [x, y, z] = [x, y, z].map(f64::from);
            squares += x * x + y * y + z * z;
            // Points are multiplied by the root of their weight.
            height += y * root;
            weight += root * root;
        }
        // What has one joint has no size of its own.
        libm::sqrt((squares - height * height / weight).max(1e-6))
    }

    /// The points of a frame about its middle.
    pub(super) fn about(&self, frame: usize) -> &[[f32; 3]] {
        &self.about[frame * self.points..(frame + 1) * self.points]
    }

    /// The middle of a frame over the ground.
    pub(super) fn middle(&self, frame: usize) -> [f64; 2] {
        [0, 1].map(|axis: usize| self.middles[axis][PADDING + frame])
    }
}

/// A cloud at a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct PointCloudFrame {
    about: Vec<[f64; 3]>,
    middle: [f64; 2],
    square: f64,
}

impl AlignmentSums {
    /// Adds a pair of moments.
    pub(crate) fn add(&mut self, a: &PointCloudFrame, b: &PointCloudFrame, weight: f64) {
        let (mut cosine, mut sine, mut height) = (0.0, 0.0, 0.0);
        for (p, q) in a.about.iter().zip(&b.about) {
            cosine += p[0] * q[0] + p[2] * q[2];
            sine += p[0] * q[2] - p[2] * q[0];
            height += p[1] * q[1];
        }
        let ([ax, az], [bx, bz]) = (a.middle, b.middle);
        self.weight += weight;
        self.cosine += weight * (cosine + (ax * bx + az * bz));
        self.sine += weight * (sine + (ax * bz - az * bx));
        self.height += weight * height;
        self.squares += weight * (a.square + b.square);
        for axis in 0..2 {
            self.a[axis] += weight * a.middle[axis];
            self.b[axis] += weight * b.middle[axis];
        }
    }
}
