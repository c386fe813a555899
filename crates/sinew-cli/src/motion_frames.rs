//! A motion prepared for drawing: figures, trails, footprints, and a camera.

use crate::args::{CameraMode, Size, ViewFrom};
use sinew::anatomy::{LimbEnd, Plant, find_legs};
use sinew::anatomy::{pose_bounds, root_motion_joint};
use sinew::glam::Vec3;
use sinew::skeleton::{Side, Sides};
use sinew::{Animation, JointIndex, ModelPose, Sampler, Skeleton};
use sinew_author::contacts::{PlantSettings, find_plants};
use sinew_draw::{Camera, Figure, Footprint, Stage, Trail, ViewAngle, figure_below};

/// Length of a trail in a sequence, in seconds.
const TRAIL_SECONDS: f32 = 1.2;

/// Points of a trail.
const TRAIL_POINTS: usize = 120;

/// Footprints of a plant, over its duration.
const PRINTS: usize = 4;

/// Samples used to find the direction of travel.
const PATH_SAMPLES: usize = 90;

/// The camera follows a path longer than this many figure heights.
const FOLLOW_LENGTH: f32 = 2.2;

/// Margin around the drawing in pixels; smaller in small pictures.
const MARGIN: f32 = 16.0;

/// A motion to draw.
pub(crate) struct Scene<'a> {
    skeleton: &'a Skeleton,
    animation: &'a Animation,
    /// The joint that carries the root motion.
    root: JointIndex,
    sides: Sides,
    /// The joints that leave trails.
    trails: Vec<JointIndex>,
    /// The footprints of plants, by time.
    plant_footprints: Vec<PlantFootprint>,
    ground: f32,
    /// The direction of travel, or the facing direction if the figure stays in place.
    forward: Vec3,
    /// Positions of the root motion joint, evenly sampled.
    path: Vec<Vec3>,
    /// Approximate height of the figure.
    height: f32,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(skeleton: &'a Skeleton, animation: &'a Animation) -> Self {
        let sides = Sides::of(skeleton);
        let root = root_motion_joint(skeleton, animation);
        let mut sampler = Sampler::new(skeleton, animation);
        let (mut lows, mut path) = (Vec::new(), Vec::new());
        let (mut height, mut lateral) = (0.0f32, Vec3::ZERO);
        for sample in 0..PATH_SAMPLES {
            let time = animation.length * sample as f32 / (PATH_SAMPLES - 1) as f32;
            let model = sampler.model_at(time);
            let (low, high) = vertical_range(skeleton, model, root);
            lows.push(low);
            height = height.max(high - low);
            path.push(model.position(root));
            lateral += lateral_axis(skeleton, &sides, model);
        }
        lows.sort_by(f32::total_cmp);
        let travel = level(path[PATH_SAMPLES - 1] - path[0]);
        // The view is relative to the direction of travel, or to the facing direction of a figure that stays in place.
        let forward = if travel.length() > 0.5 * height {
            travel
        } else {
            level(lateral.cross(Vec3::Y))
        };
        Self {
            skeleton,
            animation,
            root,
            sides,
            trails: Vec::new(),
            plant_footprints: Vec::new(),
            // The lowest samples may be capture errors.
            ground: lows[PATH_SAMPLES / 20],
            forward,
            path,
            height: height.max(1e-3),
        }
    }

    /// Sets the joints that leave trails.
    pub(crate) fn with_trails(mut self, joints: Vec<JointIndex>) -> Self {
        self.trails = joints;
        self
    }

    /// Adds footprints at foot contacts.
    pub(crate) fn with_footprints(self) -> Self {
        let plants = find_plants(self.skeleton, self.animation, &PlantSettings::default());
        self.with_prints(&plants, 1)
    }

    /// Adds several footprints for each plant, so that foot skate shows as a smear.
    pub(crate) fn with_plants(self, plants: &[Plant]) -> Self {
        self.with_prints(plants, PRINTS)
    }

    /// Adds `prints` footprints for each plant, evenly over its duration; a single one is at its middle.
    fn with_prints(mut self, plants: &[Plant], prints: usize) -> Self {
        let mut sampler = Sampler::new(self.skeleton, self.animation);
        for leg in find_legs(self.skeleton) {
            // The ball stays in place while the heel rises.
            let ball = leg.ball.map(|ball| ball.joint);
            let of_ball = plants.iter().filter(|plant| Some(plant.joint) == ball);
            let of_ball: Vec<&Plant> = of_ball.filter(|plant| plant.end == LimbEnd::Ball).collect();
            let leg_plants = match of_ball.is_empty() {
                true => plants
                    .iter()
                    .filter(|plant| plant.joint == leg.end)
                    .collect(),
                false => of_ball,
            };
            let length = self.animation.length;
            for span in leg_plants.iter().flat_map(|plant| plant.spans(length)) {
                for print in 0..prints {
                    let fraction = match prints {
                        1 => 0.5,
                        _ => print as f32 / (prints - 1) as f32,
                    };
                    let time = span.start + (span.end - span.start) * fraction;
                    let model = sampler.model_at(time);
                    let heel = model.position(leg.end);
                    let ball = leg
                        .ball
                        .map_or(heel, |ball| model.point(ball.joint, ball.offset));
                    let along = level(ball - heel).normalize_or(self.forward.normalize_or(Vec3::Z));
                    // The typical length of a foot on such a body, and the typical position of its ball.
                    let length = 0.15 * self.height;
                    let back = ball - along * (0.7 * length);
                    self.plant_footprints.push(PlantFootprint {
                        time: if prints == 1 { span.start } else { time },
                        middle: (span.start + span.end) * 0.5,
                        print: Footprint {
                            heel: Vec3::new(back.x, self.ground, back.z),
                            toe: ball + along * (0.3 * length),
                            side: leg.side,
                        },
                    });
                }
            }
        }
        self
    }

    /// Returns all footprints of feet that are planted between two times, or mostly so.
    pub(crate) fn footprints_between(&self, from: f32, to: f32) -> Vec<Footprint> {
        let is_between = |footprint: &&PlantFootprint| (from..=to).contains(&footprint.middle);
        let between = self.plant_footprints.iter().filter(is_between);
        between.map(|footprint| footprint.print).collect()
    }

    /// Returns the hands and feet, as detected from names and heights.
    pub(crate) fn hands_and_feet(&self) -> Vec<JointIndex> {
        let legs = find_legs(self.skeleton).into_iter();
        let mut joints: Vec<JointIndex> = legs
            .map(|leg| leg.ball.map_or(leg.end, |ball| ball.joint))
            .collect();
        for (index, joint) in self.skeleton.joints().iter().enumerate() {
            let name = joint.name.to_ascii_lowercase();
            if name.ends_with("hand") || name.contains("hand.") || name.contains("hand_") {
                joints.push(index.into());
            }
        }
        joints
    }

    /// Returns the stage at a time.
    pub(crate) fn moment(&self, time: f32) -> Stage {
        let mut sampler = Sampler::new(self.skeleton, self.animation);
        let trails = self.trail_lines((time - TRAIL_SECONDS).max(0.0), time);
        Stage {
            figures: vec![self.figure(sampler.model_at(time))],
            trails,
            footprints: self.prints(time),
            ground: Some(self.ground),
        }
    }

    /// Returns several poses in one picture; earlier ones are fainter.
    pub(crate) fn strobe(&self, moments: u32) -> Stage {
        let mut sampler = Sampler::new(self.skeleton, self.animation);
        let last = moments.saturating_sub(1).max(1) as f32;
        let poses = (0..moments).map(|moment| {
            let time = self.animation.length * moment as f32 / last;
            self.figure(sampler.model_at(time)).bones
        });
        Stage {
            trails: self.trail_lines(0.0, self.animation.length),
            footprints: self.prints(self.animation.length),
            ground: Some(self.ground),
            ..Stage::stroboscopic(poses.collect::<Vec<_>>())
        }
    }

    fn figure(&self, model: &ModelPose) -> Figure {
        figure_below(self.skeleton, &self.sides, model, self.root)
    }

    fn trail_lines(&self, from: f32, to: f32) -> Vec<Trail> {
        if self.trails.is_empty() || to <= from {
            return Vec::new();
        }
        let mut sampler = Sampler::new(self.skeleton, self.animation);
        let mut trails: Vec<Trail> = self
            .trails
            .iter()
            .map(|&joint| Trail {
                points: Vec::with_capacity(TRAIL_POINTS),
                side: self.sides.side(joint),
            })
            .collect();
        for point in 0..TRAIL_POINTS {
            let time = from + (to - from) * point as f32 / (TRAIL_POINTS - 1) as f32;
            let model = sampler.model_at(time);
            for (trail, &joint) in trails.iter_mut().zip(&self.trails) {
                trail.points.push(model.position(joint));
            }
        }
        trails
    }

    /// Returns the footprints up to a time.
    fn prints(&self, until: f32) -> Vec<Footprint> {
        let footprints = self
            .plant_footprints
            .iter()
            .filter(|footprint| footprint.time <= until);
        footprints.map(|footprint| footprint.print).collect()
    }

    /// Returns the unit direction of travel, or the facing direction if the figure stays in place.
    pub(crate) fn forward(&self) -> Vec3 {
        self.forward.normalize_or(Vec3::Z)
    }

    /// Returns whether the path is long enough for a following camera.
    fn has_long_path(&self) -> bool {
        let far = self
            .path
            .iter()
            .map(|point| level(*point - self.path[0]).length());
        far.fold(0.0, f32::max) > FOLLOW_LENGTH * self.height
    }

    /// Returns the camera setup of a sequence or of a single stage, and the size of the picture.
    pub(crate) fn camera_setup(
        &self,
        view: Option<ViewFrom>,
        camera: Option<CameraMode>,
        size: Size,
        stage: Option<&Stage>,
    ) -> CameraSetup {
        let direction = angle(view).direction(self.forward);
        let follows = stage.is_none()
            && match camera {
                Some(camera) => camera == CameraMode::Follow,
                None => self.has_long_path(),
            };
        let mut points: Vec<Vec3> = Vec::new();
        if let Some(stage) = stage {
            let bones = stage.figures.iter().flat_map(|figure| &figure.bones);
            points.extend(bones.flat_map(|bone| [bone.from, bone.to]));
            points.extend(stage.trails.iter().flat_map(|trail| &trail.points));
            if points.is_empty() {
                points.extend(
                    stage
                        .footprints
                        .iter()
                        .flat_map(|print| [print.heel, print.toe]),
                );
            }
        } else {
            let mut sampler = Sampler::new(self.skeleton, self.animation);
            for sample in 0..PATH_SAMPLES {
                let time = self.animation.length * sample as f32 / (PATH_SAMPLES - 1) as f32;
                let away = if follows {
                    self.camera_target(time)
                } else {
                    Vec3::ZERO
                };
                let figure = self.figure(sampler.model_at(time));
                let bones = figure.bones.iter();
                points.extend(bones.flat_map(|bone| [bone.from - away, bone.to - away]));
            }
        }
        // Includes the thickness of bones and the ground below.
        let thick = 0.05 * self.height;
        let grown: Vec<Vec3> = points
            .iter()
            .flat_map(|&point| [point + Vec3::splat(thick), point - Vec3::splat(thick)])
            .collect();
        let (width, height) = pixels(&grown, direction, size);
        let margin = MARGIN.min(width.min(height) as f32 / 24.0);
        CameraSetup {
            camera: Camera::framing_points(grown, direction, width, height, margin),
            width,
            height,
            follows,
        }
    }

    /// Returns the camera at a time of a sequence.
    pub(crate) fn camera(&self, setup: &CameraSetup, time: f32) -> Camera {
        if setup.follows {
            let target = setup.camera.target + self.camera_target(time);
            setup.camera.looking_at(target)
        } else {
            setup.camera
        }
    }

    /// Returns the target of a following camera: the root trajectory on the ground, smoothed to remove the bobbing of
    /// steps.
    fn camera_target(&self, time: f32) -> Vec3 {
        const REACH: usize = 6;
        let last = self.path.len() - 1;
        let position = time / self.animation.length.max(1e-6) * last as f32;
        let from = (position as usize).min(last);
        let mean = |from: usize| {
            let around =
                &self.path[from.saturating_sub(REACH)..(from + REACH + 1).min(self.path.len())];
            around.iter().sum::<Vec3>() / around.len() as f32
        };
        let mixed = mean(from).lerp(mean((from + 1).min(last)), position.fract());
        level(mixed)
    }
}

/// A footprint of a plant.
struct PlantFootprint {
    time: f32,
    /// The middle of the plant, in seconds.
    middle: f32,
    print: Footprint,
}

/// The camera of a sequence of pictures.
pub(crate) struct CameraSetup {
    camera: Camera,
    pub(crate) width: u32,
    pub(crate) height: u32,
    follows: bool,
}

fn angle(view: Option<ViewFrom>) -> ViewAngle {
    match view {
        Some(ViewFrom::Front) => ViewAngle::Front,
        Some(ViewFrom::Side) => ViewAngle::Side,
        Some(ViewFrom::Top) => ViewAngle::Top,
        Some(ViewFrom::ThreeQuarter) | None => ViewAngle::ThreeQuarter,
    }
}

fn level(v: Vec3) -> Vec3 {
    Vec3::new(v.x, 0.0, v.z)
}

/// Returns the lowest and the highest point of a pose.
fn vertical_range(skeleton: &Skeleton, model: &ModelPose, root: JointIndex) -> (f32, f32) {
    let bounds = pose_bounds(skeleton, model, root);
    bounds.map_or((0.0, 0.0), |bounds| (bounds.min.y, bounds.max.y))
}

/// Returns the direction from the right side of a pose to the left.
fn lateral_axis(skeleton: &Skeleton, sides: &Sides, model: &ModelPose) -> Vec3 {
    let joints = (0..skeleton.len()).map(JointIndex::from);
    let left = joints.filter(|&joint| sides.side(joint) == Side::Left);
    left.map(|joint| model.position(joint) - model.position(sides.partner(joint)))
        .sum()
}

/// Returns a picture size that fits the points.
fn pixels(points: &[Vec3], direction: Vec3, size: Size) -> (u32, u32) {
    let side = match size {
        Size::Exact(width, height) => return (width, height),
        Size::Longer(side) => side,
    };
    let back = direction.normalize_or(Vec3::Z);
    let right = Vec3::Y.cross(back).normalize_or(Vec3::X);
    let up = back.cross(right);
    let extent = |axis: Vec3| {
        let along = points
            .iter()
            .map(|point| point.dot(axis))
            .filter(|a| a.is_finite());
        let (low, high) = along.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), a| {
            (low.min(a), high.max(a))
        });
        (high - low).max(1e-3)
    };
    // Limits the aspect ratio for long paths and high jumps.
    let shape = (extent(right) / extent(up)).clamp(0.62, 2.4);
    let other = |ratio: f32| ((side as f32 * ratio).round() as u32).clamp(1, side);
    if shape >= 1.0 {
        (side, other(1.0 / shape))
    } else {
        (other(shape), side)
    }
}
