import { createRequire } from 'node:module';

/** Loads undici at the first use of a server, since it is a tenth of all files that the command would load at its start. */
export const undici = (): typeof import('undici') =>
  createRequire(import.meta.url)('undici') as typeof import('undici');
