// Writes the service worker of a built site, with the list of the files that it keeps.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** ONNX Runtime with WebGPU is kept when a page has used it: 27 MB that most visitors never load. Markdown is for other programs. */
const LEFT = /^(service-worker\.js|page\/.*asyncify\.(wasm|mjs)|llms.*\.txt|.*\.md)$/;

/** Writes `service-worker.js` into a folder for the files that are there. Its version changes with their content. */
export function writeServiceWorker(dist) {
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath ?? entry.path, entry.name)
        .slice(dist.length + 1)
        .split(sep)
        .join('/'),
    )
    .filter((path) => !LEFT.test(path))
    .sort();
  const version = createHash('sha256');
  for (const path of files) version.update(path).update(readFileSync(join(dist, path)));
  const worker = readFileSync(join(import.meta.dirname, 'service-worker.js'), 'utf8')
    .replace('VERSION', version.digest('hex').slice(0, 12))
    .replace("['FILES']", JSON.stringify(files));
  writeFileSync(join(dist, 'service-worker.js'), worker);
}
