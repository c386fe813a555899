//! Head and ears.

use super::canvas::{Canvas, Fill, OUTLINE, Part};
use super::palette::*;
use super::shape::{Knot, Shape, c, s};

/// The head about the neck joint, in three-quarter view to the right.
pub(super) fn head() -> Part {
    let mut art = Canvas::new("head", [-154, -206, 158, 34]);
    let skull = Shape::closed(&[
        s(-2.0, -198.0),
        s(62.0, -189.0),
        s(111.0, -152.0),
        s(133.0, -98.0),
        c(150.0, -60.0),
        s(135.0, -46.0),
        c(139.0, -17.0),
        s(110.0, -2.0),
        s(72.0, 19.0),
        s(26.0, 25.0),
        s(-26.0, 19.0),
        s(-68.0, 5.0),
        c(-110.0, 6.0),
        s(-108.0, -15.0),
        c(-141.0, -21.0),
        s(-127.0, -44.0),
        c(-147.0, -68.0),
        s(-127.0, -100.0),
        s(-109.0, -150.0),
        s(-64.0, -189.0),
    ]);
    art.fill(
        &skull,
        Fill::radial((34.0, -150.0), 235.0, &[FUR_LIGHT, FUR, FUR, FUR_SHADE]),
    );

    // The fox's mask: cheeks and muzzle, with a blaze of fur running down to the nose.
    let mask = Shape::closed(&[
        c(-170.0, -70.0),
        s(-128.0, -58.0),
        s(-84.0, -42.0),
        s(-40.0, -40.0),
        s(-2.0, -52.0),
        s(24.0, -78.0),
        s(40.0, -94.0),
        c(54.0, -78.0),
        s(61.0, -50.0),
        c(71.0, -78.0),
        s(84.0, -92.0),
        s(98.0, -74.0),
        s(112.0, -50.0),
        s(128.0, -46.0),
        c(170.0, -66.0),
        c(170.0, 60.0),
        c(-170.0, 60.0),
    ]);
    art.glow(&skull, &mask.moved(0.0, -3.0), FUR_SHADE.alpha(70), 2);
    art.fill_within(
        &skull,
        &mask,
        Fill::vertical(-86.0, 32.0, &[CREAM, CREAM, CREAM, CREAM_SHADE]),
    );

    art.crescent(&skull, 12.0, -14.0, FUR_SHADE.alpha(95), 6);
    art.crescent(&skull, -5.0, 7.0, RIM.alpha(210), 2);
    art.stroke(&skull, OUTLINE, INK);

    // Two strands on the near cheek, drawn with the thin pen.
    for strand in [
        [s(-104.0, -48.0), s(-112.0, -42.0), s(-124.0, -44.0)],
        [s(-88.0, -20.0), s(-95.0, -14.0), s(-106.0, -15.0)],
    ] {
        art.stroke(&Shape::open(&strand), 3.5, INK);
    }
    art.finish()
}

/// The edge of an ear from one side of its root round the tip to the other.
const EAR_EDGE: [Knot; 12] = [
    s(-24.0, 22.0),
    s(-35.0, -2.0),
    s(-46.0, -40.0),
    s(-47.0, -86.0),
    s(-32.0, -132.0),
    s(-4.0, -163.0),
    s(8.0, -162.0),
    s(34.0, -124.0),
    s(47.0, -78.0),
    s(45.0, -34.0),
    s(34.0, 2.0),
    s(24.0, 22.0),
];

/// An ear about its root, pointing straight up; the rig lets the tip flop.
pub(super) fn ear() -> Part {
    let mut art = Canvas::new("ear", [-56, -172, 56, 30]);
    let ear = Shape::closed(&EAR_EDGE);
    art.fill(&ear, Fill::vertical(-160.0, 20.0, &[FUR, FUR, FUR]));
    let tip = Shape::closed(&[
        c(-70.0, -108.0),
        s(-34.0, -106.0),
        c(-20.0, -98.0),
        s(-10.0, -110.0),
        c(2.0, -96.0),
        s(12.0, -110.0),
        c(26.0, -98.0),
        s(40.0, -108.0),
        c(70.0, -108.0),
        c(70.0, -190.0),
        c(-70.0, -190.0),
    ]);
    art.fill_within(
        &ear,
        &tip,
        Fill::vertical(-164.0, -96.0, &[SOCK, SOCK, SOCK_LIGHT]),
    );
    let inner = Shape::closed(&[
        s(-8.0, 12.0),
        s(-24.0, -34.0),
        s(-24.0, -80.0),
        s(-8.0, -124.0),
        s(4.0, -136.0),
        s(18.0, -112.0),
        s(27.0, -74.0),
        s(26.0, -32.0),
        s(14.0, 12.0),
    ]);
    art.fill(
        &inner,
        Fill::vertical(-130.0, 10.0, &[EAR_INNER_SHADE, EAR_INNER, EAR_INNER]),
    );
    art.crescent(&inner, 8.0, 5.0, EAR_INNER_SHADE.alpha(190), 3);
    // A wisp of fur at the root.
    let wisp = Shape::closed(&[
        s(-18.0, 16.0),
        s(-19.0, -14.0),
        c(-7.0, -38.0),
        s(-3.0, -20.0),
        c(8.0, -32.0),
        s(10.0, -12.0),
        c(23.0, -16.0),
        s(19.0, 14.0),
        s(2.0, 26.0),
    ]);
    art.fill_within(
        &ear,
        &wisp,
        Fill::vertical(-34.0, 18.0, &[CREAM, CREAM, FUR]),
    );
    art.crescent(&ear, 8.0, 0.0, FUR_SHADE.alpha(110), 4);
    art.crescent(&ear, -5.0, 1.0, RIM.alpha(190), 1);
    // No line across the root: there the near ear grows out of the head.
    art.stroke(&Shape::open(&EAR_EDGE), OUTLINE, INK);
    art.finish()
}
