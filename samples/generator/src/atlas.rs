//! Packing textures into one picture: rows of falling height, with transparent gaps between.

use crate::art::Part;
use sinew::glam::UVec2;
use sinew::skelform::{Image, StyleData, TextureData};

/// Transparent pixels about every texture, so that filtering never reaches a neighbour.
const PADDING: u32 = 2;

/// Widths that are tried; the one that wastes least wins.
const WIDTHS: [u32; 5] = [512, 640, 768, 896, 1024];

/// Packs the parts of several styles into one atlas with index 0.
pub(crate) fn pack(styles: &[(&str, &[Part])]) -> (Image, Vec<StyleData>) {
    let parts: Vec<&Part> = styles.iter().flat_map(|(_, parts)| parts.iter()).collect();
    let sizes: Vec<UVec2> = parts
        .iter()
        .map(|part| UVec2::new(part.image.width(), part.image.height()))
        .collect();
    let (size, offsets) = WIDTHS
        .iter()
        .map(|&width| place(&sizes, width))
        .min_by_key(|(size, _)| size.x.max(size.y).pow(2) / 4 + size.x * size.y)
        .unwrap_or_default();

    let mut atlas = Image::new(size.x, size.y);
    for (part, &offset) in parts.iter().zip(&offsets) {
        copy(&part.image, &mut atlas, offset);
    }
    let mut placed = sizes.iter().zip(&offsets);
    let styles = styles.iter().map(|(name, parts)| StyleData {
        name: (*name).to_owned(),
        textures: parts
            .iter()
            .zip(placed.by_ref())
            .map(|(part, (&size, &offset))| TextureData {
                name: part.name.to_owned(),
                atlas: 0,
                offset,
                size,
            })
            .collect(),
    });
    let styles = styles.collect();
    (atlas, styles)
}

/// Where each rectangle goes in an atlas of that width, and how large the atlas becomes. Tall ones
/// first; a row takes what still fits, so that small ones fill the gaps.
fn place(sizes: &[UVec2], width: u32) -> (UVec2, Vec<UVec2>) {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&i| (core::cmp::Reverse((sizes[i].y, sizes[i].x)), i));
    let mut offsets = vec![UVec2::ZERO; sizes.len()];
    let mut top = PADDING;
    while let Some(&first) = order.first() {
        let row_height = sizes[first].y;
        let (mut left, mut column) = (PADDING, None::<(u32, u32, u32)>);
        order.retain(|&i| {
            let size = sizes[i];
            // Below a shorter neighbour of this row, if it fits there.
            if let Some((x, wide, used)) = column
                && size.x <= wide
                && used + PADDING + size.y <= row_height
            {
                offsets[i] = UVec2::new(x, top + used + PADDING);
                column = Some((x, wide, used + PADDING + size.y));
                return false;
            }
            if left + size.x + PADDING > width {
                return true;
            }
            offsets[i] = UVec2::new(left, top);
            column = Some((left, size.x, size.y));
            left += size.x + PADDING;
            false
        });
        if order.first() == Some(&first) {
            // Wider than the atlas: it gets a row of its own and is cut off.
            order.remove(0);
        }
        top += row_height + PADDING;
    }
    (UVec2::new(width, top.next_multiple_of(4)), offsets)
}

/// Copies a picture; what lies beyond the edge is left out.
fn copy(from: &Image, to: &mut Image, offset: UVec2) {
    let width = to.width();
    let columns = from.width().min(width.saturating_sub(offset.x)) as usize * 4;
    for row in 0..from.height().min(to.height().saturating_sub(offset.y)) {
        let source = row as usize * from.width() as usize * 4;
        let target = ((offset.y + row) as usize * width as usize + offset.x as usize) * 4;
        to.pixels_mut()[target..target + columns]
            .copy_from_slice(&from.pixels()[source..source + columns]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_neither_touch_nor_leave_the_atlas() {
        let sizes: Vec<UVec2> = (0..40)
            .map(|i| UVec2::new(10 + i * 37 % 90, 8 + i * 53 % 110))
            .collect();
        let (atlas, offsets) = place(&sizes, 256);
        for (i, (&a, &size_a)) in offsets.iter().zip(&sizes).enumerate() {
            assert!((a + size_a + PADDING).cmple(atlas).all());
            for (&b, &size_b) in offsets.iter().zip(&sizes).skip(i + 1) {
                let apart = (a + size_a + PADDING).cmple(b) | (b + size_b + PADDING).cmple(a);
                assert!(apart.any(), "{a} and {b} are too close");
            }
        }
    }

    #[test]
    fn nothing_packs_into_nothing() {
        let (atlas, styles) = pack(&[]);
        assert_eq!(atlas.height() % 4, 0);
        assert!(styles.is_empty());
    }
}
