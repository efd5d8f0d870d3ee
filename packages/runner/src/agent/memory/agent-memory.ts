// Opens an agent's memory of past episodes (config node `memory`), fills it, saves it with the agent and restores it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically, type DemonstrationSet, type Trajectory } from '@bowyer/core';
import {
  bm25Index,
  episodeOfRecord,
  episodeOfTrajectory,
  Memory,
  vectorIndex,
  type MakeIndex,
  type MemoryEpisode,
  type MemoryOptions,
  type RetrievalOptions,
} from '@bowyer/envs';
import type { Device } from '@bowyer/graph';
import { SentenceEncoder } from '@bowyer/models';
import { MEMORY_FILE, memoryFileOf } from '../folders/model-folders.js';
import { splitPlanOf, type EnvironmentConfig } from '../environment/environment.js';

/** A config with the node `memory`, which runs of earlier versions do not have. */
export interface MemoryConfig {
  memory?: MemoryOptions;
}

/** The memory of an agent, and the encoder model by which it is searched, if it has one. */
export class AgentMemory {
  private constructor(
    readonly memory: Memory,
    private readonly options: MemoryOptions,
    private readonly encoder: SentenceEncoder | null,
  ) {}

  /**
   * Opens the memory that the config node `memory` describes.
   *
   * @returns null where the config has none
   */
  static async open({ memory }: MemoryConfig, device: Device): Promise<AgentMemory | null> {
    if (memory === undefined || memory.kind === 'none') return null;
    const encoder = memory.kind === 'encoder' ? await SentenceEncoder.loadWithMean(device, memory.encoder!) : null;
    const makeIndex: MakeIndex = encoder === null ? bm25Index : vectorIndex((texts) => encoder.vectorsOfTexts(texts));
    const { capacity = Infinity, ...retrieval } = memory as RetrievalOptions & MemoryOptions;
    return new AgentMemory(new Memory({ ...retrieval, capacity, makeIndex }), memory, encoder);
  }

  /**
   * Leaves out demonstrations of items outside the train split; returns a line for the log.
   *
   * @throws where no demonstration names its item
   */
  addDemonstrations(config: EnvironmentConfig, { records, demonstrations }: DemonstrationSet): string {
    const { name } = config.env;
    const plan = splitPlanOf(config);
    const episodes = (records ?? demonstrations).map((record, number) =>
      'reset' in record ? episodeOfRecord(record, number, this.options.minReturn ?? null) : null,
    );
    const successes = episodes.filter((episode): episode is MemoryEpisode => episode !== null);
    const known = successes.filter(({ item }) => item !== undefined);
    if (known.length === 0)
      throw new Error(
        `memory.demonstrations: none of the ${episodes.length} demonstrations of ${name} is ` +
          (successes.length > 0
            ? 'one that names its item (info.item of the reset), so an episode could be given its own solution'
            : 'a success with the observations of the environment itself') +
          '\n  write memory.demonstrations=false memory.grow=true to begin with an empty memory',
      );
    const trained = known.filter(({ item }) => (plan.splitOf?.(item!) ?? 'train') === 'train');
    this.memory.add(trained);
    const without = (count: number, what: string) => (count === 0 ? '' : `; ${count} ${what} are left out`);
    return (
      `memory: ${this.memory.size} of ${episodes.length} demonstrations` +
      without(successes.length - known.length, 'that do not name their item') +
      without(known.length - trained.length, 'of held-out items')
    );
  }

  /** Adds the successful episodes of a rollout on the train split, if `memory.grow` is true. */
  addRollout(rollout: readonly Trajectory[]): void {
    if (!this.options.grow) return;
    this.memory.add(rollout.flatMap((episode) => episodeOfTrajectory(episode, this.options.minReturn ?? null) ?? []));
  }

  /** @param file the path that `memoryFileOf` returns */
  async restore(file: string): Promise<void> {
    this.memory.restore(await readFile(file, 'utf8'));
  }

  save(folder: string): Promise<void> {
    return writeFileAtomically(join(folder, MEMORY_FILE), this.memory.toText());
  }

  async release(): Promise<void> {
    await this.encoder?.release();
  }
}

/** Throws where no memory was saved with the agent. */
export async function openMemoryOf(
  agentFolder: string,
  config: MemoryConfig,
  device: Device,
): Promise<AgentMemory | null> {
  const memory = await AgentMemory.open(config, device);
  if (memory === null) return null;
  const file = memoryFileOf(agentFolder);
  if (file === null)
    throw new Error(
      `memory.kind=${config.memory!.kind}: the agent in ${agentFolder} has no memory (${MEMORY_FILE})\n  write memory=none`,
    );
  await memory.restore(file);
  return memory;
}
