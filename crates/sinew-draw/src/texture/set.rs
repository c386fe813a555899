//! All textures of a character.
//!
//! Input: the styles and the decoded atlases → output: a [`TextureSet`] that returns the [`Texture`] of each
//! [`TextureRef`].

use super::{Texture, clip};
use sinew::glam::UVec2;
use sinew::skelform::{Image, StyleData, TextureRef};
use std::collections::HashMap;

/// The largest number of pixels of a set, without mip levels.
///
/// 2²⁶ pixels are four atlases of 4096 × 4096 and take a third of a gigabyte. The rectangles of a well-formed file
/// hardly overlap and stay far below; a hostile file can define a hundred thousand rectangles that each cover the whole
/// atlas.
pub const MAX_TEXTURE_PIXELS: u64 = 1 << 26;

/// One [`Texture`] per texture of every style; equal rectangles are stored once.
#[derive(Clone, Debug, Default)]
pub struct TextureSet {
    textures: Vec<Texture>,
    /// Index in `textures`, per style and texture.
    of_style: Vec<Vec<Option<usize>>>,
    left_out: usize,
}

impl TextureSet {
    /// Cuts every texture out of its atlas. Allocates; call it once per character.
    ///
    /// A texture draws nothing if its atlas is missing (`None` or out of range), if it lies outside the atlas, or if
    /// the set would exceed [`MAX_TEXTURE_PIXELS`].
    pub fn new(styles: &[StyleData], atlases: &[Option<Image>]) -> Self {
        Self::with_limit(styles, atlases, MAX_TEXTURE_PIXELS)
    }

    fn with_limit(styles: &[StyleData], atlases: &[Option<Image>], limit: u64) -> Self {
        let mut set = Self::default();
        let mut known: HashMap<(usize, UVec2, UVec2), Option<usize>> = HashMap::new();
        let mut pixels = 0;
        for style in styles {
            let mut of_textures = Vec::with_capacity(style.textures.len());
            for data in &style.textures {
                let atlas = atlases.get(data.atlas).and_then(Option::as_ref);
                let key = (data.atlas, data.offset, data.size);
                let index = *known.entry(key).or_insert_with(|| {
                    let atlas = atlas?;
                    let size = clip(atlas, data.offset, data.size)?;
                    let more = pixels + u64::from(size.x) * u64::from(size.y);
                    if more > limit {
                        set.left_out += 1;
                        return None;
                    }
                    pixels = more;
                    set.textures
                        .push(Texture::cut(atlas, data.offset, data.size)?);
                    Some(set.textures.len() - 1)
                });
                of_textures.push(index);
            }
            set.of_style.push(of_textures);
        }
        set
    }

    /// Returns the texture, or `None` if there is nothing to draw for it.
    pub fn get(&self, texture: TextureRef) -> Option<&Texture> {
        let of_textures = self.of_style.get(texture.style.index())?;
        let index = (*of_textures.get(texture.texture as usize)?)?;
        self.textures.get(index)
    }

    /// Returns the number of distinct rectangles omitted because of [`MAX_TEXTURE_PIXELS`].
    pub fn left_out(&self) -> usize {
        self.left_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::skelform::{StyleIndex, TextureData};

    fn style(rectangles: &[(usize, [u32; 2], [u32; 2])]) -> StyleData {
        let texture = |&(atlas, offset, size): &(usize, [u32; 2], [u32; 2])| TextureData {
            name: String::new(),
            atlas,
            offset: UVec2::from(offset),
            size: UVec2::from(size),
        };
        StyleData {
            name: String::new(),
            textures: rectangles.iter().map(texture).collect(),
        }
    }

    fn texture_ref(style: u32, texture: u32) -> TextureRef {
        TextureRef {
            style: StyleIndex(style),
            texture,
        }
    }

    #[test]
    fn missing_atlases_and_unknown_references_have_no_texture() {
        let styles = [style(&[(0, [0, 0], [2, 2]), (7, [0, 0], [2, 2])])];
        let set = TextureSet::new(&styles, &[None]);
        for (style, texture) in [(0, 0), (0, 1), (0, 2), (1, 0), (u32::MAX, u32::MAX)] {
            assert!(set.get(texture_ref(style, texture)).is_none());
        }
    }

    #[test]
    fn equal_rectangles_are_held_once() {
        let rectangles = [
            (0, [1, 1], [2, 2]),
            (0, [1, 1], [2, 2]),
            (0, [1, 1], [2, 3]),
        ];
        let set = TextureSet::new(
            &[style(&rectangles), style(&rectangles)],
            &[Some(Image::new(8, 8))],
        );
        assert_eq!(set.textures.len(), 2);
        assert_eq!(
            set.get(texture_ref(1, 2)).map(Texture::size),
            Some(UVec2::new(2, 3))
        );
    }

    #[test]
    fn rectangles_beyond_the_limit_are_left_out_and_counted() {
        let rectangles: Vec<_> = (0..8).map(|x| (0, [x, 0], [8, 8])).collect();
        let set = TextureSet::with_limit(&[style(&rectangles)], &[Some(Image::new(8, 8))], 200);
        let held: u32 = (0..8)
            .filter(|&t| set.get(texture_ref(0, t)).is_some())
            .count() as u32;
        assert_eq!(
            (held as usize + set.left_out(), set.left_out() > 0),
            (8, true)
        );
    }
}
