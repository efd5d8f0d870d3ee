// Applies the rules by which keys of a composed config imply others: a checkpoint for the critic implies the kind of critic, an
// address implies the backend that connects to it, and a chat template implies that the agent plays through the template. Keys on
// the command line always take precedence.
import { isAbsolute } from 'node:path';
import { overrideText, recompose, type Composition } from '@bowyer/config';
import { environmentOfTask } from './originals/agentgym.js';
import { environmentWords } from './originals/archer.js';
import { ARCHER, originalKey } from './originals/names.js';
import { isOfUser } from './user-files.js';
import { IMPLIED, type Implied, type ImpliedContext, type Reader, type Rule } from './implied-rule.js';

/** Adds the values that keys of a composed config imply for other keys, and composes the config again with them. */
export async function withImplied(composition: Composition, context: ImpliedContext): Promise<Composition> {
  let current = composition;
  // The rules are applied in stages, since an implied override may imply another one: the name of an environment implies the
  // address of its server.
  for (const rules of [[ofAgent('agentUnits')], [ofAgent('agentOptions')], units, options, [keysOfOthers]]) {
    const read = readerOf(current);
    const words = (await Promise.all(rules.map((rule) => rule(read, context, current)))).flat();
    // An override such as `critic=roberta_base` is left out if the config does not use the config group.
    const found = words.filter(
      ({ word }) =>
        !/^[a-z]+=/.test(word) ||
        !current.repository.groupExists(word.split('=')[0]) ||
        word.split('=')[0] in current.choices,
    );
    if (found.length === 0) continue;
    for (const { word, why } of found) context.note?.(word, why);
    for (const last of [false, true]) {
      const texts = found.filter(({ isFinal = false }) => isFinal === last).map(({ word }) => word);
      if (texts.length > 0) current = recompose(current, texts, { source: IMPLIED, mode: context.mode, last });
    }
  }
  return current;
}

function readerOf(composition: Composition): Reader {
  return (key) => {
    try {
      return composition.setting(key);
    } catch {
      return undefined; // the validation reports the unresolved value
    }
  };
}

const environment: Rule = (read, { isTyped }) => {
  const [alias, task, name] = [read('env_name'), read('task_name'), read('env.name')];
  if (typeof name !== 'string' || (alias === undefined && task === undefined)) return [];
  const left = [alias === undefined ? [] : ['env_name'], task === undefined ? [] : ['task_name']].flat();
  const without = left.map((key) => ({
    word: read(key) === null ? `${key}=null` : `~${key}`,
    why: `it names the environment`,
  }));
  if (isTyped('env')) return without;
  const wanted = typeof alias === 'string' ? alias : typeof task === 'string' ? environmentOfTask(task) : name;
  const words = environmentWords(wanted).filter((word) => word !== `env=${name}`);
  const why = typeof alias === 'string' ? `env_name=${alias}` : `task_name=${String(task)}`;
  return [...words.map((word) => ({ word, why })), ...without];
};

const critic: Rule = (read, { isTyped }) => {
  const [place, kind] = [read('critic.model'), read('critic.kind')];
  if (typeof place !== 'string' || kind === undefined || kind === 'transformer' || isTyped('critic')) return [];
  return [{ word: 'critic=roberta_base', why: `critic.model=${place}` }];
};

const backend: Rule = async (read, { isTyped }, composition) => {
  if (read('env.backend') !== 'embedded' || isTyped('env.backend')) return [];
  const address = read('env.base_url');
  if (typeof address !== 'string') return [];
  const remote = await remoteBackends(read('env.name'));
  const isSite = composition.flatUses.some(({ name }) => name.startsWith('env_load_path'));
  const wanted = remote.length === 1 ? remote[0] : isSite ? 'site' : 'agentgym';
  return remote.includes(wanted) ? [{ word: `env.backend=${wanted}`, why: `env.base_url=${address}` }] : [];
};

/** Lists the backends that play an environment on a server or website; none where it cannot be played within this process. */
async function remoteBackends(name: unknown): Promise<string[]> {
  const { environmentInfo, environmentNames } = await import('@bowyer/envs');
  if (typeof name !== 'string' || !environmentNames().includes(name)) return [];
  const { backend } = environmentInfo(name).schema.properties;
  const all = (backend?.enum ?? []) as string[];
  return all.includes('embedded') ? all.filter((one) => one !== 'embedded') : [];
}

/** Chooses the backends of the environments in a mixture by the same rule as that of a single environment. */
const memberBackends: Rule = async (read) => {
  const listed = read('env.envs');
  if (!Array.isArray(listed)) return [];
  const found = await Promise.all(
    (listed as unknown[]).map(async (member, index) => {
      const { name, backend, base_url: address } = (member ?? {}) as Readonly<Record<string, unknown>>;
      if (typeof address !== 'string' || backend !== undefined) return { member, why: null };
      const remote = await remoteBackends(name);
      if (remote.length !== 1) return { member, why: null };
      const why = `env.envs[${index}].base_url=${address} is played with backend=${remote[0]}`;
      return { member: { ...(member as object), backend: remote[0] }, why };
    }),
  );
  const reasons = found.flatMap(({ why }) => why ?? []);
  if (reasons.length === 0) return [];
  const envs = found.map(({ member }) => member);
  return [{ word: overrideText('env.envs', envs), why: reasons.join(' and '), isFinal: true }];
};

/** Chooses the T5 oracle if `env.oracle_model` names a file or folder. */
const oracle: Rule = (read, { isTyped }) => {
  const place = read('env.oracle_model');
  if (typeof place !== 'string' || read('env.oracle') !== 'rules' || isTyped('env.oracle')) return [];
  return [{ word: 'env.oracle=t5', why: `env.oracle_model=${place}` }];
};

const chat: Rule = (read, { isTyped }) => {
  const template = read('chat.template');
  if (typeof template !== 'string' || read('play.as_chat') !== false || isTyped('play.as_chat')) return [];
  return [{ word: 'play.as_chat=true', why: `chat.template=${template}` }];
};

/**
 * Chooses the GPT-2 of ArCHer's default config as the model if `policy.checkpoint` is a checkpoint of ArCHer, which contains
 * weights only.
 */
const checkpoint: Rule = async (read) => {
  const place = read('policy.checkpoint');
  if (place === '') return [{ word: '++policy.checkpoint=null', why: 'it is empty' }];
  if (typeof place !== 'string' || read('policy.model') !== null) return [];
  const { isWeightsFile, isWhole } = await import('../agent/folders/weights-file.js');
  if (!isWeightsFile(place) || isWhole(place)) return [];
  return [
    { word: 'policy.model=gpt2', why: `policy.checkpoint=${place} has weights alone, and gpt2 is ArCHer’s policy` },
  ];
};

/** Makes a rule that applies if an evaluation has `as_trained`; the module with these rules is loaded only then. */
const ofAgent =
  (name: 'agentUnits' | 'agentOptions'): Rule =>
  async (read, context, composition) =>
    read('task.name') === 'evaluate' && read('task.as_trained') === true
      ? (await import('./as-trained.js'))[name](read, context, composition)
      : [];

/** Writes the name of an algorithm in lower case, since ArCHer also accepts upper case. */
const agentType: Rule = (read) => {
  const name = read('algorithm.name');
  if (typeof name !== 'string' || name === name.toLowerCase()) return [];
  return [{ word: `algorithm.name=${name.toLowerCase()}`, why: `algorithm.name=${name}` }];
};

/**
 * Translates keys of other programs in the user's config files. Keys that the run cannot have are kept, so that the validation
 * reports them.
 */
const keysOfOthers: Rule = async (_read, context, composition) => {
  const moved = composition.flatUses.map(({ name, path }) => [name, composition.setting(path), path] as const);
  const left = Object.entries(composition.config).map(([key, value]) => [key, value, key] as const);
  const found = [...left, ...moved].flatMap(([key, value, path]) => {
    const original = key === 'api_key' ? undefined : originalKey(key);
    return original && (!original.isOwn || isInFile(path, composition, context))
      ? [{ key, value, path, original }]
      : [];
  });
  if (found.length === 0 || context.isNested) return [];
  const { factsOf } = await import('./originals/run-facts.js');
  const facts = await factsOf(composition, new Set());
  return found.flatMap(({ key, value, path, original }): Implied[] => {
    if (facts.reads(key)) return []; // the key is one that this run reads itself
    const outcome = original.meaning(overrideText('', value).slice(1), facts);
    if (outcome === 'ours' || 'refused' in outcome) return [];
    // If an argument of AgentGym has the name of a key of Bowyer, it is kept in a file, since it may be Bowyer's key for another
    // task or algorithm. It is removed only if it has no effect in this run.
    if (original.isOwn && original.program !== ARCHER && 'words' in outcome) return [];
    if (context.env && 'words' in outcome) Object.assign(context.env, outcome.env);
    const why = `${key}=${String(value)} is in a file${'nothing' in outcome ? ` and changes nothing here: ${outcome.nothing}` : ''}`;
    const words = 'words' in outcome ? outcome.words : [];
    // If a file also gives the key to which another program's key is translated, the file's value is used.
    const open = original.isOwn ? words.filter((word) => !isInFile(word.split('=')[0], composition, context)) : words;
    // A key with the value null is set again to null instead of deleted, since `~KEY` in Hydra's grammar does not delete it.
    return [value === null ? `${path}=null` : `~${path}`, ...open].map((word) => ({ word, why }));
  });
};

function isInFile(key: string, composition: Composition, { shipped = [] }: ImpliedContext): boolean {
  const [origin] = composition.origin(key);
  return origin !== undefined && isAbsolute(origin.source) && isOfUser(origin, shipped);
}

/** Shortens the learning rate warm-up of a preset in proportion, if the run is so short that the warm-up would take all of it. */
const warmup: Rule = (read, { isTyped }, composition) => {
  const pairs = [
    ['algorithm.actor.warmup_iterations', 'algorithm.iterations'],
    ['algorithm.actor.warmup_epochs', 'algorithm.epochs'],
  ];
  return pairs.flatMap(([key, length]): Implied[] => {
    const [part, whole] = [read(key), read(length)];
    if (typeof part !== 'number' || typeof whole !== 'number' || part < whole || isTyped(key)) return [];
    const before = composition.origin(length).find(({ value }) => typeof value === 'number' && value > part)?.value;
    const shorter = typeof before === 'number' ? Math.floor((part * whole) / before) : 0;
    return [{ word: `${key}=${shorter}`, why: `${length}=${whole}` }];
  });
};

/** Rounds the number of episodes of an iteration up to a multiple of the group size, if the command line gives the group size. */
const groups: Rule = (read, { isTyped }) => {
  const [key, total] = ['algorithm.rollout.group_size', 'algorithm.rollout.size'];
  const [size, episodes] = [isTyped(key) && read(key), read(total)];
  if (typeof size !== 'number' || typeof episodes !== 'number' || isTyped(total) || !(size >= 1)) return [];
  if (episodes % size === 0 || !Number.isInteger(size)) return [];
  return [{ word: `${total}=${Math.ceil(episodes / size) * size}`, why: `${key}=${size}` }];
};

const units: readonly Rule[] = [agentType, environment, critic];
const options: readonly Rule[] = [backend, memberBackends, oracle, chat, checkpoint, warmup, groups];
