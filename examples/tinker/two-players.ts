// A game of two players with Tinker's protocol: Twenty Questions with eight things. The base model answers. A LoRA on the same
// base asks, and learns which questions help. The reward for the right thing is 1. An advantage is the reward relative to the
// games about the same thing.
//   node --conditions=source --import tsx examples/tinker/two-players.ts [SEEDS]
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusteredMean, gainVerdict, mean, Rng } from '@bowyer/core';
import { withLocalServer } from './local-server.js';
import { trainBase, type Demonstration } from './small-base.js';
import { TinkerModel, TinkerSampler, type Example, type Sample } from './tinker-model.js';

/**
 * The things, with the questions whose answer is yes. The first three questions together identify each thing; each of the other
 * questions is about a single thing.
 */
const things: Readonly<Record<string, readonly string[]>> = {
  whale: ['alive', 'large', 'wet'],
  horse: ['alive', 'large', 'neighs'],
  fish: ['alive', 'wet'],
  cat: ['alive', 'purrs'],
  ship: ['large', 'wet'],
  bus: ['large'],
  buoy: ['wet'],
  lamp: ['shines'],
};
const questions = ['alive', 'large', 'wet', 'neighs', 'purrs', 'shines'];
const names = Object.keys(things);
const isTrue = (thing: string, question: string) => things[thing].includes(question);

const QUESTIONS = 3;
const CARELESS = 0.3;
const STEPS = 60;
const OPENING = 'player :';
const answerer = (thing: string, question: string) => `answer : ${thing} ${question}`;
const replyOf = (isYes: boolean) => (isYes ? ' yes' : ' no');

/** Plays a careless game: three different random questions, and then mostly a thing that agrees with the answers. */
function carelessGame(rng: Rng): Demonstration {
  const thing = rng.choice(names);
  const asked = rng.shuffle([...questions]).slice(0, QUESTIONS);
  const fits = names.filter((name) => asked.every((question) => isTrue(name, question) === isTrue(thing, question)));
  const named = rng.choice(rng.uniform() < CARELESS ? names : fits);
  const turns = asked.map((question) => ({ action: ` ${question}`, reply: replyOf(isTrue(thing, question)) }));
  return { opening: OPENING, turns: [...turns, { action: ` ${named}`, reply: '' }] };
}

function makeBase(folder: string) {
  const rng = Rng.forPurpose(1, 'two players');
  const answers = names.flatMap((thing) =>
    questions.map((question): Demonstration => {
      const action = replyOf(isTrue(thing, question));
      return { opening: answerer(thing, question), turns: [{ action, reply: '' }] };
    }),
  );
  const games = Array.from({ length: 2000 }, () => carelessGame(rng));
  return trainBase(folder, [...games, ...Array.from({ length: 10 }, () => answers).flat()], 24);
}

const seeds = Number(process.argv[2] ?? '3');
const folder = await mkdtemp(join(tmpdir(), 'tinker-players-'));
const tokenizer = await makeBase(join(folder, 'base'));
const [stop] = tokenizer.encode('\n');

interface Game {
  thing: string;
  /** All tokens of the game so far. */
  context: number[];
  actions: { prompt: number[]; said: Sample }[];
  reward: number;
}

/** Samples for all prompts. A prompt that several games share is sent once, with the number of samples. */
async function sampleEach(sampler: TinkerSampler, prompts: readonly (readonly number[])[], temperature: number) {
  const indices = new Map<string, number[]>();
  prompts.forEach((prompt, i) => indices.set(prompt.join(), [...(indices.get(prompt.join()) ?? []), i]));
  const groups = [...indices.values()];
  const counts = groups.map((group) => group.length);
  const sampled = await sampler.sample(
    groups.map(([first]) => prompts[first]),
    { counts, stop, temperature },
  );
  const each = new Array<Sample>(prompts.length);
  groups.forEach((group, g) => group.forEach((i, k) => (each[i] = sampled[g][k])));
  return each;
}

/** Plays a game for each thing of the list, all at the same time: three questions with their answers, and then a name. */
async function play(asker: TinkerSampler, base: TinkerSampler, hidden: readonly string[]): Promise<Game[]> {
  const games = hidden.map((thing): Game => ({ thing, context: tokenizer.encode(OPENING), actions: [], reward: 0 }));
  for (let turn = 0; turn <= QUESTIONS; turn++) {
    const said = await sampleEach(
      asker,
      games.map(({ context }) => context),
      1,
    );
    games.forEach((game, i) => {
      game.actions.push({ prompt: game.context, said: said[i] });
    });
    if (turn === QUESTIONS) break;
    const asked = games.map(({ thing }, i) =>
      tokenizer.encode(answerer(thing, tokenizer.decode(said[i].tokens).trim())),
    );
    const answers = await sampleEach(base, asked, 0);
    games.forEach((game, i) => {
      // The token that ends an utterance is sampled and learned, but is not part of the text that continues.
      const heard = [...said[i].tokens, ...answers[i].tokens].filter((id) => id !== stop);
      game.context = [...game.context, ...heard];
    });
  }
  for (const game of games)
    game.reward = Number(tokenizer.decode(game.actions.at(-1)!.said.tokens) === ` ${game.thing}\n`);
  return games;
}

/** Plays the same number of games about each thing. */
const games = async (asker: TinkerSampler, base: TinkerSampler, each: number) =>
  play(
    asker,
    base,
    names.flatMap((thing) => new Array<string>(each).fill(thing)),
  );

async function wins(model: TinkerModel, base: TinkerSampler): Promise<number[]> {
  return (await games(await model.sampler(), base, 50)).map(({ reward }) => reward);
}

async function learn(model: TinkerModel, base: TinkerSampler): Promise<void> {
  for (let step = 0; step < STEPS; step++) {
    const played = await games(await model.sampler(), base, 16);
    const average = (thing: string) => mean(played.filter((game) => game.thing === thing).map(({ reward }) => reward));
    const averages = Object.fromEntries(names.map((thing) => [thing, average(thing)]));
    const batch = played.flatMap(({ thing, actions, reward }) =>
      actions.map(({ prompt, said: { tokens, logprobs } }): Example => {
        const advantages = tokens.map(() => (reward - averages[thing]) / played.length);
        return { prompt, answer: tokens, inputs: { logprobs, advantages } };
      }),
    );
    await model.forwardBackward(batch, 'importance_sampling');
    await model.step(1e-2);
  }
}

await withLocalServer('players', folder, async (client) => {
  const base = await TinkerSampler.ofBase(client, 'players');
  for (let seed = 1; seed <= seeds; seed++) {
    const model = await TinkerModel.create(client, 'players', seed);
    const before = await wins(model, base);
    const from = process.cpuUsage();
    await learn(model, base);
    const { user, system } = process.cpuUsage(from);
    const after = await wins(model, base);
    await model.close();
    const gain = clusteredMean(before.map((reward, game) => [after[game] - reward]));
    console.log(
      `two players, seed ${seed}: ${mean(before).toFixed(3)} → ${mean(after).toFixed(3)} won, ${gainVerdict(gain)} ` +
        `(95 %: ${gain.low.toFixed(3)} … ${gain.high.toFixed(3)}), ${((user + system) / 1e6).toFixed(0)} CPU s`,
    );
  }
});
