// Keeps the files of `/work` in the browser's own storage (OPFS), so that a run goes on after its tab was closed.
import { fs } from 'memfs';

interface Entry {
  readonly kind: string;
  readonly name: string;
}
type Folder = FileSystemDirectoryHandle & { values(): AsyncIterable<Entry> };

const ROOT = '/work';

/** Holds what is saved: a file is written again when its size or its time has changed. */
export class SavedFiles {
  readonly #saved = new Map<string, string>();
  #saving: Promise<void> = Promise.resolve();

  private constructor(private readonly root: Folder) {}

  /** Opens the storage and reads its files into memory; null where the browser gives none, as in a private window of some. */
  static async open(): Promise<SavedFiles | null> {
    let root: Folder;
    try {
      root = (await (await navigator.storage.getDirectory()).getDirectoryHandle('bowyer', { create: true })) as Folder;
    } catch {
      return null;
    }
    const files = new SavedFiles(root);
    await files.#restore(root, ROOT);
    return files;
  }

  /** Saves what has changed. Calls are done one after the other. */
  save(): Promise<void> {
    return (this.#saving = this.#saving.then(() => this.#saveFolder(this.root, ROOT)));
  }

  async #restore(from: Folder, to: string): Promise<void> {
    fs.mkdirSync(to, { recursive: true });
    for await (const { kind, name } of from.values()) {
      const path = `${to}/${name}`;
      if (kind === 'directory') await this.#restore((await from.getDirectoryHandle(name)) as Folder, path);
      else {
        const file = await (await from.getFileHandle(name)).getFile();
        fs.writeFileSync(path, new Uint8Array(await file.arrayBuffer()));
        this.#saved.set(path, stamp(path));
      }
    }
  }

  async #saveFolder(to: Folder, from: string): Promise<void> {
    const names = fs.readdirSync(from) as string[];
    for (const name of names) {
      const path = `${from}/${name}`;
      if (!fs.existsSync(path)) continue; // renamed or removed meanwhile
      if (fs.statSync(path).isDirectory()) {
        await this.#saveFolder((await to.getDirectoryHandle(name, { create: true })) as Folder, path);
        continue;
      }
      const now = stamp(path);
      if (this.#saved.get(path) === now) continue;
      const data = fs.readFileSync(path) as Uint8Array<ArrayBuffer>;
      const writable = await (await to.getFileHandle(name, { create: true })).createWritable();
      await writable.write(data);
      await writable.close(); // only now the file has the new content
      this.#saved.set(path, now);
    }
    for await (const { name } of to.values())
      if (!fs.existsSync(`${from}/${name}`)) await to.removeEntry(name, { recursive: true });
  }
}

function stamp(path: string): string {
  const { size, mtimeMs, ino } = fs.statSync(path);
  return `${size} ${mtimeMs} ${ino}`;
}
