// Starts a server with the command in a separate process, as a user does.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { repository } from './command-line.js';

export interface StartedServer {
  /** The address that it has printed. */
  url: string;
  said: () => string;
  /** Sends SIGTERM. @returns the exit code */
  stop: () => Promise<number | null>;
  kill: () => void;
}

const running: ChildProcess[] = [];
afterAll(() => running.forEach((child) => child.kill('SIGKILL')));

/** Starts the command, and waits for the address at which it serves. It is killed after the file's tests. */
export async function startServer(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = repository,
): Promise<StartedServer> {
  const child = spawn(process.execPath, [join(repository, 'packages/runner/bin/bowyer.js'), ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (piece: Buffer) => {
      said += piece.toString();
      const address = /(?:served at|answers agents at) (\S+)/.exec(said)?.[1];
      if (address !== undefined) resolve(address.replace('/rollouts/ID/v1', ''));
    });
    child.once('exit', (code) => reject(new Error(`exit ${code}: ${said}`)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    const [code] = (child.exitCode === null ? await once(child, 'exit') : [child.exitCode]) as [number | null];
    return code;
  };
  return { url, said: () => said, stop, kill: () => void child.kill('SIGKILL') };
}
