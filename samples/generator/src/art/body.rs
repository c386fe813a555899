//! Trunk, limbs and tail.

use super::canvas::{Canvas, Fill, OUTLINE, Part, Rgba};
use super::palette::*;
use super::shape::{Shape, c, s};

/// The trunk about the hips, with the strap and pouch of a traveller.
pub(super) fn body() -> Part {
    let mut art = Canvas::new("body", [-80, -128, 84, 46]);
    let body = Shape::closed(&[
        s(-36.0, -112.0),
        s(4.0, -122.0),
        s(42.0, -108.0),
        s(58.0, -66.0),
        s(68.0, -18.0),
        s(56.0, 22.0),
        s(8.0, 38.0),
        s(-46.0, 26.0),
        s(-66.0, -8.0),
        s(-58.0, -60.0),
    ]);
    art.fill(
        &body,
        Fill::linear((40.0, -120.0), (-40.0, 40.0), &[FUR_LIGHT, FUR, FUR_SHADE]),
    );
    let belly = Shape::closed(&[
        s(14.0, -130.0),
        s(2.0, -84.0),
        c(-8.0, -66.0),
        s(0.0, -52.0),
        c(-10.0, -34.0),
        s(2.0, -18.0),
        s(24.0, 18.0),
        s(58.0, 22.0),
        s(90.0, -10.0),
        s(78.0, -90.0),
        s(46.0, -130.0),
    ]);
    art.glow(&body, &belly.moved(-3.0, 2.0), FUR_SHADE.alpha(80), 2);
    art.fill_within(
        &body,
        &belly,
        Fill::vertical(-110.0, 36.0, &[CREAM_SHADE, CREAM, CREAM, CREAM_SHADE]),
    );
    art.crescent(&body, 14.0, -16.0, FUR_SHADE.alpha(130), 6);
    art.crescent(&body, -5.0, 3.0, RIM.alpha(170), 2);
    // The collar and the head throw a shadow.
    art.glow(
        &body,
        &Shape::ellipse(4.0, -118.0, 62.0, 26.0),
        INK.alpha(90),
        7,
    );
    strap(&mut art, &body);
    art.stroke(&body, OUTLINE, INK);
    pouch(&mut art);
    art.finish()
}

fn strap(art: &mut Canvas, body: &Shape) {
    let strap = Shape::closed(&[
        s(44.0, -112.0),
        s(56.0, -100.0),
        s(26.0, -44.0),
        s(-22.0, 2.0),
        s(-34.0, -8.0),
        s(10.0, -56.0),
    ]);
    art.fill_within(
        body,
        &strap,
        Fill::linear((50.0, -100.0), (-30.0, 0.0), &[LEATHER_LIGHT, LEATHER]),
    );
    art.stroke_within(body, &strap, 3.5, INK);
}

fn pouch(art: &mut Canvas) {
    let bag = Shape::closed(&[
        s(-56.0, -12.0),
        s(-32.0, -17.0),
        s(-8.0, -10.0),
        s(-4.0, 10.0),
        s(-10.0, 27.0),
        s(-34.0, 32.0),
        s(-56.0, 26.0),
        s(-62.0, 8.0),
    ]);
    art.fill(
        &bag,
        Fill::vertical(-16.0, 30.0, &[LEATHER_LIGHT, LEATHER, LEATHER_SHADE]),
    );
    art.stroke(&bag, 4.0, INK);
    let flap = Shape::closed(&[
        s(-57.0, -13.0),
        s(-32.0, -18.0),
        s(-7.0, -11.0),
        s(-5.0, 3.0),
        s(-32.0, 13.0),
        s(-60.0, 3.0),
    ]);
    art.fill(
        &flap,
        Fill::vertical(-16.0, 12.0, &[LEATHER_LIGHT, LEATHER]),
    );
    art.crescent(&flap, 0.0, 4.0, RIM.alpha(120), 1);
    art.stroke(&flap, 3.5, INK);
    let button = Shape::ellipse(-32.0, 10.0, 6.0, 6.0);
    art.fill(&button, Fill::vertical(4.0, 16.0, &[GOLD, GOLD_SHADE]));
    art.stroke(&button, 3.0, INK);
}

/// The arm's outline, hanging straight down from the shoulder.
pub(super) fn arm_shape() -> Shape {
    Shape::closed(&[
        s(0.0, -17.0),
        s(15.0, -8.0),
        s(16.0, 14.0),
        s(15.0, 44.0),
        s(20.0, 68.0),
        s(18.0, 88.0),
        s(2.0, 97.0),
        s(-15.0, 90.0),
        s(-20.0, 70.0),
        s(-15.0, 44.0),
        s(-16.0, 14.0),
        s(-15.0, -8.0),
    ])
}

/// Size of the arm's texture about the shoulder; the winter arm has the same.
pub(super) const ARM_RECT: [i32; 4] = [-26, -24, 26, 104];

/// An arm about the shoulder, hanging straight down.
pub(super) fn arm() -> Part {
    let mut art = Canvas::new("arm", ARM_RECT);
    let arm = arm_shape();
    art.fill(&arm, Fill::vertical(-16.0, 60.0, &[FUR, FUR_LIGHT]));
    let paw = Shape::closed(&[
        c(-40.0, 50.0),
        s(-16.0, 52.0),
        c(-8.0, 44.0),
        s(-2.0, 54.0),
        c(5.0, 44.0),
        s(12.0, 54.0),
        c(40.0, 46.0),
        c(40.0, 120.0),
        c(-40.0, 120.0),
    ]);
    art.fill_within(&arm, &paw, Fill::vertical(46.0, 96.0, &[SOCK_LIGHT, SOCK]));
    finish_limb(&mut art, &arm, FUR_SHADE);
    for x in [-5.0, 6.0] {
        art.stroke(&Shape::open(&[s(x, 82.0), s(x + 0.5, 92.0)]), 3.0, INK);
    }
    art.finish()
}

/// Shade, rim light and outline of an arm or leg.
pub(super) fn finish_limb(art: &mut Canvas, limb: &Shape, shade: Rgba) {
    art.crescent(limb, 6.0, -3.0, shade.alpha(140), 3);
    art.crescent(limb, -4.0, 2.0, RIM.alpha(150), 1);
    art.stroke(limb, OUTLINE, INK);
}

/// A leg about the hip, hanging straight down; the boot covers its end.
pub(super) fn leg() -> Part {
    let mut art = Canvas::new("leg", [-30, -26, 30, 114]);
    let leg = Shape::closed(&[
        s(0.0, -20.0),
        s(22.0, -8.0),
        s(24.0, 18.0),
        s(19.0, 52.0),
        s(15.0, 84.0),
        s(12.0, 102.0),
        s(0.0, 108.0),
        s(-12.0, 102.0),
        s(-15.0, 84.0),
        s(-19.0, 52.0),
        s(-24.0, 18.0),
        s(-22.0, -8.0),
    ]);
    art.fill(&leg, Fill::vertical(0.0, 112.0, &[FUR, FUR, FUR_SHADE]));
    finish_limb(&mut art, &leg, FUR_SHADE);
    art.finish()
}

/// The tail, root at the left, tip at the right; the rig bends it upward, so that the lower edge of
/// this drawing is the one that catches the light.
pub(super) fn tail() -> Part {
    let mut art = Canvas::new("tail", [-14, -66, 264, 66]);
    let tail = Shape::closed(&[
        s(-8.0, 0.0),
        s(8.0, -17.0),
        s(50.0, -27.0),
        s(98.0, -46.0),
        s(150.0, -58.0),
        s(192.0, -52.0),
        s(228.0, -30.0),
        c(257.0, 6.0),
        s(232.0, 24.0),
        s(200.0, 46.0),
        s(150.0, 55.0),
        s(98.0, 42.0),
        s(50.0, 24.0),
        s(8.0, 15.0),
    ]);
    art.fill(
        &tail,
        Fill::vertical(-60.0, 60.0, &[FUR_SHADE, FUR, FUR_LIGHT]),
    );
    let tip = Shape::closed(&[
        c(176.0, -90.0),
        s(180.0, -54.0),
        c(160.0, -38.0),
        s(178.0, -26.0),
        c(154.0, -8.0),
        s(176.0, 4.0),
        c(158.0, 22.0),
        s(180.0, 32.0),
        c(172.0, 50.0),
        s(184.0, 70.0),
        c(300.0, 70.0),
        c(300.0, -90.0),
    ]);
    art.glow(&tail, &tip.moved(-4.0, 0.0), FUR_SHADE.alpha(120), 2);
    art.fill_within(
        &tail,
        &tip,
        Fill::vertical(-56.0, 50.0, &[CREAM_SHADE, CREAM, CREAM]),
    );
    art.crescent(&tail, 2.0, 14.0, FUR_SHADE.alpha(150), 6);
    art.crescent(&tail, 0.0, -5.0, RIM.alpha(200), 2);
    art.stroke(&tail, OUTLINE, INK);
    for strand in [
        [s(58.0, 6.0), s(78.0, 14.0), s(94.0, 26.0)],
        [s(88.0, -22.0), s(108.0, -26.0), s(128.0, -24.0)],
    ] {
        art.stroke(&Shape::open(&strand), 3.5, FUR_SHADE);
    }
    art.finish()
}
