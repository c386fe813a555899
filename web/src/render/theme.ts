/** Colours of a stage, as red, green, blue (and opacity) between 0 and 1. */

export type Rgb = readonly [number, number, number];

export interface Theme {
  /** Opacity 0 leaves the canvas transparent. */
  background: readonly [number, number, number, number];
  ground: Rgb;
  grid: Rgb;
  center: Rgb;
  left: Rgb;
  right: Rgb;
  /** The second motion of a comparison. */
  other: Rgb;
  accent: Rgb;
  bone: Rgb;
  text: string;
  halo: string;
}

const rgb = (hex: number): Rgb => [((hex >> 16) & 255) / 255, ((hex >> 8) & 255) / 255, (hex & 255) / 255];

export const LIGHT: Theme = {
  background: [...rgb(0xf3f4f2), 1],
  ground: rgb(0xe9ebe8),
  grid: rgb(0xb9bfbb),
  center: rgb(0x59646b),
  left: rgb(0x2f7fb8),
  right: rgb(0xd9692b),
  other: rgb(0x8c5bc9),
  accent: rgb(0x0f7b6c),
  bone: rgb(0x14202a),
  text: "#1b2328",
  halo: "rgba(255,255,255,.85)",
};

export const DARK: Theme = {
  background: [...rgb(0x16191b), 1],
  ground: rgb(0x1d2123),
  grid: rgb(0x454d51),
  center: rgb(0xb4bec4),
  left: rgb(0x58aee6),
  right: rgb(0xf19255),
  other: rgb(0xb896f0),
  accent: rgb(0x4cc9b0),
  bone: rgb(0xf2f5f6),
  text: "#e8edef",
  halo: "rgba(12,14,15,.8)",
};

export const css = (color: readonly number[], opacity = 1): string =>
  `rgba(${Math.round(color[0] * 255)},${Math.round(color[1] * 255)},${Math.round(color[2] * 255)},${opacity})`;

export const mix = (a: Rgb | Theme["background"], b: Rgb | Theme["background"], t: number): Rgb => [
  a[0] + (b[0] - a[0]) * t,
  a[1] + (b[1] - a[1]) * t,
  a[2] + (b[2] - a[2]) * t,
];
