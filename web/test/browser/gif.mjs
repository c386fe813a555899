// Reads GIF files: the frames as indices of colours, and their delays in hundredths of a second.
export function decodeGif(bytes) {
  const word = (at) => bytes[at] | (bytes[at + 1] << 8);
  const [width, height] = [word(6), word(8)];
  let at = 13 + (bytes[10] & 0x80 ? 3 * 2 ** ((bytes[10] & 7) + 1) : 0);
  const frames = [], delays = [];
  const blocks = () => {
    const parts = [];
    for (; bytes[at]; at += 1 + bytes[at]) parts.push(bytes.subarray(at + 1, at + 1 + bytes[at]));
    at += 1;
    return Buffer.concat(parts);
  };
  while (bytes[at] !== 0x3b) {
    if (at >= bytes.length) throw new Error("no end");
    if (bytes[at] === 0x21) {
      if (bytes[at + 1] === 0xf9) delays.push(word(at + 4));
      at += 2;
      blocks();
    } else if (bytes[at] === 0x2c) {
      if (word(at + 5) !== width || word(at + 7) !== height) throw new Error("another size");
      at += 10;
      const size = bytes[at++];
      frames.push(unpack(blocks(), size, width * height));
    } else throw new Error(`block ${bytes[at]} at ${at}`);
  }
  return { width, height, frames, delays };
}

/** LZW with codes of up to 12 bits. */
function unpack(data, size, count) {
  const clear = 1 << size, out = new Uint8Array(count);
  let [table, bits, last, position, written] = [[], size + 1, null, 0, 0];
  for (;;) {
    let code = 0;
    for (let bit = 0; bit < bits; bit++, position++) code |= ((data[position >> 3] >> (position & 7)) & 1) << bit;
    if (code === clear) {
      table = Array.from({ length: clear + 2 }, (_, value) => [value]);
      [bits, last] = [size + 1, null];
      continue;
    }
    if (code === clear + 1) break;
    const entry = table[code] ?? (code === table.length && last ? [...last, last[0]] : null);
    if (!entry) throw new Error(`code ${code} of ${table.length}`);
    out.set(entry, written);
    written += entry.length;
    if (last && table.length < 4096) table.push([...last, entry[0]]);
    if (table.length === 1 << bits && bits < 12) bits += 1;
    last = entry;
  }
  if (written !== count) throw new Error(`${written} pixels of ${count}`);
  return out;
}
