// Tests that render → parse → render gives the same tokens, in each format and over dialogues of all kinds of texts. The number
// of dialogues for each template is DIALOGUES, 50 by default.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { roundTrips } from './round-trips.js';

const templates = fileURLToPath(new URL('call-templates', import.meta.url));
const tokenizers = fileURLToPath(new URL('../../text/test/tokenizer-fixtures', import.meta.url));

const definitionOf = (name: string) => {
  const { definition } = JSON.parse(readFileSync(`${tokenizers}/${name}.json`, 'utf8')) as {
    definition: Record<string, unknown>;
  };
  return definition;
};

const dialogues = Number(process.env.DIALOGUES ?? 50);

const families: Record<string, string> = {
  'llama3.jinja': 'llama3',
  'harmony.jinja': 'o200k',
  'deepseek-v3.jinja': 'deepseek',
  'deepseek-v3.1.jinja': 'deepseek',
};

test.each(readdirSync(templates))('%s', (file) => {
  const definition = definitionOf(families[file] ?? 'gpt2');
  const found = roundTrips(readFileSync(`${templates}/${file}`, 'utf8'), definition, { dialogues, seed: 1 });
  expect(found).toMatchObject({ dialogues, difference: null, sameIds: dialogues });
  expect(found!.sameCalls).toBeGreaterThanOrEqual(0.95 * dialogues);
});
