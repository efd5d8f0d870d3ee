// Scores of scripted players in Twenty Questions, beside the exact optimum, and the speed of the environment.
// Run: npx tsx --conditions=source benchmarks/envs-baselines.ts [episodes]
import { Rng } from '@bowyer/core';
import {
  allWords,
  InformationGainPlayer,
  makeEnv,
  optimalReturn,
  playEpisodes,
  questionSet,
  selectWords,
  type Question,
  type ReadyTurn,
  type Truth,
} from '@bowyer/envs';

const episodes = Number(process.argv[2] ?? 2000);
const slots = 32;

type Player = { ask(): Question; learn(answer: Truth): void };

/** Asks any question of the set, whatever was answered. */
const randomPlayer = (questions: readonly Question[], rng: Rng): Player => ({
  ask: () => rng.choice(questions),
  learn: () => {},
});

/** Guesses the words in a random order, none twice. */
function guessingPlayer(questions: readonly Question[], rng: Rng): Player {
  const guesses = rng.shuffle(questions.filter(({ guess }) => guess !== null));
  let next = 0;
  return { ask: () => guesses[next++ % guesses.length], learn: () => {} };
}

const answerOf = (observation: string): Truth =>
  observation.endsWith('Yes.\n') ? 'yes' : observation.endsWith('No.\n') ? 'no' : 'unclear';

async function score(words: 'full' | 'subset10', makePlayer: (rng: Rng) => Player) {
  const players = new Map<number, Player>();
  const act = (ready: ReadyTurn[]) =>
    ready.map(({ slot, episode, turn, observation }) => {
      if (turn === 0) players.set(slot, makePlayer(Rng.forPurpose(episode, 'player')));
      else players.get(slot)!.learn(answerOf(observation));
      return players.get(slot)!.ask().wordings[0];
    });
  const played = await playEpisodes({
    makeEnv: () => makeEnv('twenty_questions', { words, wordChoice: 'bySeed' }),
    slots,
    episodes,
    seeds: (episode) => episode,
    act,
  });
  const returns = played.map(({ episodicReturn }) => episodicReturn);
  const mean = returns.reduce((sum, value) => sum + value, 0) / episodes;
  const variance = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (episodes - 1);
  const turns = played.flatMap((episode) => episode.turns);
  const won = turns.filter(({ info }) => info.won).length / episodes;
  const share = (key: string) => turns.filter(({ info }) => info[key]).length / turns.length;
  return { mean, error: Math.sqrt(variance / episodes), won, invalid: share('invalid'), repeated: share('repeated') };
}

async function table(words: 'full' | 'subset10', attributes: number) {
  const list = selectWords(words);
  const questions = questionSet({ words: list, winTest: 'lastToken', attributes, wordings: 1, maxUnclear: 0.08 });
  const asked = questions.filter(({ guess }) => guess === null).length;
  console.log(`\n${words}: ${list.length} words, ${asked} attributes, ${episodes} episodes a row`);
  console.log('player                  return    ± s.e.   won     invalid  repeated');
  const row = async (name: string, makePlayer: (rng: Rng) => Player) => {
    const { mean, error, won, invalid, repeated } = await score(words, makePlayer);
    const figures = [mean.toFixed(2).padStart(8), error.toFixed(2).padStart(8), won.toFixed(3).padStart(8)];
    console.log(
      `${name.padEnd(22)}${figures.join('')} ${invalid.toFixed(3).padStart(8)} ${repeated.toFixed(3).padStart(8)}`,
    );
  };
  await row('random questions', (rng) => randomPlayer(questions, rng));
  await row('random guesses', (rng) => guessingPlayer(questions, rng));
  for (const noise of [0.5, 0.3, 0]) {
    await row(`expert, noise ${noise}`, (rng) => new InformationGainPlayer(questions, list.length, noise, rng));
  }
  if (list.length <= 12)
    console.log(`exact optimum         ${optimalReturn(list.length, questions, 20).toFixed(2).padStart(8)}`);
}

async function throughput() {
  const lines = questionSet({
    words: allWords,
    winTest: 'lastToken',
    attributes: Infinity,
    wordings: 2,
    maxUnclear: 1,
  });
  const rng = new Rng(0);
  const start = performance.now();
  const played = await playEpisodes({
    makeEnv: () => makeEnv('twenty_questions', { words: 'full' }),
    slots,
    episodes,
    seeds: (episode) => episode,
    act: (ready) => ready.map(() => rng.choice(rng.choice(lines).wordings)),
  });
  const steps = played.reduce((sum, { turns }) => sum + turns.length, 0);
  console.log(
    `\n${Math.round(steps / ((performance.now() - start) / 1000))} steps/s over ${steps} steps in ${slots} slots`,
  );
}

await table('subset10', 20);
await table('subset10', Infinity);
await table('full', Infinity);
await throughput();
