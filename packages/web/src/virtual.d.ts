// Modules that the bundler writes, or takes from the built packages.
declare module 'bowyer:kernels' {
  /** The kernels of all packages by their names. */
  export const kernels: Readonly<Record<string, unknown>>;
}
declare module '@bowyer/runner/program' {
  import type { CommandLine } from '@bowyer/config';
  export function bowyer(argv: readonly string[]): CommandLine;
}
