//! Pip's colours. Few and warm, with teal against them; every outline is the same dark brown.

use super::canvas::Rgba;

const fn rgb(hex: u32) -> Rgba {
    Rgba((hex >> 16) as u8, (hex >> 8) as u8, hex as u8, 255)
}

/// Outlines and the darkest fur. Brown, because black would look cut out.
pub(super) const INK: Rgba = rgb(0x4A2620);

/// Fur.
pub(super) const FUR: Rgba = rgb(0xF28B3B);
pub(super) const FUR_LIGHT: Rgba = rgb(0xFFB357);
pub(super) const FUR_SHADE: Rgba = rgb(0xC95A2B);
pub(super) const CREAM: Rgba = rgb(0xFFF4E2);
pub(super) const CREAM_SHADE: Rgba = rgb(0xF0CBA2);
pub(super) const SOCK: Rgba = rgb(0x7A4332);
pub(super) const SOCK_LIGHT: Rgba = rgb(0x9C5C43);
pub(super) const RIM: Rgba = rgb(0xFFE3A8);

/// Face.
pub(super) const BLUSH: Rgba = rgb(0xFF6F6B);
pub(super) const EAR_INNER: Rgba = rgb(0xF9B09A);
pub(super) const EAR_INNER_SHADE: Rgba = rgb(0xD97769);
pub(super) const EYE: Rgba = rgb(0x3A1E1C);
pub(super) const EYE_GLOW: Rgba = rgb(0xB8622E);
pub(super) const MOUTH: Rgba = rgb(0x8E2F35);
pub(super) const TONGUE: Rgba = rgb(0xF5807C);
pub(super) const WHITE: Rgba = rgb(0xFFFFFF);

/// Everyday clothes.
pub(super) const TEAL: Rgba = rgb(0x24A39A);
pub(super) const TEAL_LIGHT: Rgba = rgb(0x58CFBC);
pub(super) const TEAL_SHADE: Rgba = rgb(0x136A70);
pub(super) const GOLD: Rgba = rgb(0xFFCB4F);
pub(super) const GOLD_SHADE: Rgba = rgb(0xD88A2B);
pub(super) const LEAF: Rgba = rgb(0x7CC24B);
pub(super) const LEAF_LIGHT: Rgba = rgb(0xB4E368);
pub(super) const LEAF_SHADE: Rgba = rgb(0x478A45);
pub(super) const LEATHER: Rgba = rgb(0x9A5B38);
pub(super) const LEATHER_LIGHT: Rgba = rgb(0xC4804D);
pub(super) const LEATHER_SHADE: Rgba = rgb(0x6B3929);

/// Winter clothes.
pub(super) const BERRY: Rgba = rgb(0xC93F55);
pub(super) const BERRY_LIGHT: Rgba = rgb(0xEE737B);
pub(super) const BERRY_SHADE: Rgba = rgb(0x862445);
pub(super) const WOOL: Rgba = rgb(0xFBF3EA);
pub(super) const WOOL_SHADE: Rgba = rgb(0xD6C6CF);
pub(super) const PINE: Rgba = rgb(0x2F6F73);
pub(super) const PINE_LIGHT: Rgba = rgb(0x4E9A97);
pub(super) const PINE_SHADE: Rgba = rgb(0x1D4A57);
