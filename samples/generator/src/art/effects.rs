//! What is not Pip: the shadow on the ground, sparkles and dust.

use super::canvas::{Canvas, Fill, Part};
use super::palette::*;
use super::shape::{Shape, c, s};

/// Every effect.
pub(super) fn parts() -> Vec<Part> {
    vec![shadow(), sparkle(), puff()]
}

fn shadow() -> Part {
    let mut art = Canvas::new("shadow", [-120, -20, 120, 20]);
    let everywhere = Shape::ellipse(0.0, 0.0, 300.0, 300.0);
    art.glow(
        &everywhere,
        &Shape::ellipse(0.0, 0.0, 102.0, 8.0),
        INK.alpha(120),
        4,
    );
    art.finish()
}

fn sparkle() -> Part {
    let mut art = Canvas::new("sparkle", [-24, -28, 24, 28]);
    let star = Shape::closed(&[
        c(0.0, -23.0),
        s(5.0, -6.0),
        c(19.0, 0.0),
        s(5.0, 6.0),
        c(0.0, 23.0),
        s(-5.0, 6.0),
        c(-19.0, 0.0),
        s(-5.0, -6.0),
    ]);
    art.stroke(&star, 6.0, INK);
    art.fill(&star, Fill::radial((0.0, 0.0), 22.0, &[WHITE, GOLD]));
    art.finish()
}

fn puff() -> Part {
    let mut art = Canvas::new("puff", [-34, -34, 34, 18]);
    let puff = Shape::closed(&[
        s(-22.0, 8.0),
        c(-28.0, -4.0),
        s(-18.0, -14.0),
        c(-13.0, -14.0),
        s(0.0, -28.0),
        c(13.0, -14.0),
        s(24.0, -10.0),
        c(25.0, 2.0),
        s(18.0, 10.0),
        s(0.0, 12.0),
    ]);
    art.fill(
        &puff,
        Fill::vertical(-26.0, 12.0, &[WHITE, CREAM, CREAM_SHADE]),
    );
    art.stroke(&puff, 4.0, CREAM_SHADE);
    art.finish()
}
