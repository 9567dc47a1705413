// Types that TypeScript declares only for workers. This package is compiled for pages and workers.

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
