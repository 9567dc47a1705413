// Where a dataset comes from, cut into pieces.

/** A dataset: lines of JSON in UTF-8, one record a line. */
export type Dataset =
  | string
  | Blob
  | ArrayBuffer
  | Uint8Array
  | Response
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>;

/** How far a load has come. */
export interface Progress {
  /** Lines read so far. */
  readonly lines: number;
  /** Bytes read so far. */
  readonly bytes: number;
  /** How many bytes there are, if that can be known. */
  readonly total: number | undefined;
}

export interface LoadOptions {
  /** Hears how far the load has come, about every 256 KiB. */
  readonly onProgress?: (progress: Progress) => void;
  /** Gives the load up: nothing of it is kept, and its promise rejects with the reason. */
  readonly signal?: AbortSignal;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Large enough that crossing a thread is cheap, small enough for smooth progress. */
const PIECE = 256 << 10;

const encoder = new TextEncoder();

/** Whether the dataset can be read once more from its beginning. */
export function isRepeatable(dataset: Dataset): boolean {
  return (
    typeof dataset === "string" ||
    dataset instanceof Blob ||
    dataset instanceof ArrayBuffer ||
    ArrayBuffer.isView(dataset)
  );
}

/** How many bytes there are, if that can be known. */
function totalOf(dataset: Dataset): number | undefined {
  if (typeof dataset === "string") return undefined;
  if (dataset instanceof Blob) return dataset.size;
  if (dataset instanceof ArrayBuffer || ArrayBuffer.isView(dataset)) return dataset.byteLength;
  if (dataset instanceof Response) {
    // What is counted here has been decompressed, unlike that length.
    if (dataset.headers.has("Content-Encoding")) return undefined;
    const length = dataset.headers.get("Content-Length");
    return length === null ? undefined : Number(length);
  }
  return undefined;
}

/** Hands a dataset over piece by piece; whoever takes one says how many lines there were so far. */
export async function handOver(
  dataset: Dataset,
  { onProgress, signal }: LoadOptions,
  take: (piece: Bytes) => Promise<number>,
): Promise<void> {
  const aborted = rejection(signal);
  const total = totalOf(dataset);
  const source = pieces(dataset);
  let bytes = 0;
  for (;;) {
    // A source may be silent for long.
    const { done, value } = await Promise.race([source.next(), ...aborted]);
    if (done) return;
    bytes += value.byteLength;
    const lines = await take(value);
    onProgress?.({ lines, bytes, total });
    signal?.throwIfAborted();
  }
}

/** Rejects once a signal is aborted. */
function rejection(signal: AbortSignal | undefined): Promise<never>[] {
  if (signal === undefined) return [];
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => undefined);
  return [aborted];
}

/** The dataset in pieces, each a buffer of its own. */
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
  } else if (dataset instanceof ArrayBuffer) {
    yield new Uint8Array(dataset);
  } else if (ArrayBuffer.isView(dataset)) {
    yield dataset;
  } else if (dataset instanceof Blob) {
    for (let at = 0; at < dataset.size; at += PIECE) {
      yield new Uint8Array(await dataset.slice(at, at + PIECE).arrayBuffer());
    }
  } else {
    const source = dataset instanceof Response ? dataset.body : dataset;
    if (source === null) return;
    for await (const chunk of Symbol.asyncIterator in source ? source : read(source)) {
      yield typeof chunk === "string" ? encoder.encode(chunk) : chunk;
    }
  }
}

/** Encodes without cutting a pair of surrogates apart. */
function* encoded(text: string): Generator<Uint8Array> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + PIECE, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end += 1;
    yield encoder.encode(text.slice(at, end));
    at = end;
  }
}

/** Safari's streams are no async iterables. */
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
