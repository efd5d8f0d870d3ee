import { withDefaults } from '../registry.js';
import {
  textWorldExpressDemonstrations,
  textWorldExpressDemonstrationsSchema,
  type TextWorldExpressDemonstrationOptions,
} from './demonstrations.js';
import { textWorldExpressSchema, type TextWorldExpressOptions } from './options.js';
import { TextWorldExpress } from './textworld-express.js';

const options = withDefaults(
  textWorldExpressDemonstrationsSchema,
  { episodes: 20, params: 'numLocations=3,includeDoors=1,numDistractorItems=2,numIngredients=2' },
  'demonstrations',
) as unknown as TextWorldExpressDemonstrationOptions;

test('each demonstration plays again to the same rewards and wins', async () => {
  const demonstrations = await textWorldExpressDemonstrations('cookingworld', options);
  expect(demonstrations.map(({ seed }) => seed)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  const { params } = options;
  const envOptions = withDefaults(
    textWorldExpressSchema,
    { params },
    'cookingworld',
  ) as unknown as TextWorldExpressOptions;
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

test('a limit cuts the expert; such episodes are left out unless asked for', async () => {
  // Cookbook, reading, knife and two foods are more than four actions already.
  const cut = { ...options, stepLimit: 3 };
  expect(await textWorldExpressDemonstrations('cookingworld', cut)).toEqual([]);
  const all = await textWorldExpressDemonstrations('cookingworld', { ...cut, onlyWon: false });
  expect(all).toHaveLength(20);
  for (const { won, transitions } of all) {
    expect([won, transitions.length, transitions.at(-1)!.truncated]).toEqual([false, 4, true]);
  }
});
