// Serves a model with the command `serve_model`, from this repository's sources, for suites that test protocols.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

const repository = resolve(import.meta.dirname, '..');

interface Served {
  /** The server's address, without `/v1`. */
  readonly origin: string;
  readonly port: number;
}

/**
 * Serves a model under the name `tiny` while `use` runs.
 *
 * @param keys further keys of the command `serve_model`
 */
export async function withServer<T>(
  model: string,
  keys: Readonly<Record<string, unknown>>,
  use: (served: Served) => Promise<T>,
): Promise<T> {
  const given = Object.entries({ model, port: 0, served_name: 'tiny', ...keys }).map((pair) => pair.join('='));
  const command = ['--conditions=source', '--import', 'tsx', 'packages/runner/src/main.ts', '--config-name'];
  const child = spawn(process.execPath, [...command, 'serve_model', ...given], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const origin = /is served at (http:\S+)\/v1/.exec(line)?.[1];
      if (origin === undefined) continue;
      child.stdout.resume();
      return await use({ origin, port: Number(new URL(origin).port) });
    }
    throw new Error('the server has ended before it listened');
  } finally {
    if (child.exitCode === null) {
      child.kill('SIGINT');
      await once(child, 'exit');
    }
  }
}
