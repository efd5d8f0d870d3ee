// Saves the files below `/work` from memory in the browser's storage (OPFS), so that a training run in a page can be resumed
// after its tab was closed.
import { fs } from './memory.js';

interface Entry {
  readonly kind: string;
  readonly name: string;
}
type Folder = FileSystemDirectoryHandle & { values(): AsyncIterable<Entry> };

const ROOT = '/work';

/** Keeps track of the saved files. A file is saved again if its size or its time of modification has changed. */
export class SavedFiles {
  readonly #saved = new Map<string, string>();
  #saving: Promise<void> = Promise.resolve();

  private constructor(private readonly root: Folder) {}

  /** Copies the saved files to memory; returns null if the browser has no storage, as in some private windows. */
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

  /**
   * Saves the files that have changed. A call waits for the one before it. @throws if the storage is full; a later call tries
   * again
   */
  save(): Promise<void> {
    const saving = this.#saving.then(() => this.#saveFolder(this.root, ROOT));
    this.#saving = saving.catch(() => undefined);
    return saving;
  }

  async #restore(from: Folder, to: string): Promise<void> {
    fs.mkdirSync(to, { recursive: true });
    for await (const { kind, name } of from.values()) {
      const path = `${to}/${name}`;
      if (kind === 'directory') await this.#restore((await from.getDirectoryHandle(name)) as Folder, path);
      else {
        const file = await (await from.getFileHandle(name)).getFile();
        fs.writeFileSync(path, new Uint8Array(await file.arrayBuffer()));
        this.#saved.set(path, stamp(path)!);
      }
    }
  }

  /** Saves a folder. A file that the program removes or renames during this call is skipped until the next call. */
  async #saveFolder(to: Folder, from: string): Promise<void> {
    for (const name of namesIn(from)) {
      const path = `${from}/${name}`;
      if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
        await this.#saveFolder((await to.getDirectoryHandle(name, { create: true })) as Folder, path);
        continue;
      }
      const now = stamp(path);
      if (now === undefined || this.#saved.get(path) === now) continue;
      const data = fs.readFileSync(path) as Uint8Array<ArrayBuffer>;
      const writable = await (await to.getFileHandle(name, { create: true })).createWritable();
      await writable.write(data);
      await writable.close(); // closing writes the new content
      this.#saved.set(path, now);
    }
    for await (const { name } of to.values())
      if (!fs.existsSync(`${from}/${name}`)) await to.removeEntry(name, { recursive: true });
  }
}

const namesIn = (folder: string): string[] => (fs.existsSync(folder) ? (fs.readdirSync(folder) as string[]) : []);

/** Returns a text from a file's size and time, which changes when the file is written; undefined if the file does not exist. */
function stamp(path: string): string | undefined {
  const found = fs.statSync(path, { throwIfNoEntry: false });
  return found && `${String(found.size)} ${String(found.mtimeMs)} ${String(found.ino)}`;
}
