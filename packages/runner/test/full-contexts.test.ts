// Tests every algorithm with both kinds of contexts, and two algorithms with all contexts and memories, where the text fills the
// policy's context and an utterance has max_new_tokens tokens. The last token of such an utterance is outside the context: it is
// predicted from the token before, but never read.
import { algorithmNames, findAlgorithm, trainingRun, type Dataset } from '@bowyer/algorithms';
import { type DemonstrationSet, type EpisodeRecord, type Trajectory } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { templateTokens, wordLevelTokenizer, type Tokenizer } from '@bowyer/text';
import { dialoguesOf, type DialogueConfig } from '../src/agent/chat/dialogues.js';
import { agentEnvironment, demonstrationsIn } from '../src/agent/context/agent-context.js';
import { makeDemonstrations, type DemonstrationConfig } from '../src/agent/demonstrations/demonstrations.js';
import { datasetFor } from '../src/agent/demonstrations/imitation-data.js';
import { environmentOf } from '../src/agent/environment/environment.js';
import { AgentMemory, type MemoryConfig } from '../src/agent/memory/agent-memory.js';
import { unprepared } from './composed.js';
import { schemaOf } from '../src/config/units.js';
import { resolvedConfig } from '../src/context/resolved-config.js';
import { makeAgent, optionsOf } from './small-training.js';

const CONTEXT = 48;
const LONGEST = 6;
const TURNS = 3;

type Config = DialogueConfig & DemonstrationConfig & MemoryConfig & Parameters<typeof datasetFor>[2];

function configOf({ context, memory, playAsChat }: Form): Config {
  const choices = [`context=${context}`, `memory=${memory}`, 'demonstrations.count=6'];
  const composition = unprepared('ppo_cookingworld', ...choices);
  const { values } = resolvedConfig(composition.resolve(), schemaOf(composition));
  const config = values as unknown as Config;
  return {
    ...config,
    play: { ...config.play, asChat: playAsChat, maxTurns: TURNS },
    chat: { template: 'chatml', templateKwargs: {} },
    sampling: { ...config.sampling, maxNewTokens: LONGEST },
  };
}

/** The environment's words, more than fit into an utterance. */
const WORDS = 'take the knife and open the fridge and cook the meal'.split(' ');

interface Form {
  context: string;
  memory: string;
  playAsChat: boolean;
}

const { repository } = unprepared('ppo_cookingworld');
const forms = repository
  .options('context')
  .flatMap((context): Form[] => [
    // A search by vectors gives an algorithm the same texts as a search by words.
    ...repository
      .options('memory')
      .filter((memory) => memory !== 'encoder')
      .map((memory) => ({ context, memory, playAsChat: false })),
    { context, memory: 'none', playAsChat: true },
  ])
  .map((form) => ({ ...form, config: configOf(form) }));

const device = await openDevice({ device: 'cpu', threads: 1 });
let set: DemonstrationSet;
let tokenizer: Tokenizer;
beforeAll(async () => {
  set = await makeDemonstrations(forms[0].config);
  const texts = set.demonstrations.flatMap(({ opening, turns }) => [
    opening,
    ...turns.flatMap(({ action, nextObservation = '' }) => [`${action}\n`, nextObservation]),
  ]);
  tokenizer = wordLevelTokenizer([...texts, WORDS.join(' ')], { wholeTokens: templateTokens('chatml') });
});
afterAll(() => device.close());

/** Returns the demonstrations with actions whose last token is the last of `max_new_tokens`: each with rewards and without. */
const longWinded = (records: NonNullable<DemonstrationSet['records']>) =>
  records.flatMap((record): EpisodeRecord[] => {
    if (!('reset' in record)) throw new Error('a demonstration of the expert is a record');
    const action = WORDS.slice(0, LONGEST - 1).join(' ');
    const steps = record.steps.slice(0, TURNS).map((step, i) => ({ ...step, action, terminated: i === TURNS - 1 }));
    return [1, 0].map((reward) => ({ ...record, steps: steps.map((step) => ({ ...step, reward })) }));
  });

const variants: [name: string, changes: object][] = [
  ...algorithmNames().map((name): [string, object] => [name, {}]),
  ['archer', { useBaseline: true, klCoefficient: 0.1 }],
  ['ppo', { gaeLevel: 'token', klCoefficient: 0.1, klIn: 'reward' }],
  ['ppo', { valueFunction: 'critic', gaeLevel: 'bilevel' }],
  ['grpo', { klCoefficient: 0.1, entropyCoefficient: 0.01 }],
];

test.each(variants)(
  '%s %j: trains where contexts are full and utterances as long as they may be',
  async (name, changes) => {
    const unit = findAlgorithm(name)!;
    const newline = tokenizer.encode('\n')[0];
    const model = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: CONTEXT };
    const { policy, critic, valueModel } = await makeAgent(
      name,
      { device, tokenizer, config: model, maskedTokenIds: [] },
      changes,
    );
    const start = await policy.copyParameters();
    const sampling = {
      temperature: 1,
      topK: 0,
      topP: 1,
      greedy: false,
      maxNewTokens: LONGEST,
      terminatorIds: [newline],
    };
    const short = { iterations: 1, epochs: 1, rolloutSize: 4, evalSize: 2, evalFreq: 9, ...changes };
    const options = { ...(optionsOf(name, short) as object), seed: 0, slots: 4, sampling };
    const failed: string[] = [];
    const isOffline = unit.needs.source === 'dataset';
    // A played utterance ends with a token outside the context. An utterance of a demonstration ends with the terminator, which
    // its ids do not contain.
    const full = isOffline ? CONTEXT : CONTEXT + 1;
    // An algorithm sees a context that continues the text before it, or one that is written again for each turn. Two algorithms are
    // tested with all contexts and memories.
    const readsAll = ['archer', 'bc'].includes(name) && Object.keys(changes).length === 0;
    const suitable = forms.filter(
      ({ context, memory, playAsChat }) =>
        (readsAll || (memory === 'none' && ['dialogue', 'window'].includes(context))) && !(isOffline && playAsChat),
    );
    expect(suitable.length).toBeGreaterThan(1);
    for (const { config, ...form } of suitable) {
      const memory = await AgentMemory.open(config, device);
      memory?.addDemonstrations(config, set);
      const records = longWinded(set.records!);
      const demonstrations = await demonstrationsIn(config, { ...set, records }, memory?.memory ?? null);
      const dataset = await datasetFor(policy, { kind: 'episodes', demonstrations }, config, () => {});
      const played: Trajectory[] = [];
      const run = trainingRun({
        policy,
        critic,
        valueModel,
        dataset,
        dialogues: await dialoguesOf(policy, config, { envParts: {}, log: () => {} }),
        makeEnv: agentEnvironment(config, environmentOf(config, {}), memory?.memory ?? null),
        openTeacher: () => policy.freeze(),
        restoreStart: () => policy.restoreParameters(start),
        hooks: { log: async (_iteration, _metrics, rollout = []) => void played.push(...rollout) },
      });
      const learned = isOffline ? (dataset as Extract<Dataset, { kind: 'episodes' }>).episodes : played;
      try {
        await unit.train(run, options);
      } catch (error) {
        failed.push(`${JSON.stringify(form)}: ${(error as Error).message}`);
      }
      const longest = Math.max(...learned.flatMap(({ segments }) => segments.map(({ ids }) => ids.length)));
      if (longest !== full) failed.push(`${JSON.stringify(form)}: the longest segment has ${longest} tokens`);
    }
    expect(failed).toEqual([]);
    if (valueModel !== policy) await valueModel?.release();
    await policy.release();
    await critic?.release();
  },
);
