// Uses the exports for syncing and following in TypeScript.

import {
  FollowRefused,
  Rollbook,
  SyncStopped,
  followFrom,
  syncWith,
  type Call,
  type CallFailure,
  type Coverage,
  type Covered,
  type Engine,
  type FailedRequest,
  type Finding,
  type FindingEffect,
  type FollowFromOptions,
  type QuarantinedAnswer,
  type RefusedState,
  type Reply,
  type ReplyOutcome,
  type Step,
  type StopReason,
  type Sync,
  type SyncOptions,
  type SyncProgress,
  type SyncReport,
  type Summary,
  type SyncWithOptions,
  type UnsentState,
} from "rollbook";

const options: SyncOptions = { daysFrom: "2026-01-01", mostInFlight: 2, outbox: "demo" };

export async function fill(engine: Engine): Promise<SyncReport | StopReason> {
  const sync: Sync = await engine.sync(1000, options);
  const onProgress = ({ answered, left, inFlight }: SyncProgress): void =>
    console.log(`${answered} of ${answered + left}, ${inFlight} out`);
  const signal = AbortSignal.timeout(60_000);
  const given: SyncWithOptions = { headers: { "HTTP-X-USERNAME": "demo" }, onProgress, signal, fetch };
  try {
    return await syncWith(sync, new URL("https://app.example/integrate"), given);
  } catch (error) {
    if (error instanceof SyncStopped) return error.report.replies > 0 ? error.report : error.reason;
    throw error;
  }
}

export async function drive(
  sync: Sync,
  send: (call: Call) => Reply | CallFailure,
): Promise<ReplyOutcome[]> {
  const step: Step = await sync.next({ now: new Date() });
  if (step.kind !== "send") return [];
  const sent = send(step.call);
  const { id } = step.call;
  const outcome =
    typeof sent === "string"
      ? await sync.handleFailure(id, sent)
      : await sync.handleReply(id, sent);
  await sync.prioritise("/api/v1/settings/clients/1000");
  const quarantined: readonly QuarantinedAnswer[] = await sync.quarantined();
  for (const { target, lost, stored } of quarantined) {
    await (lost < stored ? sync.approve(target) : sync.reject(target));
  }
  return [outcome];
}

export async function follow(engine: Engine): Promise<number | string> {
  const given: FollowFromOptions = { headers: { Authorization: "Bearer x" }, wait: 50, fetch };
  try {
    const summary: Summary | null = await followFrom(engine, "https://app.example/feed", given);
    await engine.follow(new Blob([]), { onProgress: ({ lines }) => void lines });
    return (await engine.followed()) ?? summary?.lines ?? 0;
  } catch (error) {
    if (error instanceof FollowRefused) return error.status;
    throw error;
  }
}

export async function age(): Promise<Date | null> {
  const engine: Engine = await Rollbook.memory();
  const coverage: Coverage | null = await engine.synced(1000);
  const seen: readonly Covered[] = coverage?.seen ?? [];
  await engine.forgetSync(1000);
  return seen[0]?.asOf ?? coverage?.asOf ?? null;
}

export function results({ failed, findings, refused, unsent }: SyncReport): [
  readonly FailedRequest[],
  readonly Finding[],
  readonly RefusedState[],
  readonly UnsentState[],
] {
  return [failed, findings, refused, unsent];
}

export function statuses(step: Step): (number | null)[] {
  return step.kind === "stop" ? step.report.failed.map(({ status }) => status) : [];
}

export function isLeftOut({ effect, keys }: Finding, key: string): boolean {
  const leftOut: FindingEffect = "recordLeftOut";
  return effect === leftOut && keys.includes(key);
}
