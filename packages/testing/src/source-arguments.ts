// Finds out how a test starts a program of this repository, or one that imports its packages.
import { fileURLToPath } from 'node:url';
import { isStale } from '../../runner/bin/is-stale.js';

/** Returns the arguments of Node for a program in TypeScript. The packages that it imports are builds if these are current. */
export const typeScriptArguments = (): string[] => [
  ...(isStale() ? ['--conditions=source'] : []),
  '--import',
  import.meta.resolve('tsx'),
];

/** Returns the arguments of Node for importing packages from sources; empty if the builds are current (half the CPU time). */
export const sourceArguments = (): string[] => (isStale() ? typeScriptArguments() : []);

/**
 * Returns the arguments of Node for starting a program.
 *
 * @param source file in a package's `src`
 */
export const programArguments = (source: string): string[] => [
  ...sourceArguments(),
  isStale() ? source : source.replace(/src\/([^/]+)\.ts$/, 'dist/bundle/$1.js'),
];

/**
 * Returns the built command line, for suites that kill its process: with newer sources, `bin/bowyer.js` would run them in a
 * second process.
 *
 * @throws if the packages are not built, or sources are newer than the build
 */
export function builtProgram(): string {
  if (isStale()) throw new Error(`the packages are not built, or sources are newer; run 'npm run build'`);
  return fileURLToPath(new URL('../../runner/dist/bundle/main.js', import.meta.url));
}
