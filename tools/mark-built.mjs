// Ends `npm run build`: every package is built from the sources as they are. Nx restores builds with the times that these had, which
// may be before those of a checkout's files, and the command line would then run the sources through tsx (bin/is-stale.js).
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '..', 'packages');
const now = new Date();
for (const name of readdirSync(packages)) {
  const stamp = join(packages, name, 'dist', 'bundle', 'index.js');
  if (existsSync(stamp)) utimesSync(stamp, now, now);
}
