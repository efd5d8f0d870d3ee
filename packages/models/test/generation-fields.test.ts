// Compares fields of generation_config.json with transformers' greedy `generate`; record-fields.py recorded its texts.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import type { ConfigJson } from '@bowyer/checkpoints';
import { newFolder } from '@bowyer/testing';
import { changesLogits } from '../src/decoding/logit-rules.js';
import { generateTexts } from '../src/inference/generate-texts.js';
import { readLogitRules } from '../src/decoding/generation-fields.js';
import { LanguageModel } from '../src/language-model/language-model.js';
import { recorded, writeFolder } from './field-folders.js';

interface Recording {
  config: ConfigJson;
  eos: number;
  prompts: number[][];
  max_new_tokens: number;
  cases: { title: string; file: string; rules: ConfigJson; texts: number[][] }[];
}

const { config, eos, prompts, max_new_tokens: maxNewTokens, cases } = recorded<Recording>('generation');
const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens, terminatorIds: [eos] };

const folder = newFolder();
const device = await openDevice({ device: 'cpu', threads: 1 });
await writeFolder(folder, { config });
const model = await LanguageModel.load({ device, dir: folder, masksPadding: false });
afterAll(() => device.close());

/** Reads the rules of a folder whose generation_config.json (or the file `file`) has these fields. */
function rulesOf(fields: ConfigJson, file = 'generation_config.json', samples = false) {
  rmSync(join(folder, 'generation_config.json'), { force: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  writeFileSync(join(folder, file), JSON.stringify(file === 'config.json' ? { ...config, ...fields } : fields));
  return readLogitRules(folder, 29, { samples });
}

test.each(cases)('$title in $file: the texts are those of transformers', async ({ rules: fields, file, texts }) => {
  const { rules, fields: active, path } = await rulesOf({ ...fields, eos_token_id: eos }, file);
  const effective = Object.keys(fields).filter(
    (field) => field !== 'min_length' || fields.min_new_tokens === undefined,
  );
  expect([active.sort(), path]).toEqual([effective.sort(), join(folder, file)]);
  const items = prompts.map((promptIds) => ({ promptIds }));
  const found: number[][] = [];
  for await (const { ids } of generateTexts(model, items, { ...greedy, rules, batchSize: 3, seed: 1 })) found.push(ids);
  expect(found).toEqual(texts);
});

test('a text made in several calls is that of one', async () => {
  const { rules: fields, texts } = cases.find(({ title }) => title === 'all of them')!;
  const { rules } = await rulesOf(fields);
  const episodes = await model.openEpisodes({ slots: 1 });
  const found: number[] = [];
  for (let newTokens = 0; newTokens < 6; newTokens += 2) {
    const [{ ids }] = await episodes.act(
      [{ slot: 0, tokens: newTokens === 0 ? prompts[0] : [], rng: new Rng(1), rules, newTokens }],
      { ...greedy, maxNewTokens: 2, appliesRules: true },
    );
    found.push(...ids);
  }
  expect(found).toEqual(texts[0].slice(0, 6));
  await episodes.close();
});

test.each<[ConfigJson, string]>([
  [{ num_beams: 4 }, 'num_beams is 4, which is not supported'],
  [{ exponential_decay_length_penalty: [5, 1.1] }, 'exponential_decay_length_penalty is [5,1.1], which'],
  [{ stop_strings: ['x'] }, 'stop_strings is ["x"], which is not supported'],
  [{ repetition_penalty: 0 }, 'repetition_penalty must be from 0.01 to 100, not 0'],
  [{ repetition_penalty: '1.1' }, 'repetition_penalty must be a number of at least 0, not "1.1"'],
  [{ bad_words_ids: [[29]] }, 'bad_words_ids must be a list of lists of token ids below 29, not [[29]]'],
  [{ sequence_bias: { '(1,)': 2 } }, 'sequence_bias must be a list of pairs, ids and bias'],
])('%j is refused with field and file', async (fields, problem) => {
  await expect(rulesOf(fields)).rejects.toThrow(
    `${join(folder, 'generation_config.json')} of a 'language' model: ${problem}`,
  );
});

test('what is about sampling alone is refused where tokens are sampled', async () => {
  const { rules } = await rulesOf({ min_p: 0.1, temperature: 0.7, top_k: 20, suppress_tokens: [-1] });
  expect(changesLogits(rules)).toBe(false);
  await expect(rulesOf({ min_p: 0.1 }, 'generation_config.json', true)).rejects.toThrow('min_p is 0.1, which');
});
