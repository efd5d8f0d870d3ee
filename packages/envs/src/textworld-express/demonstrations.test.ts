import { defaultsOf } from '../option.js';
import { textWorldExpressDemonstrations } from './demonstrations.js';
import { textWorldExpressSchema } from './options.js';
import { TextWorldExpress } from './textworld-express.js';

const options = {
  episodes: 20,
  fold: 'train',
  params: 'numLocations=3,includeDoors=1,numDistractorItems=2,numIngredients=2',
  stepLimit: 100,
  contentDir: null,
  showValidActions: false,
  seedStep: 1,
  slips: 0,
  slipSeed: 0,
} as const;

test('each demonstration plays again to the same rewards and wins', async () => {
  const demonstrations = await textWorldExpressDemonstrations('cookingworld', options);
  expect(demonstrations.map(({ seed }) => seed)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  const { params } = options;
  const envOptions = { ...defaultsOf(textWorldExpressSchema), params };
  const env = new TextWorldExpress('cookingworld', envOptions);
  for (const { seed, won, transitions } of demonstrations) {
    let { observation } = await env.reset({ seed });
    for (const transition of transitions) {
      expect(transition.observation).toBe(observation);
      const result = await env.step(transition.action);
      expect(result).toMatchObject({ reward: transition.reward, info: { accepted: true } });
      observation = result.observation;
    }
    expect(won).toBe(true);
    expect(transitions.at(-1)).toMatchObject({ terminated: true, truncated: false });
  }
});

test('episodes of the expert that the limit cuts are left out', async () => {
  // Cookbook, reading, knife and two foods are more than four actions already.
  expect(await textWorldExpressDemonstrations('cookingworld', { ...options, stepLimit: 3 })).toEqual([]);
});
