/** The deep link: `#clip=walk&t=1.2&speed=0.5&camera=…`. */

export interface Link {
  file?: string;
  clip?: string;
  t?: number;
  speed?: number;
  loop?: string;
  range?: [number, number];
  camera?: string;
  show?: string[];
  compare?: string;
  play?: boolean;
}

export function readLink(hash = location.hash): Link {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const text = (key: string): string | undefined => values.get(key) ?? undefined;
  const number = (key: string): number | undefined => {
    const value = Number(values.get(key) ?? NaN);
    return Number.isFinite(value) ? value : undefined;
  };
  const range = text("range")?.split(",").map(Number);
  return {
    file: text("file"),
    clip: text("clip"),
    t: number("t"),
    speed: number("speed"),
    loop: text("loop"),
    range: range?.length === 2 && range.every(Number.isFinite) ? [range[0], range[1]] : undefined,
    camera: text("camera"),
    show: text("show")?.split(","),
    compare: text("compare"),
    play: text("play") === undefined ? undefined : text("play") === "1",
  };
}

export function writeLink(link: Link): string {
  const values = new URLSearchParams();
  const put = (key: string, value: string | number | undefined): void => {
    if (value !== undefined && value !== "") values.set(key, String(value));
  };
  put("file", link.file);
  put("clip", link.clip);
  put("t", link.t === undefined ? undefined : +link.t.toFixed(3));
  put("speed", link.speed === 1 ? undefined : link.speed);
  put("loop", link.loop === "loop" ? undefined : link.loop);
  put("range", link.range?.map((n) => +n.toFixed(3)).join(","));
  put("camera", link.camera);
  put("show", link.show?.join(","));
  put("compare", link.compare);
  return `#${values.toString().replace(/%2C/g, ",")}`;
}
