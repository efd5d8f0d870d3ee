// Reads the files of a model that were chosen or dropped.

/** Reads dropped files, and folders with everything in them. */
export async function droppedFiles({ items }: DataTransfer): Promise<File[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  return (await Promise.all(entries.map(filesBelow))).flat();
}

async function filesBelow(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await new Promise<File>((...done) => (entry as FileSystemFileEntry).file(...done))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((...done) => reader.readEntries(...done));
    if (part.length === 0) return files;
    files.push(...(await Promise.all(part.map(filesBelow))).flat());
  }
}

/** Returns the problem of files as a model; null without one. */
export function problemOf(files: readonly File[]): string | null {
  const names = files.map(({ name }) => name);
  if (names.some((name) => name.endsWith('.gguf'))) return files.length === 1 ? null : 'Choose one GGUF file alone.';
  const missing = ['config.json', 'tokenizer.json'].filter((name) => !names.includes(name));
  if (!names.some((name) => name.endsWith('.safetensors'))) missing.push('model.safetensors');
  return missing.length === 0
    ? null
    : `A model is a GGUF file, or a folder in Hugging Face's layout; this has no ${missing.join(', ')}.`;
}
