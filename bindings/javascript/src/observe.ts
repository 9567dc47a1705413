// A question that is asked again as its answer changes.

import { Answer, type AnswerMessage } from "./answer.js";
import { RollbookError } from "./error.js";
import type { Instant } from "./instant.js";

/** Provides the answers of a live query, and its clock. */
export interface Asked {
  /** The answer at an instant, and until when it holds if nothing is changed; milliseconds. */
  ask(now: number): Promise<readonly [answer: AnswerMessage, until: number | undefined]>;
  now(): number;
  readonly signal: AbortSignal | undefined;
  /** It is over. */
  ended(): void;
}

export interface ObserveOptions {
  /** The instant to answer for; unless given, time goes on by the engine's clock. */
  readonly now?: Instant;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** The answer has changed. */
export class AnswerEvent<T = unknown> extends Event {
  constructor(readonly answer: Answer<T>) {
    super("answer");
  }
}

/** Asking failed. It is asked again in a minute, or once something has changed. */
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

/** What was given last: an answer, or what is known of an error. */
type Given = { readonly status: number; readonly bytes: Uint8Array } | string;

/** Devices sleep, and timers with them: the clock is looked at once a minute. */
const LONGEST_SLEEP = 60_000;
/** A clock that has stopped must not keep the page busy. */
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
  readonly #asked: Asked;
  readonly #stop = (): void => this.end();
  #given: Given | undefined;
  /** What `next` has not given yet. */
  #next: { readonly answer: Answer<T> } | { readonly error: Error } | undefined;
  #waiting: (() => void)[] = [];
  #isAsking = false;
  #isDue = false;
  #isOver = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @internal */
  constructor(asked: Asked) {
    super();
    this.#asked = asked;
    asked.signal?.addEventListener("abort", this.#stop);
    // The caller adds its listeners first.
    queueMicrotask(() => (asked.signal?.aborted === true ? this.end() : this.look()));
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
    this.#asked.signal?.removeEventListener("abort", this.#stop);
    this.#asked.ended();
    this.#wake();
    this.dispatchEvent(new Event("end"));
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    while (this.#isDue && !this.#isOver) {
      this.#isDue = false;
      clearTimeout(this.#timer);
      try {
        const now = this.#asked.now();
        const [answer, until] = await this.#asked.ask(now);
        if (this.#isOver) break;
        if (until !== undefined) this.#sleep(now, until);
        this.#answered(answer);
      } catch (thrown) {
        if (thrown instanceof RollbookError && thrown.code === "closed") this.end();
        if (this.#isOver) break;
        this.#timer = patient(() => this.look(), LONGEST_SLEEP);
        this.#failed(thrown instanceof Error ? thrown : new Error(String(thrown)));
      }
    }
    this.#isAsking = false;
  }

  #answered(message: AnswerMessage): void {
    const { status, bytes } = message;
    if (typeof this.#given === "object" && this.#given.status === status) {
      if (isSame(this.#given.bytes, bytes)) return;
    }
    // The app may do with an answer's bytes what it likes.
    this.#given = { status, bytes: bytes.slice() };
    const answer = new Answer<T>(message);
    this.#next = { answer };
    this.#wake();
    this.dispatchEvent(new AnswerEvent(answer));
  }

  #failed(error: Error): void {
    if (this.#given === String(error)) return;
    this.#given = String(error);
    this.#next = { error };
    this.#wake();
    this.dispatchEvent(new FailureEvent(error));
  }

  /** Looks again when the time has come, or the clock was set back. */
  #sleep(since: number, until: number): void {
    const left = Math.max(until - this.#asked.now(), SHORTEST_SLEEP);
    const wake = (): void => {
      const now = this.#asked.now();
      if (now >= since && now < until) this.#sleep(since, until);
      else this.look();
    };
    this.#timer = patient(wake, Math.min(left, LONGEST_SLEEP));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

/** A timer that keeps no process alive. */
function patient(work: () => void, milliseconds: number): ReturnType<typeof setTimeout> {
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
