/** An answer as it crosses between threads and tabs. */
export interface AnswerMessage {
  readonly status: number;
  /** The methods that the path takes, if another was tried. */
  readonly allow: string | undefined;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const decoder = new TextDecoder();

/** An answer: what the service would send. `T` is what its JSON is. */
export class Answer<T = unknown> {
  /** The HTTP status code. */
  readonly status: number;
  /** The body as it is: UTF-8, compact JSON. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #allow: string | undefined;

  constructor({ status, allow, bytes }: AnswerMessage) {
    this.status = status;
    this.bytes = bytes;
    this.#allow = allow;
  }

  /** Whether the status is of the two hundreds. */
  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** Content type and length, and `Allow` if the path does not take the method. */
  get headers(): [name: string, value: string][] {
    const headers: [string, string][] = [
      ["Content-Type", "application/json; charset=utf-8"],
      ["Content-Length", String(this.bytes.byteLength)],
    ];
    if (this.#allow !== undefined) headers.push(["Allow", this.#allow]);
    return headers;
  }

  /** The body as text. */
  text(): string {
    return decoder.decode(this.bytes);
  }

  /** The body as what its JSON says. */
  json(): T {
    return JSON.parse(this.text()) as T;
  }
}
