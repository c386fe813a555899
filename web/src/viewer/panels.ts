/** The inspector: information, joints, feet, mix, styles, comparison. */
import type { Contribution } from "../core.js";
import type { Player } from "../player.js";
import { css } from "../render/theme.js";
import { decides, SLIDE, slide } from "./analysis.js";
import type { App, Place } from "./app.js";
import { bytes, distance, h, roving } from "./dom.js";
import { animationColor, shares } from "./weights.js";

export type Panel = { id: string; title: string; element: HTMLElement; update(): void; tick?(): void };

const row = (name: string, value: string | Node): HTMLElement => h("div", { class: "fact" }, h("dt", {}, name), h("dd", {}, value));

export function infoPanel(app: App): Panel {
  const facts = h("dl", { class: "facts" });
  const hash = h("div", { class: "hash" });
  const warnings = h("div", { class: "warnings" });
  const element = h("div", {}, facts, hash, warnings);
  return {
    id: "info",
    title: "Info",
    element,
    update() {
      const { player, opened } = app;
      facts.replaceChildren();
      warnings.replaceChildren();
      hash.replaceChildren();
      if (!player || !opened) return;
      const { model, actor } = player;
      const animation = model.animations[player.index];
      facts.append(row("File", opened.source.name), row("Format", model.format), row("Size", bytes(model.byteLength)));
      facts.append(row(model.kind === "character" ? "Bones" : "Joints", String(actor.names.length)), row("Animations", String(model.animations.length)));
      if (animation) {
        facts.append(row("Length", `${animation.duration.toFixed(3)} s`));
        if (animation.fps) facts.append(row("Frames", `${animation.frames} at ${+animation.fps.toFixed(3)} per second`));
        facts.append(row("Loops", animation.loops ? "yes" : "no"));
        if (animation.packedBytes) facts.append(row("Packed", bytes(animation.packedBytes)));
        const b = actor.bounds(player.index);
        if (actor.is3d) {
          facts.append(row("Extent", `${distance(b[3] - b[0], true)} × ${distance(b[4] - b[1], true)} × ${distance(b[5] - b[2], true)}`));
        } else {
          facts.append(row("Extent", `${(b[3] - b[0]).toFixed(0)} × ${(b[4] - b[1]).toFixed(0)} px`));
        }
      }
      if (model.kind === "character") facts.append(row("Styles", String(model.styles.length)), row("Pictures", model.atlases.map((atlas) => `${atlas.width} × ${atlas.height}`).join(", ") || "none"));
      if (actor.meshes) facts.append(row("Mesh", `${actor.meshes.parts.length} part${actor.meshes.parts.length === 1 ? "" : "s"}, ${(actor.meshes.parts.reduce((sum, part) => sum + part.indices.length / 3, 0)).toFixed(0)} triangles`));
      if (animation) {
        let here: string;
        try {
          here = actor.hash(player.index);
        } catch (error) {
          here = (error as Error).message;
        }
        const native = app.nativeHash(player.index);
        hash.append(
          h("h3", {}, "Pose hash"),
          h("p", { class: "note" }, "Ten seconds of poses, computed in this browser."),
          h("code", {}, here),
          native === null
            ? h("p", { class: "note" }, "Compare it with the native program's: sinew info --hash")
            : h("p", { class: native === here ? "good" : "bad" }, native === here ? "Equal to the native program's, bit for bit." : `Differs from the native program's: ${native}`),
        );
      }
      const messages = [...model.warnings.map((warning) => warning.message), ...(actor.meshes?.notices ?? []).map((notice) => `mesh: ${notice}`)];
      if (messages.length) warnings.append(h("h3", {}, `Warnings (${messages.length})`), h("ul", {}, ...messages.slice(0, 50).map((message) => h("li", {}, message))));
    },
  };
}

export function jointPanel(app: App): Panel {
  const filter = h("input", { type: "search", placeholder: "Find", "aria-label": "Find a joint", class: "search" });
  const list = h("ul", { class: "list joints", role: "listbox", "aria-label": "Joints" });
  const detail = h("div", { class: "detail" });
  const element = h("div", { class: "split" }, detail, filter, list);
  let shown: Player | null = null;
  let items: HTMLElement[] = [];
  const depth = (player: Player, joint: number): number => {
    let count = 0;
    for (let p = player.actor.parents[joint]; p >= 0 && count < 64; p = player.actor.parents[p]) count++;
    return count;
  };
  const apply = (): void => {
    const wanted = filter.value.toLowerCase();
    for (const item of items) item.hidden = !(item.textContent ?? "").toLowerCase().includes(wanted);
  };
  filter.addEventListener("input", apply);
  roving(list, "[role=option]", (item) => app.select(Number(item.dataset.joint)));
  list.addEventListener("click", (event) => {
    const item = (event.target as HTMLElement).closest<HTMLElement>("[role=option]");
    if (item) app.select(Number(item.dataset.joint));
  });
  let lastExplained = "";
  const explain = (): void => {
    const { player } = app;
    if (!player || element.offsetParent === null) return;
    const joint = player.hover >= 0 ? player.hover : player.selected;
    if (joint < 0) {
      if (lastExplained !== "none") detail.replaceChildren(h("p", { class: "note" }, "Point at a joint, or choose one, to see where its pose comes from."));
      lastExplained = "none";
      return;
    }
    const { actor } = player;
    const p = actor.points;
    const position = [0, 1, 2].slice(0, actor.is3d ? 3 : 2).map((k) => p[joint * 3 + k].toFixed(actor.is3d ? 3 : 1)).join(", ");
    let contributions: Contribution[] = [];
    try {
      contributions = actor.explain(player.tracks(), joint);
    } catch {
      // A model without animations has nothing to explain.
    }
    const text = JSON.stringify([joint, position, contributions]);
    if (text === lastExplained) return;
    lastExplained = text;
    const value = (v: Contribution["result"]): string => (Array.isArray(v) ? v.map((n: number) => n.toFixed(3)).join(" ") : typeof v === "number" ? (v as number).toFixed(3) : String(v));
    const trailing = player.show.trails.includes(joint);
    detail.replaceChildren(
      h("h3", {}, actor.names[joint]),
      h("dl", { class: "facts" }, row("Parent", actor.parents[joint] >= 0 ? actor.names[actor.parents[joint]] : "none"), row(`Position, ${actor.is3d ? "m" : "px"}`, position)),
      h("label", { class: "check" }, checkbox(trailing, () => app.toggleTrail(joint)), "Trail"),
      contributions.length
        ? h(
            "table",
            { class: "table" },
            h("caption", {}, "Contributions, in the order of application"),
            h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Animation"), h("th", { scope: "col" }, "Part"), h("th", { scope: "col", class: "number" }, "Weight"), h("th", { scope: "col" }, "Result"))),
            h(
              "tbody",
              {},
              ...contributions.map((c) =>
                h("tr", {}, h("td", {}, player.model.animations[c.animation]?.name ?? "", c.additive ? " +" : ""), h("td", {}, c.quantity), h("td", { class: "number" }, c.weight.toFixed(2)), h("td", { class: "mono" }, value(c.result))),
              ),
            ),
          )
        : h("p", { class: "note" }, "No animation moves it: it rests relative to its parent."),
    );
  };
  return {
    id: "joints",
    title: "Joints",
    element,
    update() {
      const { player } = app;
      if (player !== shown) {
        shown = player;
        lastExplained = "";
        items = player
          ? player.actor.names.map((name, joint) => {
              const item = h("li", { role: "option", tabindex: joint ? -1 : 0, "aria-selected": "false", "data-joint": joint }, name || `(${joint})`);
              item.style.paddingInlineStart = `${8 + Math.min(depth(player, joint), 14) * 9}px`;
              return item;
            })
          : [];
        list.replaceChildren(...items);
        apply();
      }
      items.forEach((item, joint) => {
        const chosen = joint === player?.selected;
        if ((item.getAttribute("aria-selected") === "true") !== chosen) {
          item.setAttribute("aria-selected", String(chosen));
          if (chosen && element.offsetParent !== null) item.scrollIntoView({ block: "nearest" });
        }
      });
      explain();
    },
    tick: explain,
  };
}

export function checkbox(checked: boolean, change: () => void): HTMLInputElement {
  return h("input", { type: "checkbox", checked, onchange: change });
}

/** Rows of the table of contacts. */
const MAX_CONTACTS = 300;

export function feetPanel(app: App): Panel {
  const element = h("div");
  return {
    id: "feet",
    title: "Feet",
    element,
    update() {
      const { player } = app;
      element.replaceChildren();
      if (!player || player.model.kind !== "motion" || !player.model.animations.length) return;
      const contacts = player.contacts().filter((contact) => contact.part !== "hand");
      if (!contacts.length) {
        element.append(h("p", { class: "note" }, "No foot contacts were found in this animation."));
        return;
      }
      const slides = contacts.map((contact) => slide(player.actor, player.index, contact));
      const summary = (["left", "right", "middle"] as const).flatMap((side) => {
        const own = contacts.map((contact, i) => ({ contact, value: slides[i] })).filter(({ contact }) => contact.side === side && decides(contact, contacts));
        if (!own.length) return [];
        const worst = own.reduce((a, b) => (b.value > a.value ? b : a));
        const name = side === "middle" ? "Foot" : side === "left" ? "Left foot" : "Right foot";
        const verdict = worst.value > SLIDE ? "slides" : "holds";
        return [h("div", { class: `verdict ${verdict}` }, h("strong", {}, `${name} ${verdict}`), h("span", {}, `at most ${distance(worst.value, true)}, from ${worst.contact.start.toFixed(2)} to ${worst.contact.end.toFixed(2)} s`))];
      });
      // Of a long clip, the contacts that move most, in order of time.
      const order = contacts.map((_, i) => i).sort((a, b) => slides[b] - slides[a]);
      const listed = order.slice(0, MAX_CONTACTS).sort((a, b) => a - b);
      element.append(
        ...summary,
        h("p", { class: "note" }, "How far a planted joint moves over the ground while it rests. A ball that moves more than 20 mm slides. A heel does not count: it turns about the ball."),
        h(
          "table",
          { class: "table click" },
          h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Contact"), h("th", { scope: "col", class: "number" }, "From"), h("th", { scope: "col", class: "number" }, "To"), h("th", { scope: "col", class: "number" }, "Moves"))),
          h(
            "tbody",
            {},
            ...listed.map((i) => {
              const contact = contacts[i];
              return h(
                "tr",
                { class: slides[i] > SLIDE && decides(contact, contacts) ? "bad" : null },
                h("td", {}, h("button", { type: "button", class: "plain", onclick: () => app.seekContact(contact) }, `${contact.side} ${contact.part}`)),
                h("td", { class: "number" }, contact.start.toFixed(2)),
                h("td", { class: "number" }, contact.end.toFixed(2)),
                h("td", { class: "number" }, distance(slides[i], true)),
              );
            }),
          ),
        ),
        listed.length < contacts.length ? h("p", { class: "note" }, `The ${listed.length} of ${contacts.length} contacts that move most.`) : "",
      );
    },
  };
}

interface WeightSample {
  at: number;
  weights: Map<number, number>;
}

export function mixPanel(app: App): Panel {
  const sliders = h("div", { class: "mixes" });
  const canvas = h("canvas", { class: "weights", role: "img", "aria-label": "Weights of the animations over the last eight seconds" });
  const fade = h("input", { type: "range", min: 0, max: 1.5, step: 0.05, id: "fade" });
  const fadeValue = h("output", { for: "fade" });
  fade.addEventListener("input", () => {
    if (app.player) app.player.fade = Number(fade.value);
    fadeValue.textContent = `${Number(fade.value).toFixed(2)} s`;
  });
  const element = h(
    "div",
    {},
    h("label", { class: "field", for: "fade" }, h("span", {}, "Crossfade"), fade, fadeValue),
    h("h3", {}, "Weights"),
    canvas,
    h("h3", {}, "Laid over the animation"),
    h("p", { class: "note" }, "Several animations at once: each is laid over those above it with its weight."),
    sliders,
  );
  const history: WeightSample[] = [];
  const draw = (): void => {
    const { player } = app;
    if (!player) return;
    const now = performance.now() / 1000;
    history.push({ at: now, weights: shares(player.tracks()) });
    while (history.length && now - history[0].at > 8) history.shift();
    if (element.offsetParent === null) return;
    const ratio = devicePixelRatio, width = canvas.clientWidth, height = 64;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    if (!context || !width) return;
    context.scale(ratio, ratio);
    context.strokeStyle = css(player.theme.grid, 0.5);
    for (const y of [4.5, height / 2, height - 4.5]) {
      context.beginPath();
      context.moveTo(0, y);
      context.lineTo(width, y);
      context.stroke();
    }
    for (const animation of new Set(history.flatMap((sample) => [...sample.weights.keys()]))) {
      context.beginPath();
      for (const sample of history) context.lineTo(width - ((now - sample.at) / 8) * width, height - 4.5 - (sample.weights.get(animation) ?? 0) * (height - 9));
      context.strokeStyle = animationColor(animation);
      context.lineWidth = 2;
      context.stroke();
    }
  };
  return {
    id: "mix",
    title: "Mix",
    element,
    update() {
      const { player } = app;
      history.length = 0;
      sliders.replaceChildren();
      if (!player) return;
      fade.value = String(player.fade);
      fadeValue.textContent = `${player.fade.toFixed(2)} s`;
      player.model.animations.forEach((animation, index) => {
        if (index === player.index) return;
        const mix = player.mixes.find((item) => item.animation === index);
        const id = `mix-${index}`;
        const input = h("input", { type: "range", min: 0, max: 1, step: 0.01, value: mix?.weight ?? 0, id });
        const output = h("output", { for: id }, (mix?.weight ?? 0).toFixed(2));
        const additive = checkbox(mix?.additive ?? false, () => apply());
        const apply = (): void => {
          const weight = Number(input.value);
          output.textContent = weight.toFixed(2);
          player.mixes = player.mixes.filter((item) => item.animation !== index);
          if (weight > 0) player.mixes.push({ animation: index, weight, additive: additive.checked });
          player.mixes.sort((a, b) => a.animation - b.animation);
          player.invalidate();
        };
        input.addEventListener("input", apply);
        const swatch = h("i", { class: "swatch" });
        swatch.style.background = animationColor(index);
        sliders.append(h("div", { class: "field mix" }, h("label", { for: id }, swatch, animation.name), input, output, h("label", { class: "check", title: "Adds the difference from its first pose" }, additive, "add")));
      });
      if (player.model.animations.length < 2) sliders.append(h("p", { class: "note" }, "This file has one animation."));
      draw();
    },
    tick: draw,
  };
}

export function stylePanel(app: App): Panel {
  const element = h("div");
  return {
    id: "styles",
    title: "Styles",
    element,
    update() {
      const { player } = app;
      element.replaceChildren();
      if (!player || player.model.kind !== "character") return;
      const { model, actor } = player;
      if (!model.styles.length) {
        element.append(h("p", { class: "note" }, "This character has no styles."));
        return;
      }
      element.append(
        h("p", { class: "note" }, "The first chosen style that has a picture of a name is shown."),
        ...model.styles.map((name, style) =>
          h(
            "label",
            { class: "check row" },
            checkbox(actor.worn.includes(style), () => {
              const worn = actor.worn.includes(style) ? actor.worn.filter((other) => other !== style) : [...actor.worn, style];
              // The order of the file decides which style comes first.
              actor.wear([...worn].sort((a, b) => a - b));
              player.invalidate();
            }),
            name,
          ),
        ),
      );
    },
  };
}

export function comparePanel(app: App): Panel {
  const element = h("div");
  return {
    id: "compare",
    title: "Compare",
    element,
    update() {
      const { player } = app;
      element.replaceChildren();
      if (!player) return;
      const choices = app.comparable();
      const current = app.comparedKey();
      const chooser = h("select", { id: "compare-with" }, h("option", { value: "" }, "nothing"), ...choices.map(({ key, label }) => h("option", { value: key, selected: key === current }, label)));
      chooser.addEventListener("change", () => void app.compareWith(chooser.value || null));
      element.append(h("label", { class: "field", for: "compare-with" }, h("span", {}, "With"), chooser));
      if (!choices.length) element.append(h("p", { class: "note" }, "Open a second file to compare it with this one. Joints correspond by name."));
      const { comparison } = player;
      if (!comparison) return;
      const option = (id: string, label: string, values: [string, string][], value: string, change: (value: string) => void): HTMLElement => {
        const select = h("select", { id }, ...values.map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
        select.addEventListener("change", () => change(select.value));
        return h("label", { class: "field", for: id }, h("span", {}, label), select);
      };
      element.append(
        option("compare-mode", "View", [["overlay", "Overlaid"], ["side", "Side by side"]], comparison.mode, (value) => app.setComparison({ mode: value as "overlay" | "side" })),
        option("compare-sync", "Time", app.syncs(), app.sync, (value) => app.setComparison({ sync: value })),
        option("compare-place", "Place", app.places(), app.place, (value) => app.setComparison({ place: value as Place })),
      );
      const { error, registration } = app;
      if (registration) {
        const { curve, file } = registration;
        const metres = distance(curve.distance, true);
        element.append(h("dl", { class: "facts" }, row("Curve", `${curve.motions.join(", ")}${curve.isCyclic ? ", cyclic" : ""}`), row("From", file), row("Mean joint distance", metres)));
      }
      if (!error) return;
      const metres = player.actor.is3d;
      const means = error.joints.map((joint, i) => {
        let sum = 0, most = 0;
        for (let k = 0; k < error.count; k++) {
          const value = error.values[i * error.count + k];
          sum += value;
          most = Math.max(most, value);
        }
        return { joint, name: error.names[i], mean: sum / error.count, most };
      });
      element.append(
        h("h3", {}, "Distance between corresponding joints"),
        h("dl", { class: "facts" }, row("Mean", distance(error.mean, metres)), row("Largest", error.worstJoint >= 0 ? `${distance(error.max, metres)}, ${player.actor.names[error.worstJoint]} at ${error.worstTime.toFixed(2)} s` : "none"), row("Joints", `${error.joints.length} of ${player.actor.names.length} correspond`)),
        h("button", { type: "button", class: "button", onclick: () => app.seek(error.worstTime, error.worstJoint) }, "Go to the largest"),
        h(
          "table",
          { class: "table click" },
          h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Joint"), h("th", { scope: "col", class: "number" }, "Mean"), h("th", { scope: "col", class: "number" }, "Largest"))),
          h(
            "tbody",
            {},
            ...means
              .sort((a, b) => b.most - a.most)
              .slice(0, 60)
              .map((item) => h("tr", {}, h("td", {}, h("button", { type: "button", class: "plain", onclick: () => app.select(item.joint) }, item.name)), h("td", { class: "number" }, distance(item.mean, metres)), h("td", { class: "number" }, distance(item.most, metres)))),
          ),
        ),
      );
    },
  };
}
