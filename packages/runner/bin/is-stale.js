import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../..', import.meta.url));

/** Time of the last change to a source file, in ms. */
function newestSource(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`; // join would take a third of the time
    if (entry.isDirectory()) newest = Math.max(newest, newestSource(path));
    else if (entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
      newest = Math.max(newest, statSync(path).mtimeMs);
  }
  return newest;
}

/** Whether a package of the checkout is not built, or has sources that are newer than its build. */
export function isStale() {
  if (!existsSync(join(packages, 'runner', 'dist', 'bundle', 'main.js'))) return true;
  return readdirSync(packages).some((name) => {
    if (existsSync(join(packages, name, 'bundle.mjs'))) return false; // built apart, for pages: the command line has none of it
    const sources = join(packages, name, 'src');
    const stamp = join(packages, name, 'dist', 'bundle', 'index.js'); // the last file of a build
    return existsSync(sources) && (!existsSync(stamp) || newestSource(sources) > statSync(stamp).mtimeMs);
  });
}
