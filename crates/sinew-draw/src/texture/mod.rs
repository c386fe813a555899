//! Textures of the rasterizer: premultiplied mip chains, one per rectangle of an atlas.
//!
//! Input: an atlas [`Image`] and a rectangle of it → output: a [`Texture`]. Each rectangle has its own chain, so that
//! neighbours in the atlas never bleed in at any scale. Filtering uses the stored (sRGB) values, as the engines for
//! these characters do.

mod mip;
mod set;

pub use set::{MAX_TEXTURE_PIXELS, TextureSet};

use mip::Mip;
use sinew::glam::UVec2;
use sinew::skelform::Image;

/// Distance to a mip level, in levels, within which that level alone is sampled.
///
/// It keeps a texture drawn at its own size bit-exact although vertices are snapped to a grid.
const LEVEL_SNAP: f32 = 1.0 / 64.0;

/// A rectangle of an atlas with its mip chain.
#[derive(Clone, Debug)]
pub struct Texture {
    /// The size that texture coordinates 0 to 1 span.
    size: UVec2,
    /// `size` over the stored size, per axis: 1 unless the rectangle extends beyond the atlas.
    over_stored: [f64; 2],
    /// From full size to one pixel; at least one level.
    mips: Vec<Mip>,
}

impl Texture {
    /// Cuts a rectangle out of an atlas; returns `None` if no pixel of it lies inside.
    ///
    /// It is transparent beyond the edge of the atlas. Allocates at most four thirds of the part inside, whatever
    /// `size` is.
    pub fn cut(atlas: &Image, offset: UVec2, size: UVec2) -> Option<Self> {
        let inside = clip(atlas, offset, size)?;
        // One transparent pixel represents all outside ones, so that the edge is smooth.
        let stored = (inside + UVec2::ONE).min(size);
        let mut mips = vec![Mip::cut(atlas, offset, inside, stored)];
        while let Some(smaller) = mips.last().and_then(Mip::half_size) {
            mips.push(smaller);
        }
        let over_stored = [
            f64::from(size.x) / f64::from(stored.x),
            f64::from(size.y) / f64::from(stored.y),
        ];
        Some(Self {
            size,
            over_stored,
            mips,
        })
    }

    /// Returns the width and height of the rectangle in pixels of the atlas, as stated by the file.
    pub fn size(&self) -> UVec2 {
        self.size
    }

    /// Returns the colour at texture coordinates, premultiplied, 0 to 1.
    ///
    /// `level` is the base-2 logarithm of texels per pixel; negative values count as 0. Coordinates are clamped to 0 to
    /// 1.
    pub(crate) fn sample(&self, u: f64, v: f64, level: f32) -> [f32; 4] {
        let u = u.clamp(0.0, 1.0) * self.over_stored[0];
        let v = v.clamp(0.0, 1.0) * self.over_stored[1];
        if u > 1.0 || v > 1.0 {
            return [0.0; 4];
        }
        let last = self.mips.len() - 1;
        let level = level.clamp(0.0, last as f32);
        let mut fine = level as usize;
        let mut fraction = level - fine as f32;
        if fraction > 1.0 - LEVEL_SNAP {
            fine += 1;
            fraction = 0.0;
        }
        let mut color = self.mips[fine.min(last)].bilinear(u, v);
        if fraction >= LEVEL_SNAP && fine < last {
            let coarse = self.mips[fine + 1].bilinear(u, v);
            color = core::array::from_fn(|i| color[i] + (coarse[i] - color[i]) * fraction);
        }
        color.map(|c| c / 255.0)
    }
}

/// Returns the size of the part of a rectangle inside the atlas; `None` if it is empty.
fn clip(atlas: &Image, offset: UVec2, size: UVec2) -> Option<UVec2> {
    let x = atlas.width().saturating_sub(offset.x).min(size.x);
    let y = atlas.height().saturating_sub(offset.y).min(size.y);
    (x > 0 && y > 0).then_some(UVec2::new(x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atlas(width: u32, height: u32, color: impl Fn(u32, u32) -> [u8; 4]) -> Image {
        let pixels = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .flat_map(|(x, y)| color(x, y))
            .collect();
        Image::from_pixels(width, height, pixels).expect("the size fits")
    }

    fn bytes(color: [f32; 4]) -> [u8; 4] {
        color.map(|c| (c * 255.0 + 0.5) as u8)
    }

    #[test]
    fn rectangles_without_a_pixel_inside_the_atlas_give_no_texture() {
        let atlas = atlas(4, 4, |_, _| [255; 4]);
        let far = UVec2::splat(u32::MAX);
        for (offset, size) in [
            (UVec2::ZERO, UVec2::ZERO),
            (UVec2::ZERO, UVec2::new(4, 0)),
            (UVec2::new(4, 0), UVec2::ONE),
            (far, far),
        ] {
            assert!(Texture::cut(&atlas, offset, size).is_none());
        }
        assert!(Texture::cut(&Image::new(0, 0), UVec2::ZERO, UVec2::ONE).is_none());
    }

    #[test]
    fn a_rectangle_larger_than_memory_keeps_only_its_part_of_the_atlas() {
        let atlas = atlas(4, 4, |_, _| [255; 4]);
        let texture =
            Texture::cut(&atlas, UVec2::ZERO, UVec2::splat(u32::MAX)).expect("a part is inside");
        assert_eq!(texture.size(), UVec2::splat(u32::MAX));
        assert_eq!(texture.sample(0.5, 0.5, 0.0), [0.0; 4]);
        assert_eq!(texture.sample(0.0, 0.0, 0.0), [1.0; 4]);
    }

    #[test]
    fn a_rectangle_over_the_edge_is_transparent_outside() {
        let atlas = atlas(4, 4, |_, _| [200, 100, 50, 255]);
        let texture =
            Texture::cut(&atlas, UVec2::new(2, 0), UVec2::new(4, 4)).expect("half is inside");
        assert_eq!(bytes(texture.sample(0.125, 0.5, 0.0)), [200, 100, 50, 255]);
        assert_eq!(bytes(texture.sample(0.875, 0.5, 0.0)), [0; 4]);
    }

    #[test]
    fn coordinates_that_are_not_numbers_or_far_away_are_safe() {
        let atlas = atlas(3, 5, |_, _| [255; 4]);
        let texture = Texture::cut(&atlas, UVec2::ZERO, UVec2::new(3, 5)).expect("it is inside");
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300] {
            for level in [f32::NAN, f32::INFINITY, -1.0, 0.5, 99.0] {
                let _ = texture.sample(bad, 0.5, level);
                let _ = texture.sample(0.5, bad, level);
            }
        }
    }

    #[test]
    fn neighbours_in_the_atlas_never_show_at_any_level() {
        let atlas = atlas(30, 30, |x, y| {
            if (10..20).contains(&x) && (10..20).contains(&y) {
                [0, 255, 0, 255]
            } else {
                [255, 0, 0, 255]
            }
        });
        let texture =
            Texture::cut(&atlas, UVec2::splat(10), UVec2::splat(10)).expect("it is inside");
        for level in 0..8 {
            for coordinate in [0.0, 0.03, 0.5, 0.97, 1.0] {
                assert_eq!(
                    bytes(texture.sample(coordinate, 1.0 - coordinate, level as f32 * 0.5)),
                    [0, 255, 0, 255]
                );
            }
        }
    }

    #[test]
    fn texel_centres_at_full_size_are_exact() {
        let atlas = atlas(7, 3, |x, y| [(x * 30) as u8, (y * 80) as u8, 77, 255]);
        let texture = Texture::cut(&atlas, UVec2::ZERO, UVec2::new(7, 3)).expect("it is inside");
        for y in 0..3 {
            for x in 0..7 {
                let (u, v) = ((f64::from(x) + 0.5) / 7.0, (f64::from(y) + 0.5) / 3.0);
                assert_eq!(bytes(texture.sample(u, v, 0.01)), atlas.pixel(x, y));
            }
        }
    }

    #[test]
    fn the_last_level_of_an_odd_size_is_the_average_of_all_pixels() {
        let atlas = atlas(5, 7, |x, y| {
            [if (x + y) % 2 == 0 { 255 } else { 0 }, 40, 0, 255]
        });
        let texture = Texture::cut(&atlas, UVec2::ZERO, UVec2::new(5, 7)).expect("it is inside");
        let [r, g, _, a] = bytes(texture.sample(0.5, 0.5, 99.0));
        let exact = 255.0 * 18.0 / 35.0;
        // One rounding step per level.
        assert!((f64::from(r) - exact).abs() < 2.0, "{r} for {exact}");
        assert_eq!((g, a), (40, 255));
    }

    #[test]
    fn colour_under_transparent_pixels_does_not_leak_into_smaller_levels() {
        let atlas = atlas(2, 2, |x, _| {
            if x == 0 {
                [0, 0, 255, 255]
            } else {
                [255, 0, 0, 0]
            }
        });
        let texture = Texture::cut(&atlas, UVec2::ZERO, UVec2::splat(2)).expect("it is inside");
        assert_eq!(bytes(texture.sample(0.5, 0.5, 1.0)), [0, 0, 128, 128]);
    }
}
