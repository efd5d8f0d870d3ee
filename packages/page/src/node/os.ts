// Replaces the module `node:os` when Bowyer runs in a web page.
export const EOL = '\n';
export const devNull = '/dev/null';
export const availableParallelism = (): number => (crossOriginIsolated ? navigator.hardwareConcurrency : 1);
export const cpus = (): { model: string }[] =>
  Array.from({ length: availableParallelism() }, () => ({ model: 'page' }));
/** Returns the size of the memory in bytes. The browser reports at most 8 GiB; if it reports none, 4 GiB are assumed. */
export const totalmem = (): number => ((navigator as { deviceMemory?: number }).deviceMemory ?? 4) * 2 ** 30;
export const freemem = totalmem;
export const homedir = (): string => '/home';
export const hostname = (): string => 'page';
export const platform = (): string => 'browser';
export const release = (): string => '';
export const tmpdir = (): string => '/tmp';
export const type = platform;
export default {
  EOL,
  availableParallelism,
  cpus,
  devNull,
  freemem,
  homedir,
  hostname,
  platform,
  release,
  tmpdir,
  totalmem,
  type,
};
