// How often a clone of the shop's expert does what the expert does, greedily, on the expert's own pages: goals of training and of
// evaluation apart. Also what it clicks where it does not open the expert's product. For runs of archer_webshop with algorithm=bc.
//   nice node --conditions=source --import tsx benchmarks/webshop-next-action.ts RUN [GOALS]
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { ContextWriter, environmentInfo, makeEnv, Shopper, type ContextOptions, type WebShopInfo } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type Episodes } from '@bowyer/models';

const [folder, goals = '60'] = process.argv.slice(2);
const {
  env: { name: _, ...options },
  context,
} = JSON.parse(readFileSync(join(folder, 'run-config.json'), 'utf8')) as {
  env: Record<string, unknown>;
  context: ContextOptions;
};
const unit = environmentInfo('webshop');
const writer = new ContextWriter('webshop', context, unit.context!(options));

interface State {
  text: string;
  action: string;
  kind: 'search' | 'open' | 'option' | 'back' | 'buy';
}

function kindOf(action: string): State['kind'] {
  if (action.startsWith('search')) return 'search';
  if (/^click\[B0/.test(action)) return 'open';
  if (action === 'click[Buy Now]') return 'buy';
  return action === 'click[< Prev]' || action === 'click[Back to Search]' ? 'back' : 'option';
}

/** Everything that the expert reads and does for one goal. */
async function expertStates(split: 'train' | 'eval', episode: number): Promise<State[]> {
  const env = makeEnv('webshop', options);
  const plan = unit.splits as (given: unknown) => {
    choose: (of: object) => { reset: { seed: number } };
  };
  let { observation, info } = await env.reset(plan(options).choose({ split, seed: episode, episode }).reset);
  const shopper = new Shopper();
  let text = writer.begin(observation, info);
  const states: State[] = [];
  for (;;) {
    const action = shopper.act(info as WebShopInfo);
    states.push({ text, action, kind: kindOf(action) });
    const result = await env.step(action);
    if (result.terminated || result.truncated) return states;
    ({ observation, info } = result);
    text = writer.follow(action, observation, info);
  }
}

async function answer(model: LanguageModel, episodes: Episodes, text: string): Promise<string> {
  const newline = model.tokenizer.encode('\n')[0];
  const turn = { slot: 0, reset: true, tokens: model.tokenizer.encode(text), rng: new Rng(0) };
  const sampling = { greedy: true, temperature: 1, topK: 0, topP: 1, maxNewTokens: 32, terminatorIds: [newline] };
  const [{ ids }] = await episodes.act([turn], sampling);
  return model.tokenizer.decode(ids);
}

const device = await openDevice({ device: 'cpu', threads: 1 });
const best = join(folder, 'checkpoints/best');
const model = await LanguageModel.load({ dir: existsSync(best) ? best : join(folder, 'checkpoints'), device });
const episodes = await model.openEpisodes({ slots: 1 });
console.log('goals  action    right  states');
for (const split of ['train', 'eval'] as const) {
  const counts = new Map<string, { right: number; all: number }>();
  const count = (key: string, right: boolean) => {
    const before = counts.get(key) ?? { right: 0, all: 0 };
    counts.set(key, { right: before.right + Number(right), all: before.all + 1 });
  };
  for (let episode = 0; episode < Number(goals); episode++) {
    for (const { text, action, kind } of await expertStates(split, episode)) {
      const said = await answer(model, episodes, text);
      count('all', said === action);
      count(kind, said === action);
      if (kind === 'open') count('a product of the page', text.includes(/^click(\[B0\w+\])$/.exec(said)?.[1] ?? '\0'));
    }
  }
  for (const [key, { right, all }] of counts)
    console.log(`${split.padEnd(7)}${key.padEnd(24)}${(right / all).toFixed(3)}${String(all).padStart(8)}`);
}
await device.close?.();
process.exit(0);
