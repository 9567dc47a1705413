// Calls and replies on their way between threads and tabs: one after another in a
// buffer that is handed over, so that nothing is cloned.

import type { AnswerMessage } from "./answer.js";
import type { Bytes, CallName } from "./calls.js";
import type { ErrorCode, ErrorMessage } from "./error.js";
import type { Call, Reply } from "./messages.js";

/** A message: the frames, or a list of the bytes that are too large for one, then the frames. */
export type Parcel = ArrayBuffer | ArrayBuffer[];

export function isParcel(message: unknown): message is Parcel {
  return message instanceof ArrayBuffer || Array.isArray(message);
}

/** Bytes of more than this are handed over as they are, and not copied into a frame. */
const LARGE = 16 << 10;
/** A buffer for frames is kept for the next turn up to this many bytes. */
const KEPT = 64 << 10;

/** The calls: a frame has the place of its own here. */
const NAMES = Object.keys({
  request: true,
  ask: true,
  page: true,
  find: true,
  setState: true,
  upgrade: true,
  beginLoad: true,
  push: true,
  finishLoad: true,
  cancelLoad: true,
  check: true,
  removeSchool: true,
  eraseLearner: true,
  beginExport: true,
  read: true,
  endExport: true,
  verify: true,
  compact: true,
  stats: true,
  beginSync: true,
  syncNext: true,
  syncHandleReply: true,
  syncHandleFailure: true,
  syncPrioritise: true,
  syncQuarantined: true,
  syncApprove: true,
  syncReject: true,
  syncProgress: true,
  syncReport: true,
  endSync: true,
  synced: true,
  forgetSync: true,
  holdsUntil: true,
  followed: true,
  beginFollow: true,
  pushFollow: true,
  finishFollow: true,
  endFollow: true,
} satisfies Record<CallName, true>) as CallName[];
const NUMBERS = new Map(NAMES.map((name, number) => [name, number]));

/** What a value is. */
const NOTHING = 0;
const FALSE = 1;
const TRUE = 2;
const NUMBER = 3;
const NATURAL = 4;
const NEGATIVE = 5;
const TEXT = 6;
const BYTES = 7;
const BESIDE = 8;
/** What a reply is beside a value. */
const ANSWER = 9;
const ERROR = 10;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Frames on their way out: what is written in one turn travels together. */
export class Outbox {
  readonly #post: (parcel: Parcel, transfer: ArrayBuffer[]) => void;
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  #beside: ArrayBuffer[] = [];
  #isAwaited = false;

  constructor(post: (parcel: Parcel, transfer: ArrayBuffer[]) => void) {
    this.#post = post;
  }

  /** Sends a call when the turn ends. Its large bytes go with it. */
  call({ number, name, given }: Call): void {
    this.#integer(number);
    this.#byte(NUMBERS.get(name) as number);
    this.#byte(given.length);
    for (const value of given) this.#value(value);
    this.#await();
  }

  /** Sends a reply when the turn ends. Its large bytes go with it. */
  reply({ number, value, error }: Reply): void {
    this.#integer(number);
    if (error !== undefined) {
      this.#byte(ERROR);
      this.#value(error.code);
      this.#value(error.message);
    } else if (isAnswer(value)) {
      this.#byte(ANSWER);
      this.#integer(value.status);
      this.#value(value.allow);
      this.#value(value.bytes);
    } else {
      this.#value(value);
    }
    this.#await();
  }

  /** Forgets what was not sent yet. */
  clear(): void {
    this.#length = 0;
    this.#beside = [];
    if (this.#bytes.length > KEPT) this.#resize(KEPT);
  }

  /** Sends what is there now, and does not wait for the turn to end. */
  send(): void {
    if (this.#length === 0) return;
    const frames = this.#bytes.buffer.slice(0, this.#length);
    const parcel = [...this.#beside, frames];
    this.clear();
    this.#post(parcel.length === 1 ? frames : parcel, parcel);
  }

  #await(): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    queueMicrotask(() => {
      this.#isAwaited = false;
      this.send();
    });
  }

  #value(value: unknown): void {
    switch (typeof value) {
      case "undefined":
        this.#byte(NOTHING);
        break;
      case "boolean":
        this.#byte(value ? TRUE : FALSE);
        break;
      case "number":
        this.#byte(NUMBER);
        this.#put(8, (view, at) => view.setFloat64(at, value));
        break;
      case "bigint":
        this.#byte(value < 0n ? NEGATIVE : NATURAL);
        this.#put(8, (view, at) => view.setBigUint64(at, BigInt.asUintN(64, value)));
        break;
      case "string":
        this.#text(value);
        break;
      default:
        this.#data(value as Bytes);
    }
  }

  #text(text: string): void {
    this.#byte(TEXT);
    const size = this.#room(4);
    // A unit of UTF-16 is at most three bytes of UTF-8.
    const at = this.#room(3 * text.length);
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(at));
    this.#view.setUint32(size, written);
    this.#length = at + written;
  }

  #data(data: Bytes): void {
    if (data.byteLength > LARGE && data.byteLength === data.buffer.byteLength) {
      this.#byte(BESIDE);
      this.#beside.push(data.buffer);
      return;
    }
    this.#byte(BYTES);
    this.#integer(data.byteLength);
    const at = this.#room(data.byteLength);
    this.#bytes.set(data, at);
  }

  #byte(byte: number): void {
    this.#put(1, (view, at) => view.setUint8(at, byte));
  }

  #integer(integer: number): void {
    this.#put(4, (view, at) => view.setUint32(at, integer));
  }

  /** Making room may make another view. */
  #put(bytes: number, put: (view: DataView, at: number) => void): void {
    const at = this.#room(bytes);
    put(this.#view, at);
  }

  /** Makes room for so many bytes more; where they begin. */
  #room(bytes: number): number {
    const at = this.#length;
    this.#length = at + bytes;
    if (this.#length > this.#bytes.length) this.#resize(2 * this.#length);
    return at;
  }

  #resize(size: number): void {
    const before = this.#bytes;
    this.#bytes = new Uint8Array(size);
    this.#bytes.set(before.subarray(0, size));
    this.#view = new DataView(this.#bytes.buffer);
  }
}

/** The calls of a parcel. */
export function calls(parcel: Parcel): Call[] {
  return new Frames(parcel).all((frames) => frames.call());
}

/** The replies of a parcel. */
export function replies(parcel: Parcel): Reply[] {
  return new Frames(parcel).all((frames) => frames.reply());
}

/** Frames that have come in, read from their beginning. */
class Frames {
  readonly #bytes: Bytes;
  readonly #view: DataView;
  readonly #beside: ArrayBuffer[];
  #at = 0;

  constructor(parcel: Parcel) {
    const beside = Array.isArray(parcel) ? parcel : [parcel];
    const frames = beside.pop() as ArrayBuffer;
    this.#bytes = new Uint8Array(frames);
    this.#view = new DataView(frames);
    this.#beside = beside.reverse();
  }

  all<T>(read: (frames: Frames) => T): T[] {
    const all: T[] = [];
    while (this.#at < this.#bytes.length) all.push(read(this));
    return all;
  }

  call(): Call {
    const number = this.#integer();
    const name = NAMES[this.#byte()] as CallName;
    const given = Array.from({ length: this.#byte() }, () => this.#value(this.#byte()));
    return { number, name, given } as unknown as Call;
  }

  reply(): Reply {
    const number = this.#integer();
    const kind = this.#byte();
    if (kind === ERROR) return { number, error: this.#error() };
    return { number, value: kind === ANSWER ? this.#answer() : this.#value(kind) };
  }

  #answer(): AnswerMessage {
    const status = this.#integer();
    const allow = this.#value(this.#byte()) as string | undefined;
    return { status, allow, bytes: this.#value(this.#byte()) as Bytes };
  }

  #error(): ErrorMessage {
    const code = this.#value(this.#byte()) as ErrorCode | undefined;
    return { code, message: this.#value(this.#byte()) as string };
  }

  #value(kind: number): unknown {
    switch (kind) {
      case FALSE:
        return false;
      case TRUE:
        return true;
      case NUMBER:
        return this.#view.getFloat64(this.#pass(8));
      case NATURAL:
        return this.#view.getBigUint64(this.#pass(8));
      case NEGATIVE:
        return this.#view.getBigInt64(this.#pass(8));
      case TEXT:
        return decoder.decode(this.#data());
      case BYTES:
        // A buffer of their own: whoever has one answer does not hold the others.
        return this.#data().slice();
      case BESIDE:
        return new Uint8Array(this.#beside.pop() as ArrayBuffer);
      default:
        return undefined;
    }
  }

  #data(): Bytes {
    const length = this.#integer();
    const at = this.#pass(length);
    return this.#bytes.subarray(at, at + length);
  }

  #byte(): number {
    return this.#view.getUint8(this.#pass(1));
  }

  #integer(): number {
    return this.#view.getUint32(this.#pass(4));
  }

  #pass(bytes: number): number {
    const at = this.#at;
    this.#at = at + bytes;
    return at;
  }
}

function isAnswer(value: unknown): value is AnswerMessage {
  return typeof value === "object" && value !== null && "status" in value;
}
