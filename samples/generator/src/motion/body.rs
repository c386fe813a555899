//! A posture, told by what an animator thinks of: where pelvis and feet are, how chest and head are
//! turned, how the arms hang. [`Figure::solve`] finds the angles of the joints.

use super::figure::{
    ANKLE, ARMS_DOWN, BACK, BALL, Figure, HEEL, HIP, Hand, NECK, SHANK, THIGH, TOE_OUT, UNIT,
};
use super::space::{
    about, about_x, about_y, about_z, acos, angles_xyz, angles_zxy, atan2, from_axes, mirrored,
    product, rotate,
};
use sinew::glam::{DQuat, DVec3};
use sinew::math::dquat_normalize;

/// How a part of the trunk is turned in the world, in degrees.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attitude {
    /// Counter-clockwise from above: to the left.
    pub(super) heading: f64,
    /// Forward.
    pub(super) lean: f64,
    /// The left side up.
    pub(super) list: f64,
}

impl Attitude {
    pub(super) fn rotation(self) -> DQuat {
        product([
            about_y(self.heading),
            about_x(self.lean),
            about_z(self.list),
        ])
    }
}

/// Where a foot is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Foot {
    /// The ankle.
    pub(super) ankle: DVec3,
    /// Where it points, counter-clockwise from +z.
    pub(super) heading: f64,
    /// Toes up.
    pub(super) pitch: f64,
    /// The toes bent up against the foot.
    pub(super) bend: f64,
}

fn sole(heading: f64, pitch: f64) -> DQuat {
    product([about_y(heading), about_x(-pitch)])
}

impl Foot {
    /// Flat on the ground with the ankle over `place`.
    pub(super) fn flat(place: DVec3, heading: f64) -> Self {
        Self {
            ankle: DVec3::new(place.x, ANKLE, place.z),
            heading,
            ..Self::default()
        }
    }

    /// Rolled from flat about its heel when `pitch` is above zero; else about its ball, while the toes
    /// stay flat.
    pub(super) fn rolled(self, pitch: f64) -> Self {
        let pivot = if pitch > 0.0 { HEEL } else { BALL };
        let before = rotate(sole(self.heading, 0.0), pivot);
        let after = rotate(sole(self.heading, pitch), pivot);
        Self {
            ankle: self.ankle + before - after,
            pitch,
            bend: (-pitch).max(0.0),
            ..self
        }
    }
}

/// How an arm hangs, in degrees from hanging straight down with the palm inward.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arm {
    /// Forward.
    pub(super) swing: f64,
    /// Away from the body.
    pub(super) spread: f64,
    /// About its own length, inward.
    pub(super) twist: f64,
    pub(super) elbow: f64,
    /// The forearm about its own length: palm back.
    pub(super) pronate: f64,
    /// The hand towards the palm.
    pub(super) wrist: f64,
    /// The hand to the side of the thumb.
    pub(super) tilt: f64,
    /// The fingers.
    pub(super) curl: f64,
    /// The shoulder forward and up.
    pub(super) shoulder: (f64, f64),
}

/// A posture. Attitudes, places and headings are those of the world.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Body {
    pub(super) pelvis: DVec3,
    pub(super) hips: Attitude,
    pub(super) chest: Attitude,
    pub(super) head: Attitude,
    /// Left, right.
    pub(super) feet: [Foot; 2],
    pub(super) arms: [Arm; 2],
}

/// The angles of a frame: for the root and for each bone those of its degrees of freedom.
pub(super) type Row = Vec<Vec<f64>>;

impl Body {
    /// Where a hip joint is.
    pub(super) fn hip(&self, side: Hand) -> DVec3 {
        let offset = match side {
            Hand::Left => HIP,
            Hand::Right => mirrored(HIP),
        };
        self.pelvis + rotate(self.hips.rotation(), offset)
    }
}

impl Figure {
    /// The joint angles of a posture. A foot that is out of reach is reached for with a straight leg.
    pub(super) fn solve(&self, body: &Body) -> Row {
        let mut row: Row = vec![Vec::new(); self.asf.bones.len() + 1];
        let hips = body.hips.rotation();
        let [x, y, z] = angles_zxy(hips);
        let place = body.pelvis * (1.0 / UNIT);
        row[0] = vec![place.x, place.y, place.z, z, x, y];
        let chest = body.chest.rotation();
        self.share(BACK, hips, chest, &mut row);
        self.share(NECK, chest, body.head.rotation(), &mut row);
        for (index, side) in Hand::BOTH.into_iter().enumerate() {
            self.leg(side, hips, body.hip(side), body.feet[index], &mut row);
            self.arm(side, chest, body.arms[index], &mut row);
        }
        row
    }

    /// Lets three bones turn `from` into `to`, each by a third.
    fn share(&self, first: usize, from: DQuat, to: DQuat, row: &mut Row) {
        let whole = dquat_normalize(from.conjugate() * to);
        let whole = if whole.w < 0.0 { -whole } else { whole };
        let axis = whole.xyz();
        let sine = axis.length();
        let third = if sine < 1e-12 {
            DQuat::IDENTITY
        } else {
            about(axis * (1.0 / sine), 2.0 * atan2(sine, whole.w) / 3.0)
        };
        for bone in first..first + 3 {
            row[bone + 1] = self.angles(bone, third).to_vec();
        }
    }

    /// The angles of a bone that turns by a rotation against its parent.
    fn angles(&self, bone: usize, local: DQuat) -> [f64; 3] {
        let axes = self.axes[bone];
        angles_xyz(product([axes.conjugate(), local, axes]))
    }

    /// The leg from a hip joint to a foot.
    ///
    /// The knee bends by what the distance leaves. The ankle can pitch and roll but not turn, so the leg
    /// swivels until the foot points where it should: the knee is over the toes, as it is in people.
    fn leg(&self, side: Hand, hips: DQuat, hip: DVec3, foot: Foot, row: &mut Row) {
        let [femur, tibia, ankle, toes] = [1, 2, 3, 4].map(|bone| side.leg() + bone);
        let reach = foot.ankle - hip;
        let distance = reach.length().min(THIGH + SHANK);
        let inner = (THIGH * THIGH + SHANK * SHANK - distance * distance) / (2.0 * THIGH * SHANK);
        let knee = 180.0 - acos(inner);

        let out = TOE_OUT * side.sign();
        let placed = product([sole(foot.heading, foot.pitch), about_y(-out)]);
        let across = rotate(placed * self.axes[ankle], DVec3::X);
        let line = reach.normalize();
        // A first guess has the hinge of the knee as level as the foot.
        let hinge = (across - line * line.dot(across)).normalize();
        let tilt = {
            let down = DVec3::NEG_Y;
            let end = down * THIGH + rotate(about_x(knee), down) * SHANK;
            atan2(end.z, -end.y)
        };
        // Thigh axes whose straight line from hip to ankle is `line`: upright ones, tilted back.
        let upright = from_axes(hinge, -line);
        let guess = dquat_normalize(upright * about_x(tilt));
        let shank_axes = product([self.axes[tibia].conjugate(), self.axes[ankle]]);
        let ahead = rotate(product([guess, about_x(knee), shank_axes]), DVec3::Z);
        let along = line * line.dot(ahead);
        let off = ahead - along;
        let (a, b, c) = (
            across.dot(off),
            across.dot(line.cross(off)),
            across.dot(along),
        );
        let swivel = nearer_root(a, b, c);
        let thigh = dquat_normalize(about(line, swivel) * guess);

        let femur_turn = product([self.axes[femur].conjugate(), hips.conjugate(), thigh]);
        row[femur + 1] = angles_xyz(femur_turn).to_vec();
        row[tibia + 1] = vec![knee];
        let shank = product([thigh, about_x(knee), self.axes[tibia].conjugate()]);
        let [pitch, _, roll] = self.angles(ankle, product([shank.conjugate(), placed]));
        row[ankle + 1] = vec![pitch, roll];
        row[toes + 1] = vec![-foot.bend];
    }

    fn arm(&self, side: Hand, chest: DQuat, arm: Arm, row: &mut Row) {
        let [collar, upper, elbow, wrist, hand, fingers, thumb] =
            [0, 1, 2, 3, 4, 5, 6].map(|bone| side.arm() + bone);
        let sign = side.sign();
        let (ahead, up) = arm.shoulder;
        row[collar + 1] = vec![-ahead * sign, up * sign];
        let axes = self.axes[collar];
        let turn = product([about_z(up * sign), about_y(-ahead * sign)]);
        let shoulder = product([chest, axes, turn, axes.conjugate()]);
        let world = product([
            chest,
            about_z(arm.spread * sign),
            about_x(-arm.swing),
            about_y(-arm.twist * sign),
            about_z(-(90.0 - ARMS_DOWN) * sign),
        ]);
        row[upper + 1] = self
            .angles(upper, product([shoulder.conjugate(), world]))
            .to_vec();
        row[elbow + 1] = vec![arm.elbow];
        row[wrist + 1] = vec![-arm.pronate * sign];
        row[hand + 1] = vec![arm.wrist, -arm.tilt * sign];
        row[fingers + 1] = vec![arm.curl];
        row[thumb + 1] = vec![0.3 * arm.curl, 0.2 * arm.curl * sign];
    }
}

/// The angle nearest to zero with `a cos + b sin + c = 0`; where there is none, that of the least error.
fn nearer_root(a: f64, b: f64, c: f64) -> f64 {
    let middle = atan2(b, a);
    let spread = acos(-c / libm::sqrt(a * a + b * b));
    let near = |angle: f64| angle - 360.0 * libm::round(angle / 360.0);
    let (first, second) = (near(middle + spread), near(middle - spread));
    if first.abs() < second.abs() {
        first
    } else {
        second
    }
}
