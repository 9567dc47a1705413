// The encoding of calls and replies between threads and tabs. A message is a buffer of consecutive
// frames, one per call or reply. It is transferred, so that nothing is cloned.

import type { AnswerMessage } from "./answer.js";
import type { Bytes, CallName } from "./calls.js";
import type { ErrorCode, ErrorMessage } from "./error.js";
import { isA } from "./kind.js";
import type { Call, Reply } from "./messages.js";

/** A message: the buffer of frames, or a list of the large buffers and the buffer of frames. */
export type Parcel = ArrayBuffer | ArrayBuffer[];

export function isParcel(message: unknown): message is Parcel {
  const buffers: unknown[] = Array.isArray(message) ? message : [message];
  return buffers.length > 0 && buffers.every((buffer) => isA(buffer, "ArrayBuffer"));
}

/** A buffer of more bytes than this is transferred by itself, and not copied into a frame. */
const LARGE = 16 << 10;
/** An outbox reuses its buffer for the next message up to this size, in bytes. */
const REUSED = 64 << 10;

/** The names of the calls. A frame contains the index of its call in this list. */
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
  validUntil: true,
  followed: true,
  beginFollow: true,
  pushFollow: true,
  finishFollow: true,
  endFollow: true,
} satisfies Record<CallName, true>) as CallName[];
const NUMBERS = new Map(NAMES.map((name, number) => [name, number]));

/** The types of values. */
const NOTHING = 0;
const FALSE = 1;
const TRUE = 2;
const NUMBER = 3;
const NATURAL = 4;
const NEGATIVE = 5;
const TEXT = 6;
const BYTES = 7;
/** A buffer that is transferred by itself. */
const TRANSFERRED = 8;
/** The types of replies that are not plain values. */
const ANSWER = 9;
const ERROR = 10;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Encodes calls and replies, and sends those of one turn of the event loop in one message. */
export class Outbox {
  readonly #post: (parcel: Parcel, transfer: ArrayBuffer[]) => void;
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  #transferred: ArrayBuffer[] = [];
  #isAwaited = false;

  constructor(post: (parcel: Parcel, transfer: ArrayBuffer[]) => void) {
    this.#post = post;
  }

  /** Queues a call, which is sent when the turn ends. Its large buffers are transferred. */
  call({ number, name, given }: Call): void {
    this.#integer(number);
    this.#byte(NUMBERS.get(name) as number);
    this.#byte(given.length);
    for (const value of given) this.#value(value);
    this.#await();
  }

  /** Queues a reply, which is sent when the turn ends. Its large buffers are transferred. */
  reply({ number, value, error }: Reply): void {
    this.#integer(number);
    if (error !== undefined) {
      this.#byte(ERROR);
      this.#value(error.code);
      this.#value(error.message);
      this.#value(error.cause?.name);
      this.#value(error.cause?.message);
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

  /** Discards what was not sent yet. */
  clear(): void {
    this.#length = 0;
    this.#transferred = [];
    if (this.#bytes.length > REUSED) this.#resize(REUSED);
  }

  /** Sends what is queued, without waiting for the turn to end. */
  send(): void {
    if (this.#length === 0) return;
    const frames = this.#bytes.buffer.slice(0, this.#length);
    const parcel = [...this.#transferred, frames];
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
    const size = this.#reserve(4);
    // A code unit of UTF-16 becomes at most three bytes of UTF-8.
    const at = this.#reserve(3 * text.length);
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(at));
    this.#view.setUint32(size, written);
    this.#length = at + written;
  }

  #data(data: Bytes): void {
    if (data.byteLength > LARGE && data.byteLength === data.buffer.byteLength) {
      this.#byte(TRANSFERRED);
      this.#transferred.push(data.buffer);
      return;
    }
    this.#byte(BYTES);
    this.#integer(data.byteLength);
    const at = this.#reserve(data.byteLength);
    this.#bytes.set(data, at);
  }

  #byte(byte: number): void {
    this.#put(1, (view, at) => view.setUint8(at, byte));
  }

  #integer(integer: number): void {
    this.#put(4, (view, at) => view.setUint32(at, integer));
  }

  /** Writes so many bytes. `put` receives the current view, because reserving may replace it. */
  #put(bytes: number, put: (view: DataView, at: number) => void): void {
    const at = this.#reserve(bytes);
    put(this.#view, at);
  }

  /** Reserves so many bytes at the end of the buffer, and returns their offset. */
  #reserve(bytes: number): number {
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

/** Decodes a message of calls. */
export function calls(parcel: Parcel): Call[] {
  return new Frames(parcel).all((frames) => frames.call());
}

/** Decodes a message of replies. */
export function replies(parcel: Parcel): Reply[] {
  return new Frames(parcel).all((frames) => frames.reply());
}

/** Decodes the frames of a message, from the first to the last. */
class Frames {
  readonly #bytes: Bytes;
  readonly #view: DataView;
  readonly #transferred: ArrayBuffer[];
  #at = 0;

  constructor(parcel: Parcel) {
    const buffers = Array.isArray(parcel) ? parcel : [parcel];
    const frames = buffers.pop() as ArrayBuffer;
    this.#bytes = new Uint8Array(frames);
    this.#view = new DataView(frames);
    this.#transferred = buffers.reverse();
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
    const code = this.#value(this.#byte()) as ErrorCode;
    const message = this.#value(this.#byte()) as string;
    const name = this.#value(this.#byte()) as string | undefined;
    const cause = this.#value(this.#byte()) as string;
    return { code, message, cause: name === undefined ? undefined : { name, message: cause } };
  }

  #value(kind: number): unknown {
    switch (kind) {
      case FALSE:
        return false;
      case TRUE:
        return true;
      case NUMBER:
        return this.#view.getFloat64(this.#advance(8));
      case NATURAL:
        return this.#view.getBigUint64(this.#advance(8));
      case NEGATIVE:
        return this.#view.getBigInt64(this.#advance(8));
      case TEXT:
        return decoder.decode(this.#data());
      case BYTES:
        // Each value has a buffer of its own, so that one answer does not retain the others.
        return this.#data().slice();
      case TRANSFERRED:
        return new Uint8Array(this.#transferred.pop() as ArrayBuffer);
      default:
        return undefined;
    }
  }

  #data(): Bytes {
    const length = this.#integer();
    const at = this.#advance(length);
    return this.#bytes.subarray(at, at + length);
  }

  #byte(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  #integer(): number {
    return this.#view.getUint32(this.#advance(4));
  }

  #advance(bytes: number): number {
    const at = this.#at;
    this.#at = at + bytes;
    return at;
  }
}

function isAnswer(value: unknown): value is AnswerMessage {
  return typeof value === "object" && value !== null && "status" in value;
}
