// Modules that the bundler writes, or takes from the built packages.
declare module 'bowyer:kernels' {
  /** The kernels of all packages by their names. */
  export const kernels: Readonly<Record<string, unknown>>;
}
declare module '@bowyer/runner/program' {
  import type { CommandLine } from '@bowyer/config';
  export function bowyer(argv: readonly string[]): CommandLine;
}
declare module 'path-browserify' {
  import path from 'node:path';
  const browserPath: typeof path.posix;
  export default browserPath;
  export const dirname: typeof path.posix.dirname;
}
declare module 'readable-stream' {
  import stream from 'node:stream';
  export default stream;
}
