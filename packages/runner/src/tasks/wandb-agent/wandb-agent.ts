// Implements task=wandb_agent, the agent of a Weights & Biases sweep: it requests trials from the server, runs each as a process
// of Bowyer, and sends heartbeats.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  asAgent,
  parseSweep,
  type SweepAgent,
  type SweepCommand,
  type SweepPlace,
  type SweepTrial,
} from '@bowyer/wandb';
import { startJobProcess, type JobProcess } from '../../sweep/job-process.js';
import type { TaskContext } from '../../context/task-context.js';
import type { TaskConfig } from '../task.js';
import type { wandbAgentOptions } from './unit.js';
import { overrideOf } from './override-of.js';

/** The number of failed trials in the first minute after which the agent ends, since the sweep itself is then wrong. */
const FAILURES = 3;
const FIRST_MS = 60_000;

export async function wandbAgent(
  { task: { sweep, command, trials } }: TaskConfig<typeof wandbAgentOptions, 'sweep'>,
  context: TaskContext,
): Promise<void> {
  const place = parseSweep(sweep, process.env);
  const started = performance.now();
  const runs = new Trials({ command, trials }, place, context);
  context.onInterrupt(() => runs.stop(), 'stopping after the current trial');
  await asAgent(place, { env: process.env, host: hostname() }, async (agent) => {
    while (!runs.isOver) {
      await runs.follow(await agent.heartbeat(runs.running));
      const isFlapping = runs.failed >= FAILURES && performance.now() - started < FIRST_MS;
      if (isFlapping && process.env.WANDB_AGENT_DISABLE_FLAPPING !== 'true')
        throw new Error(`${runs.failed} trials failed within a minute; look into ${runs.lastFolder}/job.log`);
      if (!runs.isOver) await pause(agent, runs);
    }
    await runs.ended();
  });
  context.print(`${runs.done} trials, ${runs.failed} failed\n`);
}

/** Waits until the next heartbeat is due, or until the current trial ends. */
const pause = (agent: SweepAgent, runs: Trials) => Promise.race([sleep(agent.intervalMs), runs.nextEnd()]);

class Trials {
  done = 0;
  failed = 0;
  lastFolder = '';
  #process: { id: string; job: JobProcess; ended: Promise<void> } | null = null;
  #isOver = false;

  constructor(
    private readonly limits: { command: readonly string[]; trials: number | null },
    private readonly place: SweepPlace,
    private readonly context: TaskContext,
  ) {}

  get running(): string[] {
    return this.#process === null ? [] : [this.#process.id];
  }

  get isOver(): boolean {
    const { trials } = this.limits;
    return (this.#isOver || (trials !== null && this.done >= trials)) && this.#process === null;
  }

  /** Starts no further trials, and lets the current one write a checkpoint and end. */
  stop(): void {
    this.#isOver = true;
    this.#process?.job.interrupt();
  }

  async follow(command: SweepCommand | null | undefined): Promise<void> {
    if (command === null || command?.type === 'exit') {
      this.context.log(command === null ? 'the sweep was deleted' : 'the sweep has ended');
      this.#isOver = true;
    } else if (command?.type === 'stop') {
      if (this.running.includes(command.run_id)) this.#process!.job.interrupt();
    } else if (command !== undefined && !this.#isOver) await this.#start(command);
  }

  /** Returns a promise that is resolved when the current trial ends; without a trial it is never resolved. */
  nextEnd(): Promise<void> {
    return this.#process?.ended ?? new Promise(() => {});
  }

  async ended(): Promise<void> {
    await this.#process?.ended;
  }

  async #start({ run_id: id, args = {} }: SweepTrial): Promise<void> {
    await this.#process?.ended;
    const { directory, log } = this.context;
    const { entity, project, id: sweep } = this.place;
    const overrides = Object.entries(args).map(([key, { value }]) => overrideOf(key, value));
    const folder = join(directory, id);
    const words = [...this.limits.command, ...overrides, `save_path=${folder}`];
    log(`trial ${id}: ${overrides.join(' ')}`);
    const own = {
      WANDB_RUN_ID: id,
      WANDB_SWEEP_ID: sweep,
      WANDB_PROJECT: project,
      ...(entity && { WANDB_ENTITY: entity }),
    };
    const job = await startJobProcess({
      command: [process.execPath, ...process.execArgv, process.argv[1], ...words],
      directory: folder,
      cwd: process.cwd(),
      env: { ...process.env, ...own },
      onLine: () => {},
    });
    const ended = job.ended.then(({ exitCode, problem }) => {
      this.done++;
      if (exitCode !== 0) this.failed++;
      this.lastFolder = folder;
      this.#process = null;
      log(`trial ${id}: ${exitCode === 0 ? 'finished' : (problem ?? `failed with exit code ${exitCode}`)}: ${folder}`);
    });
    this.#process = { id, job, ended };
  }
}
