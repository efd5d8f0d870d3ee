// How often a clone says what the expert says, on the expert's own states: greedy, by split and by the action's first word.
// For runs of algorithm=bc with a built-in policy, in environments whose expert plays embedded games.
// Its figures are on the pages of the environments.
//   nice node --conditions=source --import tsx benchmarks/next-action-accuracy.ts RUN [GAMES] [shown wrong answers]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demonstrationOf, Rng, type Demonstration } from '@bowyer/core';
import { ContextWriter, environmentInfo, withContext, type ContextOptions } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type Episodes } from '@bowyer/models';

const [folder, games = '60', shownWrong = '0'] = process.argv.slice(2);
const run = JSON.parse(readFileSync(join(folder, 'run-config.json'), 'utf8')) as {
  env: { name: string } & Record<string, unknown>;
  context: ContextOptions;
  demonstrations: Record<string, unknown>;
  maxNewTokens: number;
};
/** Far from the seeds of runs. */
const SEED = 7919;

/** @param renamed share of made-up games, where the environment has any */
async function expertGames(split: 'train' | 'test', renamed: number): Promise<Demonstration[]> {
  const { name, ...options } = run.env;
  const unit = environmentInfo(name);
  const counts = renamed > 0 ? run.demonstrations.counts : undefined;
  const request = {
    ...run.demonstrations,
    noise: 0,
    slips: 0,
    renamed,
    counts,
    count: Number(games),
    seed: SEED,
    split,
  };
  const { records } = await unit.demonstrations!.make(options, request);
  const writer = () => new ContextWriter(name, run.context, unit.context!(options));
  const played: Demonstration[] = [];
  for (const record of records!)
    if ('reset' in record) played.push(demonstrationOf(await withContext(record, writer())));
  return played;
}

/** The model's answers at every turn of the expert's game. */
async function answers(model: LanguageModel, episodes: Episodes, game: Demonstration): Promise<string[]> {
  const { tokenizer } = model;
  const sampling = { greedy: true, temperature: 1, topK: 0, topP: 1, maxNewTokens: run.maxNewTokens };
  const terminatorIds = [tokenizer.encode('\n')[0]];
  const said: string[] = [];
  let tokens = tokenizer.encode(game.opening);
  let reset = true;
  let length = 0;
  for (const { action, reply, nextObservation } of game.turns) {
    const turn = { slot: 0, reset, tokens, rng: new Rng(0) };
    const [{ ids }] = await episodes.act([turn], { ...sampling, terminatorIds });
    said.push(tokenizer.decode(ids));
    length = (reset ? 0 : length) + tokens.length;
    episodes.truncate(0, length);
    reset = nextObservation !== undefined;
    tokens = reset ? tokenizer.encode(nextObservation!) : [...tokenizer.encode(action), ...tokenizer.encode(reply)];
  }
  return said;
}

/** The first word of the action, behind a thought if there is one. */
const verbOf = (reply: string) => /Action: (\w+)/.exec(reply)?.[1] ?? reply.trim().split(' ')[0];

const device = await openDevice({ device: 'cpu', threads: 1 });
const model = await LanguageModel.load({ dir: join(folder, 'checkpoints/best'), device });
const episodes = await model.openEpisodes({ slots: 1 });
console.log('games    verb       right  states');
let wrong = Number(shownWrong);
const kinds = [
  { name: 'train', split: 'train', renamed: 0 },
  ...('renamed' in run.demonstrations ? [{ name: 'made up', split: 'train', renamed: 1 } as const] : []),
  { name: 'test', split: 'test', renamed: 0 },
] as const;
for (const { name, split, renamed } of kinds) {
  const counts = new Map<string, { right: number; all: number }>();
  for (const game of await expertGames(split, renamed)) {
    const said = await answers(model, episodes, game);
    game.turns.forEach(({ action }, i) => {
      const right = said[i].trim() === action.trim();
      if (!right && split === 'test' && wrong-- > 0)
        console.log(`  expert: ${action.trim()}\n  clone:  ${said[i].trim()}`);
      for (const key of ['all', verbOf(action)]) {
        const { right: before, all } = counts.get(key) ?? { right: 0, all: 0 };
        counts.set(key, { right: before + Number(right), all: all + 1 });
      }
    });
  }
  for (const [verb, { right, all }] of counts)
    console.log(`${name.padEnd(9)}${verb.padEnd(11)}${(right / all).toFixed(3)}${String(all).padStart(8)}`);
}
await device.close?.();
process.exit(0);
