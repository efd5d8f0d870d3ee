// Steps per second of the eight TextWorldExpress games on one core, and what a random player and the expert score.
// Run: node --conditions=source --import tsx benchmarks/textworld-express.ts [episodes]
import { Rng } from '@bowyer/core';
import { makeEnv, TextWorldExpress, textWorldExpressGames } from '@bowyer/envs';

const episodes = Number(process.argv[2] ?? 200);
const FIRST_TEST_SEED = 20_000;

/** Says the next action of a started episode, or undefined to give up. */
type Player = (info: Record<string, unknown>, turn: number) => string | undefined;

const randomPlayer =
  (rng: Rng): Player =>
  ({ validActions }) =>
    rng.choice(validActions as string[]);

const expert =
  (path: readonly string[]): Player =>
  (_, turn) =>
    path[turn];

async function play(game: string, makePlayer: (env: TextWorldExpress, seed: number) => Promise<Player>) {
  const env = makeEnv(game, { fold: 'test' }) as TextWorldExpress;
  const returns: number[] = [];
  let [steps, won, seconds] = [0, 0, 0];
  for (let episode = 0; episode < episodes; episode++) {
    const seed = FIRST_TEST_SEED + episode;
    let { info } = await env.reset({ seed });
    const player = await makePlayer(env, seed);
    let episodicReturn = 0;
    const start = performance.now();
    for (let turn = 0; ; turn++) {
      const action = player(info, turn);
      if (action === undefined) break;
      const result = await env.step(action);
      steps++;
      episodicReturn += result.reward;
      info = result.info;
      if (result.terminated || result.truncated) break;
    }
    seconds += (performance.now() - start) / 1000;
    returns.push(episodicReturn);
    won += Number(info.won);
  }
  await env.close();
  const mean = returns.reduce((sum, value) => sum + value, 0) / episodes;
  return { mean, won: won / episodes, length: steps / episodes, stepsPerSecond: steps / seconds };
}

console.log(`${episodes} worlds of the test fold, default parameters, limit 100`);
console.log('game            player   return     won  length   steps/s');
for (const game of textWorldExpressGames) {
  const players = {
    random: async (_: TextWorldExpress, seed: number) => randomPlayer(new Rng(seed)),
    expert: async (env: TextWorldExpress) => expert(await env.goldPath()),
  };
  for (const [name, makePlayer] of Object.entries(players)) {
    const { mean, won, length, stepsPerSecond } = await play(game, makePlayer);
    const figures = [mean.toFixed(3).padStart(8), won.toFixed(3).padStart(8), length.toFixed(1).padStart(8)];
    console.log(
      `${game.padEnd(16)}${name.padEnd(7)}${figures.join('')}${Math.round(stepsPerSecond).toString().padStart(10)}`,
    );
  }
}
