// Makes samples/pip.skf: the project's Pip with a picture of 256 colours, so that the viewer stays small. Poses are the same.
// The motions beside it are `sinew compress ../samples/motion/X.bvh` (0.1 mm). Run: node samples/make.mjs
import { readFileSync, writeFileSync } from "node:fs";
import { crc32 as zlibCrc, deflateRawSync, deflateSync, inflateRawSync, inflateSync } from "node:zlib";

const here = new URL(".", import.meta.url);
const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});
const crc32 = zlibCrc ?? ((bytes) => ~bytes.reduce((crc, byte) => table[(crc ^ byte) & 255] ^ (crc >>> 8), ~0) >>> 0);

function readZip(bytes) {
  const end = bytes.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  const files = new Map();
  let at = bytes.readUInt32LE(end + 16);
  for (let i = bytes.readUInt16LE(end + 10); i > 0; i--) {
    const [method, packed, nameLength, extra, comment, local] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20), bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30), bytes.readUInt16LE(at + 32), bytes.readUInt32LE(at + 42)];
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const data = bytes.subarray(start, start + packed);
    files.set(name, method ? inflateRawSync(data) : data);
    at += 46 + nameLength + extra + comment;
  }
  return files;
}

function writeZip(files) {
  const parts = [], directory = [];
  let offset = 0;
  for (const [name, data] of files) {
    const packed = name.endsWith(".png") ? data : deflateRawSync(data, { level: 9 });
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(packed === data ? 0 : 8, 4);
    common.writeUInt16LE(0x0021, 8);
    common.writeUInt32LE(crc32(data) >>> 0, 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    parts.push(Buffer.from("PK\x03\x04", "latin1"), common, Buffer.from(name), packed);
    directory.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), common, tail, Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const index = Buffer.concat(directory), end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(files.size, 8);
  end.writeUInt16LE(files.size, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, index, end]);
}

/** Pixels of an RGBA PNG of 8 bits without interlacing. */
function readPng(bytes) {
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (bytes[24] !== 8 || bytes[25] !== 6 || bytes[28] !== 0) throw new Error("another kind of PNG");
  const chunks = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") chunks.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  }
  const raw = inflateSync(Buffer.concat(chunks)), stride = width * 4, out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const a = x >= 4 ? out[y * stride + x - 4] : 0, b = y ? out[(y - 1) * stride + x] : 0, c = x >= 4 && y ? out[(y - 1) * stride + x - 4] : 0;
      const p = a + b - c, [da, db, dc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
      const guess = [0, a, b, (a + b) >> 1, da <= db && da <= dc ? a : db <= dc ? b : c][filter];
      out[y * stride + x] = raw[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return { width, height, pixels: out };
}

/** Median cut over red, green, blue and alpha, colours weighted by their alpha. */
function quantize({ pixels }) {
  const counts = new Map();
  for (let i = 0; i < pixels.length; i += 4) {
    const key = pixels[i + 3] ? pixels.readUInt32LE(i) : 0;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  counts.delete(0);
  const colors = [...counts].map(([key, count]) => ({ key, count, v: [key & 255, (key >>> 8) & 255, (key >>> 16) & 255, key >>> 24] }));
  const measure = (items) => {
    let best = { score: -1, axis: 0 };
    for (let axis = 0; axis < 4; axis++) {
      let sum = 0, squares = 0, weight = 0;
      for (const { v, count } of items) {
        const w = count * (axis < 3 ? v[3] / 255 : 1);
        sum += v[axis] * w;
        squares += v[axis] * v[axis] * w;
        weight += w;
      }
      const score = weight ? squares - (sum * sum) / weight : 0;
      if (score > best.score) best = { score, axis };
    }
    return { items, ...best };
  };
  const boxes = [measure(colors)];
  while (boxes.length < 255) {
    boxes.sort((a, b) => b.score - a.score);
    const { items, axis } = boxes[0];
    if (items.length < 2) break;
    items.sort((a, b) => a.v[axis] - b.v[axis] || a.key - b.key);
    const total = items.reduce((sum, { v, count }) => sum + v[axis] * count, 0) / items.reduce((sum, { count }) => sum + count, 0);
    let split = items.findIndex(({ v }) => v[axis] > total);
    if (split <= 0) split = items.length >> 1;
    boxes.splice(0, 1, measure(items.slice(0, split)), measure(items.slice(split)));
  }
  // Entries by opacity: PNG stores opacities up to the last one that is not full.
  const entries = boxes.map(({ items }) => {
    const weight = items.reduce((sum, { v, count }) => sum + (v[3] / 255) * count, 0), number = items.reduce((sum, { count }) => sum + count, 0);
    const mean = [0, 1, 2].map((k) => Math.round(items.reduce((sum, { v, count }) => sum + v[k] * (v[3] / 255) * count, 0) / (weight || 1)));
    return { items, color: [...mean, Math.round(items.reduce((sum, { v, count }) => sum + v[3] * count, 0) / number)] };
  });
  entries.sort((a, b) => a.color[3] - b.color[3] || a.color[0] - b.color[0] || a.color[1] - b.color[1] || a.color[2] - b.color[2]);
  const palette = [[0, 0, 0, 0], ...entries.map(({ color }) => color)];
  const indexOf = new Map([[0, 0], ...entries.flatMap(({ items }, i) => items.map(({ key }) => [key, i + 1]))]);
  return { palette, indexOf };
}

function writePng(image) {
  const { width, height, pixels } = image;
  const { palette, indexOf } = quantize(image);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      rows[y * (width + 1) + 1 + x] = indexOf.get(pixels[at + 3] ? pixels.readUInt32LE(at) : 0);
    }
  }
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]), out = Buffer.alloc(data.length + 12);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body) >>> 0, data.length + 8);
    return out;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap(([r, g, b]) => [r, g, b]))),
    chunk("tRNS", Buffer.from(palette.map(([, , , a]) => a))),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const files = readZip(readFileSync(new URL("../../samples/pip.skf", here)));
files.set("atlas0.png", writePng(readPng(files.get("atlas0.png"))));
writeFileSync(new URL("pip.skf", here), writeZip(files));
