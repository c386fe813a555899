/** Elements without markup: names from files are only ever text. */

type Child = Node | string | number | null | undefined | false;
type Props = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

/** Creates an element. `on…` properties listen, `class` sets classes, others are attributes; `null` and `false` are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2).toLowerCase(), value as EventListener);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string | number => child !== null && child !== undefined && child !== false).map((child) => (typeof child === "number" ? String(child) : child)));
  return element;
}

const PATHS = {
  play: "M5 3.2v9.6L13 8z|fill",
  pause: "M4.5 3h2.4v10H4.5zM9.1 3h2.4v10H9.1z|fill",
  first: "M3.5 3.5v9M13 3.5 6.5 8l6.5 4.5z",
  back: "M11 3.5 5 8l6 4.5",
  forward: "M5 3.5 11 8l-6 4.5",
  loop: "M3 7.5V7a3 3 0 0 1 3-3h6M10 2l2 2-2 2M13 8.5V9a3 3 0 0 1-3 3H4M6 14l-2-2 2-2",
  once: "M2.5 8h9M8.5 5l3 3-3 3M13.5 4v8",
  pingpong: "M2.5 8h11M5 5.5 2.5 8 5 10.5M11 5.5 13.5 8 11 10.5",
  mesh: "M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.5 5 8 8.2 13.5 5M8 8.2v6",
  bones: "M4.6 4.6 11.4 11.4M3.2 2.2a1.7 1.7 0 1 0 1.5 2.5M12.8 13.8a1.7 1.7 0 1 0-1.5-2.5",
  names: "M2.5 4.5V3h11v1.5M8 3v10M6 13h4",
  drag: "M8 1.8v12.4M1.8 8h12.4M6.2 3.4 8 1.6l1.8 1.8M6.2 12.6 8 14.4l1.8-1.8M3.4 6.2 1.6 8l1.8 1.8M12.6 6.2 14.4 8l-1.8 1.8",
  trails: "M2 12.5c3 0 3-8 6-8s2.6 5 6 3.5M12.2 6.2 14 8l-1.2 2",
  strobe: "M3.5 4v8M7 3v10M10.5 4v8M13.5 5.5v5",
  ground: "M1.5 12.5h13M4.5 9h7M6.2 6h3.6M8 6v6.5M4.5 9l-3 3.5M11.5 9l3 3.5",
  feet: "M5 2.2c1.4 0 2 1.6 1.8 3.4S6 8 5 8 3.2 7.4 3 5.6 3.6 2.2 5 2.2zM4 10h2v1.6a1 1 0 0 1-2 0zM11 4.4c1.4 0 2 1.6 1.8 3.2S12 10 11 10s-1.8-.6-2-2.4.6-3.2 2-3.2zM10 12h2v1a1 1 0 0 1-2 0z",
  follow: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1v2.4M8 12.6V15M1 8h2.4M12.6 8H15",
  fit: "M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3",
  plus: "M8 3.5v9M3.5 8h9",
  minus: "M3.5 8h9",
  open: "M2 12.5v-9h4l1.5 1.8H14v7.2z",
  compare: "M2.5 3h4.5v10H2.5zM9 3h4.5v10H9zM8 1.5v13",
  camera: "M2 5h3l1-1.6h4L11 5h3v8H2zM8 6.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4z",
  film: "M2 3.5h12v9H2zM5 3.5v9M11 3.5v9M2 6.5h3M2 9.5h3M11 6.5h3M11 9.5h3",
  link: "M6.8 9.2 9.2 6.8M7 5l1.6-1.6a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.6 1.6a2.8 2.8 0 0 1-4-4L5 7",
  theme: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  full: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  help: "M5.8 6a2.2 2.2 0 1 1 3.4 1.8c-.8.5-1.2 1-1.2 1.9M8 12v.4",
  close: "M4 4l8 8M12 4l-8 8",
  warning: "M8 2.2 14.5 13.5h-13zM8 6.5v3.4M8 11.6v.4",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  file: "M3.5 1.8h6l3 3v9.4h-9zM9.5 1.8v3h3",
} as const;
export type Icon = keyof typeof PATHS;

export function icon(name: Icon): SVGSVGElement {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  const [d, fill] = PATHS[name].split("|");
  const path = document.createElementNS(namespace, "path");
  path.setAttribute("d", d);
  if (fill) path.setAttribute("class", "solid");
  svg.append(path);
  return svg;
}

export function button(name: Icon | null, label: string, action: (event: Event) => void, options: { text?: boolean; class?: string; key?: string; pressed?: boolean } = {}): HTMLButtonElement {
  return h(
    "button",
    {
      type: "button",
      class: options.class ?? (options.text ? "button" : "button square"),
      "aria-label": label,
      title: options.key ? `${label} (${options.key})` : options.text ? null : label,
      "aria-pressed": options.pressed === undefined ? null : String(options.pressed),
      onclick: action as (event: never) => void,
    },
    name ? icon(name) : null,
    options.text ? h("span", { class: "label" }, label) : null,
  );
}

/** Moves focus within a list by arrow keys; one item at a time is in the tab order. */
export function roving(list: HTMLElement, selector: string, choose: (item: HTMLElement) => void): void {
  list.addEventListener("keydown", (event) => {
    const items = [...list.querySelectorAll<HTMLElement>(selector)].filter((item) => item.offsetParent !== null);
    const current = items.indexOf(document.activeElement as HTMLElement);
    const horizontal = list.getAttribute("aria-orientation") === "horizontal" || list.getAttribute("role") === "tablist";
    const moves: Record<string, number> = { [horizontal ? "ArrowRight" : "ArrowDown"]: current + 1, [horizontal ? "ArrowLeft" : "ArrowUp"]: current - 1, Home: 0, End: items.length - 1 };
    if (event.key in moves && items.length) {
      const next = items[Math.max(0, Math.min(items.length - 1, moves[event.key]))];
      for (const item of items) item.tabIndex = item === next ? 0 : -1;
      next.focus();
      choose(next);
      event.preventDefault();
      event.stopPropagation();
    } else if ((event.key === "Enter" || event.key === " ") && current >= 0) {
      choose(items[current]);
      event.preventDefault();
      event.stopPropagation();
    }
  });
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1e6) return `${(count / 1e3).toFixed(count < 1e4 ? 1 : 0)} kB`;
  return `${(count / 1e6).toFixed(1)} MB`;
}

/** A length in the model's unit: millimetres and metres in 3D, pixels in 2D. */
export function distance(value: number, metres: boolean): string {
  if (!metres) return `${value.toFixed(value < 10 ? 2 : 0)} px`;
  if (value < 0.0995) return `${(value * 1000).toFixed(value < 0.03 ? 1 : 0)} mm`;
  return `${value.toFixed(2)} m`;
}

export function save(data: Blob, name: string): void {
  const url = URL.createObjectURL(data);
  const anchor = h("a", { href: url, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
