// The error of a file that could not be opened or created in Node. Its message contains the path of
// the store, and says what to do about the cause.

import * as fs from "node:fs";
import { dirname } from "node:path";
import { RollbookError } from "./error.js";

/** Returns the error of a store whose file, or whose lock file, could not be opened or created. */
export function cannotOpen(path: string, cause: unknown): RollbookError {
  const message = `${path} could not be opened (${String(cause)}): ${remedy(path, cause)}`;
  return new RollbookError("io", message, { cause });
}

/** Returns whether a path leads to a folder. */
export function isFolder(path: string): boolean {
  return found(fs.statSync, path)?.isDirectory() ?? false;
}

/** Returns what the system reports about a path, or `undefined` if it reports nothing. */
function found(look: (path: string) => fs.Stats | undefined, path: string): fs.Stats | undefined {
  try {
    return look(path);
  } catch {
    return undefined;
  }
}

/**
 * Returns what to do about a failure. The path is examined, because the system reports the same
 * error for different causes.
 */
function remedy(path: string, cause: unknown): string {
  if (isFolder(path)) return "give the path of a file, not of a folder";
  const isThere = found(fs.lstatSync, path) !== undefined;
  switch ((cause as NodeJS.ErrnoException | undefined)?.code) {
    case "EACCES":
    case "EPERM":
      return withoutPermission(path, isThere);
    case "EROFS":
      return "its file system may only be read: use a file on one that may also be written to";
    case "ENAMETOOLONG":
      return "give a shorter path; a name of 200 characters leaves enough space for its lock file";
    case "ENOSPC":
    case "EDQUOT":
      return "free space, then try again";
    case "ENOENT":
    case "ENOTDIR":
    case "ELOOP":
      if (!isThere) return withoutFolder(path);
  }
  if (isThere && found(fs.statSync, path) === undefined) {
    return "the symbolic link leads to no file: remove the link, or give the path of a file";
  }
  return "check the path and its device, then try again";
}

function withoutFolder(path: string): string {
  const folder = dirname(path);
  for (let part = folder; ; part = dirname(part)) {
    const here = found(fs.statSync, part);
    if (here?.isDirectory() === false) return `give a path in a folder: ${part} is a file`;
    if (here !== undefined || part === dirname(part)) break;
  }
  return `create the folder ${folder}, or give a path in a folder that exists`;
}

function withoutPermission(path: string, isThere: boolean): string {
  const isPermitted = (mode: number, of: string): boolean => {
    try {
      fs.accessSync(of, mode);
      return true;
    } catch {
      return false;
    }
  };
  // The lock file is created in the folder of the store.
  const folder = dirname(path);
  if (!isThere || !isPermitted(fs.constants.W_OK | fs.constants.X_OK, folder)) {
    return `give this process permission to read, write and search the folder ${folder}`;
  }
  if (isPermitted(fs.constants.R_OK, path)) {
    return "the file may only be read: give this process permission to write to it";
  }
  return "give this process permission to read and write the file";
}
