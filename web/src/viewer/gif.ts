/**
 * A GIF89a writer: median cut over a 15-bit histogram makes one palette for all frames; LZW as in the specification.
 * Frames are RGBA; `delay` is in hundredths of a second.
 */
export function encodeGif(frames: Uint8ClampedArray[], width: number, height: number, delay: number): Uint8Array<ArrayBuffer> {
  const { palette, lookup } = makePalette(frames);
  const out: number[] = [];
  const word = (n: number): void => void out.push(n & 255, (n >> 8) & 255);
  for (const c of "GIF89a") out.push(c.charCodeAt(0));
  word(width);
  word(height);
  out.push(0xf7, 0, 0);
  for (let i = 0; i < 256; i++) out.push(...(palette[i] ?? [0, 0, 0]));
  out.push(0x21, 0xff, 11, ...[..."NETSCAPE2.0"].map((c) => c.charCodeAt(0)), 3, 1, 0, 0, 0);
  const chunks: Uint8Array[] = [];
  const flush = (): void => {
    chunks.push(Uint8Array.from(out));
    out.length = 0;
  };
  const pixels = new Uint8Array(width * height);
  for (const frame of frames) {
    out.push(0x21, 0xf9, 4, 4);
    word(delay);
    out.push(0, 0, 0x2c);
    word(0);
    word(0);
    word(width);
    word(height);
    out.push(0, 8);
    for (let i = 0; i < pixels.length; i++) pixels[i] = lookup[key(frame, i * 4)];
    lzw(pixels, out);
    flush();
  }
  out.push(0x3b);
  flush();
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

const key = (data: Uint8ClampedArray, i: number): number => ((data[i] >> 3) << 10) | ((data[i + 1] >> 3) << 5) | (data[i + 2] >> 3);

function makePalette(frames: Uint8ClampedArray[]): { palette: number[][]; lookup: Uint8Array } {
  const counts = new Uint32Array(32768);
  const sums = [new Float64Array(32768), new Float64Array(32768), new Float64Array(32768)];
  for (const frame of frames) {
    for (let i = 0; i < frame.length; i += 4) {
      const k = key(frame, i);
      counts[k]++;
      for (let c = 0; c < 3; c++) sums[c][k] += frame[i + c];
    }
  }
  const used: number[] = [];
  for (let k = 0; k < 32768; k++) if (counts[k]) used.push(k);
  const channel = (k: number, c: number): number => sums[c][k] / counts[k];
  const spread = (box: number[]): { range: number; axis: number; weight: number } => {
    let best = 0, axis = 0, weight = 0;
    for (const k of box) weight += counts[k];
    for (let c = 0; c < 3; c++) {
      let low = 255, high = 0;
      for (const k of box) {
        low = Math.min(low, channel(k, c));
        high = Math.max(high, channel(k, c));
      }
      if (high - low > best) [best, axis] = [high - low, c];
    }
    return { range: best, axis, weight };
  };
  let boxes = [{ keys: used, ...spread(used) }];
  while (boxes.length < 256) {
    const worst = boxes.reduce((a, b) => (b.keys.length > 1 && b.range * Math.sqrt(b.weight) > (a.keys.length > 1 ? a.range * Math.sqrt(a.weight) : -1) ? b : a));
    if (worst.keys.length < 2 || worst.range === 0) break;
    const sorted = [...worst.keys].sort((a, b) => channel(a, worst.axis) - channel(b, worst.axis));
    let half = 0, split = 1;
    for (let i = 0; i < sorted.length - 1; i++) {
      half += counts[sorted[i]];
      split = i + 1;
      if (half * 2 >= worst.weight) break;
    }
    const [left, right] = [sorted.slice(0, split), sorted.slice(split)];
    boxes = boxes.filter((box) => box !== worst).concat({ keys: left, ...spread(left) }, { keys: right, ...spread(right) });
  }
  const lookup = new Uint8Array(32768);
  const palette = boxes.map((box, index) => {
    const mean = [0, 0, 0];
    for (const k of box.keys) {
      lookup[k] = index;
      for (let c = 0; c < 3; c++) mean[c] += sums[c][k] / box.weight;
    }
    return mean.map(Math.round);
  });
  return { palette, lookup };
}

function lzw(pixels: Uint8Array, out: number[]): void {
  let block: number[] = [];
  let bits = 0, buffered = 0;
  const emit = (code: number, width: number): void => {
    bits |= code << buffered;
    buffered += width;
    while (buffered >= 8) {
      block.push(bits & 255);
      bits >>>= 8;
      buffered -= 8;
      if (block.length === 255) {
        out.push(255, ...block);
        block = [];
      }
    }
  };
  const CLEAR = 256;
  let width = 9, next = 258;
  let table = new Map<number, number>();
  emit(CLEAR, width);
  let prefix = pixels[0];
  for (let i = 1; i < pixels.length; i++) {
    const pair = (prefix << 8) | pixels[i];
    const known = table.get(pair);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    emit(prefix, width);
    if (next === 4096) {
      emit(CLEAR, width);
      table = new Map();
      width = 9;
      next = 258;
    } else {
      if (next === 1 << width) width++;
      table.set(pair, next++);
    }
    prefix = pixels[i];
  }
  emit(prefix, width);
  emit(257, width);
  if (buffered > 0) block.push(bits & 255);
  if (block.length) out.push(block.length, ...block);
  out.push(0);
}
