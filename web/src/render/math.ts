/** Vectors and 4 × 4 matrices, column-major as in WebGL. */

export type Vec3 = [number, number, number];
export type Mat4 = Float32Array;

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const length = (a: Vec3): number => Math.hypot(a[0], a[1], a[2]);
export const normalize = (a: Vec3): Vec3 => scale(a, 1 / (length(a) || 1));

export function multiply(a: Mat4, b: Mat4): Mat4 {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[k * 4 + row] * b[column * 4 + k];
      out[column * 4 + row] = sum;
    }
  }
  return out;
}

export function perspective(fieldOfView: number, aspect: number, near: number, far: number): Mat4 {
  const f = 1 / Math.tan(fieldOfView / 2);
  const out = new Float32Array(16);
  out[0] = f / aspect;
  out[5] = f;
  out[10] = (far + near) / (near - far);
  out[11] = -1;
  out[14] = (2 * far * near) / (near - far);
  return out;
}

export function orthographic(width: number, height: number, near: number, far: number): Mat4 {
  const out = new Float32Array(16);
  out[0] = 2 / width;
  out[5] = 2 / height;
  out[10] = 2 / (near - far);
  out[14] = (far + near) / (near - far);
  out[15] = 1;
  return out;
}

export function lookAt(eye: Vec3, target: Vec3, up: Vec3): Mat4 {
  const back = normalize(sub(eye, target));
  const right = normalize(cross(up, back));
  const above = cross(back, right);
  return new Float32Array([
    right[0], above[0], back[0], 0,
    right[1], above[1], back[1], 0,
    right[2], above[2], back[2], 0,
    -dot(right, eye), -dot(above, eye), -dot(back, eye), 1,
  ]);
}

/** A point through a matrix, divided by w. The fourth number is w. */
export function project(m: Mat4, p: ArrayLike<number>, offset = 0): [number, number, number, number] {
  const x = p[offset], y = p[offset + 1], z = p[offset + 2];
  const w = m[3] * x + m[7] * y + m[11] * z + m[15];
  const inverse = 1 / (w || 1e-9);
  return [
    (m[0] * x + m[4] * y + m[8] * z + m[12]) * inverse,
    (m[1] * x + m[5] * y + m[9] * z + m[13]) * inverse,
    (m[2] * x + m[6] * y + m[10] * z + m[14]) * inverse,
    w,
  ];
}

export const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** Repeats a value within 0 (inclusive) and `period` (exclusive). */
export const repeat = (value: number, period: number): number =>
  period > 0 ? value - Math.floor(value / period) * period : 0;

/** Points, 3 numbers each, rotated by `angle` about the vertical, counter-clockwise from above, then moved. */
export function placeOnGround(points: ArrayLike<number>, { angle, x, z }: { angle: number; x: number; z: number }): Float64Array {
  const sine = Math.sin(angle), cosine = Math.cos(angle);
  const out = Float64Array.from(points);
  for (let i = 0; i + 2 < out.length; i += 3) {
    out[i] = points[i] * cosine + points[i + 2] * sine + x;
    out[i + 2] = -points[i] * sine + points[i + 2] * cosine + z;
  }
  return out;
}
