export type {
  Call,
  Coverage,
  Covered,
  GivenUp,
  NoReply,
  RefusedState,
  Reply,
  Step,
  SyncOptions,
  SyncProgress,
  SyncReport,
  Taken,
  Why,
} from "./step.js";
export { FollowRefused, followFrom, type FollowFromOptions } from "./follow-from.js";
export { SyncStopped, syncWith, type SyncWithOptions } from "./sync-with.js";
export { Sync, SyncingEngine } from "./syncing.js";
