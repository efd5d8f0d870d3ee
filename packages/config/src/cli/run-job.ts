// One job: its output folder, the record of its configuration in `.hydra`, its log, its environment, and the job itself.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Composition } from '../compose.js';
import { ListNode, MapNode, ScalarNode, type PlainValue } from '../node.js';
import { isHydraOverride } from '../overrides/value.js';
import { writeYaml } from '../yaml/write.js';
import { openLog, type Log, type Streams } from './log.js';

/** What a job is given. */
export interface JobRun {
  readonly composition: Composition;
  /** Where its files go; absolute, and there already. */
  readonly outputDir: string;
  readonly jobName: string;
  /** Its number in a sweep; undefined for a single run. */
  readonly number?: number;
  /** Task overrides as typed. */
  readonly overrides: readonly string[];
  readonly log: Log;
  /** Text to the console. */
  readonly print: (text: string) => void;
}

export type Job = (run: JobRun) => void | Promise<void>;

export interface JobContext {
  readonly cwd: string;
  readonly streams: Streams;
  readonly clock: () => Date;
}

/** How a job ended: `error` is what it threw. */
export interface JobResult {
  readonly overrides: readonly string[];
  readonly failed: boolean;
  readonly error?: unknown;
}

/** @param subdir undefined for a single run, else the folder's name below the sweep's */
export async function runJob(job: Job, composition: Composition, number: number | undefined, context: JobContext): Promise<JobResult> {
  const text = (key: string) => pythonText(composition.setting(key));
  const relative = number === undefined ? text('hydra.run.dir') : path.join(text('hydra.sweep.dir'), text('hydra.sweep.subdir'));
  const outputDir = path.resolve(context.cwd, relative);
  setOutputDir(composition, outputDir);
  mkdirSync(outputDir, { recursive: true });
  const changesDir = composition.setting('hydra.job.chdir') === true;
  const before = process.cwd();
  if (changesDir) process.chdir(outputDir);
  try {
    const log = openLog(composition.setting('hydra.job_logging'), composition.setting('hydra.verbose'), context.streams, context.clock);
    const overrides = composition.overrides.filter((override) => !isHydraOverride(override)).map((override) => override.text);
    saveRecord(composition, outputDir, overrides);
    const run: JobRun = { composition, outputDir, jobName: text('hydra.job.name'), number, overrides, log, print: context.streams.stdout };
    return await withEnvironment(composition.setting('hydra.job.env_set'), () => outcome(job, run));
  } finally {
    if (changesDir) process.chdir(before);
  }
}

async function outcome(job: Job, run: JobRun): Promise<JobResult> {
  try {
    await job(run);
    return { overrides: run.overrides, failed: false };
  } catch (error) {
    return { overrides: run.overrides, failed: true, error };
  }
}

const pythonText = (value: PlainValue | undefined) => (value === null || value === undefined ? 'None' : String(value));

function setOutputDir(composition: Composition, outputDir: string): void {
  const hydra = composition.full.get('hydra');
  const runtime = hydra?.kind === 'map' ? hydra.get('runtime') : undefined;
  if (runtime?.kind === 'map') runtime.set('output_dir', new ScalarNode(outputDir, { source: 'the program' }));
}

/** `.hydra/config.yaml`, `hydra.yaml` and `overrides.yaml`: enough to run the job again. */
function saveRecord(composition: Composition, outputDir: string, overrides: readonly string[]): void {
  const subdir = composition.setting('hydra.output_subdir');
  if (typeof subdir !== 'string') return;
  const folder = path.join(outputDir, subdir);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'config.yaml'), composition.yaml);
  writeFileSync(path.join(folder, 'hydra.yaml'), composition.hydraYaml);
  writeFileSync(path.join(folder, 'overrides.yaml'), overridesYaml(overrides));
}

function overridesYaml(overrides: readonly string[]): string {
  const list = new ListNode({ source: 'the program' });
  for (const override of overrides) list.items.push(new ScalarNode(override, list.origin));
  return writeYaml(list);
}

/** Environment variables of a job, put back when it ends. */
async function withEnvironment<Result>(variables: PlainValue | undefined, run: () => Promise<Result>): Promise<Result> {
  const entries = variables !== null && typeof variables === 'object' && !Array.isArray(variables) && !(variables instanceof Uint8Array) ? Object.entries(variables) : []; // prettier-ignore
  const before = new Map(entries.map(([name]) => [name, process.env[name]]));
  for (const [name, value] of entries) process.env[name] = String(value);
  try {
    return await run();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** A config's hydra node alone, as it is saved and shown. */
export function hydraOnly(composition: Composition, without: readonly string[] = []): MapNode {
  const hydra = composition.full.get('hydra') as MapNode;
  const shown = new MapNode(hydra.origin);
  for (const [id, entry] of hydra.entries) if (!without.includes(String(entry.key))) shown.entries.set(id, entry);
  const root = new MapNode(hydra.origin);
  root.set('hydra', shown);
  return root;
}
