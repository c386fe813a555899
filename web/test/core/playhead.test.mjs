// The playhead against a time line without an end: every trigger has an image in each period of it.
import assert from "node:assert/strict";
import test from "node:test";
import { random, source } from "./module.mjs";

const { advance, passedTriggers } = await source("playhead.ts");
const names = (triggers, step, range) => passedTriggers(triggers, step, range).map((trigger) => trigger.name).join(" ");
const marks = [["start", 0], ["early", 0.25], ["late", 0.75], ["end", 1]].map(([name, time]) => ({ name, time }));

/** Plays steps of `delta` seconds; returns the triggers of each. */
function play(mode, time, deltas, range = [0, 1]) {
  let direction = 1;
  return deltas.map((delta) => {
    const step = advance(time, delta, direction, range, mode);
    const passed = names(marks, step, range);
    ({ time, direction } = step);
    return passed;
  });
}

test("a loop fires each trigger once per round, in either direction", () => {
  assert.deepEqual(play("loop", 0.1, [0.3, 0.3, 0.3, 0.3]), ["early", "", "late end start", "early"]);
  assert.deepEqual(play("loop", 0.9, [-0.3, -0.3, -0.3, -0.3]), ["late", "", "early", "start end late"]);
});

test("a step that lands on an end of a loop fires both ends once", () => {
  assert.deepEqual(play("loop", 0.5, [0.5, 0.25, 0.25]), ["late end start", "early", ""]);
  assert.deepEqual(play("loop", 0.5, [-0.5, -0.25]), ["early start end", "late"]);
});

test("a trigger at the end of once fires", () => {
  assert.deepEqual(play("once", 0, [0.5, 0.6]), ["early", "late end"]);
  assert.deepEqual(play("once", 1, [-0.5, -0.6]), ["late", "early start"]);
  assert.equal(advance(0.5, 0.6, 1, [0, 1], "once").ended, true);
});

test("triggers at the turning points of ping-pong fire once per turn", () => {
  assert.deepEqual(play("ping-pong", 0.5, [0.6, 0.2, 0.8, 0.4, 0.5]), ["late end", "late", "early start", "early", "late end"]);
  assert.deepEqual(play("ping-pong", 0.5, [0.5, 0.5, 0.5, 0.5]), ["late end", "late", "early start", "early"]);
  assert.deepEqual(play("ping-pong", 0.5, [-0.6, -0.2]), ["early start", "early"]);
});

test("only triggers within the range fire", () => {
  assert.deepEqual(play("loop", 0.3, [0.5, 0.1], [0.2, 0.8]), ["late", "early"]);
  assert.deepEqual(play("loop", 0.3, [0.3, 0.3, 0.3], [0.25, 0.75]), ["", "late early", ""]);
  // A time outside the range continues towards it.
  assert.deepEqual(play("loop", 0, [0.1, 0.2], [0.2, 0.8]), ["", "early"]);
  assert.deepEqual(play("loop", 0.9, [0.1], [0.2, 0.75]), ["early"]);
});

test("a step longer than the animation fires each trigger once, from where it is", () => {
  for (const delta of [1, 1.5, 7.2, 1e6]) {
    assert.deepEqual(play("loop", 0.5, [delta]), ["late end start early"], `${delta}`);
    assert.deepEqual(play("loop", 0.5, [-delta]), ["early start end late"], `${-delta}`);
  }
  assert.deepEqual(play("ping-pong", 0.5, [3.1]), ["late end early start"]);
  assert.deepEqual(play("ping-pong", 0.5, [-3.1]), ["early start late end"]);
});

test("neither no step nor one that is no number fires or moves", () => {
  for (const delta of [0, NaN, Infinity, -Infinity]) {
    const step = advance(0.25, delta, 1, [0, 1], "loop");
    assert.equal(step.time, 0.25);
    assert.equal(names(marks, step, [0, 1]), "");
  }
  assert.equal(advance(0, 1, 1, [0, 0], "loop").time, 0);
});

test("any steps fire what lies between on the time line without an end", () => {
  const next = random(7);
  for (let round = 0; round < 4000; round++) {
    const mode = ["loop", "ping-pong"][round % 2];
    // Sixteenths are exact, so that steps also end on triggers and on the ends.
    const sixteenth = (limit) => next(limit + 1) / 16;
    const from = sixteenth(4), to = from + 0.25 + sixteenth(12), length = to - from;
    const triggers = Array.from({ length: 5 }, (_, i) => ({ name: `${i}`, time: sixteenth(32) }));
    const inside = triggers.filter(({ time }) => time >= from && time <= to);
    let time = from + (next(Math.round(length * 16)) / 16), direction = 1;
    // The place on the time line without an end; a round trip of ping-pong is one period.
    let place = time - from;
    const period = mode === "loop" ? length : 2 * length;
    const images = (trigger) => (mode === "loop" || trigger.time === from || trigger.time === to ? [trigger.time - from] : [trigger.time - from, 2 * length - (trigger.time - from)]);
    for (let count = 0; count < 6; count++) {
      const delta = (next(2) ? 1 : -1) * (next(60) + (mode === "loop" ? 1 : 0)) / 16;
      const target = place + delta;
      const distances = new Map();
      for (const trigger of inside) {
        for (const image of images(trigger)) {
          for (let k = Math.floor(Math.min(place, target) / period) - 2; k * period <= Math.max(place, target) + period; k++) {
            const at = image + k * period;
            const passed = delta > 0 ? at > place && at <= target : at < place && at >= target;
            if (passed) distances.set(trigger, Math.min(distances.get(trigger) ?? Infinity, Math.abs(at - place)));
          }
        }
      }
      const step = advance(time, delta, direction, [from, to], mode);
      const fired = passedTriggers(triggers, step, [from, to]);
      // A loop's two ends are one point, where the step may begin: the time says which of the two it left.
      const seam = (trigger) => mode === "loop" && (trigger.time === from || trigger.time === to);
      const expected = [...distances.keys()].filter((trigger) => !seam(trigger)).map(({ name }) => name).sort();
      assert.deepEqual(fired.filter((trigger) => !seam(trigger)).map(({ name }) => name).sort(), expected, JSON.stringify({ mode, time, direction, place, delta, from, to, triggers, step }));
      const order = fired.filter((trigger) => !seam(trigger)).map((trigger) => distances.get(trigger));
      assert.deepEqual(order, [...order].sort((a, b) => a - b));
      ({ time, direction } = step);
      place = target;
      const folded = ((place % period) + period) % period;
      const shown = from + (folded > length ? period - folded : folded);
      assert.ok(Math.abs(time - shown) < 1e-9 || (mode === "loop" && Math.abs(Math.abs(time - shown) - length) < 1e-9), `${mode}: ${time}, not ${shown}`);
    }
  }
});
