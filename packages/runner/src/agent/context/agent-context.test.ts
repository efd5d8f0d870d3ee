import { chatDialogues, demonstrationSegments, segmentsOf, textDialogues, type Dialogues } from '@bowyer/algorithms';
import { demonstrationSetOf, type EpisodeRecord } from '@bowyer/core';
import { bm25Index, episodeOfRecord, makeEnv, Memory, type ContextOptions, type Env } from '@bowyer/envs';
import { chatTemplate, templateTokens, wordLevelTokenizer, type Tokenizer } from '@bowyer/text';
import { learnedPieces, recordedEpisode, writtenPieces } from '../../../test/recorded-episode.js';
import { asConversations } from '../demonstrations/imitation-data.js';
import { agentEnvironment, contextOf, demonstrationsIn, type ContextConfig } from './agent-context.js';

const TERMINATOR = 1;

/** The actions of an episode in which every kind of observation occurs: rooms, refused actions, and things that change. */
const games = {
  cookingworld: ['look around', 'read cookbook', 'open fridge', 'dance', 'inventory', 'open fridge', 'look around'],
  textcraft: ['inventory', 'get 1 bone', 'craft 3 bone meal using 1 bone', 'dance'],
  twenty_questions: ['is it a dog?', 'is it a piano?', 'can you eat it?'],
};
type Game = keyof typeof games;

const configOf = (name: Game, context: ContextOptions): ContextConfig => ({
  env: {
    name,
    ...(name === 'cookingworld' && { params: 'numLocations=3' }),
    ...(name === 'textcraft' && { observation: 'turn' }),
  },
  context,
});

const gameOf = ({ env: { name, ...options } }: ContextConfig): Env => makeEnv(name, options);

/** Plays an episode in which a player writes these actions, and returns the token ids of the policy's dialogue. */
async function replayed(env: Env, actions: readonly string[], dialogues: Dialogues, tokenizer: Tokenizer) {
  const dialogue = dialogues.open();
  const cached: number[] = [];
  let { observation } = await env.reset({ seed: 7 });
  const turns = [];
  for (const [turn, action] of actions.entries()) {
    const { keep, tokens } = dialogue.advance({ turn, observation }, cached);
    cached.splice(keep, Infinity, ...tokens);
    const ids = tokenizer.encode(action);
    const said = dialogue.decide({ ids: [...ids, TERMINATOR], terminated: true, logprobs: [] }, Infinity);
    expect(said.action).toBe(action);
    turns.push(said.data);
    cached.push(...ids);
    ({ observation } = await env.step(said.action));
  }
  await env.close();
  return segmentsOf(turns);
}

const tokenizerOf = (record: EpisodeRecord, memory = '') =>
  wordLevelTokenizer(
    [
      `${memory.replaceAll('\\n', '\n')} Example: Now:\n`,
      record.reset.observation,
      ...record.steps.flatMap(({ action, observation }) => [action, observation]),
      JSON.stringify(record),
      '# TASK: Choose exactly one valid action. # STEP Obs: Action: Valid actions: Step 0 1 2 3 4 5 6 7 \nuser\nassistant',
    ],
    { wholeTokens: templateTokens('chatml') },
  );

const parts = { stepCounter: false, inventory: false, validActions: false };
const window = { kind: 'window', ...parts, historyTurns: 2, taskDescription: true, maxChars: null } as const;
const cases: [Game, ContextOptions, segments: number][] = [
  ['twenty_questions', { kind: 'auto' }, 1],
  ['cookingworld', { kind: 'auto' }, 1],
  ['cookingworld', { kind: 'dialogue', stepCounter: true, inventory: true, validActions: true }, 1],
  ['cookingworld', { ...window, validActions: true }, 7],
  ['cookingworld', { kind: 'last', taskDescription: false, ...parts }, 7],
  ['cookingworld', { kind: 'tutorial', historyTurns: 3, inventory: true, validActions: true, maxChars: null }, 7],
  ['textcraft', { kind: 'auto' }, 1],
  ['textcraft', { ...window, stepCounter: true, maxChars: 700 }, 2],
];

const withMemory: [Game, ContextOptions, segments: number, unit: 'episode' | 'transition'][] = [
  ['twenty_questions', { kind: 'auto' }, 1, 'episode'],
  ['cookingworld', { kind: 'auto' }, 1, 'episode'],
  ['cookingworld', { kind: 'auto' }, 1, 'transition'],
  ['cookingworld', window, 7, 'transition'],
  ['textcraft', { kind: 'last', taskDescription: true, ...parts }, 4, 'episode'],
];

/** Makes a memory whose demonstrations come from another seed. */
async function memoryOf(config: ContextConfig, unit: 'episode' | 'transition'): Promise<Memory> {
  const name = config.env.name as Game;
  const memory = new Memory({ unit, topK: 2, maxChars: 4000, capacity: 9, makeIndex: bm25Index });
  const other = episodeOfRecord(await recordedEpisode(gameOf(config), games[name].slice(0, 4), 8), 1, -100)!;
  const own = episodeOfRecord(await recordedEpisode(gameOf(config), ['OWN', ...games[name]]), 0, -100)!;
  memory.add([other, { ...own, item: 'own' }]);
  return memory;
}

test.each([...cases.map((one) => [...one, undefined] as const), ...withMemory])(
  '%s, %j: a demonstration has the same tokens as the episode when it is played (%i contexts, memory of %s)',
  async (name, context, count, unit) => {
    const config = configOf(name, context);
    const memory = unit === undefined ? null : await memoryOf(config, unit);
    const record = await recordedEpisode(gameOf(config), games[name]);
    record.reset.info.item = 'own';
    const tokenizer = tokenizerOf(record, memory?.toText());
    const [demonstration] = await demonstrationsIn(config, demonstrationSetOf([record]), memory);
    if (memory) expect(JSON.stringify(demonstration)).toContain('Example:');
    expect(JSON.stringify(demonstration)).not.toContain('OWN');
    const playedItem = (env: Env): Env => ({
      step: (action) => env.step(action),
      close: () => env.close(),
      reset: async (options) => {
        const result = await env.reset(options);
        return { ...result, info: { ...result.info, item: 'own' } };
      },
    });
    const agentEnv = agentEnvironment(config, () => playedItem(gameOf(config)), memory);

    const text = demonstrationSegments(demonstration, tokenizer, TERMINATOR);
    expect(text).toHaveLength(count);
    expect(await replayed(agentEnv(), games[name], textDialogues(tokenizer), tokenizer)).toEqual(text);

    const template = chatTemplate('chatml', tokenizer);
    const isDialogue = contextOf(config).kind === 'dialogue';
    const dialogues = chatDialogues(tokenizer, { template, opening: [], isSingleMessage: !isDialogue });
    const played = await replayed(agentEnv(), games[name], dialogues, tokenizer);
    const conversations = asConversations(demonstration, isDialogue).flatMap((messages) =>
      template.encodeConversation(messages),
    );
    expect(conversations).toHaveLength(played.length);
    conversations.forEach(({ ids, lossMask }, i) => {
      expect(ids.slice(0, played[i].ids.length)).toEqual(played[i].ids);
      expect(writtenPieces(played[i])).toEqual(learnedPieces(ids, lossMask));
    });
  },
);

test('the state of a turn is the environment’s own observation; a dialogue continues the text before it exactly', async () => {
  const config = configOf('cookingworld', { kind: 'auto' });
  const [own, agent] = [gameOf(config), agentEnvironment(config, () => gameOf(config), null)()];
  let text = (await agent.reset({ seed: 7 })).observation;
  expect(text).toBe(`${(await own.reset({ seed: 7 })).observation}\n`);
  for (const action of games.cookingworld) {
    const [said, seen] = [await own.step(action), await agent.step(action)];
    expect(seen).toMatchObject({ state: said.observation, reward: said.reward });
    expect(seen.observation).toBe(`${text}${action}\n${said.observation}\n`);
    text = seen.observation;
  }
});

test('the tutorial’s prompt, character by character: a window of one step, then the current one', async () => {
  const context: ContextOptions = {
    kind: 'tutorial',
    historyTurns: 1,
    inventory: false,
    validActions: true,
    maxChars: null,
  };
  const config = configOf('cookingworld', context);
  const env = agentEnvironment(config, () => gameOf(config), null)();
  const { observation, info, state } = await env.reset({ seed: 7 });
  const { taskDescription, validActions } = info as { taskDescription: string; validActions: string[] };
  const obs = state!.slice(taskDescription.length).trimStart();
  const task = `# TASK: ${taskDescription}\nChoose exactly one valid action.`;
  expect(observation).toBe(`${task}\n# STEP 0 \nObs: ${obs}\nValid actions: ${validActions.join(', ')}\nAction: `);
  await env.step('read cookbook');
  const { observation: third, state: last, info: now } = await env.step('dance');
  const { state: second } = await replayOf(config, ['read cookbook']);
  expect(third).toBe(
    `${task}\n# STEP 1 \nObs: ${second}\nAction: dance\n# STEP 2 \nObs: ${last}\nValid actions: ${(now.validActions as string[]).join(', ')}\nAction: `,
  );
});

async function replayOf(config: ContextConfig, actions: readonly string[]) {
  const env = agentEnvironment(config, () => gameOf(config), null)();
  await env.reset({ seed: 7 });
  let result;
  for (const action of actions) result = await env.step(action);
  return result!;
}

test('max_chars leaves out the oldest turns, never the task or the current turn', async () => {
  const config = configOf('cookingworld', { ...window, historyTurns: 5, maxChars: 1 });
  const { observation, state } = await replayOf(config, games.cookingworld.slice(0, 4));
  expect(observation).toMatch(/^Cook a meal[^]*\n\n/);
  expect(observation.endsWith(`\n\n${state}\n`)).toBe(true);
});

test('a unit that does not declare that its observation is the history is refused, not repeated', async () => {
  const config = {
    env: { name: 'maze', observation: 'full' },
    context: { kind: 'dialogue', ...parts },
  } as unknown as ContextConfig;
  const env = agentEnvironment(config, () => makeEnv('wordle', { observation: 'history' }), null)();
  await env.reset({ seed: 0 });
  await expect(env.step('r o b o t')).rejects.toThrow(
    /contain what was said before, which context=dialogue would repeat/,
  );
});

test('an observation that continues the one before it by chance is not refused', async () => {
  const config = configOf('textcraft', { kind: 'dialogue', ...parts });
  const env = agentEnvironment(config, () => makeEnv('textcraft', { observation: 'turn' }), null)();
  await env.reset({ seed: 0 });
  const first = await env.step('');
  const second = await env.step('dance');
  expect([first, second].map(({ state }) => state!.trim())).toEqual(['Could not execute', 'Could not execute dance']);
  expect(second.observation).toBe(`${first.observation}dance\nCould not execute dance\n`);
});

test('max_turns cuts an episode of any environment, as a limit outside the task', async () => {
  const config = { ...configOf('textcraft', { kind: 'last' } as ContextOptions), play: { maxTurns: 2 } };
  const env = agentEnvironment(config, () => gameOf(config), null)();
  await env.reset({ seed: 7 });
  expect(await env.step('inventory')).toMatchObject({ terminated: false, truncated: false });
  expect(await env.step('inventory')).toMatchObject({ terminated: false, truncated: true });
  await env.close();
});
