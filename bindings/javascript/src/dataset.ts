// Datasets: the sources from which one can be read, and how it is divided into pieces.

import { isA } from "./kind.js";

/** A dataset: lines of JSON in UTF-8, one record per line. */
export type Dataset =
  | string
  | Blob
  | ArrayBuffer
  | Uint8Array
  | Response
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>;

/** The progress of a load. */
export interface Progress {
  /** The number of lines that were read so far. */
  readonly lines: number;
  /** The number of bytes that were read so far. */
  readonly bytes: number;
  /** The size of the dataset in bytes, if it is known. */
  readonly total: number | undefined;
}

export interface LoadOptions {
  /** Is called with the progress of the load, about every 256 KiB. */
  readonly onProgress?: (progress: Progress) => void;
  /** Aborts the load: none of it is stored, and its promise rejects with the reason. */
  readonly signal?: AbortSignal;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The size of a piece: large enough for few messages, small enough for smooth progress. */
const PIECE = 256 << 10;

const encoder = new TextEncoder();

/** Returns whether the dataset can be read again from its beginning. */
export function isRepeatable(dataset: Dataset): boolean {
  return (
    typeof dataset === "string" ||
    isA(dataset, "Blob", "File", "ArrayBuffer") ||
    ArrayBuffer.isView(dataset)
  );
}

/** Returns the size of the dataset in bytes, if it is known. */
function totalOf(dataset: Dataset): number | undefined {
  if (typeof dataset === "string") return undefined;
  if (isA(dataset, "Blob", "File")) return dataset.size;
  if (isA(dataset, "ArrayBuffer") || ArrayBuffer.isView(dataset)) return dataset.byteLength;
  if (isA(dataset, "Response")) {
    // `Content-Length` is the compressed size, but the progress counts decompressed bytes.
    if (dataset.headers.has("Content-Encoding")) return undefined;
    const length = dataset.headers.get("Content-Length");
    return length === null ? undefined : Number(length);
  }
  return undefined;
}

/** Passes a dataset to `take` piece by piece. `take` returns the number of lines read so far. */
export async function pushPieces(
  dataset: Dataset,
  { onProgress, signal }: LoadOptions,
  take: (piece: Bytes) => Promise<number>,
): Promise<void> {
  const aborted = rejection(signal);
  const total = totalOf(dataset);
  const source = pieces(dataset);
  let bytes = 0;
  for (;;) {
    // A source may deliver nothing for a long time, which must not delay the abort.
    const { done, value } = await Promise.race([source.next(), ...aborted]);
    if (done) return;
    bytes += value.byteLength;
    const lines = await take(value);
    onProgress?.({ lines, bytes, total });
    signal?.throwIfAborted();
  }
}

/** Returns a promise that rejects when the signal is aborted, or none if there is no signal. */
function rejection(signal: AbortSignal | undefined): Promise<never>[] {
  if (signal === undefined) return [];
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => undefined);
  return [aborted];
}

/** Divides the dataset into pieces, each with a buffer of its own. */
export async function* pieces(dataset: Dataset): AsyncGenerator<Bytes> {
  for await (const piece of chunks(dataset)) {
    for (let at = 0; at < piece.byteLength; at += PIECE) {
      yield piece.slice(at, at + PIECE) as Bytes;
    }
  }
}

async function* chunks(dataset: Dataset): AsyncGenerator<Uint8Array> {
  if (typeof dataset === "string") {
    yield* encoded(dataset);
  } else if (isA(dataset, "ArrayBuffer")) {
    yield new Uint8Array(dataset);
  } else if (ArrayBuffer.isView(dataset)) {
    yield dataset;
  } else if (isA(dataset, "Blob", "File")) {
    for (let at = 0; at < dataset.size; at += PIECE) {
      yield new Uint8Array(await dataset.slice(at, at + PIECE).arrayBuffer());
    }
  } else {
    const source = isA(dataset, "Response") ? dataset.body : dataset;
    if (source === null) return;
    for await (const chunk of Symbol.asyncIterator in source ? source : read(source)) {
      yield typeof chunk === "string" ? encoder.encode(chunk) : chunk;
    }
  }
}

/** Encodes a text in pieces, without dividing a pair of surrogates. */
function* encoded(text: string): Generator<Uint8Array> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + PIECE, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end += 1;
    yield encoder.encode(text.slice(at, end));
    at = end;
  }
}

/** Iterates over a stream. Streams of Safari are not async iterables. */
async function* read(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let over = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      over = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!over) await reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}
