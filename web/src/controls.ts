/** Pointer, touch and wheel: move the camera, find the joint under the pointer, drag bones of a 2D character. */
import type { Player } from "./player.js";

export function attachControls(player: Player): () => void {
  const { canvas } = player;
  const pointers = new Map<number, { x: number; y: number }>();
  let dragged = -1;
  let travelled = 0;
  const ratio = (): number => canvas.width / Math.max(canvas.clientWidth, 1);
  const position = (event: PointerEvent | WheelEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * ratio(), (event.clientY - box.top) * ratio()];
  };

  const down = (event: PointerEvent): void => {
    const [x, y] = position(event);
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x, y });
    travelled = 0;
    dragged = -1;
    if (pointers.size === 1 && event.button === 0 && player.camera.kind === "plane" && (player.drags === "bones" || player.show.skeleton)) {
      dragged = player.drags === "bones" ? player.jointAt(x, y) : targetAt(player, x, y);
    }
  };

  const move = (event: PointerEvent): void => {
    const [x, y] = position(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      const joint = event.pointerType === "touch" ? -1 : player.jointAt(x, y);
      if (joint !== player.hover) {
        player.hover = joint;
        player.invalidate();
        player.emit("draw", { hover: joint });
      }
      return;
    }
    const dx = x - before.x, dy = y - before.y;
    travelled += Math.hypot(dx, dy);
    if (dragged >= 0 && player.camera.kind === "plane") {
      player.actor.hold(dragged, ...player.camera.toWorld(x, y));
    } else if (pointers.size === 2) {
      const other = [...pointers.entries()].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const was = Math.hypot(before.x - other.x, before.y - other.y), now = Math.hypot(x - other.x, y - other.y);
        if (was > 0 && now > 0) player.camera.zoomAt(now / was, (x + other.x) / 2, (y + other.y) / 2);
        player.camera.pan(dx / 2, dy / 2);
      }
    } else if (event.shiftKey || event.buttons === 4 || event.buttons === 2) {
      player.camera.pan(dx, dy);
    } else {
      player.camera.orbit(dx / (player.camera.kind === "orbit" ? ratio() : 1), dy / (player.camera.kind === "orbit" ? ratio() : 1));
    }
    before.x = x;
    before.y = y;
    player.invalidate();
  };

  const up = (event: PointerEvent): void => {
    if (!pointers.delete(event.pointerId)) return;
    if (travelled < 5 * ratio() && event.type === "pointerup") {
      const joint = dragged >= 0 ? dragged : player.jointAt(...position(event));
      player.selected = joint === player.selected ? -1 : joint;
      player.invalidate();
      player.emit("draw", { selected: player.selected });
    }
    dragged = -1;
  };

  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 30 : 1;
    player.camera.zoomAt(Math.exp(-event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0015)), ...position(event));
    player.invalidate();
  };

  const leave = (): void => {
    if (player.hover < 0) return;
    player.hover = -1;
    player.invalidate();
  };

  const menu = (event: Event): void => event.preventDefault();
  const reset = (): void => player.fitView();
  canvas.style.touchAction = "none";
  canvas.addEventListener("pointerdown", down);
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("wheel", wheel, { passive: false });
  canvas.addEventListener("contextmenu", menu);
  canvas.addEventListener("dblclick", reset);
  return () => {
    canvas.style.touchAction = "";
    canvas.removeEventListener("pointerdown", down);
    canvas.removeEventListener("pointermove", move);
    canvas.removeEventListener("pointerup", up);
    canvas.removeEventListener("pointercancel", up);
    canvas.removeEventListener("pointerleave", leave);
    canvas.removeEventListener("wheel", wheel);
    canvas.removeEventListener("contextmenu", menu);
    canvas.removeEventListener("dblclick", reset);
  };
}

/** The IK target near a point, or -1. */
function targetAt(player: Player, x: number, y: number): number {
  if (player.model.kind !== "character") return -1;
  const screen = player.screenPoints();
  let best = -1, distance = 16 * devicePixelRatio;
  for (const { target } of player.model.ik) {
    if (target < 0) continue;
    const d = Math.hypot(screen[target * 3] - x, screen[target * 3 + 1] - y);
    if (d < distance) [best, distance] = [target, d];
  }
  return best;
}
