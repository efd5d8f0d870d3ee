// Writes TextCraft's built-in recipes, one line each, from Minecraft's recipe files in the order of a list:
//   node --conditions=source --import tsx tools/write-textcraft-recipes.ts RECIPES.jsonl ORDER.txt
import { writeFileSync } from 'node:fs';
import { readRecipes } from '../packages/envs/src/textcraft/recipe-files.js';
import { recipeLine } from '../packages/envs/src/textcraft/recipe.js';

const [recipes, order] = process.argv.slice(2);
const lines = readRecipes(recipes, order ?? null).map(recipeLine);
const header = `// Written by tools/write-textcraft-recipes.ts: facts of ${lines.length} crafting recipes of Minecraft: Java Edition (Mojang), as AgentGym
// (WooooDyy/AgentGym at 3ef9235, MIT) took them over from ADaPT (archiki/ADaPT, MIT). The order is that of a recorded server.
// "count output (tag of the output) = count ingredient, count #tag"
`;
writeFileSync(
  'packages/envs/src/textcraft/recipe-table.ts',
  `${header}export const recipeTable = \`\\\n${lines.join('\n')}\n\`;\n`,
);
