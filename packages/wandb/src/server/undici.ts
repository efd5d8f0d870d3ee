import { createRequire } from 'node:module';

/**
 * Loads the HTTP client undici when a server is first used. It makes up a tenth of all files that the command would otherwise
 * load when it starts.
 */
export const undici = (): typeof import('undici') =>
  createRequire(import.meta.url)('undici') as typeof import('undici');
