/** Poses of glTF meshes: matrices of nodes and of the joints of a skin. */
import type { MeshSkin, MeshSource } from "./glb.js";
import { multiply, type Mat4 } from "./math.js";

/**
 * Model-space matrices of all nodes: those of joints from the core, the rest by inheritance from their parents.
 * `matrices` has 16 numbers per joint, `nodeOfJoint` the node of each.
 */
export function nodeMatrices(source: MeshSource, matrices: Float32Array, nodeOfJoint: Int32Array): Mat4[] {
  const out: (Mat4 | null)[] = source.locals.map(() => null);
  for (let joint = 0; joint < nodeOfJoint.length; joint++) {
    const node = nodeOfJoint[joint];
    if (node >= 0 && node < out.length) out[node] = matrices.subarray(joint * 16, joint * 16 + 16);
  }
  const resolve = (node: number, depth: number): Mat4 => {
    const known = out[node];
    if (known) return known;
    const parent = source.parents[node];
    // A cycle of parents is invalid; a depth beyond the number of nodes shows it.
    const local = source.locals[node];
    const matrix = parent >= 0 && depth < out.length ? multiply(resolve(parent, depth + 1), local) : local;
    out[node] = matrix;
    return matrix;
  };
  return source.locals.map((_, node) => resolve(node, 0));
}

/** The matrix of each joint of a skin: joint × inverse bind. */
export function skinPalette(skin: MeshSkin, nodes: Mat4[]): Float32Array {
  const out = new Float32Array(skin.nodes.length * 16);
  skin.nodes.forEach((node, index) => {
    const bind = skin.inverseBinds.subarray(index * 16, index * 16 + 16);
    out.set(node in nodes ? multiply(nodes[node], bind) : bind, index * 16);
  });
  return out;
}
