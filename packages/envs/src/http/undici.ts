import { createRequire } from 'node:module';

/** Loads undici at the first use of a server, since it would be a tenth of all files that are loaded at the start. */
export const undici = (): typeof import('undici') =>
  createRequire(import.meta.url)('undici') as typeof import('undici');
