// How often a clone of Cooking World's expert says what the expert says, on the expert's own states: greedy, by fold and verb.
// For runs of sft_cookingworld with context=dialogue. Table in docs/results/cookingworld.md.
//   nice node --conditions=source --import tsx benchmarks/next-action-accuracy.ts RUN [GAMES]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { ContextWriter, environmentInfo, TextWorldExpress } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type Episodes } from '@bowyer/models';

const [folder, games = '100'] = process.argv.slice(2);
const { env: options } = JSON.parse(readFileSync(join(folder, 'run-config.json'), 'utf8')) as {
  env: { params: string; stepLimit: number };
};

interface State {
  text: string;
  action: string;
}

/** What the expert reads and says in one world. */
async function expertStates(env: TextWorldExpress, seed: number): Promise<State[]> {
  const writer = new ContextWriter('cookingworld', { kind: 'dialogue' }, environmentInfo('cookingworld').context!({}));
  let { observation, info } = await env.reset({ seed });
  let text = writer.begin(observation, info);
  const states: State[] = [];
  for (const action of await env.goldPath()) {
    if (!(info.validActions as string[]).includes(action)) continue;
    states.push({ text, action });
    const result = await env.step(action);
    if (result.terminated || result.truncated) break;
    ({ observation, info } = result);
    text = writer.follow(action, observation, info);
  }
  return states;
}

/** What the model says after each of the texts, of which each continues the one before. */
async function answers(model: LanguageModel, episodes: Episodes, states: readonly State[]): Promise<string[]> {
  const said: string[] = [];
  let read = '';
  for (const { text } of states) {
    const tokens = model.tokenizer.encode(text.slice(read.length));
    const before = read === '' ? 0 : episodes.length(0);
    const turn = { slot: 0, reset: read === '', tokens, rng: new Rng(0) };
    const newline = model.tokenizer.encode('\n')[0];
    const sampling = { greedy: true, temperature: 1, topK: 0, topP: 1, maxNewTokens: 15, terminatorIds: [newline] };
    const [{ ids }] = await episodes.act([turn], sampling);
    said.push(model.tokenizer.decode(ids));
    episodes.truncate(0, before + tokens.length);
    read = text;
  }
  return said;
}

const device = await openDevice({ device: 'cpu', threads: 1 });
const model = await LanguageModel.load({ dir: join(folder, 'checkpoints/best'), device });
const episodes = await model.openEpisodes({ slots: 1 });
console.log('fold   verb       right  states');
for (const [fold, first] of [
  ['train', 900_000_000],
  ['test', 20_000],
] as const) {
  // prettier-ignore
  const env = new TextWorldExpress('cookingworld', {
    ...{ fold, params: options.params, stepLimit: options.stepLimit, contentDir: null, showValidActions: false },
    ...{ backend: 'embedded', baseUrl: null, timeoutMs: 1 },
  });
  const counts = new Map<string, { right: number; all: number }>();
  for (let game = 0; game < Number(games); game++) {
    const states = await expertStates(env, first + 123_457 * game);
    const said = await answers(model, episodes, states);
    states.forEach(({ action }, i) => {
      for (const key of ['all', action.split(' ')[0]]) {
        const { right, all } = counts.get(key) ?? { right: 0, all: 0 };
        counts.set(key, { right: right + Number(said[i] === action), all: all + 1 });
      }
    });
  }
  for (const [verb, { right, all }] of counts)
    console.log(`${fold.padEnd(7)}${verb.padEnd(11)}${(right / all).toFixed(3)}${String(all).padStart(8)}`);
}
await device.close?.();
process.exit(0);
