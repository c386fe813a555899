/** The gallery of a served folder: a card per file with a picture and statistics, and a search. */
import { bytes, h, icon } from "./dom.js";
import { baseName, type FileDetails, type Source } from "./files.js";

/** Cards whose files are asked about at the same time: the server draws a few pictures at once. */
const MAX_REQUESTS = 4;

/** How often a busy server is asked again. */
const MAX_TRIES = 8;

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Lines of statistics: joints and animations; frames, rate and length of all animations. */
export function statistics({ kind, joints, animations }: FileDetails): string[] {
  const lines: string[] = [];
  const counts = joints ? [plural(joints, kind === "character" ? "bone" : "joint")] : [];
  if (kind) counts.push(animations.length ? plural(animations.length, "animation") : "no animation");
  if (counts.length) lines.push(counts.join(" · "));
  if (animations.length) {
    const sum = (value: (animation: FileDetails["animations"][number]) => number): number => animations.reduce((total, animation) => total + value(animation), 0);
    const frames = sum((animation) => animation.frames), rates = [...new Set(animations.map(({ fps }) => +fps.toFixed(2)))];
    const parts = frames ? [plural(frames, "frame")] : [];
    if (rates.length === 1 && rates[0] > 0) parts.push(`${rates[0]} fps`);
    parts.push(`${sum((animation) => animation.seconds).toFixed(2)} s`);
    lines.push(parts.join(" · "));
  }
  return lines;
}

/** Asks the server, again if it is busy; `null` if it has no answer. */
async function ask(url: string): Promise<Response | null> {
  for (let tries = MAX_TRIES; tries > 0; tries--) {
    const response = await fetch(url);
    if (response.status !== 503) return response.ok ? response : null;
    const seconds = Math.min(Number(response.headers.get("Retry-After")) || 1, 10);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
  return null;
}

async function fill(card: HTMLElement, source: Source): Promise<void> {
  if (source.error) return;
  try {
    const picture = source.thumbnail ? await ask(source.thumbnail) : null;
    // The policy of the page allows pictures from memory only.
    if (picture) card.querySelector(".picture")?.replaceChildren(h("img", { src: URL.createObjectURL(await picture.blob()), alt: "" }));
    const details = await source.details?.((url) => ask(url));
    const line = card.querySelector(".size");
    if (!details || !line) return;
    if (details.error !== undefined) {
      line.className = "size bad";
      line.textContent = details.error;
    } else {
      line.before(...statistics(details).map((text) => h("span", { class: "dim" }, text)));
    }
    card.title = [source.name, ...statistics(details), details.error ?? bytes(source.size)].join("\n");
  } catch {
    // The card stays as it is.
  }
}

/** Creates the gallery; `choose` opens a file. */
export function gallery(sources: readonly Source[], choose: (source: Source) => void): HTMLElement {
  const search = h("input", { type: "search", class: "search", placeholder: `Find among ${sources.length} files`, "aria-label": "Find a file" });
  const grid = h("div", { class: "gallery" });
  const none = h("p", { class: "note", role: "status" });
  const waiting: [HTMLElement, Source][] = [];
  let running = 0;
  const next = (): void => {
    const entry = running < MAX_REQUESTS ? waiting.shift() : undefined;
    // Cards that left the page are not asked about.
    if (!entry) return;
    running++;
    void (entry[0].isConnected ? fill(...entry) : Promise.resolve()).finally(() => {
      running--;
      next();
    });
    next();
  };
  const cards = new Map<Element, Source>();
  const watcher = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      const source = cards.get(target);
      if (!isIntersecting || !source) continue;
      watcher.unobserve(target);
      waiting.push([target as HTMLElement, source]);
    }
    next();
  });
  for (const source of sources) {
    const card = h(
      "button",
      { type: "button", class: "card", title: source.name, onclick: () => choose(source) },
      h("span", { class: "picture" }, icon("file")),
      h("strong", {}, baseName(source.name)),
      baseName(source.name) === source.name ? null : h("span", { class: "dim" }, source.name.slice(0, -baseName(source.name).length - 1)),
      h("span", { class: source.error ? "size bad" : "size dim" }, source.error ?? [source.format, bytes(source.size)].filter(Boolean).join(" · ")),
    );
    cards.set(card, source);
    watcher.observe(card);
    grid.append(card);
  }
  search.addEventListener("input", () => {
    const wanted = search.value.toLowerCase();
    let found = 0;
    for (const card of cards.keys()) found += Number(!((card as HTMLElement).hidden = !(card.textContent ?? "").toLowerCase().includes(wanted)));
    none.textContent = found ? "" : `No file matches “${search.value}”.`;
  });
  return h("div", { class: "gallery-page" }, search, none, grid);
}
