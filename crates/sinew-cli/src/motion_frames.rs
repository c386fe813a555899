//! A motion as something to look at: figures, trails, footprints, and a camera that sees them.

use crate::args::{CameraMode, Size, ViewFrom};
use sinew::anatomy::{LimbEnd, Plant, find_legs};
use sinew::anatomy::{pose_bounds, root_motion_joint};
use sinew::glam::Vec3;
use sinew::skeleton::{Side, Sides};
use sinew::{Animation, JointIndex, ModelPose, Sampler, Skeleton};
use sinew_author::contacts::{PlantSettings, find_plants};
use sinew_draw::{Camera, Figure, Footprint, Stage, Trail, ViewAngle, figure_below};

/// Seconds of a joint's way that trail behind it in a film.
const TRAIL_SECONDS: f32 = 1.2;

/// Points of a trail.
const TRAIL_POINTS: usize = 120;

/// Prints of a foot that is planted, from when it is to when it is no more.
const PRINTS: usize = 4;

/// Moments that are looked at to find where a motion goes.
const LOOKS: usize = 90;

/// A way longer than this many times the figure's height is followed.
const LONG_WAY: f32 = 2.2;

/// Empty pixels about what is drawn; less in small pictures.
const MARGIN: f32 = 16.0;

/// A motion that is looked at.
pub(crate) struct Scene<'a> {
    skeleton: &'a Skeleton,
    animation: &'a Animation,
    /// The joint that carries the root motion.
    root: JointIndex,
    sides: Sides,
    /// What leaves a trail.
    trails: Vec<JointIndex>,
    /// Feet that stand, and where they leave prints, moment by moment.
    planted: Vec<Planted>,
    ground: f32,
    /// Where the figure goes, or looks when it stays.
    forward: Vec3,
    /// Where the root motion joint is, evenly over the motion.
    way: Vec<Vec3>,
    /// Height of the figure, about.
    height: f32,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(skeleton: &'a Skeleton, animation: &'a Animation) -> Self {
        let sides = Sides::of(skeleton);
        let root = root_motion_joint(skeleton, animation);
        let mut sampler = Sampler::new(skeleton, animation);
        let (mut lows, mut way) = (Vec::new(), Vec::new());
        let (mut height, mut lateral) = (0.0f32, Vec3::ZERO);
        for look in 0..LOOKS {
            let time = animation.length * look as f32 / (LOOKS - 1) as f32;
            let model = sampler.model_at(time);
            let (low, high) = reach(skeleton, model, root);
            lows.push(low);
            height = height.max(high - low);
            way.push(model.position(root));
            lateral += across(skeleton, &sides, model);
        }
        lows.sort_by(f32::total_cmp);
        let travel = level(way[LOOKS - 1] - way[0]);
        // A figure that goes somewhere is seen along its way, any other as it stands.
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
            planted: Vec::new(),
            // The lowest of all may be a fault of the capture.
            ground: lows[LOOKS / 20],
            forward,
            way,
            height: height.max(1e-3),
        }
    }

    /// Lets these joints leave trails; without names, hands and feet.
    pub(crate) fn with_trails(mut self, joints: Vec<JointIndex>) -> Self {
        self.trails = joints;
        self
    }

    /// Marks where feet stand.
    pub(crate) fn with_footprints(self) -> Self {
        let plants = find_plants(self.skeleton, self.animation, &PlantSettings::default());
        self.with_prints(&plants, 1)
    }

    /// Marks where feet are while they are planted: several prints for each, so that one that slides is smeared.
    pub(crate) fn with_plants(self, plants: &[Plant]) -> Self {
        self.with_prints(plants, PRINTS)
    }

    /// Marks where feet are planted with so many prints each, evenly over the time; one is half-way through.
    fn with_prints(mut self, plants: &[Plant], prints: usize) -> Self {
        let mut sampler = Sampler::new(self.skeleton, self.animation);
        for leg in find_legs(self.skeleton) {
            // The ball stays where it is while the heel rises.
            let ball = leg.ball.map(|ball| ball.joint);
            let of_ball = plants.iter().filter(|plant| Some(plant.joint) == ball);
            let of_ball: Vec<&Plant> = of_ball.filter(|plant| plant.end == LimbEnd::Ball).collect();
            let stands = match of_ball.is_empty() {
                true => plants
                    .iter()
                    .filter(|plant| plant.joint == leg.end)
                    .collect(),
                false => of_ball,
            };
            let length = self.animation.length;
            for span in stands.iter().flat_map(|stand| stand.spans(length)) {
                for print in 0..prints {
                    let part = match prints {
                        1 => 0.5,
                        _ => print as f32 / (prints - 1) as f32,
                    };
                    let time = span.start + (span.end - span.start) * part;
                    let model = sampler.model_at(time);
                    let heel = model.position(leg.end);
                    let ball = leg
                        .ball
                        .map_or(heel, |ball| model.point(ball.joint, ball.offset));
                    let along = level(ball - heel).normalize_or(self.forward.normalize_or(Vec3::Z));
                    // As long as a foot is on such a body, with the ball where balls are.
                    let length = 0.15 * self.height;
                    let back = ball - along * (0.7 * length);
                    self.planted.push(Planted {
                        time: if prints == 1 { span.start } else { time },
                        middle: (span.start + span.end) * 0.5,
                        print: Footprint {
                            at: Vec3::new(back.x, self.ground, back.z),
                            toward: ball + along * (0.3 * length),
                            side: leg.side,
                        },
                    });
                }
            }
        }
        self
    }

    /// All prints of feet that are planted between two moments, or for the most part.
    pub(crate) fn planted(&self, from: f32, to: f32) -> Vec<Footprint> {
        let is_between = |planted: &&Planted| (from..=to).contains(&planted.middle);
        let between = self.planted.iter().filter(is_between);
        between.map(|planted| planted.print).collect()
    }

    /// What hands and feet are called, as far as names and heights tell.
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

    /// One moment of a film.
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

    /// Several moments in one picture, the earlier the fainter.
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

    /// The prints of feet that have stood by a time.
    fn prints(&self, until: f32) -> Vec<Footprint> {
        let planted = self.planted.iter().filter(|planted| planted.time <= until);
        planted.map(|planted| planted.print).collect()
    }

    /// Where the figure goes, or looks when it stays; of length 1.
    pub(crate) fn forward(&self) -> Vec3 {
        self.forward.normalize_or(Vec3::Z)
    }

    /// Whether the way is so long that a camera had better go along.
    fn goes_far(&self) -> bool {
        let far = self.way.iter().map(|at| level(*at - self.way[0]).length());
        far.fold(0.0, f32::max) > LONG_WAY * self.height
    }

    /// Where the camera is at each time of a film, or for the whole of a stage, and how large the picture
    /// is.
    pub(crate) fn shoot(
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
                None => self.goes_far(),
            };
        let mut seen: Vec<Vec3> = Vec::new();
        if let Some(stage) = stage {
            let bones = stage.figures.iter().flat_map(|figure| &figure.bones);
            seen.extend(bones.flat_map(|bone| [bone.from, bone.to]));
            seen.extend(stage.trails.iter().flat_map(|trail| &trail.points));
            if seen.is_empty() {
                seen.extend(
                    stage
                        .footprints
                        .iter()
                        .flat_map(|print| [print.at, print.toward]),
                );
            }
        } else {
            let mut sampler = Sampler::new(self.skeleton, self.animation);
            for look in 0..LOOKS {
                let time = self.animation.length * look as f32 / (LOOKS - 1) as f32;
                let away = if follows {
                    self.followed(time)
                } else {
                    Vec3::ZERO
                };
                let figure = self.figure(sampler.model_at(time));
                let bones = figure.bones.iter();
                seen.extend(bones.flat_map(|bone| [bone.from - away, bone.to - away]));
            }
        }
        // Bones have a thickness, and the ground below is part of the picture.
        let thick = 0.05 * self.height;
        let grown: Vec<Vec3> = seen
            .iter()
            .flat_map(|&at| [at + Vec3::splat(thick), at - Vec3::splat(thick)])
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

    /// The camera at a time of a film.
    pub(crate) fn camera(&self, shot: &CameraSetup, time: f32) -> Camera {
        if shot.follows {
            let target = shot.camera.target + self.followed(time);
            shot.camera.looking_at(target)
        } else {
            shot.camera
        }
    }

    /// What a camera follows: the root's way over the ground, smoothed so that steps do not shake it.
    fn followed(&self, time: f32) -> Vec3 {
        const REACH: usize = 6;
        let last = self.way.len() - 1;
        let at = time / self.animation.length.max(1e-6) * last as f32;
        let from = (at as usize).min(last);
        let mean = |from: usize| {
            let around =
                &self.way[from.saturating_sub(REACH)..(from + REACH + 1).min(self.way.len())];
            around.iter().sum::<Vec3>() / around.len() as f32
        };
        let mixed = mean(from).lerp(mean((from + 1).min(last)), at.fract());
        level(mixed)
    }
}

/// A print of a foot that is planted.
struct Planted {
    time: f32,
    /// Half-way through the time that it is planted.
    middle: f32,
    print: Footprint,
}

/// How a film is seen.
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

/// The lowest and the highest point of a pose.
fn reach(skeleton: &Skeleton, model: &ModelPose, root: JointIndex) -> (f32, f32) {
    let bounds = pose_bounds(skeleton, model, root);
    bounds.map_or((0.0, 0.0), |bounds| (bounds.min.y, bounds.max.y))
}

/// From the right side of a pose to the left.
fn across(skeleton: &Skeleton, sides: &Sides, model: &ModelPose) -> Vec3 {
    let joints = (0..skeleton.len()).map(JointIndex::from);
    let left = joints.filter(|&joint| sides.side(joint) == Side::Left);
    left.map(|joint| model.position(joint) - model.position(sides.partner(joint)))
        .sum()
}

/// The size of a picture that what is seen fits well.
fn pixels(seen: &[Vec3], direction: Vec3, size: Size) -> (u32, u32) {
    let side = match size {
        Size::Exact(width, height) => return (width, height),
        Size::Longer(side) => side,
    };
    let back = direction.normalize_or(Vec3::Z);
    let right = Vec3::Y.cross(back).normalize_or(Vec3::X);
    let up = back.cross(right);
    let extent = |axis: Vec3| {
        let along = seen.iter().map(|at| at.dot(axis)).filter(|a| a.is_finite());
        let (low, high) = along.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), a| {
            (low.min(a), high.max(a))
        });
        (high - low).max(1e-3)
    };
    // Long ways and tall jumps stay pictures that a page has room for.
    let shape = (extent(right) / extent(up)).clamp(0.62, 2.4);
    let other = |ratio: f32| ((side as f32 * ratio).round() as u32).clamp(1, side);
    if shape >= 1.0 {
        (side, other(1.0 / shape))
    } else {
        (other(shape), side)
    }
}
