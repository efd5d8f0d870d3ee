// Starts the real command in a separate process, as a user does.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** With several threads for garbage collection, a short run takes a tenth more CPU time, and the tests leave no core idle. */
export const nodeOptions = ['--single-threaded-gc'];

const bin = fileURLToPath(new URL('../bin/bowyer.js', import.meta.url));

export const repository = fileURLToPath(new URL('../../..', import.meta.url));

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** The milliseconds after which SIGKILL is sent, if the process has not ended before. */
  killAfterMs?: number;
  /** SIGKILL is sent as soon as this returns true, if the process has not ended before. */
  killWhen?: (pid: number) => boolean;
  /** The working directory; the repository's root if not given. */
  cwd?: string;
  /** The text on standard input, all at once. */
  stdin?: string;
  /** The program that Node starts; this project's command if not given. */
  program?: string;
  /** Environment variables in addition to those of this process; undefined removes one. */
  env?: Readonly<Record<string, string | undefined>>;
}

export function run(
  args: readonly string[],
  { killAfterMs, killWhen, stdin = '', cwd = repository, program = bin, env }: RunOptions = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // A process group: a command that runs from its sources is two processes, and both must be killed at the same time.
    const child = spawn(process.execPath, [...nodeOptions, program, ...args], {
      cwd,
      detached: true,
      env: { ...process.env, ...env },
    });
    child.stdin.end(stdin);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const killGroup = () => {
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // The process had already ended.
      }
    };
    const timer = killAfterMs === undefined ? undefined : setTimeout(killGroup, killAfterMs);
    const watch = killWhen && setInterval(() => killWhen(child.pid!) && killGroup(), 5);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      clearInterval(watch);
      resolve({ code, signal, stdout, stderr });
    });
  });
}

/** Waits for a command, and checks that it ends with exit code 0; a failing test shows what the command wrote to stderr. */
export async function succeeds<Answer extends Pick<Ended, 'code' | 'stderr'>>(
  command: Promise<Answer>,
): Promise<Answer> {
  const ended = await command;
  expect({ code: ended.code, stderr: ended.code === 0 ? '' : ended.stderr }).toEqual({ code: 0, stderr: '' });
  return ended;
}

const play = ['max_new_tokens=6', 'slots=8', 'test_size=8', 'threads=1'];
const policy = ['policy.n_embd=16', 'policy.n_layer=1', 'policy.n_head=2'];
const loop = [
  'iterations=6',
  'rollout_size=8',
  'batch_size=32',
  'capacity=200',
  'eval_freq=2',
  'eval_size=8',
  'save_freq=1',
];
const critic = ['critic.width=16', 'epochs=3'];
const actor = ['warmup_iter=2', 'actor_epochs=2'];

/** Each algorithm has different keys, and refuses those of others. */
const training: Readonly<Record<string, readonly string[]>> = {
  archer_20q: [...loop, ...critic, ...actor],
  chai_20q: [...loop, ...critic],
  online_filteredbc_20q: [...loop, ...actor],
  bc_20q: ['epochs=2'],
  offline_archer_20q: ['epochs=2'],
};

/**
 * Returns the words of a run of a few seconds with all phases of a training.
 *
 * @param start whether the run makes its policy, or gets one with policy_lm or checkpoint_path
 */
export function tinyRun(config: string, start: 'made' | 'given' = 'made'): string[] {
  const isOnDataset = ['bc_20q', 'offline_archer_20q'].includes(config);
  const imitates = start === 'made' || isOnDataset;
  return [
    '--config-name',
    config,
    ...play,
    ...training[config],
    ...(start === 'made' ? policy : []),
    ...(imitates ? ['demonstrations.count=64'] : []),
    ...(start === 'made' && !isOnDataset ? ['warm_start.epochs=2'] : []),
  ];
}

/**
 * Returns the same for Twenty Questions with a small limit of questions, since untrained policies play every game up to the
 * limit.
 */
export const tinyGame = (config: string, start: 'made' | 'given' = 'made'): string[] => [
  ...tinyRun(config, start),
  'env.max_turns=6',
];
