// Reads the files of a model that were chosen or dropped.

/** The files of a model. A folder's own files are read, those of folders in it are not. */
export interface ModelFiles {
  /** The name of the folder, or of the one file. */
  readonly name: string;
  readonly files: readonly File[];
}

/** Returns the chosen files, one or a whole folder, with their name. */
export function chosenFiles(chosen: Iterable<File>): ModelFiles {
  const files = [...chosen].filter(({ webkitRelativePath: path }) => path.split('/').length <= 2);
  const folder = files[0]?.webkitRelativePath.split('/')[0];
  return { name: folder || (files[0]?.name ?? ''), files };
}

/** Reads dropped files, or a dropped folder. */
export async function droppedFiles({ items }: DataTransfer): Promise<ModelFiles> {
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const found = await Promise.all(entries.map((entry) => (entry.isFile ? [entry] : entriesOf(entry))));
  const files = found.flat().filter((entry): entry is FileSystemFileEntry => entry.isFile);
  const opened = files.map((entry) => new Promise<File>((...done) => entry.file(...done)));
  return { name: entries[0]?.name ?? '', files: await Promise.all(opened) };
}

async function entriesOf(folder: FileSystemEntry): Promise<FileSystemEntry[]> {
  const reader = (folder as FileSystemDirectoryEntry).createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((...done) => reader.readEntries(...done));
    if (part.length === 0) return entries;
    entries.push(...part);
  }
}

/** Returns the problem of files as a model; null without one. */
export function problemOf({ files }: ModelFiles): string | null {
  const names = files.map(({ name }) => name);
  if (names.some((name) => name.endsWith('.gguf'))) return files.length === 1 ? null : 'Choose one GGUF file alone.';
  const missing = ['config.json', 'tokenizer.json'].filter((name) => !names.includes(name));
  if (!names.some((name) => name.endsWith('.safetensors'))) missing.push('model.safetensors');
  return missing.length === 0
    ? null
    : `A model is a GGUF file, or a folder in Hugging Face's layout; this has no ${missing.join(', ')}.`;
}
