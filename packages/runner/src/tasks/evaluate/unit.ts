// Defines the options of task=evaluate, in which a trained agent or a chat endpoint plays, and which reports how good it is.
import { Type, type TProperties } from '@sinclair/typebox';
import { findAlgorithm, type AnyAlgorithm } from '@bowyer/algorithms';
import {
  choice,
  flag,
  group,
  integer,
  optional,
  texts,
  unitOptions,
  oneProblem,
  type ConfigProblem,
} from '@bowyer/core';
import { membersOf } from '@bowyer/envs';
import type { ContextConfig } from '../../agent/context/agent-context.js';
import { contextChanged, contextKeys } from '../../agent/context/context-keys.js';
import { environmentKeysOf, oracleKeysOf, type EnvConfig } from '../../agent/environment/environment-keys.js';
import { hubId } from '../../agent/folders/hub-id.js';
import { agentFolderOf, criticFolderOf, modelProblem } from '../../agent/folders/model-folders.js';
import { isGgufFile } from '../../agent/folders/weights-file.js';
import {
  chatNode,
  deviceNode,
  deviceOptions,
  hubNode,
  samplingNode,
  samplingOptions,
  templateOptions,
} from '../../agent/keys/model-keys.js';
import { criticNode, criticOptions } from '../../agent/keys/critic-keys.js';
import { endpointNode, playNode, episodeOptions } from '../../agent/keys/play-keys.js';
import { policyNode, policyOptions } from '../../agent/keys/policy-keys.js';
import { memoryChanged, memoryKeys } from '../../agent/memory/memory-keys.js';
import type { Choices } from '../../agent/keys/choices.js';
import type { MemoryConfig } from '../../agent/memory/agent-memory.js';
import { algorithmNode } from '../../keys/algorithm-node.js';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskUnit } from '../task.js';
import { itemKeys } from './items.js';
import type { ModelConfig } from './open-agent.js';
import { learnedConversations, runOf } from '../../run/recorded-config.js';

/** The option for the decoding, which is the same as in evaluations during training. */
const decodingGroup = group(
  {
    decoding: choice(
      ['greedy', 'sample', 'both'],
      'greedy',
      'how tokens are chosen: greedy: the likeliest; sample: sampled; both: one after the other, and both are reported',
      { flat: 'eval_decoding' },
    ),
  },
  'how the episodes are played',
);

const test_size = integer(300, 'episodes to play with each seed, which training never sees');

const seeds = optional(
  () => Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1, uniqueItems: true }),
  'seeds with each of which all episodes are played once; null: seed alone',
);

/** The options of an evaluation in which local models play instead of an endpoint. */
const optionsOfModels = {
  compare_with: texts(
    [],
    'further agents (runs, checkpoints or models) that play the same episodes and are compared with the first',
  ),
  // The option is not part of what identifies a run (`decides: false`), since the same values may have been given on the command
  // line instead.
  as_trained: flag(
    false,
    'take environment, context, memory, chat template and lengths from the run in which the agent was trained, unless the command line gives them',
    { decides: false },
  ),
  processes: integer(
    1,
    'number of processes that play at the same time, each with a copy of the model; the episodes stay the same',
  ),
};

function keys(choices: Choices): TProperties {
  const common = {
    ...runKeys,
    ...environmentKeysOf(choices),
    ...contextKeys(choices),
    ...oracleKeysOf(choices),
  };
  const { slots, max_failure_share, max_turns } = episodeOptions;
  const items = {
    ...itemKeys(choices),
    ...((choices.setting('task.item_list') ?? null) === null && { test_size }),
    seeds,
  };
  // An endpoint samples by its own settings, so that the options of `sampling` do not exist.
  if (choices.setting('policy.endpoint') !== undefined)
    return {
      ...common,
      task: unitOptions(items),
      play: playNode({ slots, max_failure_share, max_turns }),
      policy: policyNode({ endpoint: endpointNode }),
      sampling: samplingNode({ eos_str: samplingOptions.eos_str }),
    };
  const { algorithm } = choices;
  const playerOptions = algorithm?.playerOptions.map((key) => [key, algorithm.options.properties[key]]) ?? [];
  return {
    ...common,
    ...memoryKeys(choices, 'evaluate'),
    device: deviceNode(deviceOptions),
    hub: hubNode,
    algorithm: algorithmNode(
      algorithm,
      unitOptions({
        ...(Object.fromEntries(playerOptions) as TProperties),
        ...(!algorithm?.alwaysSamples && { eval: decodingGroup }),
      }),
    ),
    ...(algorithm?.playsWithCritic && { critic: criticNode(criticOptions(choices)) }),
    sampling: samplingNode(samplingOptions), // without do_sample, since algorithm.eval.decoding decides it
    task: unitOptions({ ...items, ...optionsOfModels }),
    play: playNode(episodeOptions),
    ...(choices.setting('play.as_chat') === true && { chat: chatNode(templateOptions) }),
    policy: policyNode(policyOptions),
  };
}

/**
 * Reports how the agent in a folder contradicts the config: it was trained with another algorithm or environment, or it has no
 * critic.
 */
function agentProblems(place: string, algorithm: AnyAlgorithm, config: Record<string, unknown>): ConfigProblem[] {
  const folder = agentFolderOf(place);
  const run = runOf(folder);
  const problems: ConfigProblem[] = [];
  const trainedBy = run?.algorithm?.name === undefined ? undefined : findAlgorithm(run.algorithm.name);
  if (trainedBy && trainedBy !== algorithm && (trainedBy.playsWithCritic || algorithm.playsWithCritic))
    problems.push({
      key: 'algorithm.name',
      message: `the agent in ${folder} was trained by ${trainedBy.name}, and ${algorithm.name} acts in another way`,
      remedy: `write algorithm=${trainedBy.name}`,
    });
  else if (algorithm.playsWithCritic && criticFolderOf(folder) === null)
    problems.push({
      key: 'policy.checkpoint',
      message: `${algorithm.name} acts with its critic, and there is none beside ${folder}`,
      remedy: 'give a run of this algorithm or one of its checkpoints',
    });
  const { env, context, memory } = config as typeof config & ContextConfig & MemoryConfig;
  const { name } = env;
  const own = run?.env;
  if (own?.name !== undefined && own.name !== name && !isMember(own, name)) {
    if (!learnedConversations(run!)) problems.push(otherEnvironment(folder, own, name));
  } else if (own !== undefined && run!.context !== undefined)
    problems.push(...contextChanged(folder, { env, context }, { env: own as EnvConfig, context: run!.context }));
  if (run !== null) problems.push(...memoryChanged(folder, run.memory, memory));
  return problems;
}

function otherEnvironment(folder: string, own: { name?: string; envs?: unknown }, name: string): ConfigProblem {
  const members = own.name === 'mixture' ? membersOf(own.envs).map((member) => member.name) : [];
  return {
    key: 'env.name',
    message: `the agent in ${folder} was trained in ${own.name}, and would be played in ${name}`,
    remedy: `write env=${own.name}${members.length > 0 ? `, or one of its environments: ${members.join(', ')}` : ''}`,
  };
}

/** Returns whether an environment belongs to the mixture of environments in which an agent was trained. */
const isMember = ({ name, envs }: { name?: string; envs?: unknown }, other: string): boolean =>
  name === 'mixture' && membersOf(envs).some((member) => member.name === other);

/** Refuses models of the Hugging Face hub and GGUF files in `compare_with`, since only the first agent may be one of them. */
const folderProblem = (place: string): ConfigProblem | null =>
  hubId(place) === null && !isGgufFile(place)
    ? null
    : {
        key: 'task.compare_with',
        message: `task.compare_with: '${place}' is ${isGgufFile(place) ? 'a GGUF file' : 'a model of the hub'}`,
        remedy:
          'give a folder; `npx bowyer --config-name convert` makes one, and a run with policy.model downloads a model',
      };

export const evaluateTask: TaskUnit = {
  name: 'evaluate',
  description: 'play trained agents on held-out items and report their returns with intervals',
  keys,
  plays: true,
  sharesRanks: true,
  async problems(config) {
    if ((config.policy as { endpoint?: object } | undefined)?.endpoint) return [];
    const { policy, task, algorithm: own } = config as typeof config & ModelConfig;
    if (policy.checkpoint === null && policy.model === null)
      return oneProblem(
        'policy.checkpoint',
        'task=evaluate needs an agent to play: policy.checkpoint is null',
        'give a run or a model, for instance policy.checkpoint=RUN_FOLDER, or an endpoint: policy=openai',
      );
    const found = [
      await modelProblem('policy.checkpoint', policy.checkpoint),
      await modelProblem('policy.model', policy.model),
    ];
    for (const place of task.compareWith)
      found.push(await modelProblem('task.compare_with', place), folderProblem(place));
    const problems = found.filter((problem): problem is ConfigProblem => problem !== null);
    const algorithm = findAlgorithm(own.name);
    if (problems.length === 0 && algorithm)
      for (const place of [(policy.checkpoint ?? policy.model)!, ...task.compareWith])
        problems.push(...agentProblems(place, algorithm, config));
    return problems;
  },
  load: async () => (await import('./evaluate.js')).evaluate,
};
