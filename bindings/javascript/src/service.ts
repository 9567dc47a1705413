// Answers calls with an instance of the WebAssembly module.

import type { AnswerMessage } from "./answer.js";
import {
  mayChange,
  type Bytes,
  type CallArguments,
  type CallName,
  type CallResult,
  type Calls,
  type Host,
  type SyncArguments,
} from "./calls.js";
import { RollbookError, interrupted } from "./error.js";
import type { Engine, Export, Follow, Load, Sync } from "./glue.js";
import { Instance, Sink } from "./instance.js";

/** A load, export, sync or feed in progress. It is valid only while the engine with this number runs. */
interface Session<T> {
  readonly engine: number;
  readonly work: T;
}

/** Answers calls with an instance of the WebAssembly module. */
export class Service implements Calls {
  readonly #instance: Instance;
  readonly #loads = new Map<string, Session<Load>>();
  readonly #exports = new Map<string, Session<Export>>();
  readonly #syncs = new Map<string, Session<Sync>>();
  readonly #follows = new Map<string, Session<Follow>>();
  /** The revision of the store at the last call of `hasChanged`, if it is known. */
  #reportedRevision: bigint | undefined;

  constructor(instance: Instance) {
    this.#instance = instance;
    this.hasChanged();
  }

  /** Returns whether the store may have been changed since the last call of this method. */
  hasChanged(): boolean {
    const before = this.#reportedRevision;
    try {
      this.#reportedRevision = this.#instance.run((engine) => engine.revision());
    } catch {
      // The module stopped.
      this.#reportedRevision = undefined;
    }
    return this.#reportedRevision === undefined || this.#reportedRevision !== before;
  }

  request(parts: string, body: Bytes, now: bigint | undefined, id?: string): AnswerMessage {
    return this.#answer((engine, sink) => engine.request(parts, body, now, id, sink));
  }

  ask(question: string, now: bigint | undefined): AnswerMessage {
    return this.#answer((engine, sink) => engine.ask(question, now, sink));
  }

  page(
    question: string,
    cursor: string | undefined,
    limit: number | undefined,
    reverseOrder: boolean,
    now: bigint | undefined,
  ): AnswerMessage {
    return this.#answer((engine, sink) =>
      engine.page(question, cursor, limit, reverseOrder, now, sink),
    );
  }

  find(question: string, now: bigint | undefined): AnswerMessage {
    return this.#answer((engine, sink) => engine.find(question, now, sink));
  }

  validUntil(question: string, now: bigint): bigint | undefined {
    return this.#instance.run((engine) => engine.validUntil(question, now));
  }

  setState(
    username: string,
    school: bigint,
    apiTypeId: bigint,
    active: boolean,
    id: string,
  ): AnswerMessage {
    return this.#answer((engine, sink) =>
      engine.setState(username, school, apiTypeId, active, id, sink),
    );
  }

  upgrade(target: string): string {
    return this.#instance.run((engine) => engine.upgrade(target));
  }

  beginLoad(id: string, school: bigint | undefined): void {
    const work = this.#instance.run((engine) => engine.load(school, id));
    this.#loads.set(id, { engine: this.#instance.number, work });
  }

  push(id: string, bytes: Bytes): number {
    const load = this.#session(this.#loads, id);
    return this.#instance.run(() => {
      load.push(bytes);
      return load.lines();
    });
  }

  finishLoad(id: string): string {
    const load = this.#find(this.#loads, id);
    this.#loads.delete(id);
    return this.#instance.run((engine) => {
      if (load !== undefined) return load.finish();
      // Another instance may have finished the load, before its reply was lost.
      const summary = engine.finishedLoad(id);
      if (summary === undefined) throw interrupted();
      return summary;
    });
  }

  cancelLoad(id: string): void {
    const load = this.#find(this.#loads, id);
    this.#loads.delete(id);
    if (load !== undefined) this.#instance.run(() => load.cancel());
  }

  check(dataset: Bytes, limit: number): string {
    return this.#instance.run((engine) => engine.check(dataset, limit));
  }

  removeSchool(school: bigint, id: string): string {
    return this.#instance.run((engine) => engine.removeSchool(school, id));
  }

  eraseLearner(school: bigint, learner: bigint, id: string): string {
    return this.#instance.run((engine) => engine.eraseLearner(school, learner, id));
  }

  beginExport(id: string, credentials: boolean): void {
    const work = this.#instance.run((engine) => engine.export(credentials));
    this.#exports.set(id, { engine: this.#instance.number, work });
  }

  read(id: string): Bytes | undefined {
    const reading = this.#session(this.#exports, id);
    const sink = new Sink();
    let hasMore = false;
    try {
      hasMore = this.#instance.run(() => reading.read(sink));
    } finally {
      // A stream that has failed is not cancelled.
      if (!hasMore) this.endExport(id);
    }
    return hasMore ? sink.answer?.bytes : undefined;
  }

  endExport(id: string): void {
    const reading = this.#find(this.#exports, id);
    this.#exports.delete(id);
    if (reading !== undefined) this.#instance.run(() => reading.free());
  }

  beginSync(id: string, school: bigint, ...options: SyncArguments): void {
    const work = this.#instance.run((engine) => engine.sync(school, ...options));
    this.endSync(id);
    this.#syncs.set(id, { engine: this.#instance.number, work });
  }

  syncNext(id: string, now: bigint): string {
    return this.#sync(id, (sync) => sync.next(now));
  }

  syncHandleReply(
    id: string,
    call: bigint,
    now: bigint,
    status: number,
    retryAfter: string | undefined,
    body: Bytes,
  ): string {
    return this.#sync(id, (sync) => sync.handleReply(call, now, status, retryAfter, body));
  }

  syncHandleFailure(id: string, call: bigint, now: bigint, failure: string): string {
    return this.#sync(id, (sync) => sync.handleFailure(call, now, failure));
  }

  syncPrioritise(id: string, target: string): void {
    this.#sync(id, (sync) => sync.prioritise(target));
  }

  syncQuarantined(id: string): string {
    return this.#sync(id, (sync) => sync.quarantined());
  }

  syncApprove(id: string, target: string): void {
    this.#sync(id, (sync) => sync.approve(target));
  }

  syncReject(id: string, target: string): void {
    this.#sync(id, (sync) => sync.reject(target));
  }

  syncProgress(id: string): string {
    return this.#sync(id, (sync) => sync.progress());
  }

  syncReport(id: string): string {
    return this.#sync(id, (sync) => sync.report());
  }

  endSync(id: string): void {
    const sync = this.#find(this.#syncs, id);
    this.#syncs.delete(id);
    if (sync !== undefined) this.#instance.run(() => sync.free());
  }

  synced(school: bigint): string | undefined {
    return this.#instance.run((engine) => engine.synced(school));
  }

  forgetSync(school: bigint): void {
    this.#instance.run((engine) => engine.forgetSync(school));
  }

  followed(): string | undefined {
    return this.#instance.run((engine) => engine.followed());
  }

  beginFollow(id: string): void {
    const work = this.#instance.run((engine) => engine.follow());
    this.#follows.set(id, { engine: this.#instance.number, work });
  }

  pushFollow(id: string, bytes: Bytes): number {
    const follow = this.#session(this.#follows, id);
    return this.#instance.run(() => {
      follow.push(bytes);
      return follow.lines();
    });
  }

  finishFollow(id: string): string {
    const follow = this.#session(this.#follows, id);
    this.#follows.delete(id);
    return this.#instance.run(() => follow.finish());
  }

  endFollow(id: string): void {
    const follow = this.#find(this.#follows, id);
    this.#follows.delete(id);
    if (follow !== undefined) this.#instance.run(() => follow.free());
  }

  verify(): string {
    return this.#instance.run((engine) => engine.verify());
  }

  compact(): void {
    this.#instance.run((engine) => engine.compact());
  }

  stats(): string {
    return this.#instance.run((engine) => engine.stats());
  }

  /** Ends the sessions of a tab that was closed. */
  endSessions(isTheirs: (id: string) => boolean): void {
    for (const id of [...this.#loads.keys()].filter(isTheirs)) this.cancelLoad(id);
    for (const id of [...this.#exports.keys()].filter(isTheirs)) this.endExport(id);
    for (const id of [...this.#syncs.keys()].filter(isTheirs)) this.endSync(id);
    for (const id of [...this.#follows.keys()].filter(isTheirs)) this.endFollow(id);
  }

  close(): void {
    this.#loads.clear();
    this.#exports.clear();
    this.#syncs.clear();
    this.#follows.clear();
    this.#instance.close();
  }

  #answer(ask: (engine: Engine, sink: Sink) => void): AnswerMessage {
    const sink = new Sink();
    this.#instance.run((engine) => ask(engine, sink));
    if (sink.answer === undefined) throw new RollbookError("crashed", "the module gave no answer");
    return sink.answer;
  }

  #sync<T>(id: string, work: (sync: Sync) => T): T {
    const sync = this.#session(this.#syncs, id);
    return this.#instance.run(() => work(sync));
  }

  #find<T>(sessions: Map<string, Session<T>>, id: string): T | undefined {
    const session = sessions.get(id);
    return session?.engine === this.#instance.number ? session.work : undefined;
  }

  #session<T>(sessions: Map<string, Session<T>>, id: string): T {
    const work = this.#find(sessions, id);
    if (work === undefined) throw interrupted();
    return work;
  }
}

/** Makes a call on a service. The names of the calls are those of its methods. */
export function perform<K extends CallName>(
  service: Service,
  name: K,
  given: CallArguments<K>,
): CallResult<K> {
  const method = service[name] as (...given: CallArguments<K>) => CallResult<K>;
  return method.apply(service, given);
}

/** A host that answers calls with an instance in this thread. */
export class LocalHost implements Host {
  readonly #service: Service;
  readonly #whenClosed: () => void;
  changed = (): void => undefined;

  constructor(instance: Instance, whenClosed: () => void = () => undefined) {
    this.#service = new Service(instance);
    this.#whenClosed = whenClosed;
  }

  async call<K extends CallName>(name: K, ...given: CallArguments<K>): Promise<CallResult<K>> {
    try {
      return perform(this.#service, name, given);
    } finally {
      if (mayChange(name, given) && this.#service.hasChanged()) this.changed();
    }
  }

  async close(): Promise<void> {
    try {
      this.#service.close();
    } finally {
      this.#whenClosed();
    }
  }
}
