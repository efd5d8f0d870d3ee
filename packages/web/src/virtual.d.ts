// Declares the types of modules that the bundler generates or takes from the builds of packages.
declare module 'bowyer:kernels' {
  /** The kernels of all packages by their names. */
  export const kernels: Readonly<Record<string, unknown>>;
}
declare module '@bowyer/runner/program' {
  import type { CommandLine } from '@bowyer/config';
  export function bowyer(argv: readonly string[]): CommandLine;
}
