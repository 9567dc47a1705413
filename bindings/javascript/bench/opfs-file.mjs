// Files in the origin's private file system, for those that work in memory.

async function folder() {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle("kept", { create: true });
}

export async function keep(name, bytes) {
  const file = await (await folder()).getFileHandle(name, { create: true });
  const stream = await file.createWritable();
  await stream.write(bytes);
  await stream.close();
}

export async function kept(name) {
  const file = await (await folder()).getFileHandle(name);
  return new Uint8Array(await (await file.getFile()).arrayBuffer());
}
