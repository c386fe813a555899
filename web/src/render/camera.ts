/** The two views: a plane that is panned and zoomed (2D), and an orbit around a point (3D). */
import { add, clamp, cross, lookAt, multiply, normalize, orthographic, perspective, project, scale, sub, type Mat4, type Vec3 } from "./math.js";

/** 2D view. The y axis of the world points up. */
export class PlaneCamera {
  readonly kind = "plane";
  /** Whether the view was moved since it was fitted; if not, it is fitted again to each size. */
  isMoved = false;
  x = 0;
  y = 0;
  /** Relative to the fitted view. */
  zoom = 1;
  private home: [number, number, number, number] = [-1, -1, 1, 1];
  private width = 1;
  private height = 1;
  private base = 1;
  cover = false;

  /** Fits a box into the canvas and forgets panning and zooming. */
  fit(bounds: readonly number[]): void {
    this.home = [bounds[0], bounds[1], bounds[2], bounds[3]];
    this.reset();
  }

  reset(): void {
    this.x = (this.home[0] + this.home[2]) / 2;
    this.y = (this.home[1] + this.home[3]) / 2;
    this.zoom = 1;
    this.isMoved = false;
    this.resize(this.width, this.height);
  }

  resize(width: number, height: number): void {
    this.width = Math.max(width, 1);
    this.height = Math.max(height, 1);
    const margin = 1.12;
    const horizontal = this.width / (Math.max(this.home[2] - this.home[0], 1e-6) * margin);
    const vertical = this.height / (Math.max(this.home[3] - this.home[1], 1e-6) * margin);
    this.base = this.cover ? Math.max(horizontal, vertical) : Math.min(horizontal, vertical);
  }

  /** Pixels per world unit. */
  get scale(): number {
    return this.base * this.zoom;
  }

  toScreen(x: number, y: number): [number, number] {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
  }

  toWorld(x: number, y: number): [number, number] {
    return [this.x + (x - this.width / 2) / this.scale, this.y - (y - this.height / 2) / this.scale];
  }

  pan(dx: number, dy: number): void {
    this.isMoved = true;
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  zoomAt(factor: number, x = this.width / 2, y = this.height / 2): void {
    this.isMoved = true;
    const before = this.toWorld(x, y);
    this.zoom = clamp(this.zoom * factor, 0.05, 60);
    const after = this.toWorld(x, y);
    this.x += before[0] - after[0];
    this.y += before[1] - after[1];
  }

  orbit(dx: number, dy: number): void {
    this.pan(dx, dy);
  }

  matrix(): Mat4 {
    const out = orthographic(this.width / this.scale, this.height / this.scale, -1, 1);
    out[12] = -this.x * out[0];
    out[13] = -this.y * out[5];
    return out;
  }

  /** As in a deep link. */
  serialize(): string {
    return [this.x, this.y, this.zoom].map((n) => +n.toFixed(3)).join(",");
  }

  restore(text: string): void {
    const values = text.split(",").map(Number);
    if (values.length !== 3 || !values.every(Number.isFinite)) return;
    this.isMoved = true;
    this.x = values[0];
    this.y = values[1];
    this.zoom = clamp(values[2], 0.05, 60);
  }
}

/** 3D view: an eye that orbits around a target. The y axis of the world points up. Angles in radians. */
export class OrbitCamera {
  readonly kind = "orbit";
  /** Whether the view was moved since it was fitted; if not, it is fitted again to each size. */
  isMoved = false;
  yaw = 0.55;
  pitch = 0.16;
  distance = 4;
  target: Vec3 = [0, 1, 0];
  /** Follows the figure on the ground. */
  offset: Vec3 = [0, 0, 0];
  readonly fieldOfView = 0.6;
  private home: { center: Vec3; radius: number; height: number; width: number } = { center: [0, 1, 0], radius: 1, height: 2, width: 2 };
  private homeYaw = 0.55;
  private width = 1;
  private height = 1;
  cover = false;

  /** Fits a box: `[minX, minY, minZ, maxX, maxY, maxZ]`. `yaw` is the angle to look from. */
  fit(b: readonly number[], yaw = this.homeYaw): void {
    this.home = {
      center: [(b[0] + b[3]) / 2, (b[1] + b[4]) / 2, (b[2] + b[5]) / 2],
      radius: Math.max(0.5 * Math.hypot(b[3] - b[0], b[4] - b[1], b[5] - b[2]), 1e-3),
      height: Math.max(b[4] - b[1], 1e-3),
      width: Math.max(Math.hypot(b[3] - b[0], b[5] - b[2]), 1e-3),
    };
    this.homeYaw = yaw;
    this.reset();
  }

  reset(): void {
    const { center, height, width } = this.home;
    this.isMoved = false;
    this.target = [...center];
    this.yaw = this.homeYaw;
    this.pitch = 0.16;
    const tangent = Math.tan(this.fieldOfView / 2);
    const aspect = this.width / this.height;
    const vertical = (height * 0.5 * 1.22) / tangent;
    const horizontal = (width * 0.5 * 1.12) / (tangent * aspect);
    this.distance = (this.cover ? Math.min(vertical, horizontal) : Math.max(vertical, horizontal)) + width * 0.35;
  }

  resize(width: number, height: number): void {
    this.width = Math.max(width, 1);
    this.height = Math.max(height, 1);
    if (!this.isMoved) this.reset();
  }

  get focus(): Vec3 {
    return add(this.target, this.offset);
  }

  get eye(): Vec3 {
    const c = Math.cos(this.pitch);
    const direction: Vec3 = [Math.sin(this.yaw) * c, Math.sin(this.pitch), Math.cos(this.yaw) * c];
    return add(this.focus, scale(direction, this.distance));
  }

  orbit(dx: number, dy: number): void {
    this.isMoved = true;
    this.yaw -= dx * 0.008;
    this.pitch = clamp(this.pitch + dy * 0.008, -1.45, 1.5);
  }

  pan(dx: number, dy: number): void {
    this.isMoved = true;
    const step = (2 * Math.tan(this.fieldOfView / 2) * this.distance) / this.height;
    const back = normalize(sub(this.eye, this.focus));
    const right = normalize(cross([0, 1, 0], back));
    const up = cross(back, right);
    this.target = add(this.target, add(scale(right, -dx * step), scale(up, dy * step)));
  }

  zoomAt(factor: number): void {
    this.isMoved = true;
    this.distance = clamp(this.distance / factor, this.home.radius * 0.05, this.home.radius * 60);
  }

  matrix(): Mat4 {
    const near = Math.max(this.distance * 0.02, 1e-4);
    const view = lookAt(this.eye, this.focus, [0, 1, 0]);
    return multiply(perspective(this.fieldOfView, this.width / this.height, near, this.distance * 6 + this.home.radius * 60), view);
  }

  toScreen(matrix: Mat4, point: ArrayLike<number>, offset = 0): [number, number, number] {
    const [x, y, , w] = project(matrix, point, offset);
    return [(x * 0.5 + 0.5) * this.width, (0.5 - y * 0.5) * this.height, w];
  }

  serialize(): string {
    return [this.yaw, this.pitch, this.distance, ...this.target].map((n) => +n.toFixed(3)).join(",");
  }

  restore(text: string): void {
    const v = text.split(",").map(Number);
    if (v.length !== 6 || !v.every(Number.isFinite)) return;
    this.isMoved = true;
    this.yaw = v[0];
    this.pitch = clamp(v[1], -1.45, 1.5);
    this.distance = clamp(v[2], 1e-3, 1e6);
    this.target = [v[3], v[4], v[5]];
  }
}
