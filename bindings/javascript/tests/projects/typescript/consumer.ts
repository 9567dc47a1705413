// Uses the exports of the package in TypeScript. `sync.ts` uses those for syncing and following.

import {
  Answer,
  AnswerEvent,
  Engine,
  FailureEvent,
  LiveQuery,
  Rollbook,
  RollbookError,
  type At,
  type Counts,
  type Dataset,
  type DateText,
  type ErrorCode,
  type Fault,
  type Id,
  type Instant,
  type LiveQueryEvents,
  type LoadOptions,
  type ObserveOptions,
  type Options,
  type Page,
  type Progress,
  type Questions,
  type RequestOptions,
  type Settings,
  type Stats,
  type Summary,
  type Upgrade,
  type Verification,
  type v1,
} from "rollbook";

const school: Id = 1000;
const today: DateText = "2026-05-14";
const instant: Instant = new Date("2026-05-14T08:00:00Z");
const settings: Settings = { cacheBytes: 8 << 20, pageLimit: 50, maxPageLimit: 100 };
const options: Options = { ...settings, clock: () => instant };
const at: At = { now: Date.now() };

function format({ lines, bytes, total }: Progress): string {
  return `${lines} lines, ${bytes} of ${total ?? "some"} bytes`;
}

export async function load(engine: Engine, dataset: Dataset): Promise<Counts> {
  const signal = AbortSignal.timeout(60_000);
  const loading: LoadOptions = { signal, onProgress: (progress) => void format(progress) };
  const summary: Summary = await engine.apply(dataset, loading);
  const faults: Fault[] = await engine.check(dataset, { limit: 10 });
  await engine.replaceSchool("1000", dataset);
  await engine.removeSchool(1000n);
  await engine.eraseLearner(school, 1);
  return faults.length === 0 ? summary.total : (summary.kinds.learner ?? summary.total);
}

export async function ask(engine: Engine): Promise<string[]> {
  const options: RequestOptions = { method: "GET", headers: [["HTTP-X-USERNAME", "demo"]] };
  const refused: Answer = await engine.request("/api/v1/adminplus/learners/1000", options);
  const refusal = await engine.request<v1.Error>("/api/v1/adminplus/learners/1000");
  const said: string = refusal.ok ? refused.text() : refusal.json().error_description;

  const fields: Questions["learners"]["asks"] = { school, since: today, includeParents: true };
  const learners: v1.Learner[] = (await engine.ask("learners", fields, at)).json();
  const parents: v1.Parent[] = learners.flatMap((learner) => learner.parents ?? []);

  const marks = (await engine.ask("assessmentMarks", { school, gradeId: 9 })).json();
  const years: v1.YearMarks[] = Object.values(marks).flatMap(({ years }) => Object.values(years));

  const page: Page = { limit: 10, reverseOrder: true };
  const status: number = (await engine.page("absentees", { school }, page)).status;
  await engine.find("schools", { username: "demo", school });
  await engine.setState({ username: "demo", school, apiTypeId: 8, active: true });
  const upgrade: Upgrade = await engine.upgrade("/api/v1/settings/clients");
  const response: Response = await engine.fetch("/api/v1/adminplus/learners/1000");
  return [said, `${parents.length} ${years.length} ${status} ${response.status}`, upgrade.target];
}

export async function observe(engine: Engine): Promise<v1.LookupEntry[]> {
  const options: ObserveOptions = { signal: AbortSignal.timeout(60_000) };
  const grades: LiveQuery<v1.LookupEntry[]> = engine.observe("grades", { school }, options);
  grades.addEventListener("answer", ({ answer }: AnswerEvent<v1.LookupEntry[]>) => answer.json()[0]?.name);
  const failed = ({ error }: FailureEvent): void => console.log(error.message);
  grades.addEventListener("error", failed);
  grades.removeEventListener("error", failed);
  grades.addEventListener("end", (event: LiveQueryEvents<unknown>["end"]) => void event.type);
  for await (const answer of grades) {
    if (answer.ok) return answer.json();
  }
  return [];
}

export async function look(engine: Engine): Promise<[Verification, Stats]> {
  const reader = engine.export({ credentials: false }).getReader();
  const piece: Uint8Array | undefined = (await reader.read()).value;
  await reader.cancel();
  await engine.compact();
  return piece === undefined ? look(engine) : [await engine.verify(), await engine.stats()];
}

export async function main(): Promise<ErrorCode | boolean> {
  try {
    await using engine = await Rollbook.open("school", options);
    return engine.persisted;
  } catch (error) {
    if (error instanceof RollbookError) return error.code;
    throw error;
  }
}

export async function refused(engine: Engine): Promise<void> {
  // @ts-expect-error A school is needed.
  await engine.ask("learners", { learnerId: 1 });
  // @ts-expect-error No such question.
  await engine.ask("pupils", { school });
  // @ts-expect-error What is answered are learners.
  const schools: v1.School[] = (await engine.ask("learners", { school })).json();
  // @ts-expect-error No such event.
  engine.observe("grades", { school }).addEventListener("change", () => undefined);
  // @ts-expect-error Engines are opened, not made.
  new Engine();
  // @ts-expect-error A date is no instant.
  await engine.ask("learners", { school }, { now: today });
  void schools;
}
