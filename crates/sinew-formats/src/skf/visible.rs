//! Visibility of a character.

use super::Skf;
use sinew::glam::Vec2;
use sinew::skelform::{
    AnimationFrame, ArmaturePose, ConstructSettings, DrawItem, DrawList, TextureRef, animate,
    construct,
};
use std::collections::{BTreeSet, HashMap};

/// Maximum number of poses that [`is_ever_visible`] tries. Visible characters show something at rest or in the first
/// few; the limit keeps a file with a million keys from taking minutes.
const MAX_POSES: usize = 1_000;

/// Maximum number of pixels that are searched for an opaque one, over all textures of a call. Each texture is
/// searched once, up to its first such pixel. 2²⁶ are four atlases of 4096 × 4096; beyond, a texture counts as
/// visible.
const MAX_SEARCHED_PIXELS: u64 = 1 << 26;

/// Returns whether any of `lists` shows something: a triangle with an area, of a texture with a pixel that is not
/// transparent in an atlas that was read, with a tint that is not transparent.
///
/// ```
/// # use sinew::skelform::DrawList;
/// # fn check(character: &sinew_formats::skf::Skf) {
/// // Nothing to draw is nothing to see.
/// assert!(!sinew_formats::skf::is_visible(character, [&DrawList::new()]));
/// # }
/// ```
pub fn is_visible<'a>(character: &Skf, lists: impl IntoIterator<Item = &'a DrawList>) -> bool {
    let mut sight = VisibilitySearch::new(character);
    lists.into_iter().any(|list| sight.sees(list))
}

/// Returns whether the character shows something with its default styles, at rest or at a key of an animation. Tries
/// at most the first thousand poses.
pub(super) fn is_ever_visible(character: &Skf) -> bool {
    let armature = &character.armature;
    let mut sight = VisibilitySearch::new(character);
    let mut state = armature.new_state();
    let mut pose = ArmaturePose::new(armature);
    let mut list = DrawList::new();
    let animations = armature.data().animations.iter().enumerate();
    let at_keys = animations.flat_map(|(index, animation)| {
        let frames: BTreeSet<u32> = animation.keys.iter().map(|key| key.frame).collect();
        let play = move |frame| AnimationFrame::new(index.into(), frame as f32);
        frames.into_iter().map(play)
    });
    let poses = std::iter::once(None).chain(at_keys.map(Some));
    for play in poses.take(MAX_POSES) {
        let settings = ConstructSettings::default();
        let posed = animate(armature, &mut state, play.as_slice())
            .and_then(|()| construct(armature, &mut state, &settings, &mut pose));
        if posed.is_err() {
            continue;
        }
        list.fill(armature, &state, &pose, armature.default_styles());
        if sight.sees(&list) {
            return true;
        }
    }
    false
}

/// Finds visible items, and caches which textures have a pixel that is not transparent.
struct VisibilitySearch<'a> {
    character: &'a Skf,
    opaque: HashMap<TextureRef, bool>,
    pixels_left: u64,
}

impl<'a> VisibilitySearch<'a> {
    fn new(character: &'a Skf) -> Self {
        Self {
            character,
            opaque: HashMap::new(),
            pixels_left: MAX_SEARCHED_PIXELS,
        }
    }

    fn sees(&mut self, list: &DrawList) -> bool {
        let mut items = list.items.iter();
        items.any(|item| item.tint.a > 0.0 && has_area(list, item) && self.is_opaque(item.texture))
    }

    fn is_opaque(&mut self, texture: TextureRef) -> bool {
        if let Some(&known) = self.opaque.get(&texture) {
            return known;
        }
        let opaque = self.search(texture);
        self.opaque.insert(texture, opaque);
        opaque
    }

    /// Returns whether a texture has a pixel that is not transparent.
    fn search(&mut self, texture: TextureRef) -> bool {
        let Some(texture) = self.character.armature.texture(texture) else {
            return false;
        };
        let Some(Some(atlas)) = self.character.atlases.get(texture.atlas) else {
            return false;
        };
        let right = texture.offset.x.saturating_add(texture.size.x);
        let bottom = texture.offset.y.saturating_add(texture.size.y);
        let (right, bottom) = (right.min(atlas.width()), bottom.min(atlas.height()));
        for y in texture.offset.y..bottom {
            for x in texture.offset.x..right {
                let Some(left) = self.pixels_left.checked_sub(1) else {
                    return true;
                };
                self.pixels_left = left;
                if atlas.pixel(x, y)[3] > 0 {
                    return true;
                }
            }
        }
        false
    }
}

/// Returns whether an item has a triangle with an area.
fn has_area(list: &DrawList, item: &DrawItem) -> bool {
    let corner = |index: &u32| list.vertices.get(*index as usize).map(|v| v.position);
    let indices = list.indices.get(item.indices.clone()).unwrap_or_default();
    indices.chunks_exact(3).any(|triangle| {
        let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|i| corner(&triangle[i])) else {
            return false;
        };
        let area = Vec2::perp_dot(b - a, c - a);
        area.is_finite() && area != 0.0
    })
}
