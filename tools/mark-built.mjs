// Ends `npm run build` by updating the times of the builds. Nx restores builds with their original times, which may be before
// those of a checkout's files, so that the command line would run the sources through tsx (bin/is-stale.js).
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '..', 'packages');
const now = new Date();
for (const name of readdirSync(packages)) {
  const stamp = join(packages, name, 'dist', 'bundle', 'index.js');
  if (existsSync(stamp)) utimesSync(stamp, now, now);
}
