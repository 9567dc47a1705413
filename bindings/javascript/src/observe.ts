// Live queries: questions that are asked again when their answers may have changed.

import { Answer, type AnswerMessage } from "./answer.js";
import { RollbookError } from "./error.js";
import type { Instant } from "./instant.js";

/** Provides the answers of a live query, and its clock. */
export interface QuerySource {
  /**
   * Returns the answer at an instant, and the instant until which it remains valid if nothing is
   * changed. Instants are in milliseconds since 1970-01-01T00:00:00Z.
   */
  ask(now: number): Promise<readonly [answer: AnswerMessage, until: number | undefined]>;
  now(): number;
  readonly signal: AbortSignal | undefined;
  /** Is called when the live query ends. */
  ended(): void;
}

export interface ObserveOptions {
  /** The fixed instant to answer for. The default is the current time of the engine's clock. */
  readonly now?: Instant;
  /** Ends the live query. */
  readonly signal?: AbortSignal;
}

/** The event `answer`: the answer has changed. */
export class AnswerEvent<T = unknown> extends Event {
  constructor(readonly answer: Answer<T>) {
    super("answer");
  }
}

/** The event `error`: the question failed. It is asked again in a minute or after a change. */
export class FailureEvent extends Event {
  constructor(readonly error: Error) {
    super("error");
  }
}

export interface LiveQueryEvents<T> {
  answer: AnswerEvent<T>;
  error: FailureEvent;
  end: Event;
}

/** What was delivered last: an answer, or the text of an error. */
type Delivered = { readonly status: number; readonly bytes: Uint8Array } | string;

/** The clock is checked at least this often, because timers stop while a device sleeps. */
const LONGEST_SLEEP = 60_000;
/** The shortest time between two checks, so that a stopped clock causes no busy loop. */
const SHORTEST_SLEEP = 10;

/**
 * Delivers the answers to a question as they change. Several changes in a row may result in one
 * answer. No answer is older than the one before it, and none is equal to it.
 *
 * It is an async iterable, which skips answers that are out of date when the next one is requested.
 * It also dispatches the events `answer` and `error`. An error is delivered once, and does not end
 * the live query: `next` throws it and then returns the answers that follow. An error ends a
 * `for await` loop: start another loop over the same live query, or call `return`. `end` is the
 * last event: the engine was closed, the signal was aborted, or `return` was called.
 */
export class LiveQuery<T = unknown>
  extends EventTarget
  implements AsyncIterableIterator<Answer<T>>
{
  readonly #source: QuerySource;
  readonly #stop = (): void => this.end();
  #delivered: Delivered | undefined;
  /** What `next` has not returned yet. */
  #next: { readonly answer: Answer<T> } | { readonly error: Error } | undefined;
  #waiting: (() => void)[] = [];
  #isAsking = false;
  #isDue = false;
  #isOver = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @internal */
  constructor(source: QuerySource) {
    super();
    this.#source = source;
    source.signal?.addEventListener("abort", this.#stop);
    // The caller adds its listeners first.
    queueMicrotask(() => (source.signal?.aborted === true ? this.end() : this.look()));
  }

  /** Returns the next answer, as soon as there is one. */
  async next(): Promise<IteratorResult<Answer<T>, undefined>> {
    for (;;) {
      const next = this.#next;
      this.#next = undefined;
      if (this.#isOver) return { done: true, value: undefined };
      if (next === undefined) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      } else if ("answer" in next) {
        return { done: false, value: next.answer };
      } else {
        throw next.error;
      }
    }
  }

  /** Ends the live query. */
  async return(): Promise<IteratorResult<Answer<T>, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /**
   * Asks the question again, because the answer may have changed. Only one question is in flight
   * at a time. @internal
   */
  look(): void {
    this.#isDue = true;
    if (!this.#isAsking) void this.#ask();
  }

  /** @internal */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#source.signal?.removeEventListener("abort", this.#stop);
    this.#source.ended();
    this.#wake();
    this.dispatchEvent(new Event("end"));
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    while (this.#isDue && !this.#isOver) {
      this.#isDue = false;
      clearTimeout(this.#timer);
      try {
        const now = this.#source.now();
        const [answer, until] = await this.#source.ask(now);
        if (this.#isOver) break;
        if (until !== undefined) this.#sleep(now, until);
        this.#answered(answer);
      } catch (thrown) {
        if (thrown instanceof RollbookError && thrown.code === "closed") this.end();
        if (this.#isOver) break;
        this.#timer = startTimer(() => this.look(), LONGEST_SLEEP);
        this.#failed(thrown instanceof Error ? thrown : new Error(String(thrown)));
      }
    }
    this.#isAsking = false;
  }

  #answered(message: AnswerMessage): void {
    const { status, bytes } = message;
    if (typeof this.#delivered === "object" && this.#delivered.status === status) {
      if (isSame(this.#delivered.bytes, bytes)) return;
    }
    // The app may change the bytes of the answer.
    this.#delivered = { status, bytes: bytes.slice() };
    const answer = new Answer<T>(message);
    this.#next = { answer };
    this.#wake();
    this.dispatchEvent(new AnswerEvent(answer));
  }

  #failed(error: Error): void {
    if (this.#delivered === String(error)) return;
    this.#delivered = String(error);
    this.#next = { error };
    this.#wake();
    this.dispatchEvent(new FailureEvent(error));
  }

  /** Asks the question again at `until`, or if the clock was set back to before `since`. */
  #sleep(since: number, until: number): void {
    const left = Math.max(until - this.#source.now(), SHORTEST_SLEEP);
    const wake = (): void => {
      const now = this.#source.now();
      if (now >= since && now < until) this.#sleep(since, until);
      else this.look();
    };
    this.#timer = startTimer(wake, Math.min(left, LONGEST_SLEEP));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

/** Starts a timer that does not prevent a process from ending. */
function startTimer(work: () => void, milliseconds: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(work, milliseconds);
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

type Listener<E> = ((event: E) => void) | { handleEvent(event: E): void } | null;

export interface LiveQuery<T> {
  addEventListener<K extends keyof LiveQueryEvents<T>>(
    type: K,
    listener: Listener<LiveQueryEvents<T>[K]>,
    options?: boolean | { readonly once?: boolean; readonly signal?: AbortSignal },
  ): void;
  removeEventListener<K extends keyof LiveQueryEvents<T>>(
    type: K,
    listener: Listener<LiveQueryEvents<T>[K]>,
    options?: boolean | { readonly capture?: boolean },
  ): void;
}
