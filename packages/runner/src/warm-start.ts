// The supervised start: a policy that has imitated demonstrations. Cached by a hash of everything that decides it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { bc, type Demonstration } from '@bowyer/algorithms';
import { hash32, Rng } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import { JsonlFile, ProgressBar } from '@bowyer/logging';
import { LanguageModel, wordLevelTokenizer } from '@bowyer/models';
import { answerTokens, makeDemonstrations, vocabularyTexts, warmStartOptions } from './environments.js';
import { conversationRecipe, imitateConversations, learnsFromConversations } from './conversation-start.js';
import { agentTokens } from './agent-tokens.js';
import { builtInPolicy } from './built-in-policy.js';
import { adam, loadPolicy, policyOptimizer } from './policy-setup.js';
import type { RunConfig } from './run-config.js';
import type { TaskContext } from './tasks/task.js';

/** Raise it when a change of the code changes what the same config gives. */
const CACHE_VERSION = 1;

/** @returns the folder of the warm-started policy, made now or by an earlier run */
export async function warmStart(
  config: RunConfig,
  device: Device,
  context: Pick<TaskContext, 'log' | 'progress'>,
): Promise<string> {
  const folder = join(config.cacheDir, 'warm-starts', warmStartHash(config));
  if (existsSync(folder)) {
    context.log(`warm start: using ${folder}`);
    return folder;
  }
  const temporary = `${folder}.${process.pid}.tmp`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });
  try {
    const learn = learnsFromConversations(config) ? imitateConversations : imitate;
    await learn(config, device, context, temporary);
    await rename(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // Another run with the same recipe may have been faster; its result is the same.
    if (!existsSync(folder)) throw error;
  }
  return folder;
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
  const { demonstrations, warmStart, seed, eosStr, scoreTerminator, device } = config;
  const { modelType, ...policy } = config.policy;
  const env = warmStartOptions(config);
  const { schedule, ...training } = warmStart;
  return {
    ...{ version: CACHE_VERSION, env, demonstrations, policy, training, seed, eosStr, scoreTerminator, device },
    // Told only where they differ from what every warm start had before they could be chosen, so that its name stays.
    ...(modelType !== 'gpt2' && { modelType }),
    ...(!isDeepStrictEqual(policyOptimizer(config), adam) && { optimizer: policyOptimizer(config) }),
    ...(learnsFromConversations(config) && conversationRecipe(config)),
    ...(!isDeepStrictEqual(schedule, linearBetween(training)) && { schedule }),
  };
}

/** The schedule that the older keys of `warm_start` tell. */
const linearBetween = ({ warmupSteps, finalLrShare }: Omit<RunConfig['warmStart'], 'schedule'>) => ({
  kind: 'linear',
  warmupSteps,
  finalShare: finalLrShare,
});

async function imitate(
  config: RunConfig,
  device: Device,
  { log, progress }: Pick<TaskContext, 'log' | 'progress'>,
  folder: string,
): Promise<void> {
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
    await clone(policy, demonstrations, config, { log, progress }, { folder, title: 'warm start' });
  } finally {
    await policy.release();
  }
}

/**
 * agent_type=bc from a given model, or with use_lora: that model, or adapters beside the start, imitate the demonstrations.
 * Whole or not at all, so a run that was killed on the way begins again and ends with the same numbers.
 *
 * @returns the folder of the model or adapter, made now or by an earlier process of this run
 */
export async function imitateFurther(
  startFolder: string,
  config: RunConfig,
  device: Device,
  { directory, log, progress }: Pick<TaskContext, 'directory' | 'log' | 'progress'>,
): Promise<string> {
  const folder = join(directory, 'checkpoints', 'best');
  if (existsSync(folder)) return folder;
  const temporary = `${folder}.tmp`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });
  const policy = await loadPolicy(startFolder, config, device, 'train');
  try {
    const { demonstrations } = await makeDemonstrations(config);
    await clone(
      policy,
      demonstrations,
      config,
      { log, progress },
      { folder: temporary, title: config.useLora ? 'adapters' : 'given policy' },
    );
  } finally {
    await policy.release();
  }
  await rename(temporary, folder);
  return folder;
}

/** Behaviour cloning with the settings of `warm_start`; the policy and its figures go into `folder`. */
async function clone(
  policy: LanguageModel,
  demonstrations: readonly Demonstration[],
  config: RunConfig,
  { log, progress }: Pick<TaskContext, 'log' | 'progress'>,
  { folder, title }: { folder: string; title: string },
): Promise<void> {
  const { terminatorIds } = agentTokens(policy.tokenizer, config);
  await policy.createOptimizer(policyOptimizer(config));
  const metrics = await JsonlFile.open(join(folder, 'metrics.jsonl'), 0);
  log(`${title}: imitating ${demonstrations.length} dialogues`);
  const totalSteps = config.warmStart.epochs * Math.ceil(demonstrations.length / config.warmStart.batchSize);
  const bar = new ProgressBar(title, totalSteps, progress);
  await bc(
    {
      policy,
      demonstrations,
      terminatorId: terminatorIds[0],
      progress: (done) => bar.update(done),
      onEpoch: (epoch, figures) => metrics.append({ epoch: epoch + 1, ...figures }),
    },
    { ...config.warmStart, seed: config.seed, scoreTerminator: config.scoreTerminator },
  );
  bar.finish();
  await policy.save(folder);
}

/** The texts as they are tokenised: an action's first word stays a word of its own. */
function pieces({ opening, turns }: Demonstration): string[] {
  return [opening, ...turns.flatMap(({ action, reply }) => [action, reply])];
}
