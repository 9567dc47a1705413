/** An answer in the form in which it is sent between threads and tabs. */
export interface AnswerMessage {
  readonly status: number;
  /** The methods that the path allows, if the request had another one. */
  readonly allow: string | undefined;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const decoder = new TextDecoder();

/** An answer, as the service would send it. `T` is the type of its JSON. */
export class Answer<T = unknown> {
  /** The HTTP status code. */
  readonly status: number;
  /** The body: compact JSON in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #allow: string | undefined;

  constructor({ status, allow, bytes }: AnswerMessage) {
    this.status = status;
    this.bytes = bytes;
    this.#allow = allow;
  }

  /** Whether the status is between 200 and 299. */
  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** `Content-Type`, `Content-Length`, and `Allow` if the path does not allow the method. */
  get headers(): [name: string, value: string][] {
    const headers: [string, string][] = [
      ["Content-Type", "application/json; charset=utf-8"],
      ["Content-Length", String(this.bytes.byteLength)],
    ];
    if (this.#allow !== undefined) headers.push(["Allow", this.#allow]);
    return headers;
  }

  /** Returns the body as text. */
  text(): string {
    return decoder.decode(this.bytes);
  }

  /** Returns the value that the body contains as JSON. */
  json(): T {
    return JSON.parse(this.text()) as T;
  }
}
