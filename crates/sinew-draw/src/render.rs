//! Renders a draw list.
//!
//! Input: a [`DrawList`], its textures, a [`View`], a [`Background`] → output: an [`Image`].

use crate::raster::{self, Background, Threads, Triangle, Vertex};
use crate::texture::{Texture, TextureSet};
use crate::view::View;
use sinew::skelform::{DrawItem, DrawList, Image, Tint};

/// Draws a list back to front on rayon's threads; allocates the picture and a working buffer per thread.
///
/// Items whose texture is not in the set are ignored, as are triangles with an index out of range, a number that is not
/// finite, or a corner more than a million pixels outside the picture. The bytes are the same on any number of threads.
pub fn render(
    list: &DrawList,
    textures: &TextureSet,
    view: &View,
    background: Background,
) -> Image {
    render_with(list, textures, view, background, Threads::Many)
}

/// Like [`render`], on the calling thread only: for callers that distribute whole frames over threads.
pub fn render_on_one_thread(
    list: &DrawList,
    textures: &TextureSet,
    view: &View,
    background: Background,
) -> Image {
    render_with(list, textures, view, background, Threads::One)
}

fn render_with(
    list: &DrawList,
    textures: &TextureSet,
    view: &View,
    background: Background,
    threads: Threads,
) -> Image {
    let mut used: Vec<&Texture> = Vec::new();
    let mut triangles = Vec::new();
    for item in &list.items {
        if let Some(texture) = textures.get(item.texture) {
            let numbered = (used.len(), texture);
            used.push(texture);
            triangles.extend(item_triangles(list, item, numbered, view));
        }
    }
    raster::draw(
        &triangles,
        &used,
        (view.width, view.height),
        background,
        threads,
    )
}

fn item_triangles<'a>(
    list: &'a DrawList,
    item: &'a DrawItem,
    texture: (usize, &'a Texture),
    view: &'a View,
) -> impl Iterator<Item = Triangle> + 'a {
    let Tint { r, g, b, a } = item.tint;
    let indices = list.indices.get(item.indices.clone()).unwrap_or_default();
    let corner = |index: u32| {
        let vertex = list.vertices.get(index as usize)?;
        let uv = [f64::from(vertex.uv.x), f64::from(vertex.uv.y)];
        Some(Vertex {
            position: view.to_pixels_f64(vertex.position),
            uv,
        })
    };
    indices.chunks_exact(3).filter_map(move |i| {
        let corners = [corner(i[0])?, corner(i[1])?, corner(i[2])?];
        Triangle::new(corners, texture, [r, g, b, a], (view.width, view.height))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::glam::{UVec2, Vec2};
    use sinew::skelform::{BoneIndex, DrawVertex, StyleData, StyleIndex, TextureData, TextureRef};

    const VIEW: View = View {
        scale: 2.0,
        center: Vec2::ZERO,
        width: 16,
        height: 12,
    };

    fn textures() -> TextureSet {
        let pixels = [
            [255, 0, 0, 255],
            [0, 255, 0, 255],
            [0, 0, 255, 255],
            [255; 4],
        ]
        .concat();
        let atlas = Image::from_pixels(2, 2, pixels).expect("the size fits");
        let texture = TextureData {
            size: UVec2::splat(2),
            ..TextureData::default()
        };
        let style = StyleData {
            textures: vec![texture],
            ..StyleData::default()
        };
        TextureSet::new(&[style], &[Some(atlas)])
    }

    /// Returns a square from (-2, -2) to (2, 2) in world space.
    fn square() -> DrawList {
        let mut list = DrawList::default();
        let corner = |x: f32, y: f32| DrawVertex {
            position: Vec2::new(x * 2.0, y * 2.0),
            uv: Vec2::new(x * 0.5 + 0.5, 0.5 - y * 0.5),
        };
        list.vertices = vec![
            corner(-1.0, 1.0),
            corner(1.0, 1.0),
            corner(1.0, -1.0),
            corner(-1.0, -1.0),
        ];
        list.indices = vec![0, 1, 2, 0, 2, 3];
        list.items = vec![DrawItem {
            bone: BoneIndex(0),
            texture: TextureRef {
                style: StyleIndex(0),
                texture: 0,
            },
            tint: Tint::WHITE,
            vertices: 0..4,
            indices: 0..6,
        }];
        list
    }

    fn ink(list: &DrawList) -> usize {
        let image = render(list, &textures(), &VIEW, Background::Transparent);
        image.pixels().chunks(4).filter(|p| p[3] > 0).count()
    }

    #[test]
    fn items_with_unknown_textures_or_indices_out_of_range_are_left_out() {
        let mut list = square();
        list.items[0].texture.texture = 9;
        assert_eq!(ink(&list), 0);
        let mut list = square();
        list.indices = vec![0, 1, 99, 0, 2, 3];
        assert_eq!(ink(&list), 40 - 4, "one triangle and its cut pixels");
        let mut list = square();
        list.items[0].indices = 3..900;
        assert_eq!(ink(&list), 0);
        list.items[0].indices = 0..5;
        assert_eq!(ink(&list), 36);
    }

    #[test]
    fn a_view_that_is_not_finite_draws_only_the_background() {
        for scale in [f32::NAN, f32::INFINITY, 0.0] {
            let view = View { scale, ..VIEW };
            let image = render(
                &square(),
                &textures(),
                &view,
                Background::Solid([1, 2, 3, 255]),
            );
            assert!(image.pixels().chunks(4).all(|p| p == [1, 2, 3, 255]));
        }
    }

    #[test]
    fn the_top_left_of_a_texture_lands_at_the_upper_left_in_the_world() {
        let image = render(&square(), &textures(), &VIEW, Background::Transparent);
        assert_eq!(image.pixel(4, 2), [255, 0, 0, 255]);
        assert_eq!(image.pixel(11, 2), [0, 255, 0, 255]);
        assert_eq!(image.pixel(4, 9), [0, 0, 255, 255]);
        assert_eq!(image.pixel(11, 9), [255; 4]);
        assert_eq!((image.pixel(3, 2), image.pixel(4, 1)), ([0; 4], [0; 4]));
    }

    #[test]
    fn one_thread_gives_the_bytes_of_many() {
        let (list, textures) = (square(), textures());
        let many = render(&list, &textures, &VIEW, Background::CHECKER);
        assert!(many == render_on_one_thread(&list, &textures, &VIEW, Background::CHECKER));
    }
}
