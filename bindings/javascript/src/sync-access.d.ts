// What TypeScript knows in workers only, and this package's sources are for both.

interface FileSystemSyncAccessHandle {
  close(): void;
  flush(): void;
  getSize(): number;
  read(into: ArrayBufferView<ArrayBuffer>, options: { at: number }): number;
  truncate(size: number): void;
  write(from: ArrayBufferView<ArrayBuffer>, options: { at: number }): number;
}

interface FileSystemFileHandle {
  createSyncAccessHandle(): Promise<FileSystemSyncAccessHandle>;
  move(name: string): Promise<void>;
}
