// Every field of the classes behind a model's files has one class in field-classes.ts, and the code agrees with it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigJson } from '@bowyer/checkpoints';
import { configText } from '../src/architecture/config-text.js';
import { allFamilies } from '../src/decoder/all-families.js';
import { changesLogits } from '../src/decoding/logit-rules.js';
import { readLogitRules } from '../src/decoding/generation-fields.js';
import { architectureFor } from '../src/language-model/architectures.js';
import { readAdapterConfig } from '../src/lora/peft-files.js';
import { adapter, decoders, generation, type FieldClasses } from './field-classes.js';
import { recorded } from './field-folders.js';

type Defaults = Record<string, unknown>;
const fields = recorded<{ decoders: Record<string, Defaults>; [file: string]: Defaults }>('fields');
const { cases, plain } = recorded<{ plain: { config: ConfigJson }[]; cases: unknown[] }>('decoders');

/** The fields of a shrunk config of a newer family that change the result, with a value that does. */
interface Changes {
  config: ConfigJson;
  effective: Record<string, [value: unknown, logprob: number]>;
}
const changes = recorded<{ families: Record<string, Changes> }>('changes').families;
const shrunk = Object.entries(changes).map(([name, { config }]) => ({ name, config }));

const dir = mkdtempSync(join(tmpdir(), 'field-classes-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** Every recorded field in one class, and no other. */
function expectComplete({ used, refused, idle }: FieldClasses, defaults: Defaults) {
  const classified = [...Object.keys(used), ...Object.keys(refused), ...idle];
  expect(classified.sort()).toEqual(Object.keys(defaults).sort());
}

const problemOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return 'loads';
  } catch (error) {
    return (error as Error).message;
  }
};

test('every family of transformers that was recorded has a row', () => {
  expect(Object.keys(decoders).sort()).toEqual(Object.keys(fields.decoders).sort());
  expect(cases.length).toBeGreaterThan(40);
});

describe.each(Object.entries(decoders))('config.json of %s', (type, classes) => {
  const base = [...plain, ...shrunk].find(({ config }) => config.model_type === type)!.config;
  const load = (changes: object) => architectureFor({ ...base, ...changes });
  const names = (field: string) => [field, allFamilies[type].aliases?.[field] ?? field];

  test('every field has a class', () => expectComplete(classes, fields.decoders[type]));

  test('what is used is checked, what is refused is refused by name, the rest loads and changes nothing', async () => {
    const unchecked: string[] = [];
    for (const [field, given] of Object.entries(classes.used)) {
      const problem = await problemOf(() => load({ ...given, [field]: 'x' }));
      if (!names(field).some((name) => problem.includes(name))) unchecked.push(`${field}: ${problem}`);
    }
    expect(unchecked).toEqual([]);
    for (const [field, value] of Object.entries(classes.refused)) {
      expect(await problemOf(() => load({ [field]: value }))).toContain(`: ${field} is `);
      expect(await problemOf(() => load({ [field]: fields.decoders[type][field] }))).toBe('loads');
    }
    const { parameters } = load({});
    for (const field of classes.idle)
      expect({ field, parameters: load({ [field]: 'x' }).parameters }).toEqual({ field, parameters });
  });
});

test.each(shrunk)('what changes the result of $name in transformers is checked here', async ({ name, config }) => {
  const { aliases = {} } = allFamilies[String(config.model_type)];
  const unchecked: string[] = [];
  for (const [field, [value]] of Object.entries(changes[name].effective)) {
    const problem = await problemOf(() => architectureFor({ ...config, [field]: 'x' }));
    // Where nothing reads the text, the value must be refused.
    const named = problem === 'loads' ? await problemOf(() => architectureFor({ ...config, [field]: value })) : problem;
    if (![field, aliases[field] ?? field].some((one) => named.includes(one))) unchecked.push(`${field}: ${named}`);
  }
  expect(unchecked).toEqual([]);
});

test('fields that transformers refuses as integers are written as floats', () => {
  const text = configText({ ...fields.floats, text_config: fields.floats, num_hidden_layers: 1 });
  for (const name of Object.keys(fields.floats)) expect(text.split(`"${name}": 1.0`)).toHaveLength(3);
  expect(text).toContain('"num_hidden_layers": 1\n');
});

test('generation_config.json: every field has a class, and the reader agrees', async () => {
  expectComplete(generation, fields['generation_config.json']);
  const rules = (json: object) => {
    writeFileSync(join(dir, 'generation_config.json'), JSON.stringify(json));
    return readLogitRules(dir, 29, { samples: true });
  };
  for (const field of Object.keys(generation.used))
    expect(await problemOf(() => rules({ [field]: 'x' }))).toContain(`: ${field} must be `);
  for (const [field, value] of Object.entries(generation.refused))
    expect(await problemOf(() => rules({ [field]: value }))).toContain(`: ${field} is `);
  const idle = await rules(Object.fromEntries(generation.idle.map((field) => [field, 'x'])));
  expect(changesLogits(idle.rules)).toBe(false);
  const defaults = await rules(fields['generation_config.json']);
  expect(changesLogits(defaults.rules)).toBe(false);
});

test('adapter_config.json: every field has a class, and the reader agrees', async () => {
  const defaults = fields['adapter_config.json'];
  expectComplete(adapter, defaults);
  const read = (changes: object) => {
    const config = { ...defaults, peft_type: 'LORA', base_model_name_or_path: dir, ...changes };
    writeFileSync(join(dir, 'adapter_config.json'), JSON.stringify(config));
    return readAdapterConfig(dir);
  };
  for (const [field, value] of Object.entries(adapter.refused))
    expect(await problemOf(() => read({ [field]: value }))).toContain(`adapter_config.json: ${field} is `);
  for (const pattern of ['rank_pattern', 'alpha_pattern'])
    for (const wrong of ['x', [1], { q_proj: 0 }, { q_proj: 'x' }])
      expect(await problemOf(() => read({ [pattern]: wrong }))).toContain(`${pattern} is `);
  for (const flag of ['use_rslora', 'use_dora'])
    expect(await problemOf(() => read({ [flag]: 'x' }))).toContain(`${flag} is "x"`);
  const { options } = await read({});
  expect(await read(Object.fromEntries(adapter.idle.map((field) => [field, 'x'])))).toEqual({ options, base: dir });
  expect((await read({ use_rslora: true })).options.rankStabilized).toBe(true);
  for (const start of ['olora', 'corda', 'loftq', 'lora_ga', 'mica', 'pissa_niter_4'])
    expect(await problemOf(() => read({ init_lora_weights: start }))).toContain('init_lora_weights is ');
  // A field of a version to come is refused unless it is off.
  expect(await problemOf(() => read({ use_something: false, another: null }))).toBe('loads');
  expect(await problemOf(() => read({ use_something: 2 }))).toContain('use_something is 2');
});
