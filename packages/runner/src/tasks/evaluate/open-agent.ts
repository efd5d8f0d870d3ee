// Opens the agent that plays in an evaluation: a trained one, whose actions are chosen as its algorithm does it, or a chat
// endpoint.
import { findAlgorithm, play, type Decoding, type OpenPlayer, type PlayOptions } from '@bowyer/algorithms';
import { oneRank, type Trajectory } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import { textTable } from '@bowyer/logging';
import { agentEnvironment, type ContextConfig } from '../../agent/context/agent-context.js';
import { criticFolderOf } from '../../agent/folders/model-folders.js';
import { deviceOf, type DeviceConfig } from '../../agent/policy/device-choice.js';
import { dialoguesOf, type DialogueConfig } from '../../agent/chat/dialogues.js';
import { EndpointPlayer, type EndpointConfig } from '../../agent/play/endpoint-player.js';
import { loadPolicy, type PolicyConfig } from '../../agent/policy/policy-setup.js';
import { makeCritic, type CriticConfig } from '../../agent/critic/critic-setup.js';
import { openMemoryOf, type AgentMemory, type MemoryConfig } from '../../agent/memory/agent-memory.js';
import { playOptions, recipeOptions, type PlayConfig } from '../../agent/play/play-options.js';
import { warnOfTextRules } from '../../agent/chat/text-rules.js';
import type { AgentConfig, NodePart } from '../../agent/keys/agent-keys.js';
import type { RunConfig } from '../../keys/run-keys.js';
import type { TaskContext } from '../../context/task-context.js';
import { itemsToPlay, type ItemConfig } from './items.js';

export type PlayedConfig = ContextConfig &
  MemoryConfig &
  ItemConfig &
  Pick<AgentConfig, 'seed'> &
  NodePart<'play', 'slots' | 'maxFailureShare'> &
  NodePart<'sampling', 'eosStr'> & {
    task: { testSize?: number; seeds: number[] | null };
  };

export type ModelConfig = PlayedConfig &
  PlayConfig &
  DeviceConfig &
  PolicyConfig &
  CriticConfig &
  DialogueConfig &
  NodePart<'policy', 'checkpoint' | 'model'> &
  Pick<RunConfig, 'plugins'> & {
    /** The options of the algorithm that its player reads, and the decoding, unless the algorithm always samples. */
    algorithm: Readonly<Record<string, unknown>> & { name: string; eval?: { decoding: Decoding | 'both' } };
    task: { compareWith: string[]; processes: number };
  };

export type EndpointPlayConfig = PlayedConfig & { policy: { endpoint: EndpointConfig } };

/** A part of an evaluation: episodes that are played together. The episodes of a part do not depend on which process plays it. */
export interface Part {
  seed: number;
  decoding: Decoding;
  firstEpisode: number;
  episodes: number;
}

export interface PlayedPart {
  trajectories: Trajectory[];
  /** The errors of the episodes that failed. */
  failures: string[];
}

export interface OpenAgent {
  play(part: Part, onEpisode: () => void): Promise<PlayedPart>;
  close(): Promise<void>;
}

export type AgentContext = Pick<TaskContext, 'envParts' | 'log' | 'ranks'>;

/** Opens a trained agent from the folder of its model. */
export async function openModel(folder: string, config: ModelConfig, context: AgentContext): Promise<OpenAgent> {
  const device = await openDevice(deviceOf(config));
  try {
    return await openOn(device, folder, config, context);
  } catch (error) {
    await device.close();
    throw error;
  }
}

async function openOn(device: Device, folder: string, config: ModelConfig, context: AgentContext): Promise<OpenAgent> {
  const unit = findAlgorithm(config.algorithm.name)!;
  await warnOfTextRules(folder, context.log);
  const policy = await loadPolicy(folder, config, device);
  const critic = unit.playsWithCritic ? await makeCritic(config, device, policy.tokenizer) : null;
  await critic?.restore(criticFolderOf(folder)!);
  const memory = await openMemoryOf(folder, config, device);
  const agent = { policy, critic, dialogues: await dialoguesOf(policy, config, context) };
  const openPlayer = unit.openPlayer(agent, recipeOptions(config, policy.tokenizer));
  const options = playOptions(config, policy.tokenizer);
  return {
    play: (part, onEpisode) => playPart(part, { config, context, memory, openPlayer, options, onEpisode }),
    close: async () => {
      await memory?.release();
      await critic?.release();
      await policy.release();
      await device.close();
    },
  };
}

/** Opens a chat endpoint as the player. It samples by the settings of the config node `policy.endpoint`; no model is loaded. */
export function openEndpoint(
  config: EndpointPlayConfig,
  context: AgentContext,
): OpenAgent & { usageText: () => string } {
  const player = EndpointPlayer.open(config.policy.endpoint, config.sampling.eosStr);
  const { slots, maxFailureShare } = config.play;
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] };
  const options = { seed: config.seed, slots, maxFailureShare, sampling };
  // All parts of the evaluation share one player, and each part closes the player that it has opened. Closing therefore does
  // nothing here.
  const openPlayer: OpenPlayer = () =>
    Promise.resolve({ act: (requests) => player.act(requests), close: async () => {} });
  return {
    play: (part, onEpisode) => playPart(part, { config, context, memory: null, openPlayer, options, onEpisode }),
    close: () => player.close(),
    usageText: () => textTable(player.usage.header, player.usage.rows),
  };
}

interface Playing {
  config: PlayedConfig;
  context: AgentContext;
  memory: AgentMemory | null;
  openPlayer: OpenPlayer;
  options: PlayOptions;
  onEpisode: () => void;
}

async function playPart(
  { seed, decoding, firstEpisode, episodes }: Part,
  { config, context, memory, openPlayer, options, onEpisode }: Playing,
): Promise<PlayedPart> {
  const { makeEnv, split } = itemsToPlay(config, context.envParts);
  const { ranks = oneRank } = context;
  const failures: string[] = [];
  const trajectories = await play(
    {
      ranks,
      makeEnv: agentEnvironment(config, makeEnv, memory?.memory ?? null),
      together: config.memory?.kind === 'encoder',
      hooks: { progress: onEpisode },
      onFailure: (error, episode) => failures.push(`${episode} of seed ${seed}: ${error.message}`),
    },
    openPlayer,
    { ...options, seed, sampling: { ...options.sampling, greedy: decoding === 'greedy' } },
    { purpose: split, split, firstEpisode, episodes },
  );
  return { trajectories, failures: ranks.gather(failures).flat() };
}
