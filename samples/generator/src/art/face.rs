//! Eyes, brows, nose, mouth and cheeks: what expressions are made of.
//!
//! The eyes of one kind share a texture; the far eye is the near one, narrower. All eye textures have
//! one size, and so have all mouths, so that a texture key swaps them in place.

use super::canvas::{Canvas, Fill, Part};
use super::palette::*;
use super::shape::{Shape, c, s};

const EYE_RECT: [i32; 4] = [-33, -42, 33, 42];
const MOUTH_RECT: [i32; 4] = [-34, -12, 34, 44];

/// Every part of the face.
pub(super) fn parts() -> Vec<Part> {
    vec![
        eye_open(),
        eye_half(),
        eye_closed(),
        eye_happy(),
        brow(),
        nose(),
        mouth_neutral(),
        mouth_smile(),
        mouth_open(),
        cheek(),
    ]
}

fn eyeball(art: &mut Canvas, within: &Shape) {
    let eye = Shape::ellipse(0.0, 0.0, 26.4, 34.8);
    art.fill_within(within, &eye, EYE);
    let iris = Shape::ellipse(0.0, 3.6, 21.6, 27.6);
    let colors = [EYE, EYE, EYE_GLOW];
    art.fill_within(within, &iris, Fill::vertical(-26.0, 34.0, &colors));
    let inside = Shape::ellipse(0.0, 0.0, 24.0, 32.4);
    art.glow(
        &inside,
        &Shape::ellipse(0.0, 26.4, 13.2, 6.0),
        GOLD.alpha(170),
        3,
    );
    art.fill_within(within, &Shape::ellipse(0.0, 1.2, 12.0, 16.8), EYE);
    art.fill_within(
        within,
        &Shape::tilted_ellipse(9.0, -13.2, 9.6, 12.0, 21.6),
        WHITE,
    );
    art.fill_within(
        within,
        &Shape::ellipse(-9.6, 14.4, 5.0, 5.8),
        WHITE.alpha(225),
    );
}

fn eye_open() -> Part {
    let mut art = Canvas::new("eye_open", EYE_RECT);
    eyeball(&mut art, &Shape::ellipse(0.0, 0.0, 26.4, 34.8));
    let lash = Shape::open(&[
        s(-26.4, -10.8),
        s(-16.8, -30.0),
        s(0.0, -36.0),
        s(16.8, -30.0),
        s(26.4, -10.8),
    ]);
    art.stroke(&lash, 5.0, INK);
    art.finish()
}

fn eye_half() -> Part {
    let mut art = Canvas::new("eye_half", EYE_RECT);
    let opening = Shape::closed(&[
        s(-26.0, 4.0),
        s(-14.0, -7.0),
        s(0.0, -10.0),
        s(14.0, -7.0),
        s(26.0, 4.0),
        s(18.0, 26.0),
        s(0.0, 35.0),
        s(-18.0, 26.0),
    ]);
    eyeball(&mut art, &opening);
    let lid = [
        s(-28.0, 6.0),
        s(-15.0, -7.0),
        s(0.0, -11.0),
        s(15.0, -7.0),
        s(28.0, 6.0),
    ];
    art.stroke(&Shape::open(&lid), 5.5, INK);
    art.finish()
}

fn eye_closed() -> Part {
    let mut art = Canvas::new("eye_closed", EYE_RECT);
    let lid = Shape::open(&[
        s(-27.6, 9.6),
        s(-15.6, 19.2),
        s(0.0, 22.8),
        s(15.6, 19.2),
        s(27.6, 9.6),
    ]);
    art.stroke(&lid, 6.0, INK);
    art.finish()
}

fn eye_happy() -> Part {
    let mut art = Canvas::new("eye_happy", EYE_RECT);
    let lid = Shape::open(&[
        s(-27.6, 15.6),
        s(-16.8, -1.2),
        s(0.0, -9.6),
        s(16.8, -1.2),
        s(27.6, 15.6),
    ]);
    art.stroke(&lid, 6.5, INK);
    art.finish()
}

fn brow() -> Part {
    let mut art = Canvas::new("brow", [-20, -14, 20, 14]);
    art.fill(&Shape::tilted_ellipse(0.0, 0.0, 15.0, 8.5, -12.0), CREAM);
    art.finish()
}

fn nose() -> Part {
    let mut art = Canvas::new("nose", [-20, -15, 20, 15]);
    let nose = Shape::closed(&[
        s(-13.0, -6.0),
        s(0.0, -10.0),
        s(13.0, -6.0),
        s(10.0, 4.0),
        s(0.0, 10.0),
        s(-10.0, 4.0),
    ]);
    art.fill(&nose, Fill::vertical(-10.0, 10.0, &[SOCK, INK]));
    art.stroke(&nose, 3.0, INK);
    art.fill(
        &Shape::tilted_ellipse(3.0, -5.0, 5.0, 2.4, 8.0),
        WHITE.alpha(210),
    );
    art.finish()
}

fn mouth_neutral() -> Part {
    let mut art = Canvas::new("mouth_neutral", MOUTH_RECT);
    let lips = Shape::open(&[
        s(-16.1, 5.8),
        s(-9.2, 11.5),
        s(-2.3, 9.2),
        c(0.0, 2.3),
        s(2.3, 9.2),
        s(9.2, 11.5),
        s(14.9, 5.8),
    ]);
    art.stroke(&lips, 4.0, INK);
    art.finish()
}

fn mouth_smile() -> Part {
    let mut art = Canvas::new("mouth_smile", MOUTH_RECT);
    let lips = Shape::open(&[
        s(-25.3, 3.4),
        s(-16.1, 13.8),
        s(-4.6, 12.6),
        c(0.0, 3.4),
        s(4.6, 12.6),
        s(14.9, 13.8),
        s(23.0, 3.4),
    ]);
    art.stroke(&lips, 4.2, INK);
    art.stroke(
        &Shape::open(&[s(-29.9, 3.4), s(-25.3, 2.3), s(-21.8, -1.1)]),
        3.6,
        INK,
    );
    art.stroke(
        &Shape::open(&[s(19.5, -1.1), s(23.0, 2.3), s(26.4, 3.4)]),
        3.6,
        INK,
    );
    art.finish()
}

fn mouth_open() -> Part {
    let mut art = Canvas::new("mouth_open", MOUTH_RECT);
    let mouth = Shape::closed(&[
        c(-23.0, 5.8),
        s(-11.5, 10.3),
        c(0.0, 4.6),
        s(11.5, 10.3),
        c(21.8, 5.8),
        s(18.4, 25.3),
        s(0.0, 39.1),
        s(-18.4, 25.3),
    ]);
    art.fill(&mouth, Fill::vertical(4.0, 34.0, &[INK, MOUTH]));
    art.fill_within(&mouth, &Shape::ellipse(1.1, 36.8, 14.9, 13.8), TONGUE);
    art.fill_within(
        &mouth,
        &Shape::closed(&[c(-12.6, 5.8), c(-4.6, 5.8), c(-9.8, 16.1)]),
        WHITE,
    );
    art.fill_within(
        &mouth,
        &Shape::closed(&[c(4.6, 5.8), c(12.6, 5.8), c(9.2, 16.1)]),
        WHITE,
    );
    art.stroke(&mouth, 4.0, INK);
    art.finish()
}

fn cheek() -> Part {
    let mut art = Canvas::new("cheek", [-28, -18, 28, 18]);
    let everywhere = Shape::ellipse(0.0, 0.0, 40.0, 40.0);
    art.glow(
        &everywhere,
        &Shape::ellipse(0.0, 0.0, 17.0, 9.0),
        BLUSH.alpha(220),
        3,
    );
    art.finish()
}
