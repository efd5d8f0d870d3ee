// How a test starts a program of this repository, or one that imports its packages.
import { fileURLToPath } from 'node:url';
import { isStale } from '../../runner/bin/is-stale.js';

/**
 * Lists the arguments of Node with which the packages are imported from their sources; none where the builds are as new as the sources,
 * since a build starts in half of the CPU time.
 */
export const sourceArguments = (): string[] => (isStale() ? ['--conditions=source', '--import', 'tsx'] : []);

/**
 * Returns the arguments of Node that start a program.
 *
 * @param source the file of a package's `src` that is started
 */
export const programArguments = (source: string): string[] => [
  ...sourceArguments(),
  isStale() ? source : source.replace(/src\/([^/]+)\.ts$/, 'dist/bundle/$1.js'),
];

/**
 * Returns the built command line, for suites that end its process: where sources are newer, `bin/bowyer.js` runs them in a second
 * process.
 *
 * @throws where the packages are not built, or sources are newer than their build
 */
export function builtProgram(): string {
  if (isStale()) throw new Error(`the packages are not built, or sources are newer; run 'npm run build'`);
  return fileURLToPath(new URL('../../runner/dist/bundle/main.js', import.meta.url));
}
