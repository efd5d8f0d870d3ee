// Writes TextCraft's built-in recipes, one per line, from Minecraft's recipe files in the order of a list:
//   node --conditions=source --import tsx packages/envs/src/textcraft/write-recipes.ts RECIPES.jsonl ORDER.txt
import { readFileSync, writeFileSync } from 'node:fs';
import { readRecipes } from './recipe-files.js';
import { recipeLine } from './recipe.js';

const file = new URL('recipes.json', import.meta.url);
const [recipes, order] = process.argv.slice(2);
const before = JSON.parse(readFileSync(file, 'utf8')) as object;
const lines = readRecipes(recipes, order ?? null).map(recipeLine);
writeFileSync(file, `${JSON.stringify({ ...before, recipes: lines }, null, 2)}\n`);
