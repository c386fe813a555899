/** The fallback without WebGL2: the same draw lists and bones, drawn with a 2D canvas. */
import type { OrbitCamera, PlaneCamera } from "./camera.js";
import { CAPSULE_FLOATS, VERTEX_FLOATS, type FlatFrame } from "./gl.js";
import type { MeshPart, MeshSource } from "./glb.js";
import { project } from "./math.js";
import { css, mix, type Theme } from "./theme.js";

export class FlatBackend {
  constructor(private target: CanvasRenderingContext2D, private width: number, private height: number, private theme: Theme) {
    target.setTransform(1, 0, 0, 1, 0, 0);
    target.clearRect(0, 0, width, height);
    const [r, g, b, a] = theme.background;
    target.fillStyle = css([r, g, b], a);
    target.fillRect(0, 0, width, height);
  }

  /** Each triangle is its atlas under an affine map, clipped to the triangle grown by half a pixel against seams. */
  triangles(frame: FlatFrame, camera: PlaneCamera, shift: readonly number[], opacity: number): void {
    const { target } = this;
    const { vertices: v, indices, batches } = frame;
    for (let run = 0; run + 2 < batches.length; run += 3) {
      const image = frame.atlases[batches[run]];
      if (!image) continue;
      for (let i = batches[run + 1]; i + 2 < batches[run + 1] + batches[run + 2]; i += 3) {
        const [a, b, c] = [indices[i] * VERTEX_FLOATS, indices[i + 1] * VERTEX_FLOATS, indices[i + 2] * VERTEX_FLOATS];
        target.globalAlpha = opacity * Math.min(Math.max(v[a + 7], 0), 1);
        const [dx, dy] = shift;
        const p = camera.toScreen(v[a] + dx, v[a + 1] + dy), q = camera.toScreen(v[b] + dx, v[b + 1] + dy), r = camera.toScreen(v[c] + dx, v[c + 1] + dy);
        const u0 = v[a + 2] * image.width, v0 = v[a + 3] * image.height;
        const u1 = v[b + 2] * image.width - u0, v1 = v[b + 3] * image.height - v0;
        const u2 = v[c + 2] * image.width - u0, v2 = v[c + 3] * image.height - v0;
        const determinant = u1 * v2 - u2 * v1;
        if (Math.abs(determinant) < 1e-9) continue;
        const x1 = q[0] - p[0], y1 = q[1] - p[1], x2 = r[0] - p[0], y2 = r[1] - p[1];
        const m11 = (x1 * v2 - x2 * v1) / determinant, m12 = (y1 * v2 - y2 * v1) / determinant;
        const m21 = (x2 * u1 - x1 * u2) / determinant, m22 = (y2 * u1 - y1 * u2) / determinant;
        const cx = (p[0] + q[0] + r[0]) / 3, cy = (p[1] + q[1] + r[1]) / 3;
        const grow = ([x, y]: [number, number]): [number, number] => {
          const d = Math.hypot(x - cx, y - cy) || 1;
          return [x + ((x - cx) / d) * 0.6, y + ((y - cy) / d) * 0.6];
        };
        target.save();
        target.beginPath();
        target.moveTo(...grow(p));
        target.lineTo(...grow(q));
        target.lineTo(...grow(r));
        target.clip();
        target.transform(m11, m12, m21, m22, p[0] - m11 * u0 - m21 * v0, p[1] - m12 * u0 - m22 * v0);
        target.drawImage(image, 0, 0);
        target.restore();
      }
    }
    target.globalAlpha = 1;
  }

  /** Capsules as thick lines, far ones first. */
  capsules(instances: Float32Array, count: number, camera: OrbitCamera, lit: boolean): void {
    const matrix = camera.matrix();
    const lines: { a: number[]; b: number[]; width: number; depth: number; color: string }[] = [];
    for (let i = 0; i < count; i++) {
      const o = i * CAPSULE_FLOATS;
      const a = camera.toScreen(matrix, instances, o), b = camera.toScreen(matrix, instances, o + 4);
      if (a[2] <= 0 || b[2] <= 0) continue;
      const depth = (a[2] + b[2]) / 2;
      const pixels = this.height / (2 * Math.tan(camera.fieldOfView / 2) * depth);
      const color = [instances[o + 8], instances[o + 9], instances[o + 10]];
      lines.push({ a, b, width: Math.max((instances[o + 3] + instances[o + 7]) * pixels, 1), depth, color: css(color, instances[o + 11]) });
    }
    if (lit) lines.sort((x, y) => y.depth - x.depth);
    const { target } = this;
    target.lineCap = "round";
    for (const line of lines) {
      target.strokeStyle = line.color;
      target.lineWidth = line.width;
      target.beginPath();
      target.moveTo(line.a[0], line.a[1]);
      target.lineTo(line.b[0], line.b[1]);
      target.stroke();
    }
  }

  grid(camera: OrbitCamera, center: readonly [number, number], height: number, spacing: number, radius: number): void {
    const matrix = camera.matrix(), { target, theme } = this;
    target.strokeStyle = css(mix(theme.background, theme.grid, 0.5));
    target.lineWidth = 1;
    const count = Math.min(Math.ceil(radius / spacing), 24);
    const [cx, cz] = [Math.round(center[0] / spacing) * spacing, Math.round(center[1] / spacing) * spacing];
    target.beginPath();
    for (let i = -count; i <= count; i++) {
      for (const [from, to] of [
        [[cx + i * spacing, height, cz - count * spacing], [cx + i * spacing, height, cz + count * spacing]],
        [[cx - count * spacing, height, cz + i * spacing], [cx + count * spacing, height, cz + i * spacing]],
      ]) {
        const a = camera.toScreen(matrix, from), b = camera.toScreen(matrix, to);
        if (a[2] <= 0 || b[2] <= 0) continue;
        target.moveTo(a[0], a[1]);
        target.lineTo(b[0], b[1]);
      }
    }
    target.stroke();
  }

  /** A skinned mesh as its projected vertices. */
  cloud(part: MeshPart, _source: MeshSource, palette: Float32Array | null, model: Float32Array, camera: OrbitCamera): void {
    const matrix = camera.matrix(), { target, theme } = this;
    target.fillStyle = css(theme.center, 0.6);
    const total = part.positions.length / 3, step = Math.max(1, Math.floor(total / 4000));
    for (let i = 0; i < total; i += step) {
      const m = palette && part.joints ? palette.subarray(part.joints[i * 4] * 16, part.joints[i * 4] * 16 + 16) : model;
      const [x, y, z] = project(m, part.positions, i * 3);
      const s = camera.toScreen(matrix, [x, y, z]);
      if (s[2] > 0) target.fillRect(s[0], s[1], 1.5, 1.5);
    }
  }

  /** The size that was drawn, for tests. */
  get size(): [number, number] {
    return [this.width, this.height];
  }
}
