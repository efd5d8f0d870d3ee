// Divides an evaluation into parts and plays them for each agent, in this process or in several worker processes. The episodes do
// not depend on the number of processes.
import { fork, type ChildProcess } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Decoding } from '@bowyer/algorithms';
import { openModel, type AgentContext, type ModelConfig, type Part, type PlayedPart } from './open-agent.js';
import type { WorkerAnswer, WorkerRequest } from './worker.js';

/** Episodes per slot (simultaneously played episode): enough that slots which wait for a part's last one cost little. */
const ROUNDS = 4;

/** Divides an evaluation into parts. The parts depend only on the config, not on the number of processes. */
export function partsOf(
  { slots, episodes }: { slots: number; episodes: number },
  seeds: readonly number[],
  decodings: readonly Decoding[],
): Part[] {
  const size = ROUNDS * slots;
  return decodings.flatMap((decoding) =>
    seeds.flatMap((seed) =>
      Array.from({ length: Math.ceil(episodes / size) }, (_, i) => ({
        seed,
        decoding,
        firstEpisode: i * size,
        episodes: Math.min(size, episodes - i * size),
      })),
    ),
  );
}

interface Job {
  folder: string;
  part: Part;
}

/** Returns the played parts in the order of `folders`, for each agent in the order of `parts`. */
export async function playParts(
  folders: readonly string[],
  parts: readonly Part[],
  config: ModelConfig,
  context: AgentContext,
  onEpisode: () => void,
): Promise<PlayedPart[][]> {
  const jobs = folders.flatMap((folder) => parts.map((part): Job => ({ folder, part })));
  const processes = Math.min(config.task.processes, jobs.length);
  const played =
    processes <= 1
      ? await playHere(jobs, config, context, onEpisode)
      : await playThere(jobs, processes, config, onEpisode);
  return folders.map((_, i) => played.slice(i * parts.length, (i + 1) * parts.length));
}

async function playHere(
  jobs: readonly Job[],
  config: ModelConfig,
  context: AgentContext,
  onEpisode: () => void,
): Promise<PlayedPart[]> {
  const played: PlayedPart[] = [];
  for (const folder of new Set(jobs.map((job) => job.folder))) {
    const agent = await openModel(folder, config, context);
    try {
      for (const { part } of jobs.filter((job) => job.folder === folder))
        played.push(await agent.play(part, onEpisode));
    } finally {
      await agent.close();
    }
  }
  return played;
}

/** Each process takes the next part when it has finished one; the first error ends all of them. */
async function playThere(
  jobs: readonly Job[],
  processes: number,
  config: ModelConfig,
  onEpisode: () => void,
): Promise<PlayedPart[]> {
  const workers = Array.from({ length: processes }, () => new WorkerProcess(plainCopy(config), onEpisode));
  const played = new Array<PlayedPart>(jobs.length);
  let next = 0;
  try {
    await Promise.all(
      workers.map(async (worker) => {
        for (let job = next++; job < jobs.length; job = next++) played[job] = await worker.play(jobs[job]);
      }),
    );
  } finally {
    workers.forEach((worker) => worker.close());
  }
  return played;
}

/** Copies a config by way of JSON, since the proxy that records which keys are read cannot be sent to another process. */
const plainCopy = (config: ModelConfig): ModelConfig => JSON.parse(JSON.stringify(config)) as ModelConfig;

class WorkerProcess {
  readonly #child: ChildProcess;
  #config: ModelConfig | undefined;

  constructor(
    config: ModelConfig,
    private readonly onEpisode: () => void,
  ) {
    this.#config = config;
    const path = fileURLToPath(new URL(`./worker${extname(import.meta.url)}`, import.meta.url));
    this.#child = fork(path, { execArgv: process.execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#child.on('error', () => undefined); // an error without a listener would end this process; `play` reports those of a part
  }

  play({ folder, part }: Job): Promise<PlayedPart> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        this.#child.off('message', onMessage).off('exit', onExit).off('error', onError);
        finish();
      };
      const onMessage = (answer: WorkerAnswer) => {
        if ('episode' in answer) this.onEpisode();
        else if ('played' in answer) settle(() => resolve(answer.played));
        else settle(() => reject(new Error(answer.error)));
      };
      const onExit = (code: number | null, signal: string | null) =>
        settle(() => reject(new Error(`a process of the evaluation ended early (${signal ?? `exit code ${code}`})`)));
      const onError = (error: Error) =>
        settle(() =>
          reject(new Error(`a process of the evaluation cannot be used: ${error.message}`, { cause: error })),
        );
      this.#child.on('message', onMessage).on('exit', onExit).on('error', onError);
      const request: WorkerRequest = { ...(this.#config && { config: this.#config }), folder, part };
      this.#config = undefined;
      this.#child.send(request);
    });
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
