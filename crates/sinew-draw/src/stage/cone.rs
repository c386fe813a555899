//! Ray casting of a tapered bone: silhouette, depth and surface normal.
//!
//! Input: a [`Solid`] and a [`Lens`] → output: for each position in the picture a [`Hit`]. The solid is the hull of two
//! spheres. Within one bone the projection is approximated by parallel rays scaled to the bone's distance, where
//! everything has a closed form: the silhouette is the hull of two discs, and a ray hits the side after one square
//! root. The derivation follows Inigo Quilez's rounded cone (<https://iquilezles.org/articles/intersectors/>), with the
//! ray along an axis and the discriminant factored, which keeps long thin bones exact in `f32`.

use super::body::Solid;
use super::lens::Lens;
use sinew::glam::{Vec2, Vec3};

/// The intersection of a pixel's ray with a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    /// Distance to the silhouette in pixels; negative inside.
    pub(crate) outside: f32,
    /// Distance from the eye along the line of sight, in metres.
    pub(crate) depth: f32,
    /// Surface normal in flipped view space: x right, y down, z *towards* the eye.
    pub(crate) normal: Vec3,
}

/// A solid in pixels. The thicker end comes first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cone {
    from: Vec2,
    /// Unit direction towards the thin end.
    along: Vec2,
    length: f32,
    radius: f32,
    thin_radius: f32,
    /// The distance by which the thin end is nearer to the eye, in pixels.
    rise: f32,
    /// Distance of the thick end, and metres per pixel.
    depth: f32,
    scale: f32,
    per_scale: f32,
    /// Whether only the thick sphere is visible.
    is_ball: bool,
    taper: Taper,
}

/// Values that depend only on the shape.
#[derive(Clone, Copy, Debug, Default)]
struct Taper {
    /// Thick radius minus thin radius.
    shrink: f32,
    /// Tangent of the angle between axis and silhouette.
    tangent: f32,
    /// length² − shrink² and its reciprocal; the same plus rise², with its root and reciprocal.
    flat: f32,
    per_flat: f32,
    full_root: f32,
    per_full: f32,
}

/// A half-open range of rows or columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PixelRange {
    pub(crate) first: usize,
    pub(crate) end: usize,
}

impl Cone {
    /// Projects a solid through a lens; returns `None` if it is behind the eye.
    pub(crate) fn new(solid: &Solid, lens: &Lens) -> Option<Self> {
        let (mut a, mut b) = (lens.view(solid.from), lens.view(solid.to));
        let (mut ra, mut rb) = (solid.from_radius, solid.to_radius);
        if ra < rb {
            (a, b, ra, rb) = (b, a, rb, ra);
        }
        clip(&mut a, &mut ra, b, rb, lens.near)?;
        clip(&mut b, &mut rb, a, ra, lens.near)?;
        let focal = lens.focal;
        // Parallel rays at the distance of the middle, except for the radii, which keep perspective.
        let scale = (a.z + b.z) * 0.5 / focal;
        let (from, to) = (lens.pixel(a), lens.pixel(b));
        let mut radius = ra * focal / a.z;
        let mut thin_radius = rb * focal / b.z;
        let mut rise = (a.z - b.z) / scale;
        let (mut from, mut to, mut depth) = (from, to, a.z);
        if radius < thin_radius {
            (from, to) = (to, from);
            (radius, thin_radius) = (thin_radius, radius);
            (rise, depth) = (-rise, b.z);
        }
        let length = from.distance(to);
        let shrink = radius - thin_radius;
        let mut flat = length * length - shrink * shrink;
        // A ray along the cone's slope hits it at infinity; a small offset avoids that.
        if flat.abs() < 1e-3 {
            flat = 1e-3;
        }
        let full = flat + rise * rise;
        let hidden = flat < 0.0 && (rise <= 0.0 || full <= 0.0);
        let is_ball = length < 1e-3 && rise.abs() < 1e-3 || hidden;
        // A sphere has no direction, but positions are measured along one.
        let along = (to - from).try_normalize().unwrap_or(Vec2::X);
        let cone = Self {
            from,
            along,
            length,
            radius,
            thin_radius,
            rise,
            depth,
            scale,
            per_scale: 1.0 / scale,
            is_ball,
            taper: Taper {
                shrink,
                tangent: if flat > 0.0 {
                    shrink / flat.sqrt()
                } else {
                    0.0
                },
                flat,
                per_flat: 1.0 / flat,
                full_root: full.max(0.0).sqrt(),
                per_full: 1.0 / full.max(1e-9),
            },
        };
        (radius > 0.0 && from.is_finite() && to.is_finite() && rise.is_finite()).then_some(cone)
    }

    /// Returns the hit at (x, y); `None` if it is more than `reach` pixels outside.
    #[inline]
    pub(crate) fn hit(&self, x: f32, y: f32, reach: f32) -> Option<Hit> {
        let (dx, dy) = (x - self.from.x, y - self.from.y);
        let t = dx * self.along.x + dy * self.along.y;
        let s = dy * self.along.x - dx * self.along.y;
        let outside = self.silhouette(s, t);
        if outside > reach {
            return None;
        }
        let (height, center) = self.surface(s, t);
        let axial = center * self.length;
        let radius = self.radius - self.taper.shrink * center;
        let per_radius = 1.0 / radius.max(1e-6);
        let (across, onward) = (s * per_radius, (t - axial) * per_radius);
        Some(Hit {
            outside,
            depth: self.depth - height * self.scale,
            normal: Vec3::new(
                onward * self.along.x - across * self.along.y,
                onward * self.along.y + across * self.along.x,
                (height - center * self.rise) * per_radius,
            ),
        })
    }

    /// Returns the distance to the hull of two discs.
    #[inline]
    fn silhouette(&self, s: f32, t: f32) -> f32 {
        if self.is_ball || self.taper.flat < 0.0 {
            return (s * s + t * t).sqrt() - self.radius;
        }
        // The disc that touches the silhouette at the point nearest to this position.
        let axial = (t - s.abs() * self.taper.tangent).clamp(0.0, self.length);
        let onward = t - axial;
        let radius = self.radius - self.taper.shrink * (axial / self.length.max(1e-6));
        (s * s + onward * onward).sqrt() - radius
    }

    /// Returns the height above the thick end's centre, and the position of the hit sphere between the ends, from 0 for
    /// the thick one to 1.
    #[inline]
    fn surface(&self, s: f32, t: f32) -> (f32, f32) {
        let thick = || (self.radius * self.radius - s * s - t * t).max(0.0).sqrt();
        if self.is_ball {
            return (thick(), 0.0);
        }
        let Taper {
            shrink,
            flat,
            per_flat,
            full_root,
            per_full,
            ..
        } = self.taper;
        let inner = self.length * self.radius - shrink * t;
        let root = (inner * inner - flat * s * s).max(0.0).sqrt() * full_root;
        let offset = t * self.length - shrink * self.radius;
        let height = (self.rise * offset + root) * per_flat;
        let center = (offset + height * self.rise) * per_full;
        if center <= 0.0 {
            (thick(), 0.0)
        } else if center >= 1.0 {
            let onward = t - self.length;
            let thin = self.thin_radius * self.thin_radius - s * s - onward * onward;
            (self.rise + thin.max(0.0).sqrt(), 1.0)
        } else {
            (height, center)
        }
    }

    /// Returns the radius of its thicker end in pixels.
    pub(crate) fn radius(&self) -> f32 {
        self.radius
    }

    /// Returns the pixels per metre at its distance.
    #[inline]
    pub(crate) fn pixels_per_metre(&self) -> f32 {
        self.per_scale
    }

    /// Returns the rows that it touches, with a margin of `reach` pixels, in a picture of `height`.
    pub(crate) fn rows(&self, reach: f32, height: usize) -> PixelRange {
        let to = self.from.y + self.along.y * self.length;
        let low = (self.from.y - self.radius).min(to - self.thin_radius) - reach;
        let high = (self.from.y + self.radius).max(to + self.thin_radius) + reach;
        range(low, high, height)
    }

    /// Returns the columns that it touches in a row.
    pub(crate) fn columns(&self, y: f32, reach: f32, width: usize) -> PixelRange {
        let to = self.from.x + self.along.x * self.length;
        let mut low = (self.from.x - self.radius).min(to - self.thin_radius) - reach;
        let mut high = (self.from.x + self.radius).max(to + self.thin_radius) + reach;
        // It lies between the two lines that touch both of its discs: ±s cos φ + t sin φ <= radius, where sin φ =
        // shrink / length. Each line cuts a row from one side. In f64, because an end may be far outside the picture,
        // where f32 is not accurate to half a pixel.
        if !self.is_ball && self.taper.flat > 1.0 {
            let per_length = 1.0 / f64::from(self.length);
            let sine = f64::from(self.taper.shrink) * per_length;
            let cosine = f64::from(self.taper.flat).sqrt() * per_length;
            let (x, y) = (
                f64::from(self.along.x),
                f64::from(y) - f64::from(self.from.y),
            );
            let along_y = f64::from(self.along.y);
            for side in [cosine, -cosine] {
                let slope = sine * x - side * along_y;
                let room = f64::from(self.radius + reach) + 0.5 - y * (side * x + sine * along_y);
                let bound = f64::from(self.from.x) + room / slope;
                if slope > 0.0 {
                    high = high.min(bound as f32);
                } else if slope < 0.0 {
                    low = low.max(bound as f32);
                }
            }
        }
        range(low, high, width)
    }

    /// Returns a lower bound of its distance from the eye.
    pub(crate) fn nearest(&self) -> f32 {
        // A hundredth of a pixel for rounding errors of the height.
        let height = self.radius.max(self.rise + self.thin_radius);
        self.depth - (height * 1.0001 + 0.01) * self.scale
    }
}

/// Returns the indices whose centres may lie between `low` and `high`, within `0..size`.
pub(crate) fn range(low: f32, high: f32, size: usize) -> PixelRange {
    // Casts saturate; NaN gives 0.
    let first = ((low - 0.5).max(0.0) as usize).min(size);
    let end = ((high + 1.5).max(0.0) as usize).min(size);
    PixelRange {
        first,
        end: end.max(first),
    }
}

/// Moves an end that is nearer than `near` along the solid until it is not; returns `None` if all of it is nearer.
fn clip(end: &mut Vec3, radius: &mut f32, other: Vec3, other_radius: f32, near: f32) -> Option<()> {
    if end.z >= near {
        return Some(());
    }
    if other.z < near {
        return None;
    }
    let fraction = (near - end.z) / (other.z - end.z).max(1e-9);
    *end += (other - *end) * fraction;
    end.z = near;
    *radius += (other_radius - *radius) * fraction;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::body::SolidKind;
    use super::super::camera::Camera;
    use super::*;
    use sinew::skeleton::Side;

    fn lens() -> Lens {
        // Far enough for nearly parallel rays.
        let camera = Camera {
            eye: Vec3::Z * 1000.0,
            target: Vec3::ZERO,
            up: Vec3::Y,
            field_of_view: 0.01,
        };
        Lens::new(&camera, 1000, 1000).expect("it is a camera")
    }

    fn solid(from: [f32; 3], to: [f32; 3], from_radius: f32, to_radius: f32) -> Solid {
        Solid {
            from: Vec3::from(from),
            to: Vec3::from(to),
            from_radius,
            to_radius,
            side: Side::Middle,
            kind: SolidKind::Bone,
        }
    }

    /// Returns the nearest of many spheres between the ends: the reference for the closed form.
    fn by_balls(solid: &Solid, x: f32, y: f32) -> Option<f32> {
        let balls = (0..=4000).filter_map(|i| {
            let fraction = i as f32 / 4000.0;
            let point = solid.from + (solid.to - solid.from) * fraction;
            let radius = solid.from_radius + (solid.to_radius - solid.from_radius) * fraction;
            let rest =
                radius * radius - (x - point.x) * (x - point.x) - (y - point.y) * (y - point.y);
            (rest >= 0.0).then(|| point.z + rest.sqrt())
        });
        balls.reduce(f32::max)
    }

    #[test]
    fn the_closed_form_is_the_hull_of_many_balls() {
        let lens = lens();
        let pixels_per_metre = lens.focal / lens.distance;
        let solids = [
            solid([-1.0, 0.0, 0.0], [1.5, 0.5, 0.0], 0.6, 0.2),
            solid([-1.0, 0.0, 0.0], [1.5, 0.5, 2.0], 0.6, 0.2),
            solid([-1.0, 0.0, 0.0], [1.5, 0.5, -2.0], 0.6, 0.2),
            solid([0.0, 0.0, 0.0], [0.0, 0.0, 2.0], 0.8, 0.3),
            solid([0.0, 0.0, 0.0], [0.1, 0.2, 2.0], 0.8, 0.3),
            solid([0.0, 0.0, 0.0], [0.1, 0.2, -2.0], 0.8, 0.3),
            solid([0.0, -1.0, 0.5], [0.3, 1.0, -0.5], 0.3, 0.3),
            solid([0.0, -1.0, 0.5], [0.3, 1.0, -0.5], 0.1, 0.5),
            solid([0.2, 0.1, 0.0], [0.2, 0.1, 0.0], 0.5, 0.5),
        ];
        for solid in solids {
            let cone = Cone::new(&solid, &lens).expect("it is in view");
            let mut inside = 0;
            for i in 0..2500 {
                let x = (i % 50) as f32 * 0.09 - 2.2;
                let y = (i / 50) as f32 * 0.09 - 2.2;
                let pixel = Vec2::new(500.0 + x * pixels_per_metre, 500.0 - y * pixels_per_metre);
                let hit = cone.hit(pixel.x, pixel.y, 0.0);
                match (hit, by_balls(&solid, x, y)) {
                    (Some(hit), Some(z)) => {
                        inside += 1;
                        let depth = 1000.0 - z;
                        // Silhouettes are steep: a small offset is a large depth difference.
                        let slack = 0.01 + 0.04 / hit.normal.z.max(0.05);
                        assert!(
                            (hit.depth - depth).abs() < slack,
                            "{solid:?} {x} {y} {hit:?}"
                        );
                        assert!((hit.normal.length() - 1.0).abs() < 0.03);
                    }
                    (Some(hit), None) => assert!(hit.outside > -3.0, "{solid:?} {x} {y}"),
                    (None, Some(_)) => {
                        let nearly = cone.hit(pixel.x, pixel.y, 3.0);
                        assert!(nearly.is_some(), "{solid:?} {x} {y}");
                    }
                    (None, None) => {}
                }
            }
            assert!(inside > 40, "{solid:?}");
        }
    }

    #[test]
    fn rows_and_columns_hold_every_place_that_is_hit() {
        let lens = lens();
        let slanted = solid([-2.0, -1.0, 0.0], [2.0, 1.5, 1.0], 0.4, 0.1);
        let cone = Cone::new(&slanted, &lens).expect("it is in view");
        let rows = cone.rows(1.0, 1000);
        for y in 0..1000 {
            let center = y as f32 + 0.5;
            let columns = cone.columns(center, 1.0, 1000);
            for x in 0..1000 {
                if cone.hit(x as f32 + 0.5, center, 1.0).is_some() {
                    assert!((rows.first..rows.end).contains(&y));
                    assert!((columns.first..columns.end).contains(&x));
                }
            }
        }
    }

    #[test]
    fn what_is_behind_the_eye_is_cut_off() {
        let lens = lens();
        let behind = solid([0.0, 0.0, 1500.0], [0.0, 1.0, 1200.0], 0.1, 0.1);
        assert!(Cone::new(&behind, &lens).is_none());
        let through = solid([0.0, 0.0, 1500.0], [0.0, 0.0, 0.0], 0.1, 0.1);
        assert!(Cone::new(&through, &lens).is_some());
    }

    #[test]
    fn solids_without_thickness_are_not_seen() {
        let flat = solid([0.0; 3], [1.0, 0.0, 0.0], 0.0, 0.0);
        assert!(Cone::new(&flat, &lens()).is_none());
    }
}
