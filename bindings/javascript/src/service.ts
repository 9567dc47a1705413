// Calls answered with an instance of the module.

import type { AnswerMessage } from "./answer.js";
import type { Bytes, CallArguments, CallName, CallResult, Calls, Host } from "./calls.js";
import { RollbookError, interrupted } from "./error.js";
import type { Engine, Export, Load } from "./glue.js";
import { Instance, Sink } from "./instance.js";

/** Something under way in an engine, which goes with it. */
interface Session<T> {
  readonly engine: number;
  readonly work: T;
}

/** Answers calls with an instance. */
export class Service implements Calls {
  readonly #instance: Instance;
  readonly #loads = new Map<string, Session<Load>>();
  readonly #exports = new Map<string, Session<Export>>();

  constructor(instance: Instance) {
    this.#instance = instance;
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
      // Perhaps it was finished before another instance took over: then its id is
      // known, and what comes of nothing is what came of it.
      const summary = engine.load(undefined, id).finish();
      if ((JSON.parse(summary) as { bytes: number }).bytes > 0) return summary;
      throw interrupted();
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
    if (this.#instance.run(() => reading.read(sink))) return sink.taken?.bytes;
    this.endExport(id);
    return undefined;
  }

  endExport(id: string): void {
    const reading = this.#find(this.#exports, id);
    this.#exports.delete(id);
    if (reading !== undefined) this.#instance.run(() => reading.free());
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

  /** Ends what whoever is gone has left under way. */
  forget(isTheirs: (id: string) => boolean): void {
    for (const id of [...this.#loads.keys()].filter(isTheirs)) this.cancelLoad(id);
    for (const id of [...this.#exports.keys()].filter(isTheirs)) this.endExport(id);
  }

  close(): void {
    this.#loads.clear();
    this.#exports.clear();
    this.#instance.close();
  }

  #answer(ask: (engine: Engine, sink: Sink) => void): AnswerMessage {
    const sink = new Sink();
    this.#instance.run((engine) => ask(engine, sink));
    if (sink.taken === undefined) throw new RollbookError("crashed", "the module gave no answer");
    return sink.taken;
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

/** Makes a call on a service: its calls are the names of its methods. */
export function perform<K extends CallName>(
  service: Service,
  name: K,
  given: CallArguments<K>,
): CallResult<K> {
  const method = service[name] as (...given: CallArguments<K>) => CallResult<K>;
  return method.apply(service, given);
}

/** A host for an instance in this thread. */
export class LocalHost implements Host {
  readonly #service: Service;
  readonly #closed: () => void;

  constructor(instance: Instance, whenClosed: () => void = () => undefined) {
    this.#service = new Service(instance);
    this.#closed = whenClosed;
  }

  async call<K extends CallName>(name: K, ...given: CallArguments<K>): Promise<CallResult<K>> {
    return perform(this.#service, name, given);
  }

  async close(): Promise<void> {
    try {
      this.#service.close();
    } finally {
      this.#closed();
    }
  }
}
