// A school that is filled from the service, under TypeScript.

import {
  FollowRefused,
  Rollbook,
  SyncStopped,
  followFrom,
  syncWith,
  type Call,
  type Coverage,
  type Covered,
  type Engine,
  type FollowFromOptions,
  type GivenUp,
  type NoReply,
  type RefusedState,
  type Reply,
  type Step,
  type Sync,
  type SyncOptions,
  type SyncProgress,
  type SyncReport,
  type Summary,
  type SyncWithOptions,
  type SyncingEngine,
  type Taken,
  type Why,
} from "rollbook/sync";

const options: SyncOptions = { daysFrom: "2026-01-01", mostInFlight: 2, outbox: "demo" };

export async function fill(engine: SyncingEngine): Promise<SyncReport | Why> {
  const sync: Sync = await engine.sync(1000, options);
  const onProgress = ({ answered, left, inFlight }: SyncProgress): void =>
    console.log(`${answered} of ${answered + left}, ${inFlight} out`);
  const signal = AbortSignal.timeout(60_000);
  const given: SyncWithOptions = { headers: { "HTTP-X-USERNAME": "demo" }, onProgress, signal, fetch };
  try {
    return await syncWith(sync, new URL("https://app.example/integrate"), given);
  } catch (error) {
    if (error instanceof SyncStopped) return error.why;
    throw error;
  }
}

export async function drive(sync: Sync, send: (call: Call) => Reply | NoReply): Promise<Taken[]> {
  const step: Step = await sync.next({ now: new Date() });
  if (step.kind !== "send") return [];
  const sent = send(step.call);
  const { id } = step.call;
  const taken = typeof sent === "string" ? await sync.fail(id, sent) : await sync.take(id, sent);
  await sync.want("/api/v1/settings/clients/1000");
  await sync.confirm("/api/v1/settings/clients/1000");
  return [taken];
}

export async function follow(engine: SyncingEngine): Promise<number | string> {
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
  const engine = await Rollbook.memory();
  const plain: Engine = engine;
  await plain.stats();
  const coverage: Coverage | null = await engine.synced(1000);
  const seen: readonly Covered[] = coverage?.seen ?? [];
  await engine.forgetSync(1000);
  return seen[0]?.asOf ?? coverage?.asOf ?? null;
}

export function told({ givenUp, refused }: SyncReport): [readonly GivenUp[], readonly RefusedState[]] {
  return [givenUp, refused];
}
