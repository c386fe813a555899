/** What the players of a page share: one WebGL2 context and one animation loop. */
import { GlBackend } from "./render/gl.js";

export interface Ticking {
  tick(seconds: number): void;
  invalidate(): void;
  /** Takes the size of its canvas, which the backend limits. */
  resize(): void;
}

let backend: GlBackend | null | undefined;
let frame = 0;
let last = 0;
const players = new Set<Ticking>();

/** The shared backend; `null` without WebGL2. */
export function sharedBackend(): GlBackend | null {
  if (backend === undefined) {
    backend = GlBackend.create();
    backend?.onChange(() => {
      for (const player of players) {
        player.resize();
        player.invalidate();
      }
    });
  }
  return backend;
}

/** Discards the backend, as if the browser had no WebGL2: for tests and for a switch to the fallback. */
export function disableWebGl(): void {
  backend = null;
  for (const player of players) player.invalidate();
}

export function join(player: Ticking): void {
  players.add(player);
  if (!frame) frame = requestAnimationFrame(step);
}

export function leave(player: Ticking): void {
  players.delete(player);
}

function step(now: number): void {
  // A tab that was hidden, or a long task, must not make animations jump.
  const seconds = last ? Math.min((now - last) / 1000, 0.1) : 0;
  last = now;
  for (const player of players) player.tick(seconds);
  backend?.flush();
  if (players.size) {
    frame = requestAnimationFrame(step);
  } else {
    frame = 0;
    last = 0;
  }
}
