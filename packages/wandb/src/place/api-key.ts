// Finds the user's API key for W&B's server: in the environment variable, or by the server's host in the netrc file. The key is
// given only to the HTTP client.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Matches an API key, which may have a prefix for its deployment, or a JSON Web Token. */
const KEY = /^(?:[\w.-]*-)?[A-Za-z0-9_-]{40,}$|^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * @param otherwise what the user can do without a key, for the error message
 * @throws {Error} that says where to put a key, if there is none or it is malformed
 */
export function findKey(baseUrl: string, env: Environment, otherwise?: string): string {
  const given = env.WANDB_API_KEY?.trim();
  if (given) {
    if (KEY.test(given)) return given;
    throw new Error(
      'WANDB_API_KEY is not a key of W&B: a key has 40 or more letters, digits, - or _\n' +
        `  copy it from ${authorizePage(baseUrl)}${otherwise === undefined ? '' : `; or ${otherwise}`}`,
    );
  }
  const found = netrcPassword(new URL(baseUrl).host, env);
  if (found !== null) return found;
  throw new Error(
    `W&B needs a key for ${baseUrl}, and there is none in WANDB_API_KEY nor in ~/.netrc\n` +
      `  copy it from ${authorizePage(baseUrl)} and set WANDB_API_KEY${otherwise === undefined ? '' : `; or ${otherwise}`}`,
  );
}

/** Returns the address of W&B's web pages. A private server has them at the address of its API. */
export function pagesOf(baseUrl: string, env: Environment): string {
  const given = env.WANDB_APP_URL?.replace(/\/+$/, '');
  return given || baseUrl.replace('//api.wandb.', '//wandb.');
}

const authorizePage = (baseUrl: string) => `${pagesOf(baseUrl, {})}/authorize`;

function netrcPassword(host: string, env: Environment): string | null {
  const home = env.HOME ?? homedir();
  const files = env.NETRC ? [env.NETRC] : [join(home, '.netrc'), join(home, '_netrc')];
  for (const file of files) {
    const words = readText(file)
      .replaceAll(/^\s*#.*$/gm, '')
      .split(/\s+/)
      .filter(Boolean);
    const start = words.findIndex((word, i) => word === 'machine' && words[i + 1] === host);
    if (start < 0) continue;
    const end = words.findIndex((word, i) => i > start + 1 && (word === 'machine' || word === 'default'));
    const entry = words.slice(start + 2, end < 0 ? undefined : end);
    const password = entry[entry.indexOf('password') + 1];
    if (entry.includes('password') && password) return password;
  }
  return null;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
