/**
 * Returns a random id of 128 bits as a text. Pages that are not secure contexts do not have
 * `crypto.randomUUID`.
 */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
