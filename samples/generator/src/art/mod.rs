//! Pip's textures, drawn by code.
//!
//! Each part is drawn about the bone that will carry it: the joint is (0, 0), x to the right, y down,
//! one unit is one pixel. Parts of bendable chains (ears, limbs, tail, cape, sprout) are drawn straight;
//! the rig bends them.

mod body;
mod canvas;
mod clothes;
mod effects;
mod face;
mod head;
mod palette;
mod shape;

pub(crate) use canvas::Part;

/// The textures of the everyday outfit, and of all that no outfit changes.
pub(crate) fn default_parts() -> Vec<Part> {
    let mut parts = vec![
        head::head(),
        head::ear(),
        body::body(),
        body::arm(),
        body::leg(),
        body::tail(),
        clothes::boot(),
        clothes::cape(),
        clothes::collar(),
        clothes::sprout(),
    ];
    parts.extend(face::parts());
    parts.extend(effects::parts());
    parts
}

/// The textures that the winter outfit brings; what it lacks comes from the everyday one.
pub(crate) fn winter_parts() -> Vec<Part> {
    vec![
        clothes::winter_boot(),
        clothes::winter_cape(),
        clothes::winter_scarf(),
        clothes::winter_hat(),
        clothes::pompom(),
        clothes::winter_arm(),
    ]
}
