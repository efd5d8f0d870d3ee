// Makes the warm start of a run: a policy that has imitated demonstrations before the algorithm starts. It is cached under a hash
// of everything that its weights depend on.
import { dataFilesOf } from '@bowyer/conversations';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bc, textDialogues } from '@bowyer/algorithms';
import { holderMessage, withFileLock, unwatched } from '@bowyer/core';
import { environmentInfo } from '@bowyer/envs';
import type { Device } from '@bowyer/graph';
import type { EnvConfig } from '../environment/environment-keys.js';
import type { AgentConfig, NodePart } from '../keys/agent-keys.js';
import {
  datasetFor,
  loadImitationData,
  type DatasetConfig,
  type ImitationDataConfig,
} from '../demonstrations/imitation-data.js';
import { contextOf } from '../context/agent-context.js';
import { AgentMemory } from '../memory/agent-memory.js';
import type { DialogueConfig } from '../chat/dialogues.js';
import { freshPolicy, type FreshPolicyConfig } from '../policy/fresh-policy.js';
import { addFile, filesNamedIn } from './hashed-files.js';
import { Imitation, type WarmStartContext } from './imitation.js';
import { loadPolicy, policyOptimizer, type PolicyConfig } from '../policy/policy-setup.js';

/** Part of the hash; it must be raised when the code changes so that the same config gives another warm start. */
const CACHE_VERSION = 4;

export type WarmStartConfig = ImitationDataConfig &
  DialogueConfig &
  FreshPolicyConfig &
  PolicyConfig &
  Pick<AgentConfig, 'warmStart' | 'optimizer'> &
  NodePart<'device', 'kind' | 'precision'> &
  NodePart<'sampling', 'maxNewTokens'> & {
    task: DatasetConfig['task'];
    /** Whether the token that ends an utterance is learned too, by the run's algorithm and by the warm start. */
    algorithm?: { actor?: { scoreTerminator?: boolean } };
  };

/** Returns the folder of the warm-started policy, made now or by an earlier run; null if the user stopped the training. */
export async function warmStart(
  config: WarmStartConfig,
  device: Device,
  context: WarmStartContext,
): Promise<string | null> {
  const folder = join(config.warmStart.cacheDir, 'warm-starts', warmStartHash(config));
  if (existsSync(folder)) {
    context.log(`warm start: using ${folder}`);
    return folder;
  }
  // Several runs of a sweep may need the same warm start at the same time: one of them makes it, and the others wait for the
  // lock.
  const finished = await withFileLock(
    `${folder}.lock`,
    async () => existsSync(folder) || (await makeStart(config, device, context, folder)),
    {
      protects: [folder],
      onWait: (holder) =>
        context.log(holderMessage(holder, (who) => `warm start: waiting for ${who}, which makes ${folder}`)),
    },
  );
  return finished ? folder : null;
}

/** Computes the name of a warm start in the cache: equal configs and equal files give equal weights. */
export function warmStartHash(config: WarmStartConfig): string {
  const hash = createHash('sha256').update(JSON.stringify(recipeOf(unwatched(config))));
  // The contents of the files are part of the hash, since a file may change while its path stays the same.
  const { path, split = null } = config.demonstrations;
  if (path !== null) for (const file of dataFilesOf(path, split)) addFile(hash, file);
  for (const file of filesNamedIn(decisiveOptions(config.env))) addFile(hash, file);
  for (const file of environmentInfo(config.env.name).demonstrations?.files?.(config.env) ?? [])
    addFile(hash.update(`${file}\n`), file);
  return hash.digest('hex').slice(0, 16);
}

/** Lists everything on which the weights of the warm start depend: from each config node, the options that it reads. */
function recipeOf(config: WarmStartConfig) {
  const { demonstrations, seed, play, memory } = config;
  const { model: _, checkpoint: __, quantization: ___, ...policy } = config.policy;
  const { cacheDir: ____, saveMinutes: _____, ...training } = config.warmStart;
  const scoreTerminator = scoresTerminator(config);
  const { eosStr, maxNewTokens } = config.sampling;
  const { template: chatTemplate, templateKwargs: chatTemplateKwargs, upstreamLossMask } = config.chat ?? {};
  const template = { chatTemplate, chatTemplateKwargs, upstreamLossMask };
  const { kind: device, precision } = config.device;
  return {
    version: CACHE_VERSION,
    env: decisiveOptions(config.env),
    demonstrations,
    policy,
    training,
    optimizer: policyOptimizer(config),
    text: { eosStr, scoreTerminator, playAsChat: play.asChat, ...template, maxNewTokens },
    run: { seed, device, precision },
    context: contextOf(config),
    // The option `memory.grow` is left out of the hash, since episodes that are added during play do not change the warm start.
    ...(memory && memory.kind !== 'none' && { memory: { ...memory, grow: false } }),
  };
}

const scoresTerminator = ({ algorithm }: WarmStartConfig): boolean => algorithm?.actor?.scoreTerminator ?? true;

/** Lists the options of the environment on which its demonstrations depend. */
function decisiveOptions(env: EnvConfig): Record<string, unknown> {
  const { independentOf = [], revision } = environmentInfo(env.name).demonstrations ?? {};
  const excluded: readonly string[] = independentOf;
  const decisive = Object.entries(env).filter(([key]) => !excluded.includes(key));
  return { ...Object.fromEntries(decisive), ...(revision !== undefined && { revision }) };
}

/** Returns false if the user stopped the training; the same command resumes it. */
async function makeStart(
  config: WarmStartConfig,
  device: Device,
  context: WarmStartContext,
  folder: string,
): Promise<boolean> {
  const imitation = await Imitation.open(folder, config.warmStart.saveMinutes, context);
  const memory = await AgentMemory.open(config, device);
  const data = await loadImitationData(config, memory, context.log);
  await memory?.release();
  const policy =
    imitation.policyFolder === null
      ? await freshPolicy(data, config, device)
      : await loadPolicy(imitation.policyFolder, config, device, 'play');
  try {
    await policy.createOptimizer(policyOptimizer(config));
    await imitation.resume(policy);
    const { epochs, batchSize, lr, maxGradNorm, schedule, observationWeight } = config.warmStart;
    const dataset = await datasetFor(policy, data, config, (line, level) => context.log(`warm start: ${line}`, level));
    await bc.train(
      {
        ...imitation.run,
        policy,
        critic: null,
        valueModel: null,
        makeEnv: null,
        dataset,
        history: [],
        hooks: imitation,
        dialogues: textDialogues(policy.tokenizer), // unused: no episode is played
        openReference: () => Promise.reject(new Error('behaviour cloning has no reference policy')),
        openTeacher: () => Promise.reject(new Error('behaviour cloning has no teacher')),
        restoreStart: () => Promise.reject(new Error('a warm start has no start to return to')),
      },
      {
        epochs,
        batch: { size: batchSize, accumulationSteps: 1 },
        actor: { lr, schedule, maxGradNorm, scoreTerminator: scoresTerminator(config) },
        loss: { observationWeight },
        seed: config.seed,
        slots: 1,
        sampling: { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] }, // nothing is sampled
      },
    );
    return await imitation.finish(policy);
  } finally {
    await policy.release();
  }
}
