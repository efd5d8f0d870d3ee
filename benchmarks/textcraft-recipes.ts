// Shows what TextCraft makes of recipe folders: the number of recipes, goals by depth, length of the lists, and what
// two players win.
// Run: node --conditions=source --import tsx benchmarks/textcraft-recipes.ts FOLDER…
import { maximum } from '@bowyer/core';
import {
  environmentInfo,
  readRecipes,
  TextCraft,
  textCraftDemonstrations,
  withDefaults,
  type TextCraftOptions,
} from '@bowyer/envs';

const EPISODES = 300;

for (const recipes of process.argv.slice(2)) {
  const defaults = withDefaults(environmentInfo('textcraft').schema, {}, 'textcraft') as Record<string, unknown> &
    TextCraftOptions;
  const options = { ...defaults, recipes };
  const env = new TextCraft(options);
  const goals = env.tree.goals();
  const deepest = maximum(goals.map(([, depth]) => depth));
  const byDepth = Array.from({ length: deepest }, (_, i) => goals.filter(([, depth]) => depth === i + 1).length);
  const lengths: number[] = [];
  for (const dataIdx of goals.keys()) lengths.push((await env.reset({ dataIdx })).observation.length);
  lengths.sort((a, b) => a - b);
  const won = async (noise: number) => {
    const played = await textCraftDemonstrations(options, { episodes: EPISODES, noise, seed: 0 });
    return (played.filter((transitions) => transitions.at(-1)!.reward === 1).length / EPISODES).toFixed(3);
  };
  console.log(
    `${recipes}: ${readRecipes(recipes, options.recipeOrder).length} recipes, ${goals.length} goals (${byDepth.join(', ')})`,
  );
  console.log(`  list: median ${lengths[lengths.length >> 1]}, longest ${lengths.at(-1)} characters`);
  console.log(`  won: expert ${await won(0)}, random ${await won(1)}`);
}
