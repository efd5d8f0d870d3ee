// Makes the source of rollouts for training a user's agent: a server of the policy answers the agents' model calls and records
// them in the run's folder, and the recorded rollouts become episodes.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { textDialogues, type PlaySet } from '@bowyer/algorithms';
import type { LanguageModel } from '@bowyer/models';
import { AgentServer, rolloutPlayer, RolloutLog, type AgentServerOptions } from '@bowyer/rollouts';
import { callProblem, RecordedMasks, SteppedTokenizer } from '@bowyer/serving';
import { loadChatTemplate, type TemplateConfig } from '../../agent/chat/chat-setup.js';
import type { AgentConfig } from '../../agent/keys/agent-keys.js';
import type { TaskContext } from '../../context/task-context.js';
import { breakdownBy } from '../../run/breakdown.js';
import { CALLS_FOLDER } from '../../run/calls-folder.js';
import type { OpenRolloutSource, RolloutSource } from '../train/rollout-source.js';
import type { AgentOptions, AgentTaskConfig } from './agent-keys.js';
import type { Agents } from './open-agents.js';
import { openRanking } from './open-ranking.js';
import type { RankingConfig } from './ranking-keys.js';

type SourceConfig = Partial<RankingConfig> & AgentTaskConfig & Pick<AgentConfig, 'seed'> & TemplateConfig;

/** @param bodyOf changes the bodies of the agents' requests before they are read, as task=optimize_prompt does */
export function agentSource(
  config: SourceConfig,
  context: TaskContext,
  agents: Agents,
  bodyOf?: AgentServerOptions['bodyOf'],
): RolloutSource {
  return {
    hasOwnSampler: true,
    plan: { noun: 'tasks', shared: agents.shared },
    optimalReturn: null,
    async dialogues({ tokenizer }) {
      const { terminatorIds } = await loadChatTemplate(config, tokenizer);
      return { ...textDialogues(tokenizer), terminatorIds };
    },
    open: ({ policy }, trained) => openServer(policy, trained, config, context, { ...agents, bodyOf }),
    breakdown: (trajectories) => breakdownBy(undefined, trajectories),
  };
}

async function openServer(
  policy: LanguageModel,
  trained: () => number,
  config: SourceConfig,
  { directory, log }: TaskContext,
  { bodyOf, ...agents }: Agents & Pick<AgentServerOptions, 'bodyOf'>,
): Promise<OpenRolloutSource> {
  const { slots, splice, maxNewTokens, prefixCacheMb, concurrency, attempts, failedReward } = config.task;
  const calls = await RolloutLog.open(join(directory, CALLS_FOLDER));
  const tokenizer = new SteppedTokenizer(policy.tokenizer);
  const template = await loadChatTemplate(config, tokenizer);
  const problem = callProblem(template, tokenizer);
  if (problem !== null) log(`an agent with tools cannot have this model: ${problem}`);
  const server = await AgentServer.listen({
    model: policy,
    tokenizer,
    template,
    log: calls,
    bodyOf,
    name: 'policy',
    answersAnyName: true,
    host: '127.0.0.1',
    port: 0,
    apiKey: randomUUID(), // each rollout has its own key
    splice,
    slots,
    maxQueued: QUEUED_PER_AGENT * concurrency,
    prefixCacheBytes: prefixCacheMb * 2 ** 20,
    seed: config.seed,
    splitsMessages: true,
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: maxNewTokens },
    onFault: (error) => log(error.stack ?? error.message, 'WARNING'),
  });
  const ranking = config.ranking ? openRanking({ ranking: config.ranking }) : null;
  const play = rolloutPlayer(server.rollouts, {
    ...agents,
    ...(ranking && { rank: ranking.rank }),
    attempts,
    failedReward,
    sampling: fixedSampling(config.task),
    decode: (ids) => policy.tokenizer.decode(ids, { keepSpecialTokens: true }),
    masks: new RecordedMasks({ model: policy, template }),
  });
  const playSet: PlaySet = async (set, ...how) => {
    // The version of the weights that is recorded with each call. An evaluation is played before its iteration is logged and
    // counted, so that 1 is added.
    server.version = trained() + (set.purpose === 'eval' ? 1 : 0);
    await server.changeWeights(() => Promise.resolve());
    server.resume();
    return play(set, ...how).finally(() => server.pause());
  };
  return {
    parts: { makeEnv: null, playSet, environment: 'the agent' },
    [Symbol.asyncDispose]: async () => {
      await ranking?.close();
      await server.close().finally(() => calls.close());
    },
  };
}

/** The number of requests of one agent that may wait for the model at the same time. */
const QUEUED_PER_AGENT = 16;

const fixedSampling = ({ temperature, topK, topP }: AgentOptions) => ({
  ...(temperature !== null && { temperature }),
  ...(topK !== null && { topK }),
  ...(topP !== null && { topP }),
});
