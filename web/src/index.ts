/** The runtime and the player. */
export {
  CharacterInstance,
  CharacterModel,
  Controller,
  Curve,
  init,
  load,
  MotionInstance,
  MotionModel,
  parse,
  poseHash,
  SinewError,
  stats,
  type AnimationFrame,
  type Atlas,
  type Bone,
  type Contribution,
  type ErrorCode,
  type ErrorDetails,
  type FiredTrigger,
  type FootContact,
  type GroundTransform,
  type IkFamily,
  type Joint,
  type LoadOptions,
  type Model,
  type ModuleSource,
  type Placement,
  type PlayingAnimation,
  type PlayParameters,
  type Repeat,
  type Summary,
  type Warning,
} from "./core.js";
export { Player, type Comparison, type LoopMode, type Mix, type PlayerEvent, type PlayerOptions, type Show } from "./player.js";
export { Actor, type PoseTrack } from "./actor.js";
export { readMeshes, type MeshSource } from "./render/glb.js";
export { DARK, LIGHT, type Theme } from "./render/theme.js";
