//! What Pip wears: the everyday outfit and the winter one.
//!
//! A garment that both outfits have is drawn on the same rectangle, since the rig's meshes and pivots
//! are shared.

use super::body::{ARM_RECT, arm_shape, finish_limb};
use super::canvas::{Canvas, Fill, OUTLINE, Part, Rgba};
use super::palette::*;
use super::shape::{Knot, Shape, c, s};

const BOOT_RECT: [i32; 4] = [-36, -36, 68, 36];
const CAPE_RECT: [i32; 4] = [-92, -18, 60, 160];
const COLLAR_RECT: [i32; 4] = [-72, -34, 84, 62];
const SPROUT_RECT: [i32; 4] = [-46, -100, 46, 12];

/// The three tones of a cloth.
struct Cloth {
    base: Rgba,
    light: Rgba,
    shade: Rgba,
}

const TEAL_CLOTH: Cloth = Cloth {
    base: TEAL,
    light: TEAL_LIGHT,
    shade: TEAL_SHADE,
};
const BERRY_CLOTH: Cloth = Cloth {
    base: BERRY,
    light: BERRY_LIGHT,
    shade: BERRY_SHADE,
};
const WOOL_CLOTH: Cloth = Cloth {
    base: WOOL,
    light: WHITE,
    shade: WOOL_SHADE,
};

/// A boot about the ankle; its sole is 26 below.
pub(super) fn boot() -> Part {
    boot_with(
        "boot",
        [LEATHER_LIGHT, LEATHER, LEATHER_SHADE],
        [CREAM, CREAM_SHADE],
        LEATHER_SHADE,
    )
}

/// A lined winter boot.
pub(super) fn winter_boot() -> Part {
    boot_with(
        "boot",
        [PINE_LIGHT, PINE, PINE_SHADE],
        [WOOL, WOOL_SHADE],
        PINE_SHADE,
    )
}

fn boot_with(name: &'static str, upper: [Rgba; 3], cuff: [Rgba; 2], sole: Rgba) -> Part {
    let mut art = Canvas::new(name, BOOT_RECT);
    let boot = Shape::closed(&[
        s(-20.0, -20.0),
        s(19.0, -20.0),
        s(26.0, -9.0),
        s(46.0, -4.0),
        s(60.0, 12.0),
        s(56.0, 26.0),
        s(12.0, 28.0),
        s(-25.0, 26.0),
        s(-29.0, 6.0),
    ]);
    art.fill(&boot, Fill::vertical(-20.0, 28.0, &upper));
    let ground = Shape::closed(&[c(-60.0, 19.0), c(80.0, 19.0), c(80.0, 50.0), c(-60.0, 50.0)]);
    art.fill_within(&boot, &ground, sole);
    art.crescent(&boot, 6.0, -5.0, sole.alpha(150), 3);
    art.glow(
        &boot,
        &Shape::tilted_ellipse(45.0, 5.0, 9.0, 4.0, 30.0),
        RIM.alpha(160),
        2,
    );
    art.stroke(&boot, OUTLINE, INK);
    let fold = Shape::pill(-1.0, -20.0, 28.0, 11.0, 0.0);
    art.fill(&fold, Fill::vertical(-30.0, -8.0, &cuff));
    art.crescent(&fold, 4.0, -4.0, cuff[1], 2);
    art.stroke(&fold, 4.5, INK);
    art.finish()
}

/// The cape about the nape, hanging straight down behind the back.
pub(super) fn cape() -> Part {
    let mut art = cape_with(&TEAL_CLOTH);
    let hem = [
        s(-86.0, 128.0),
        s(-54.0, 134.0),
        s(-14.0, 132.0),
        s(22.0, 136.0),
        s(52.0, 128.0),
    ];
    art.stroke_within(&cape_shape(), &Shape::open(&hem), 5.0, GOLD);
    art.stroke(&cape_shape(), OUTLINE, INK);
    art.finish()
}

/// The winter cape, hemmed with fleece.
pub(super) fn winter_cape() -> Part {
    let mut art = cape_with(&BERRY_CLOTH);
    for (x, y) in [
        (-22.0, 40.0),
        (16.0, 64.0),
        (-44.0, 84.0),
        (-8.0, 100.0),
        (30.0, 108.0),
    ] {
        snowflake(&mut art, x, y);
    }
    let hem = [
        s(-94.0, 138.0),
        s(-54.0, 144.0),
        s(-14.0, 142.0),
        s(22.0, 146.0),
        s(60.0, 138.0),
    ];
    art.stroke_within(&cape_shape(), &Shape::open(&hem), 24.0, WOOL_SHADE);
    let hem = hem.map(|knot| match knot {
        Knot::Smooth(x, y) | Knot::Sharp(x, y) => s(x, y + 3.0),
    });
    art.stroke_within(&cape_shape(), &Shape::open(&hem), 22.0, WOOL);
    art.stroke(&cape_shape(), OUTLINE, INK);
    art.finish()
}

fn cape_shape() -> Shape {
    Shape::closed(&[
        s(-22.0, -12.0),
        s(6.0, -14.0),
        s(26.0, -6.0),
        s(38.0, 50.0),
        s(50.0, 110.0),
        c(54.0, 146.0),
        s(36.0, 148.0),
        s(16.0, 140.0),
        c(0.0, 150.0),
        s(-20.0, 150.0),
        s(-38.0, 140.0),
        c(-52.0, 152.0),
        s(-70.0, 150.0),
        c(-87.0, 138.0),
        s(-70.0, 90.0),
        s(-46.0, 30.0),
    ])
}

fn cape_with(cloth: &Cloth) -> Canvas {
    let mut art = Canvas::new("cape", CAPE_RECT);
    let cape = cape_shape();
    art.fill(
        &cape,
        Fill::linear(
            (30.0, 0.0),
            (-60.0, 150.0),
            &[cloth.shade, cloth.base, cloth.light],
        ),
    );
    // Folds run from the nape to the points of the hem.
    for fold in [
        [
            s(-8.0, 0.0),
            s(-28.0, 60.0),
            s(-44.0, 150.0),
            s(-58.0, 152.0),
            s(-40.0, 60.0),
        ],
        [
            s(6.0, 0.0),
            s(6.0, 70.0),
            s(8.0, 150.0),
            s(-6.0, 152.0),
            s(-6.0, 70.0),
        ],
        [
            s(20.0, 0.0),
            s(34.0, 70.0),
            s(48.0, 150.0),
            s(34.0, 152.0),
            s(24.0, 70.0),
        ],
    ] {
        art.glow(&cape, &Shape::closed(&fold), cloth.shade.alpha(150), 3);
    }
    art.glow(
        &cape,
        &Shape::ellipse(4.0, -6.0, 50.0, 22.0),
        INK.alpha(120),
        7,
    );
    art.crescent(&cape, 5.0, -2.0, cloth.light.alpha(190), 2);
    art
}

fn snowflake(art: &mut Canvas, x: f32, y: f32) {
    let arm = |dx: f32, dy: f32| Shape::open(&[s(x - dx, y - dy), s(x + dx, y + dy)]);
    for (dx, dy) in [(0.0, 6.0), (5.2, 3.0), (5.2, -3.0)] {
        art.stroke_within(&cape_shape(), &arm(dx, dy), 2.2, WOOL.alpha(200));
    }
}

/// The everyday collar about the throat, closed by a golden leaf.
pub(super) fn collar() -> Part {
    let mut art = Canvas::new("collar", COLLAR_RECT);
    let collar = Shape::closed(&[
        s(-56.0, -14.0),
        s(-6.0, -22.0),
        s(46.0, -16.0),
        s(64.0, -2.0),
        s(58.0, 14.0),
        c(40.0, 34.0),
        s(20.0, 20.0),
        s(-22.0, 20.0),
        s(-54.0, 14.0),
        s(-64.0, 0.0),
    ]);
    art.fill(
        &collar,
        Fill::vertical(-20.0, 30.0, &[TEAL_SHADE, TEAL, TEAL_LIGHT]),
    );
    art.crescent(&collar, 4.0, -7.0, TEAL_SHADE.alpha(170), 3);
    art.crescent(&collar, -3.0, 4.0, TEAL_LIGHT.alpha(200), 1);
    let fold = [s(-50.0, 2.0), s(-12.0, 8.0), s(22.0, 6.0)];
    art.stroke(&Shape::open(&fold), 3.5, TEAL_SHADE);
    art.stroke(&collar, OUTLINE, INK);
    let clasp = Shape::closed(&[
        c(38.0, -10.0),
        s(52.0, 2.0),
        s(50.0, 18.0),
        c(42.0, 28.0),
        s(30.0, 18.0),
        s(29.0, 2.0),
    ]);
    art.fill(
        &clasp,
        Fill::linear((50.0, -6.0), (30.0, 24.0), &[GOLD, GOLD_SHADE]),
    );
    art.crescent(&clasp, -3.0, 3.0, WHITE.alpha(170), 1);
    art.stroke(&clasp, 4.0, INK);
    art.stroke(
        &Shape::open(&[s(39.0, -2.0), s(40.0, 8.0), s(41.0, 18.0)]),
        2.6,
        INK,
    );
    art.finish()
}

/// The winter scarf about the throat, with a loose end.
pub(super) fn winter_scarf() -> Part {
    let mut art = Canvas::new("collar", COLLAR_RECT);
    let end = Shape::closed(&[
        s(20.0, 4.0),
        s(48.0, 2.0),
        s(54.0, 30.0),
        c(56.0, 54.0),
        s(40.0, 57.0),
        c(24.0, 54.0),
        s(24.0, 28.0),
    ]);
    knit(
        &mut art,
        &end,
        &WOOL_CLOTH,
        &[(38.0, 28.0, 24.0, 5.0, 0.0), (39.0, 43.0, 24.0, 5.0, 0.0)],
    );
    let wrap = Shape::closed(&[
        s(-58.0, -20.0),
        s(-4.0, -27.0),
        s(52.0, -20.0),
        s(70.0, -3.0),
        s(60.0, 15.0),
        s(10.0, 23.0),
        s(-48.0, 18.0),
        s(-66.0, -1.0),
    ]);
    let stripes = [
        (-44.0, 0.0, 7.0, 40.0, 14.0),
        (-14.0, 0.0, 7.0, 40.0, 6.0),
        (18.0, 0.0, 7.0, 40.0, -6.0),
        (50.0, 0.0, 7.0, 40.0, -16.0),
    ];
    knit(&mut art, &wrap, &WOOL_CLOTH, &stripes);
    art.finish()
}

/// Fills a knitted shape, striped with pine green.
fn knit(art: &mut Canvas, shape: &Shape, cloth: &Cloth, stripes: &[(f32, f32, f32, f32, f32)]) {
    art.fill(shape, cloth.base);
    for &(x, y, rx, ry, tilt) in stripes {
        art.fill_within(shape, &Shape::pill(x, y, rx, ry, tilt), PINE_LIGHT);
    }
    art.crescent(shape, 5.0, -9.0, PINE_SHADE.alpha(120), 4);
    art.crescent(shape, -3.0, 4.0, cloth.light.alpha(190), 1);
    art.stroke(shape, OUTLINE, INK);
}

/// A woolly hat about the neck joint, sitting between the ears.
pub(super) fn winter_hat() -> Part {
    let mut art = Canvas::new("hat", [-104, -262, 124, -124]);
    let cap = Shape::closed(&[
        s(-78.0, -168.0),
        s(-66.0, -214.0),
        s(-20.0, -244.0),
        s(30.0, -248.0),
        s(74.0, -222.0),
        s(92.0, -176.0),
        s(60.0, -160.0),
        s(0.0, -158.0),
    ]);
    art.fill(
        &cap,
        Fill::linear(
            (60.0, -240.0),
            (-60.0, -160.0),
            &[BERRY_LIGHT, BERRY, BERRY_SHADE],
        ),
    );
    for rib in [
        [s(-20.0, -244.0), s(-44.0, -210.0), s(-50.0, -160.0)],
        [s(2.0, -248.0), s(-8.0, -210.0), s(-12.0, -160.0)],
        [s(24.0, -248.0), s(30.0, -210.0), s(30.0, -160.0)],
        [s(46.0, -242.0), s(66.0, -210.0), s(70.0, -160.0)],
    ] {
        art.stroke_within(&cap, &Shape::open(&rib), 3.0, BERRY_SHADE.alpha(170));
    }
    art.crescent(&cap, 12.0, -8.0, BERRY_SHADE.alpha(150), 5);
    art.crescent(&cap, -4.0, 5.0, RIM.alpha(120), 2);
    art.stroke(&cap, OUTLINE, INK);

    let brim = Shape::closed(&[
        s(-92.0, -160.0),
        s(-80.0, -180.0),
        s(-30.0, -188.0),
        s(40.0, -190.0),
        s(98.0, -182.0),
        s(110.0, -162.0),
        s(98.0, -148.0),
        s(40.0, -156.0),
        s(-30.0, -154.0),
        s(-78.0, -142.0),
    ]);
    art.fill(
        &brim,
        Fill::vertical(-188.0, -146.0, &[WHITE, WOOL, WOOL_SHADE]),
    );
    for i in 0..11 {
        let x = -80.0 + 17.5 * i as f32;
        let rib = [s(x + 2.0, -186.0), s(x, -168.0), s(x, -146.0)];
        art.stroke_within(&brim, &Shape::open(&rib), 2.6, WOOL_SHADE);
    }
    art.crescent(&brim, 4.0, -8.0, WOOL_SHADE.alpha(200), 3);
    art.stroke(&brim, OUTLINE, INK);
    art.finish()
}

/// The sprout on the head, about its root, standing straight up: Pip is the word for a seed.
pub(super) fn sprout() -> Part {
    let mut art = Canvas::new("sprout", SPROUT_RECT);
    let stem = Shape::open(&[s(0.0, 8.0), s(-2.0, -20.0), s(0.0, -48.0)]);
    art.stroke(&stem, 13.0, INK);
    art.stroke(&stem, 5.0, LEAF_SHADE);
    let left = Shape::closed(&[
        c(-1.0, -44.0),
        s(-20.0, -46.0),
        s(-38.0, -62.0),
        c(-42.0, -82.0),
        s(-20.0, -80.0),
        s(-4.0, -66.0),
    ]);
    let right = Shape::closed(&[
        c(1.0, -46.0),
        s(2.0, -70.0),
        s(16.0, -90.0),
        c(40.0, -96.0),
        s(42.0, -74.0),
        s(26.0, -52.0),
    ]);
    for (leaf, vein) in [
        (left, [s(-8.0, -52.0), s(-20.0, -62.0), s(-32.0, -73.0)]),
        (right, [s(8.0, -56.0), s(18.0, -70.0), s(30.0, -84.0)]),
    ] {
        art.fill(&leaf, Fill::vertical(-94.0, -44.0, &[LEAF_LIGHT, LEAF]));
        art.crescent(&leaf, 3.0, -7.0, LEAF_SHADE.alpha(170), 3);
        art.crescent(&leaf, -2.0, 4.0, WHITE.alpha(110), 1);
        art.stroke(&Shape::open(&vein), 2.6, LEAF_SHADE);
        art.stroke(&leaf, 4.5, INK);
    }
    art.finish()
}

/// In winter the sprout sleeps under the hat; a pompom bobs in its place.
pub(super) fn pompom() -> Part {
    let mut art = Canvas::new("sprout", SPROUT_RECT);
    let mut knots = Vec::new();
    for i in 0..12 {
        let angle = i as f32 * core::f32::consts::TAU / 12.0;
        let point = |radius: f32, turn: f32| {
            (
                libm::sinf(angle + turn) * radius,
                -64.0 - libm::cosf(angle + turn) * radius,
            )
        };
        let (x, y) = point(33.0, 0.0);
        knots.push(s(x, y));
        let (x, y) = point(28.0, core::f32::consts::TAU / 24.0);
        knots.push(c(x, y));
    }
    let ball = Shape::closed(&knots);
    art.fill(
        &ball,
        Fill::radial((8.0, -76.0), 46.0, &[WHITE, WOOL, WOOL_SHADE]),
    );
    art.crescent(&ball, 6.0, -8.0, WOOL_SHADE.alpha(200), 3);
    art.stroke(&ball, OUTLINE, INK);
    for tuft in [
        [s(-14.0, -70.0), s(-9.0, -66.0), s(-7.0, -60.0)],
        [s(6.0, -58.0), s(10.0, -54.0), s(11.0, -48.0)],
        [s(6.0, -80.0), s(11.0, -77.0), s(13.0, -72.0)],
    ] {
        art.stroke(&Shape::open(&tuft), 3.0, WOOL_SHADE);
    }
    art.finish()
}

/// An arm in a mitten.
pub(super) fn winter_arm() -> Part {
    let mut art = Canvas::new("arm", ARM_RECT);
    let arm = arm_shape();
    art.fill(&arm, Fill::vertical(-16.0, 60.0, &[FUR, FUR_LIGHT]));
    let mitten = Shape::closed(&[
        c(-40.0, 56.0),
        c(40.0, 56.0),
        c(40.0, 120.0),
        c(-40.0, 120.0),
    ]);
    art.fill_within(
        &arm,
        &mitten,
        Fill::vertical(56.0, 98.0, &[BERRY_LIGHT, BERRY]),
    );
    finish_limb(&mut art, &arm, BERRY_SHADE);
    let cuff = Shape::pill(0.0, 55.0, 20.0, 7.0, 0.0);
    art.fill(&cuff, Fill::vertical(48.0, 62.0, &[WOOL, WOOL_SHADE]));
    art.stroke(&cuff, 4.0, INK);
    art.finish()
}
