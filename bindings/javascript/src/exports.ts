export { Answer } from "./answer.js";
export type { Settings } from "./calls.js";
export type { Dataset, LoadOptions, Progress } from "./dataset.js";
export { RollbookError, type ErrorCode } from "./error.js";
export { FollowRefused, followFrom, type FollowFromOptions } from "./follow-from.js";
export type { Instant } from "./instant.js";
export {
  AnswerEvent,
  FailureEvent,
  LiveQuery,
  type LiveQueryEvents,
  type ObserveOptions,
} from "./observe.js";
export type { DateText, Id, Questions } from "./questions.js";
export type { RequestOptions } from "./request.js";
export {
  Engine,
  type At,
  type Counts,
  type Fault,
  type Options,
  type Page,
  type Stats,
  type Summary,
  type Upgrade,
  type Verification,
} from "./rollbook.js";
export type * as v1 from "./records.js";
export type {
  Call,
  CallFailure,
  Coverage,
  Covered,
  FailedRequest,
  Finding,
  FindingEffect,
  QuarantinedAnswer,
  RefusedState,
  Reply,
  ReplyOutcome,
  Step,
  StopReason,
  SyncOptions,
  SyncProgress,
  SyncReport,
  UnsentState,
} from "./step.js";
export { Sync } from "./sync.js";
export { SyncStopped, syncWith, type SyncWithOptions } from "./sync-with.js";
