// Serves a model's folder with the command `serve_model`, from this repository's sources.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '../..');

interface ServedModel {
  server: ChildProcess;
  /** The server's address, without `/v1`. */
  origin: string;
}

/**
 * Serves a model under the name `tiny` on a free port, with greedy decoding.
 *
 * @param keys further keys of the command
 */
export async function servedModel(model: string, keys: Readonly<Record<string, unknown>>): Promise<ServedModel> {
  const given = Object.entries({ model, port: 0, served_name: 'tiny', temperature: 0, ...keys });
  const command = ['--conditions=source', '--import', 'tsx', 'packages/runner/src/main.ts', '--config-name'];
  const child = spawn(process.execPath, [...command, 'serve_model', ...given.map((pair) => pair.join('='))], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /is served at (http:\S+)\/v1/.exec(line);
    if (found) return { server: child, origin: found[1] };
  }
  throw new Error('the server has ended before it listened');
}
