// Implements task=evaluate: trained agents or a chat endpoint play items that training has not seen, and the results show how
// good they are.
import { join } from 'node:path';
import { decodingsOf, findAlgorithm, type Decoding } from '@bowyer/algorithms';
import { oneRank, writeFileAtomically, type Trajectory } from '@bowyer/core';
import { environmentInfo, type PlayedEvaluation } from '@bowyer/envs';
import { ProgressBar } from '@bowyer/logging';
import { optimalReturnOf, type EnvironmentConfig } from '../../agent/environment/environment.js';
import { agentFolderOf } from '../../agent/folders/model-folders.js';

import { owningRun } from '../../run/owning-run.js';
import { claimDirectory } from '../../run/run-files.js';
import { withReport } from '../../report/write-report.js';
import type { TaskContext } from '../../context/task-context.js';
import { itemsToPlay } from './items.js';
import { openEndpoint, type EndpointPlayConfig, type ModelConfig, type PlayedPart } from './open-agent.js';
import { partsOf, playParts } from './play-parts.js';
import { writeEvaluation, type PlayedAgent } from './write-evaluation.js';
import { runOf } from '../../run/recorded-config.js';

type EvaluateConfig = ModelConfig | EndpointPlayConfig;

const isEndpoint = (config: EvaluateConfig): config is EndpointPlayConfig =>
  'policy' in config && (config as EndpointPlayConfig).policy?.endpoint !== undefined;

export async function evaluate(config: EvaluateConfig, context: TaskContext): Promise<void> {
  const { ranks = oneRank } = context;
  if (ranks.size > 1) refuseOnRanks(config, ranks.size);
  // With several ranks, each plays a share of every part of the evaluation and then receives the episodes of all ranks; only rank
  // 0 writes files.
  if (ranks.rank > 0) return void (await playModels(config as ModelConfig, context));
  await owningRun(context, () => evaluateInFolder(config, context));
}

async function evaluateInFolder(config: EvaluateConfig, context: TaskContext): Promise<void> {
  await claimDirectory(context.directory, context.config.decisive);
  await withReport(context, async () => {
    if (isEndpoint(config)) await playEndpoint(config, context);
    else await writeModels(config, context, await playModels(config, context));
    return 'finished';
  });
}

/** Refuses settings that cannot be used on several ranks: an endpoint, and worker processes. */
function refuseOnRanks(config: EvaluateConfig, size: number): void {
  const what = isEndpoint(config)
    ? 'a chat endpoint'
    : config.task.processes > 1
      ? `task.processes=${config.task.processes}`
      : null;
  if (what === null) return;
  throw new Error(
    `task=evaluate with ${what} cannot run on several processes, and ${size} were started by mpirun or srun\n` +
      `  ${isEndpoint(config) ? 'start it without them' : 'write task.processes=1: the episodes are divided among those that were started'}`,
  );
}

interface PlayedModels {
  folder: string;
  decodings: readonly Decoding[];
  agents: PlayedAgent[];
  failures: string[];
}

async function playModels(config: ModelConfig, context: TaskContext): Promise<PlayedModels> {
  const folder = (config.policy.checkpoint ?? config.policy.model)!;
  const folders = [folder, ...config.task.compareWith.map(agentFolderOf)];
  const decodings = decodingsOf(
    findAlgorithm(config.algorithm.name)!.alwaysSamples ? 'sample' : config.algorithm.eval!.decoding,
  );
  const { parts, bar } = plan(config, context, decodings, folders.length);
  let done = 0;
  const played = await playParts(folders, parts, config, context, () => bar.update(++done));
  bar.finish();
  const agents = folders.flatMap((name, i) =>
    decodings.map((decoding) =>
      agentOf(
        name,
        decoding,
        parts.map((part, p) => ({ ...part, ...played[i][p] })),
      ),
    ),
  );
  return { folder, decodings, agents, failures: played.flat().flatMap((part) => part.failures) };
}

async function writeModels(config: ModelConfig, context: TaskContext, played: PlayedModels): Promise<void> {
  const { folder, decodings, agents, failures } = played;
  const { temperature, maxNewTokens: maxTokens } = config.sampling;
  await writeOwnReport(config, context, agents[0], {
    model: { path: folder, name: config.policy.model ?? runOf(folder)?.policy?.model ?? null },
    sampling: { temperature: decodings[0] === 'sample' ? temperature : 0, maxTokens },
  });
  // The optimal return is that of a player who may ask only the questions in the demonstrations from which the agent has learned.
  const optimalReturn = optimalReturnOf({ env: config.env, demonstrations: runOf(folder)?.demonstrations });
  context.print(`${await writeEvaluation(config, context, { agents, failures, optimalReturn })}\n`);
}

/** Lets a chat endpoint play the same episodes as a trained agent would; no model is loaded. */
async function playEndpoint(config: EndpointPlayConfig, context: TaskContext): Promise<void> {
  const { endpoint } = config.policy;
  const { parts, bar } = plan(config, context, ['sample'], 1);
  const player = openEndpoint(config, context);
  const played: PlayedPart[] = [];
  let done = 0;
  try {
    for (const part of parts) played.push(await player.play(part, () => bar.update(++done)));
  } finally {
    await player.close();
  }
  bar.finish();
  const agent = agentOf(
    endpoint.model,
    'sample',
    parts.map((part, p) => ({ ...part, ...played[p] })),
  );
  await writeOwnReport(config, context, agent, {
    model: { path: null, name: endpoint.model },
    sampling: { temperature: endpoint.temperature, maxTokens: endpoint.maxTokens },
  });
  const failures = played.flatMap((part) => part.failures);
  const text = await writeEvaluation(config, context, { agents: [agent], failures, optimalReturn: null });
  context.print(`${text}\n\n${player.usageText()}\n`);
}

function plan(
  config: EvaluateConfig,
  { progress, envParts }: TaskContext,
  decodings: readonly Decoding[],
  agents: number,
) {
  const { seeds: given, testSize } = config.task;
  const seeds = given ?? [config.seed];
  const episodes = itemsToPlay(config, envParts).listed ?? testSize!;
  const parts = partsOf({ slots: config.play.slots, episodes }, seeds, decodings);
  return { parts, bar: new ProgressBar('episodes', episodes * seeds.length * decodings.length * agents, progress) };
}

function agentOf(
  name: string,
  decoding: Decoding,
  parts: readonly { seed: number; decoding: Decoding; trajectories: Trajectory[] }[],
): PlayedAgent {
  const own = parts.filter((part) => part.decoding === decoding);
  return {
    name,
    decoding,
    episodes: own.flatMap(({ seed, trajectories }) => trajectories.map((trajectory) => ({ seed, trajectory }))),
  };
}

/** Writes a report in the format of the environment's original implementation, if that has one. */
async function writeOwnReport(
  { env }: Pick<EnvironmentConfig, 'env'>,
  { directory }: TaskContext,
  { episodes }: PlayedAgent,
  played: Omit<PlayedEvaluation, 'episodes'>,
): Promise<void> {
  const turns = episodes.map(({ trajectory: { transitions, infos } }) =>
    transitions.map(({ action }, turn) => ({ action, info: infos[turn] })),
  );
  const report = environmentInfo(env.name).evaluation?.report?.({ ...played, episodes: turns });
  if (report) await writeFileAtomically(join(directory, report.file), `${JSON.stringify(report.content, null, 2)}\n`);
}
