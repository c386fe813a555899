// Makes small glTF files: a bending bar of two primitives on one skin, a rigid box on the last bone, a morphing box, a
// transparent pane.
import { crc32, deflateSync } from "node:zlib";

/** An RGB picture as a PNG. */
export function png(width, height, color) {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows.set(color(x, y), y * (1 + width * 3) + 1 + x * 3);
  const chunk = (type, data) => {
    const out = Buffer.alloc(data.length + 12);
    out.writeUInt32BE(data.length, 0);
    out.write(type, 4, "latin1");
    data.copy(out, 8);
    out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

const RED = [200, 30, 30], GREEN = [30, 160, 40];
const FLOAT = 5126, SHORT = 5123, BYTE = 5121;
const identity = () => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Faces of a box. */
const BOX = [0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4, 2, 3, 7, 2, 7, 6, 1, 2, 6, 1, 6, 5, 0, 4, 7, 0, 7, 3];
const box = (x, y, z, r) => [[-r, -r, -r], [r, -r, -r], [r, r, -r], [-r, r, -r], [-r, -r, r], [r, -r, r], [r, r, r], [-r, r, r]].map(([a, b, c]) => [x + a, y + b, z + c]);

/**
 * A model whose bar of 3 m bends by 90 degrees about z, towards -x, in one second (`bend`); meanwhile the morphing box
 * grows from 0.2 to 0.8 m. In `still` nothing moves.
 *
 * Options: `meshes` (default true), `external` picture, `sparse` displacements of the morph target, `bones` that move or
 * carry others, of three.
 */
export function model({ meshes = true, external = false, sparse = false, bones = 3 } = {}) {
  const pieces = [], views = [], accessors = [];
  let length = 0;
  const view = (bytes) => {
    while (length % 4) {
      pieces.push(Buffer.alloc(1));
      length++;
    }
    views.push({ buffer: 0, byteOffset: length, byteLength: bytes.length });
    pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    length += bytes.length;
    return views.length - 1;
  };
  const sizes = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
  const kinds = { [FLOAT]: Float32Array, [SHORT]: Uint16Array, [BYTE]: Uint8Array };
  const accessor = (type, componentType, values, extra = {}) => {
    const flat = values.flat();
    const array = new kinds[componentType](flat);
    const count = flat.length / sizes[type];
    const bounds = type === "VEC3" || type === "SCALAR" ? { min: range(flat, sizes[type], Math.min), max: range(flat, sizes[type], Math.max) } : {};
    accessors.push({ bufferView: view(new Uint8Array(array.buffer)), componentType, count, type, ...bounds, ...extra });
    return accessors.length - 1;
  };
  const range = (flat, size, pick) => Array.from({ length: size }, (_, k) => pick(...flat.filter((_, i) => i % size === k)));

  // Rings of the bar: four corners at each height; each bone holds a metre, with a soft seam.
  const rings = 13;
  const bar = { positions: [], uvs: [], joints: [], weights: [], lower: [], upper: [] };
  for (let ring = 0; ring < rings; ring++) {
    const y = (ring / (rings - 1)) * 3;
    const bone = Math.min(Math.floor(y), 2), next = Math.min(bone + 1, 2), share = Math.max(0, (y - bone - 0.75) * 2);
    for (const [x, z] of [[-0.2, -0.2], [0.2, -0.2], [0.2, 0.2], [-0.2, 0.2]]) {
      bar.positions.push([x, y, z]);
      bar.uvs.push([0.5, y / 3]);
      bar.joints.push([bone, next, 0, 0]);
      bar.weights.push([1 - share, share, 0, 0]);
    }
    if (ring + 1 === rings) continue;
    const faces = ring < rings / 2 - 1 ? bar.lower : bar.upper;
    for (let side = 0; side < 4; side++) {
      const a = ring * 4 + side, b = ring * 4 + ((side + 1) % 4);
      faces.push(a, a + 4, b, b, a + 4, b + 4);
    }
  }
  const turned = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
  const times = accessor("SCALAR", FLOAT, [0, 1]), rest = accessor("VEC4", FLOAT, [[0, 0, 0, 1], [0, 0, 0, 1]]);
  const channel = (sampler, node, path) => ({ sampler, target: { node, path } });
  const document = {
    asset: { version: "2.0", generator: "sinew test" },
    scene: 0,
    scenes: [{ nodes: meshes ? [0, 4, 5, 6] : [0] }],
    nodes: [
      { name: "root", children: [1] },
      { name: "middle", translation: [0, 1, 0], children: [2] },
      { name: "tip", translation: [0, 1, 0], ...(meshes ? { children: [3] } : {}) },
    ],
    animations: [
      {
        name: "bend",
        samplers: [{ input: times, output: accessor("VEC4", FLOAT, [[0, 0, 0, 1], turned]) }, { input: times, output: rest }],
        channels: [channel(0, 1, "rotation"), channel(1, 2, "rotation")],
      },
      {
        name: "still",
        samplers: [{ input: times, output: rest }],
        channels: [channel(0, 1, "rotation"), channel(0, 2, "rotation")],
      },
    ],
  };
  if (bones < 3) for (const animation of document.animations) animation.channels.splice(1, 1);
  const picture = png(8, 8, (x, y) => (y < 4 ? RED : GREEN));
  if (meshes) {
    const bend = document.animations[0];
    bend.samplers.push({ input: times, output: accessor("SCALAR", FLOAT, [0, 1]) });
    bend.channels.push(channel(2, 5, "weights"));
    const attributes = {
      POSITION: accessor("VEC3", FLOAT, bar.positions),
      TEXCOORD_0: accessor("VEC2", FLOAT, bar.uvs),
      JOINTS_0: accessor("VEC4", BYTE, bar.joints),
      WEIGHTS_0: accessor("VEC4", FLOAT, bar.weights),
    };
    const boxFaces = accessor("SCALAR", SHORT, BOX);
    const growth = box(0, 0, 0, 0.3);
    let target = accessor("VEC3", FLOAT, growth);
    if (sparse) {
      accessors[target] = {
        componentType: FLOAT, count: 8, type: "VEC3", min: [-0.3, -0.3, -0.3], max: [0.3, 0.3, 0.3],
        sparse: { count: 8, indices: { bufferView: view(new Uint8Array([0, 1, 2, 3, 4, 5, 6, 7])), componentType: BYTE }, values: { bufferView: accessors[target].bufferView } },
      };
    }
    const binds = [0, 1, 2].map((y) => identity().with(13, -y));
    Object.assign(document, {
      meshes: [
        { primitives: [{ attributes, indices: accessor("SCALAR", SHORT, bar.lower), material: 0 }, { attributes, indices: accessor("SCALAR", SHORT, bar.upper), material: 0 }] },
        { primitives: [{ attributes: { POSITION: accessor("VEC3", FLOAT, box(0, 1.2, 0, 0.25)) }, indices: boxFaces, material: 1 }] },
        { primitives: [{ attributes: { POSITION: accessor("VEC3", FLOAT, box(0, 0, 0, 0.1)) }, indices: boxFaces, material: 2, targets: [{ POSITION: target }] }], weights: [0] },
        {
          primitives: [
            {
              attributes: { POSITION: accessor("VEC3", FLOAT, [[0, 0, 0], [0.8, 0, 0], [0.8, 3, 0], [0, 3, 0]]), COLOR_0: accessor("VEC3", FLOAT, [[1, 0, 1], [1, 0, 1], [1, 0, 1], [1, 0, 1]]) },
              indices: accessor("SCALAR", SHORT, [0, 1, 2, 0, 2, 3]),
              material: 3,
            },
          ],
        },
      ],
      materials: [
        { name: "striped", pbrMetallicRoughness: { baseColorTexture: { index: 0 } } },
        { name: "yellow", pbrMetallicRoughness: { baseColorFactor: [0.8, 0.6, 0, 1] } },
        { name: "blue", pbrMetallicRoughness: { baseColorFactor: [0, 0.05, 0.7, 1] } },
        { name: "pane", alphaMode: "BLEND", pbrMetallicRoughness: { baseColorFactor: [1, 1, 1, 0.5] } },
      ],
      textures: [{ source: 0 }],
      images: [external ? { uri: "the%20skin.png" } : { bufferView: view(picture), mimeType: "image/png" }],
      skins: [{ joints: [0, 1, 2], inverseBindMatrices: accessor("MAT4", FLOAT, binds) }],
    });
    document.nodes.push(
      { name: "lamp", mesh: 1 },
      { name: "bar", mesh: 0, skin: 0 },
      { name: "swelling", mesh: 2, translation: [1.8, 1, 0] },
      { name: "pane", mesh: 3, translation: [-0.1, 0, -0.6] },
    );
  }
  const padding = Buffer.alloc((4 - (length % 4)) % 4);
  const binary = Buffer.concat([...pieces, padding]);
  return { document: { ...document, bufferViews: views, accessors, buffers: [{ byteLength: binary.length }] }, binary, picture };
}

/** The model as one file. */
export function glb(options) {
  const { document, binary } = model(options);
  const text = JSON.stringify(document);
  const json = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
  const head = Buffer.alloc(20);
  head.write("glTF", 0, "latin1");
  [2, 28 + json.length + binary.length, json.length].forEach((value, i) => head.writeUInt32LE(value, 4 + i * 4));
  head.write("JSON", 16, "latin1");
  const middle = Buffer.alloc(8);
  middle.writeUInt32LE(binary.length, 0);
  middle.write("BIN\0", 4, "latin1");
  return Buffer.concat([head, json, middle, binary]);
}

/** The model as three files. */
export function gltf(options) {
  const { document, binary, picture } = model({ ...options, external: true });
  document.buffers[0].uri = "the%20model.bin";
  return [
    { name: "model.gltf", bytes: Buffer.from(JSON.stringify(document)) },
    { name: "the model.bin", bytes: binary },
    { name: "the skin.png", bytes: picture },
  ];
}
