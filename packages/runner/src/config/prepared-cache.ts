// `--cfg` answers at once for a config that it has shown before: which keys it leaves out, and that the config is valid, are kept
// beside the built code. Loading all units to find that out again takes several times as long as composing the config.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Composition, PrepareContext } from '@bowyer/config';

interface Entry {
  /** Keys that the run does not read. */
  unread: string[];
}

const here = resolve(import.meta.dirname);
const folder = join(dirname(here), '.prepared');

/** Names a composition and everything else that decides how it is prepared; null where that cannot be known. */
export function preparedKey(composition: Composition, { overrides }: PrepareContext): string | null {
  // Sources change without a new build, and modules of the user at any time.
  const { plugins } = composition.config;
  if (import.meta.filename.endsWith('.ts') || (Array.isArray(plugins) && plugins.length > 0)) return null;
  const files = composition.defaults.map(({ path, package: target }) => [path, target]);
  const texts = overrides.map(({ text }) => text);
  const hash = createHash('sha256').update(JSON.stringify([buildStamp(), composition.yaml, files, texts]));
  return hash.digest('hex').slice(0, 32);
}

/** Changes with every build of any package, and with every published version. */
function buildStamp(): unknown[] {
  const packages = resolve(here, '..', '..', '..');
  const stamps = readdirSync(packages).map((name) =>
    statSync(join(packages, name, 'dist', '.tsbuildinfo'), { throwIfNoEntry: false }),
  );
  return [statSync(join(here, 'prepare.js')).mtimeMs, ...stamps.map((stamp) => stamp?.mtimeMs ?? null)];
}

export function readPrepared(key: string | null): Entry | null {
  if (key === null) return null;
  try {
    return JSON.parse(readFileSync(join(folder, key), 'utf8')) as Entry;
  } catch {
    return null;
  }
}

/** An installation that cannot be written to has no cache. */
export function writePrepared(key: string | null, entry: Entry): void {
  if (key === null) return;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, key), JSON.stringify(entry));
  } catch {
    return;
  }
}
