// task=evaluate: plays a trained agent as its algorithm acts, or a chat endpoint, and reports how good it is.
import { join } from 'node:path';
import { evaluate as play, findAlgorithm, type Evaluation } from '@bowyer/algorithms';
import { writeFileAtomically } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { JsonlFile, ProgressBar } from '@bowyer/logging';
import { makeCritic, type CriticConfig } from '../../agent/critic-setup.js';
import { deviceOf, type DeviceConfig } from '../../agent/device-choice.js';
import { EndpointPlayer, type EndpointConfig } from '../../agent/endpoint-player.js';
import { criticFolderOf, runOf } from '../../agent/model-folders.js';
import { playOptions, recipeOptions, type PlayConfig } from '../../agent/play-options.js';
import { dialoguesOf, type DialogueConfig } from '../../agent/players.js';
import { loadPolicy, type PolicyConfig } from '../../agent/policy-setup.js';
import type { SharedConfig } from '../../config/keys.js';
import { agentEnvironment, type ContextConfig } from '../../environment/agent-context.js';
import { environmentOf, optimalReturnOf } from '../../environment/environment.js';
import { resultText } from '../../run/results.js';
import { claimDirectory, openDirectory } from '../../run/run-files.js';
import { toRecord } from '../../run/trajectory-record.js';
import type { TaskContext } from '../task.js';

type PlayedConfig = ContextConfig &
  Pick<SharedConfig, 'seed' | 'slots' | 'maxFailureShare' | 'eosStr'> & { testSize: number };

type ModelConfig = PlayedConfig &
  PlayConfig &
  DeviceConfig &
  PolicyConfig &
  CriticConfig &
  DialogueConfig &
  Pick<SharedConfig, 'checkpointPath' | 'policyLm'> & { agentType: string; evalDoSample?: boolean };

type EvaluateConfig = ModelConfig | (PlayedConfig & { policy: { endpoint: EndpointConfig } });

const withEndpoint = (config: EvaluateConfig) => 'policy' in config && config.policy?.endpoint !== undefined;

export async function evaluate(config: EvaluateConfig, context: TaskContext): Promise<void> {
  await openDirectory(context.directory, context.decisive);
  await claimDirectory(context.directory, context.decisive);
  if (withEndpoint(config)) await playEndpoint(config as Extract<EvaluateConfig, { policy: object }>, context);
  else await playModel(config as ModelConfig, context);
}

async function playModel(config: ModelConfig, context: TaskContext): Promise<void> {
  const folder = (config.checkpointPath ?? config.policyLm)!;
  const unit = findAlgorithm(config.agentType)!;
  const device = await openDevice(deviceOf(config));
  try {
    const policy = await loadPolicy(folder, config, device);
    const critic = unit.playsWithCritic ? await makeCritic(config, device, policy.tokenizer) : null;
    await critic?.restore(criticFolderOf(folder)!);
    const agent = { policy, critic, dialogues: await dialoguesOf(policy, config, context) };
    const options = {
      ...playOptions(config, policy.tokenizer),
      ...{ evalSize: config.testSize, evalDoSample: config.evalDoSample ?? true },
    };
    const openPlayer = unit.openPlayer(agent, recipeOptions(config, policy.tokenizer));
    const bar = new ProgressBar('episodes', config.testSize, context.progress);
    const evaluation = await play(
      {
        makeEnv: agentEnvironment(config, environmentOf(config, context.envParts)),
        hooks: { progress: (_, done) => bar.update(done) },
      },
      openPlayer,
      options,
      'test',
    );
    bar.finish();
    // The optimum is that of the questions that the agent has learned.
    const optimalReturn = optimalReturnOf({ env: config.env, demonstrations: runOf(folder)?.demonstrations });
    context.print(`${await writeResults(folder, evaluation, optimalReturn, context)}\n`);
  } finally {
    await device.close();
  }
}

/** The same episodes, played by a chat endpoint; no model is loaded. */
async function playEndpoint(config: Extract<EvaluateConfig, { policy: object }>, context: TaskContext): Promise<void> {
  const { endpoint } = config.policy;
  const player = EndpointPlayer.open(endpoint, config.eosStr);
  const failures: Error[] = [];
  const { seed, slots, maxFailureShare, testSize } = config;
  const bar = new ProgressBar('episodes', testSize, context.progress);
  // The endpoint samples by its own settings.
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] };
  const evaluation = await play(
    {
      makeEnv: agentEnvironment(config, environmentOf(config, context.envParts)),
      hooks: { progress: (_, done) => bar.update(done) },
      onFailure: (error) => failures.push(error),
    },
    () => Promise.resolve(player),
    { seed, slots, maxFailureShare, sampling, evalSize: testSize, evalDoSample: true },
    'test',
  );
  bar.finish();
  const failed = failures.length === 0 ? '' : `${failures.length} more failed, the first: ${failures[0].message}\n`;
  const text = await writeResults(endpoint.model, evaluation, null, context);
  context.print(`${text}\n${failed}\n${player.usageText()}\n`);
}

/** @returns the table for the terminal */
async function writeResults(
  name: string,
  { metrics, trajectories }: Evaluation,
  optimalReturn: number | null,
  { directory }: TaskContext,
): Promise<string> {
  const episodes = await JsonlFile.open(join(directory, 'trajectories', 'test.jsonl'), 0);
  await episodes.append(...trajectories.map((trajectory) => toRecord(trajectory, 0)));
  const results = {
    iterations: 0,
    policies: [{ name, metrics }],
    optimalReturn,
    calibration: null,
  };
  await writeFileAtomically(join(directory, 'results.json'), `${JSON.stringify(results, null, 1)}\n`);
  return resultText(results);
}
