import { createRequire } from 'node:module';

/**
 * Loads the package undici at the first use of a server and not when the command starts, since it would be a tenth of all files
 * that are loaded then.
 */
export const undici = (): typeof import('undici') =>
  createRequire(import.meta.url)('undici') as typeof import('undici');
