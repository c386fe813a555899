/** The runtime and the player. */
export * from "./core.js";
export { Player, type Comparison, type LoopMode, type Mix, type PlayerEvent, type PlayerOptions, type Show } from "./player.js";
export { Actor, type PoseTrack } from "./actor.js";
export { readMeshes, type MeshSource } from "./render/glb.js";
export { DARK, LIGHT, type Theme } from "./render/theme.js";
