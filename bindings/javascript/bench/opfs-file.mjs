// Reads and writes files in the origin's private file system, for contenders that work in memory.

/** The folder of the files. */
export const FOLDER = "files";

async function folder() {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(FOLDER, { create: true });
}

export async function writeFile(name, bytes) {
  const file = await (await folder()).getFileHandle(name, { create: true });
  const stream = await file.createWritable();
  await stream.write(bytes);
  await stream.close();
}

export async function readFile(name) {
  const file = await (await folder()).getFileHandle(name);
  return new Uint8Array(await (await file.getFile()).arrayBuffer());
}
