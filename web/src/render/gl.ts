/**
 * The WebGL2 backend. One context serves every player of a page, because browsers allow about 16 contexts: a picture is
 * drawn into the shared canvas and copied into the player's own canvas, which has a 2D context.
 *
 * GPU objects are made on first use from sources that stay in memory, so a lost context is restored by forgetting them.
 */
import type { OrbitCamera, PlaneCamera } from "./camera.js";
import type { MeshPart, MeshSource } from "./glb.js";
import { multiply, orthographic, type Mat4, type Vec3 } from "./math.js";
import type { Theme, Rgb } from "./theme.js";
import * as glsl from "./shaders.js";

/** Triangles of a 2D character; see `CharacterInstance`. */
export interface FlatFrame {
  /** x, y, u, v, red, green, blue, opacity per vertex. */
  vertices: Float32Array;
  indices: Uint32Array;
  /** Atlas, first index, number of indices per batch. */
  batches: Uint32Array;
  atlases: readonly (ImageBitmap | HTMLCanvasElement | null)[];
}

export const VERTEX_FLOATS = 8;

/** Floats per capsule: two ends with radii, and a colour with opacity. */
export const CAPSULE_FLOATS = 12;

export interface GroundSettings {
  height: number;
  center: readonly [number, number];
  radius: number;
  spacing: number;
  grid: boolean;
  shadow: boolean;
  shadowCenter: readonly [number, number];
  shadowRadius: number;
}

interface Program {
  handle: WebGLProgram;
  uniform: (name: string) => WebGLUniformLocation | null;
}

interface MeshBuffers {
  array: WebGLVertexArrayObject;
  /** All buffers; the first one holds the positions. */
  buffers: WebGLBuffer[];
  /** Version of the positions. */
  version: number;
  count: number;
  type: number;
}

const LIGHT_SLANT: Vec3 = [0.35, 0, 0.3];
const SHADOW_SIZE = 512;
/** Side of the shared canvas if several players draw in a frame. */
const SHARED_SIDE = 2048;

export class GlBackend {
  readonly canvas: HTMLCanvasElement;
  /** The largest canvas side. */
  limit = 4096;
  private hasLost = false;
  private gl: WebGL2RenderingContext;
  private programs = new Map<string, Program>();
  private textures = new Map<object, WebGLTexture>();
  private meshes = new Map<object, MeshBuffers>();
  private flat: { array: WebGLVertexArrayObject; vertices: WebGLBuffer; indices: WebGLBuffer } | null = null;
  private capsule: { array: WebGLVertexArrayObject; instances: WebGLBuffer; count: number } | null = null;
  private quad: WebGLVertexArrayObject | null = null;
  private shadow: { frame: WebGLFramebuffer; texture: WebGLTexture } | null = null;
  private palette: WebGLTexture | null = null;
  private white: WebGLTexture | null = null;
  private left = 0;
  private bottom = 0;
  private width = 1;
  private height = 1;
  /** Where the next picture goes; `row` is where the next row begins. */
  private next = { x: 0, y: 0, row: 0 };
  private pending: (() => void)[] = [];
  /** Pictures of a frame. */
  private pictures = 0;
  private view: Mat4 = new Float32Array(16);
  private eye: Vec3 = [0, 0, 1];
  private inShadow: readonly [number, number, number, number] = [0, 0, 0, 0];
  private listeners = new Set<() => void>();

  private constructor(canvas: HTMLCanvasElement, gl: WebGL2RenderingContext) {
    this.canvas = canvas;
    this.gl = gl;
    this.limit = this.measure();
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.hasLost = true;
      for (const listener of this.listeners) listener();
    });
    canvas.addEventListener("webglcontextrestored", () => {
      this.forget();
      this.hasLost = false;
      this.limit = this.measure();
      for (const listener of this.listeners) listener();
    });
  }

  /** Returns `null` if the browser has no WebGL2. */
  static create(): GlBackend | null {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 16;
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true, powerPreference: "low-power" });
    return gl ? new GlBackend(canvas, gl) : null;
  }

  /** Whether the context is lost; the event that says so comes later. */
  get lost(): boolean {
    return this.hasLost || this.gl.isContextLost();
  }

  /** Calls back when the context is lost and when it is restored. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private measure(): number {
    // A lost context has no parameters.
    const most = this.gl.getParameter(this.gl.MAX_RENDERBUFFER_SIZE) as number | null;
    return Math.min(most ?? this.limit, 8192);
  }

  /** Loses the context, for tests. */
  lose(): { restore(): void } | null {
    const extension = this.gl.getExtension("WEBGL_lose_context");
    extension?.loseContext();
    return extension ? { restore: () => extension.restoreContext() } : null;
  }

  /**
   * Begins a picture. Pictures of one frame lie side by side in the shared canvas, so that they are copied after all are
   * drawn: each change between drawing and copying waits for the graphics processor.
   */
  begin(width: number, height: number, theme: Theme): void {
    const { gl, canvas } = this;
    if (this.next.x + width > canvas.width) {
      this.next.x = 0;
      this.next.y = this.next.row;
    }
    if (this.next.x + width > canvas.width || this.next.y + height > canvas.height) {
      // A new size clears the canvas, so what is pending is copied first.
      this.flush();
      const side = this.pictures > 1 ? Math.min(SHARED_SIDE, this.limit) : 0;
      const [wide, high] = [Math.max(canvas.width, width, side), Math.max(canvas.height, height, side)];
      if (wide !== canvas.width || high !== canvas.height) {
        canvas.width = wide;
        canvas.height = high;
      }
    }
    this.left = this.next.x;
    this.bottom = this.next.y;
    this.width = width;
    this.height = height;
    this.next.x += width;
    this.next.row = Math.max(this.next.row, this.bottom + height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(this.left, this.bottom, width, height);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(this.left, this.bottom, width, height);
    const [r, g, b, a] = theme.background;
    gl.clearColor(r * a, g * a, b * a, a);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.inShadow = [0, 0, 0, 0];
  }

  /** Ends a picture: [flush] copies it to a canvas of the size given to [begin], then calls back. */
  end(target: CanvasRenderingContext2D, copied: () => void): void {
    const { left, bottom, width, height } = this;
    this.pending.push(() => {
      target.globalCompositeOperation = "copy";
      target.drawImage(this.canvas, left, this.canvas.height - bottom - height, width, height, 0, 0, width, height);
      target.globalCompositeOperation = "source-over";
      copied();
    });
  }

  /** Copies the pictures that were drawn since the last call. Must be called before control returns to the browser. */
  flush(): void {
    const { pending } = this;
    this.pictures = Math.max(pending.length, this.pictures - 1);
    this.pending = [];
    this.next = { x: 0, y: 0, row: 0 };
    for (const copy of pending) copy();
  }

  plane(camera: PlaneCamera): void {
    this.view = camera.matrix();
    this.gl.disable(this.gl.DEPTH_TEST);
  }

  space(camera: OrbitCamera): void {
    this.view = camera.matrix();
    this.eye = camera.eye;
    this.gl.enable(this.gl.DEPTH_TEST);
    this.gl.depthMask(true);
  }

  /** Draws a 2D character. `wash` is mixed over its colours with its opacity. */
  triangles(frame: FlatFrame, shift: readonly number[], opacity = 1, wash: Rgb = [0, 0, 0], washed = 0): void {
    const { gl } = this;
    const program = this.program("flat", glsl.FLAT_VERTEX, glsl.FLAT_FRAGMENT, ["position", "uv", "tint"]);
    gl.useProgram(program.handle);
    if (!this.flat) {
      const array = gl.createVertexArray(), vertices = gl.createBuffer(), indices = gl.createBuffer();
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, vertices);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 32, 0);
      gl.enableVertexAttribArray(1);
      gl.vertexAttribPointer(1, 2, gl.FLOAT, false, 32, 8);
      gl.enableVertexAttribArray(2);
      gl.vertexAttribPointer(2, 4, gl.FLOAT, false, 32, 16);
      this.flat = { array, vertices, indices };
    }
    gl.bindVertexArray(this.flat.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.flat.vertices);
    gl.bufferData(gl.ARRAY_BUFFER, frame.vertices, gl.STREAM_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.flat.indices);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, frame.indices, gl.STREAM_DRAW);
    gl.uniformMatrix4fv(program.uniform("view"), false, this.view);
    gl.uniform4f(program.uniform("wash"), wash[0], wash[1], wash[2], washed);
    gl.activeTexture(gl.TEXTURE0);
    gl.uniform2f(program.uniform("shift"), shift[0], shift[1]);
    gl.uniform1f(program.uniform("opacity"), opacity);
    const { batches } = frame;
    for (let i = 0; i + 2 < batches.length; i += 3) {
      const image = frame.atlases[batches[i]];
      if (!image) continue;
      gl.bindTexture(gl.TEXTURE_2D, this.texture(image, true));
      gl.drawElements(gl.TRIANGLES, batches[i + 2], gl.UNSIGNED_INT, batches[i + 1] * 4);
    }
  }

  /** Draws capsules; see [CAPSULE_FLOATS]. Without light they keep their colour. */
  capsules(instances: Float32Array, count: number, lit = true): void {
    if (count === 0) return;
    const { gl } = this;
    const attributes = ["normal", "side", "from", "to", "tint"];
    const program = lit
      ? this.program("capsule", glsl.CAPSULE_VERTEX, glsl.CAPSULE_FRAGMENT, attributes)
      : this.program("plain", glsl.CAPSULE_VERTEX, glsl.PLAIN_FRAGMENT, attributes);
    gl.useProgram(program.handle);
    this.capsule ??= this.capsuleMesh();
    gl.bindVertexArray(this.capsule.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.capsule.instances);
    gl.bufferData(gl.ARRAY_BUFFER, instances.subarray(0, count * CAPSULE_FLOATS), gl.STREAM_DRAW);
    gl.uniformMatrix4fv(program.uniform("view"), false, this.view);
    gl.uniform4fv(program.uniform("shadow"), this.inShadow);
    gl.uniform3fv(program.uniform("eye"), this.eye);
    gl.drawElementsInstanced(gl.TRIANGLES, this.capsule.count, gl.UNSIGNED_SHORT, 0, count);
  }

  /** Draws `casters` from above into the shadow texture, then the ground. */
  ground(settings: GroundSettings, theme: Theme, casters: () => void): void {
    const { gl } = this;
    const view = this.view;
    this.shadow ??= this.shadowTarget();
    if (settings.shadow) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.frame);
      gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
      gl.disable(gl.SCISSOR_TEST);
      gl.clearColor(0, 0, 0, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.disable(gl.DEPTH_TEST);
      const r = settings.shadowRadius;
      // The ground's x and z become the texture's x and y.
      const lens = orthographic(2 * r, 2 * r, -1, 1);
      const turn = new Float32Array([1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, -settings.shadowCenter[0], -settings.shadowCenter[1], 0, 1]);
      this.view = multiply(lens, turn);
      this.inShadow = [LIGHT_SLANT[0], settings.height, LIGHT_SLANT[2], 1];
      casters();
      this.inShadow = [0, 0, 0, 0];
      this.view = view;
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.viewport(this.left, this.bottom, this.width, this.height);
      gl.enable(gl.SCISSOR_TEST);
      gl.enable(gl.DEPTH_TEST);
    }
    const program = this.program("ground", glsl.GROUND_VERTEX, glsl.GROUND_FRAGMENT, ["position"]);
    gl.useProgram(program.handle);
    if (!this.quad) {
      this.quad = gl.createVertexArray();
      gl.bindVertexArray(this.quad);
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    }
    gl.bindVertexArray(this.quad);
    gl.depthMask(false);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
    gl.uniformMatrix4fv(program.uniform("view"), false, this.view);
    gl.uniform4f(program.uniform("place"), settings.center[0], settings.center[1], settings.height, settings.radius);
    gl.uniform4f(program.uniform("caster"), settings.shadowCenter[0], settings.shadowCenter[1], settings.shadowRadius, 0);
    gl.uniform3fv(program.uniform("paint"), theme.ground);
    gl.uniform3fv(program.uniform("line"), theme.grid);
    gl.uniform1f(program.uniform("spacing"), settings.spacing);
    gl.uniform1f(program.uniform("strength"), settings.shadow ? 0.34 : 0);
    gl.uniform1i(program.uniform("grid"), settings.grid ? 1 : 0);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.depthMask(true);
  }

  /** Draws a mesh. `palette` has a matrix per joint of the part's skin; `model` places a part without a skin. */
  mesh(source: MeshSource, part: MeshPart, palette: Float32Array | null, model: Mat4, opacity = 1): void {
    const { gl } = this;
    const program = this.program("skin", glsl.SKIN_VERTEX, glsl.SKIN_FRAGMENT, ["position", "normal", "uv", "joints", "weights", "tint"]);
    gl.useProgram(program.handle);
    const buffers = this.meshBuffers(part);
    gl.bindVertexArray(buffers.array);
    if (buffers.version !== part.version) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers.buffers[0]);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, part.positions);
      buffers.version = part.version;
    }
    // A constant is state of the context, not of the vertex array.
    if (!part.colors) gl.vertexAttrib4f(5, 1, 1, 1, 1);
    gl.activeTexture(gl.TEXTURE1);
    if (!this.palette) {
      this.palette = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, this.palette);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    }
    gl.bindTexture(gl.TEXTURE_2D, this.palette);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    if (palette) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 4, palette.length / 16, 0, gl.RGBA, gl.FLOAT, palette);
    else gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 1, 1, 0, gl.RGBA, gl.FLOAT, new Float32Array(4));
    gl.uniform1i(program.uniform("palette"), 1);
    gl.activeTexture(gl.TEXTURE0);
    const image = part.image >= 0 ? source.images[part.image] : null;
    gl.bindTexture(gl.TEXTURE_2D, image ? this.texture(image, false) : this.blank());
    gl.uniform1i(program.uniform("base"), 0);
    gl.uniform1i(program.uniform("skinned"), palette ? 1 : 0);
    gl.uniformMatrix4fv(program.uniform("view"), false, this.view);
    gl.uniformMatrix4fv(program.uniform("model"), false, model);
    gl.uniform4fv(program.uniform("factor"), part.color);
    gl.uniform4fv(program.uniform("shadow"), this.inShadow);
    gl.uniform3fv(program.uniform("eye"), this.eye);
    gl.uniform1f(program.uniform("cutoff"), part.cutoff);
    gl.uniform1f(program.uniform("opacity"), opacity);
    gl.uniform1i(program.uniform("blends"), part.blends ? 1 : 0);
    gl.depthMask(!part.blends);
    if (part.count > 0) gl.drawElements(gl.TRIANGLES, buffers.count, buffers.type, 0);
    gl.depthMask(true);
  }

  /** Frees what was made from a source that is no longer shown. */
  release(source: object): void {
    const texture = this.textures.get(source);
    if (texture) this.gl.deleteTexture(texture);
    this.textures.delete(source);
    const mesh = this.meshes.get(source);
    if (mesh) {
      this.gl.deleteVertexArray(mesh.array);
      for (const buffer of mesh.buffers) this.gl.deleteBuffer(buffer);
    }
    this.meshes.delete(source);
  }

  private forget(): void {
    this.programs.clear();
    this.textures.clear();
    this.meshes.clear();
    this.flat = this.capsule = this.quad = this.shadow = this.palette = this.white = null;
  }

  private program(name: string, vertex: string, fragment: string, attributes: string[]): Program {
    const known = this.programs.get(name);
    if (known) return known;
    const { gl } = this;
    const handle = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
      const shader = gl.createShader(type);
      if (!shader) throw new Error("the WebGL context is lost");
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(`${name}: ${gl.getShaderInfoLog(shader) ?? ""}`);
      gl.attachShader(handle, shader);
    }
    attributes.forEach((attribute, index) => gl.bindAttribLocation(handle, index, attribute));
    gl.linkProgram(handle);
    const locations = new Map<string, WebGLUniformLocation | null>();
    const program: Program = {
      handle,
      uniform: (uniform) => {
        let location = locations.get(uniform);
        if (location === undefined) {
          location = gl.getUniformLocation(handle, uniform);
          locations.set(uniform, location);
        }
        return location;
      },
    };
    this.programs.set(name, program);
    return program;
  }

  private texture(image: TexImageSource, premultiply: boolean): WebGLTexture {
    const known = this.textures.get(image);
    if (known) return known;
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, premultiply);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    if (premultiply) {
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    }
    this.textures.set(image, texture);
    return texture;
  }

  private blank(): WebGLTexture {
    if (this.white) return this.white;
    const { gl } = this;
    this.white = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.white);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array([255, 255, 255, 255]));
    return this.white;
  }

  private meshBuffers(part: MeshPart): MeshBuffers {
    const known = this.meshes.get(part);
    if (known) return known;
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const made: WebGLBuffer[] = [];
    const create = (): WebGLBuffer => {
      const buffer = gl.createBuffer();
      made.push(buffer);
      return buffer;
    };
    const floats = (index: number, data: Float32Array | null, size: number, missing: number[]): void => {
      if (!data) {
        gl.vertexAttrib4fv(index, missing);
        return;
      }
      gl.bindBuffer(gl.ARRAY_BUFFER, create());
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, size, gl.FLOAT, false, 0, 0);
    };
    floats(0, part.positions, 3, [0, 0, 0, 1]);
    floats(1, part.normals, 3, [0, 1, 0, 0]);
    floats(2, part.uvs, 2, [0, 0, 0, 0]);
    const joints = part.joints ?? new Uint16Array((part.positions.length / 3) * 4);
    gl.bindBuffer(gl.ARRAY_BUFFER, create());
    gl.bufferData(gl.ARRAY_BUFFER, joints, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(3);
    gl.vertexAttribIPointer(3, 4, gl.UNSIGNED_SHORT, 0, 0);
    floats(4, part.weights ?? new Float32Array((part.positions.length / 3) * 4), 4, [0, 0, 0, 0]);
    floats(5, part.colors, 4, [1, 1, 1, 1]);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, create());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, part.indices, gl.STATIC_DRAW);
    const buffers = { array, buffers: made, version: part.version, count: part.indices.length, type: gl.UNSIGNED_INT };
    this.meshes.set(part, buffers);
    return buffers;
  }

  /** A unit capsule: two hemispheres whose rings are joined by a cylinder. */
  private capsuleMesh(): { array: WebGLVertexArrayObject; instances: WebGLBuffer; count: number } {
    const { gl } = this;
    const around = 14, rings = 5;
    const vertices: number[] = [], indices: number[] = [];
    for (let ring = 0; ring < rings * 2; ring++) {
      const side = ring < rings ? 0 : 1;
      const latitude = side === 0 ? -Math.PI / 2 + (ring / (rings - 1)) * (Math.PI / 2) : ((ring - rings) / (rings - 1)) * (Math.PI / 2);
      for (let i = 0; i <= around; i++) {
        const angle = (i / around) * 2 * Math.PI;
        vertices.push(Math.cos(latitude) * Math.cos(angle), Math.sin(latitude), Math.cos(latitude) * Math.sin(angle), side);
      }
    }
    const row = around + 1;
    for (let ring = 0; ring + 1 < rings * 2; ring++) {
      for (let i = 0; i < around; i++) {
        const a = ring * row + i;
        indices.push(a, a + row, a + 1, a + 1, a + row, a + row + 1);
      }
    }
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(vertices), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 16, 0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 1, gl.FLOAT, false, 16, 12);
    const instances = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    for (let i = 0; i < 3; i++) {
      gl.enableVertexAttribArray(2 + i);
      gl.vertexAttribPointer(2 + i, 4, gl.FLOAT, false, CAPSULE_FLOATS * 4, i * 16);
      gl.vertexAttribDivisor(2 + i, 1);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(indices), gl.STATIC_DRAW);
    return { array, instances, count: indices.length };
  }

  private shadowTarget(): { frame: WebGLFramebuffer; texture: WebGLTexture } {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, SHADOW_SIZE, SHADOW_SIZE, 0, gl.RED, gl.UNSIGNED_BYTE, null);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { frame, texture };
  }
}
