// The supervised start: a policy that has imitated demonstrations. Cached by a hash of everything that decides it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { demonstrationTrajectory, type Demonstration } from '@bowyer/algorithms';
import { hash32, Rng, withFileLock } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import { LanguageModel, wordLevelTokenizer } from '@bowyer/models';
import { answerTokens, makeDemonstrations, vocabularyTexts, warmStartOptions } from './environments.js';
import {
  asConversation,
  conversationRecipe,
  imitateConversations,
  imitateThroughTemplate,
  learnsFromConversations,
} from './conversation-start.js';
import { agentTokens } from './agent-tokens.js';
import { builtInPolicy } from './built-in-policy.js';
import { imitateInto, type Imitation } from './imitate-into.js';
import { adam, loadPolicy, policyOptimizer } from './policy-setup.js';
import type { RunConfig } from './run-config.js';
import type { TaskContext } from './tasks/task.js';

/** Raise it when a change of the code changes what the same config gives. */
const CACHE_VERSION = 1;

/** Without a sign of life for so long, a process of another machine that makes the same start counts as gone. */
const STALE_SECONDS = 120;

/** @returns the folder of the warm-started policy, made now or by an earlier run; null if the user stopped it */
export async function warmStart(
  config: RunConfig,
  device: Device,
  context: Pick<TaskContext, 'log' | 'progress' | 'onInterrupt'>,
): Promise<string | null> {
  const folder = join(config.cacheDir, 'warm-starts', warmStartHash(config));
  if (existsSync(folder)) {
    context.log(`warm start: using ${folder}`);
    return folder;
  }
  const learn = learnsFromConversations(config) || config.playAsChat ? imitateConversations : imitate;
  // Runs of a sweep want the same start at the same time: one makes it.
  const finished = await withFileLock(
    `${folder}.lock`,
    async () => existsSync(folder) || (await learn(config, device, context, folder)),
    {
      staleSeconds: STALE_SECONDS,
      onWait: (pid) => context.log(`warm start: process ${pid ?? '?'} is making ${folder}: waiting for it`),
    },
  );
  return finished ? folder : null;
}

/** Names a warm start in the cache: equal configs and equal files, equal weights. */
export function warmStartHash(config: RunConfig): string {
  const hash = createHash('sha256').update(JSON.stringify(warmStartRecipe(config)));
  // A file may change under its name.
  if (config.demonstrations.path !== null) hash.update(readFileSync(config.demonstrations.path));
  return hash.digest('hex').slice(0, 16);
}

/** Everything that decides the weights of the warm start. */
function warmStartRecipe(config: RunConfig) {
  const { demonstrations, warmStart, seed, eosStr, scoreTerminator, device, precision } = config;
  const { modelType, ...policy } = config.policy;
  const env = warmStartOptions(config);
  const { schedule, saveMinutes: _, ...training } = warmStart;
  return {
    ...{ version: CACHE_VERSION, env, demonstrations, policy, training, seed, eosStr, scoreTerminator, device },
    // Told only where they differ from what every warm start had before they could be chosen, so that its name stays.
    ...(modelType !== 'gpt2' && { modelType }),
    ...(precision !== 'float32' && { precision }),
    ...(!isDeepStrictEqual(policyOptimizer(config), adam) && { optimizer: policyOptimizer(config) }),
    ...conversationRecipe(config),
    ...(!isDeepStrictEqual(schedule, linearBetween(training)) && { schedule }),
  };
}

/** The schedule that the older keys of `warm_start` tell. */
const linearBetween = ({
  warmupSteps,
  finalLrShare,
}: Pick<RunConfig['warmStart'], 'warmupSteps' | 'finalLrShare'>) => ({
  kind: 'linear',
  warmupSteps,
  finalShare: finalLrShare,
});

type ImitationContext = Pick<TaskContext, 'log' | 'progress' | 'onInterrupt'>;

async function imitate(config: RunConfig, device: Device, context: ImitationContext, folder: string): Promise<boolean> {
  const { demonstrations } = await makeDemonstrations(config);
  // What ends an utterance must be in the vocabulary even where no demonstration holds it.
  const texts = [...demonstrations.flatMap(pieces), config.eosStr ?? '', ...vocabularyTexts(config)];
  const tokenizer = wordLevelTokenizer(texts, { wholeTokens: answerTokens(config) });
  const { maskedTokenIds } = agentTokens(tokenizer, config);
  const policy = await LanguageModel.create({
    device,
    tokenizer,
    maskedTokenIds,
    rng: new Rng(hash32(`${config.seed}/policy`)),
    config: builtInPolicy(config.policy, tokenizer.vocabSize),
  });
  try {
    return await clone({ policy, folder, title: 'warm start' }, demonstrations, config, context);
  } finally {
    await policy.release();
  }
}

/**
 * agent_type=bc from a given model, or with use_lora: that model, or adapters beside the start, imitate the demonstrations.
 *
 * @param claim called when everything that the run needs has been found
 * @returns the folder of the model or adapter, made now or by an earlier process of this run; null if the user stopped it
 */
export async function imitateFurther(
  startFolder: string,
  config: RunConfig,
  device: Device,
  context: ImitationContext & Pick<TaskContext, 'directory'>,
  claim: () => Promise<void>,
): Promise<string | null> {
  const folder = join(context.directory, 'checkpoints', 'best');
  if (existsSync(folder)) return folder;
  const policy = await loadPolicy(startFolder, config, device, 'train');
  try {
    const { demonstrations } = await makeDemonstrations(config);
    await claim();
    const title = config.useLora ? 'adapters' : 'given policy';
    return (await clone({ policy, folder, title }, demonstrations, config, context)) ? folder : null;
  } finally {
    await policy.release();
  }
}

/** Behaviour cloning with the settings of `warm_start`. @returns false if the user stopped it */
function clone(
  imitation: Imitation,
  demonstrations: readonly Demonstration[],
  config: RunConfig,
  context: ImitationContext,
): Promise<boolean> {
  const { policy, title } = imitation;
  if (config.playAsChat) return imitateThroughTemplate(imitation, demonstrations.map(asConversation), config, context);
  const { terminatorIds } = agentTokens(policy.tokenizer, config);
  context.log(`${title}: imitating ${demonstrations.length} dialogues`);
  const episodes = demonstrations.map((demonstration, episode) =>
    demonstrationTrajectory(demonstration, {
      ...{ tokenizer: policy.tokenizer, terminatorId: terminatorIds[0], episode },
    }),
  );
  return imitateInto(imitation, { kind: 'episodes', episodes }, config, context);
}

/** The texts as they are tokenised: an action's first word stays a word of its own. */
function pieces({ opening, turns }: Demonstration): string[] {
  return [opening, ...turns.flatMap(({ action, reply }) => [action, reply])];
}
