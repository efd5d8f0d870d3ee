// Scores of a random player and of the expert in the small games, and steps per second of the environments on one core.
// Run: node --conditions=source --import tsx benchmarks/small-games.ts [episodes]
import { Rng, type Transition } from '@bowyer/core';
import {
  environmentInfo,
  guessMyCityDemonstrations,
  makeEnv,
  mazeDemonstrations,
  textCraftDemonstrations,
  withDefaults,
  wordleDemonstrations,
  type MazeOptions,
  type PlayedDemonstrationOptions,
  type TextCraftOptions,
  type WordleOptions,
} from '@bowyer/envs';

const episodes = Number(process.argv[2] ?? 500);

type Demonstrations = (options: PlayedDemonstrationOptions) => Promise<Transition[][]>;

const optionsOf = <Options>(name: string) => withDefaults(environmentInfo(name).schema, {}, name) as Options;

/** `pays`: a last reward that says the episode was won. */
const games: Record<string, { pays: number; demonstrations: Demonstrations }> = {
  maze: { pays: 0, demonstrations: (asked) => mazeDemonstrations(optionsOf<MazeOptions>('maze'), asked) },
  wordle: { pays: 0, demonstrations: (asked) => wordleDemonstrations(optionsOf<WordleOptions>('wordle'), asked) },
  textcraft: {
    pays: 1,
    demonstrations: (asked) => textCraftDemonstrations(optionsOf<TextCraftOptions>('textcraft'), asked),
  },
};

/** Replays recorded actions, so that only the environment is timed. */
async function stepsPerSecond(name: string, played: readonly Transition[][]): Promise<number> {
  const env = makeEnv(name);
  const rng = new Rng(0);
  let [steps, seconds] = [0, 0];
  for (const transitions of played) {
    await env.reset({ seed: rng.uint32() });
    const start = performance.now();
    for (const { action } of transitions) {
      steps++;
      const { terminated, truncated } = await env.step(action);
      if (terminated || truncated) break;
    }
    seconds += (performance.now() - start) / 1000;
  }
  await env.close();
  return steps / seconds;
}

console.log(`${episodes} episodes a row, default options`);
console.log('game            player   return      won   length   steps/s');
for (const [name, { pays, demonstrations }] of Object.entries(games)) {
  for (const [player, noise] of Object.entries({ random: 1, expert: 0 })) {
    const played = await demonstrations({ episodes, noise, seed: 0 });
    const returns = played.map((transitions) => transitions.reduce((sum, { reward }) => sum + reward, 0));
    const mean = returns.reduce((sum, value) => sum + value, 0) / episodes;
    const won = played.filter((transitions) => transitions.at(-1)!.reward === pays).length / episodes;
    const length = played.reduce((sum, transitions) => sum + transitions.length, 0) / episodes;
    const figures = [mean.toFixed(3), won.toFixed(3), length.toFixed(1)].map((figure) => figure.padStart(9));
    const speed = Math.round(await stepsPerSecond(name, played));
    console.log(`${name.padEnd(16)}${player.padEnd(6)}${figures.join('')}${String(speed).padStart(10)}`);
  }
}

console.log('\nguess_my_city   noise   open   return      won');
for (const cities of ['archer91', 'subset10'] as const) {
  for (const [noise, open] of [
    [1, false],
    [0.5, false],
    [0, false],
    [0, true],
  ] as const) {
    const games = guessMyCityDemonstrations({
      games: episodes,
      cities,
      maxTurns: 20,
      noise,
      open,
      ties: 'drawn',
      seed: 0,
    });
    const mean = games.reduce((sum, { conversation, done }) => sum - conversation.length + Number(done), 0) / episodes;
    const won = games.filter(({ done }) => done).length / episodes;
    const figures = [String(open).padStart(7), mean.toFixed(2).padStart(9), won.toFixed(3).padStart(9)];
    console.log(`${cities.padEnd(16)}${String(noise).padEnd(5)}${figures.join('')}`);
  }
}

const dialogues = guessMyCityDemonstrations({
  games: 300,
  cities: 'archer91',
  maxTurns: 20,
  seed: 0,
  noise: 0.7,
  open: true,
  ties: 'drawn',
});
const env = makeEnv('guess_my_city');
let steps = 0;
const start = performance.now();
for (const [seed, { conversation }] of dialogues.entries()) {
  await env.reset({ seed });
  for (const line of conversation) {
    steps++;
    if ((await env.step(line.slice(0, line.indexOf('?') + 1))).terminated) break;
  }
}
console.log(`guess_my_city: ${Math.round(steps / ((performance.now() - start) / 1000))} steps/s`);
