// Tests that a config.json with nothing but sizes gets the family's own defaults, as in transformers 5.18. record-defaults.py recorded
// decoders, packages/models/test/record-transformers.py the classes of encoders and encoder-decoders.
import { readFileSync } from 'node:fs';
import type { ConfigJson } from '@bowyer/checkpoints';
import { openDevice } from '@bowyer/graph';
import { allFamilies } from '../src/decoder/all-families.js';
import { encoderConfigFromJson } from '../src/encoder/encoder-config.js';
import { architectureFor } from '../src/language-model/architectures.js';
import { bartConfig } from '../src/seq2seq/bart-config.js';
import { t5Config } from '../src/seq2seq/t5-config.js';
import { TokenScorer } from '../src/training/token-scorer.js';
import { formulaWeights, tokenIds } from './families/formula-weights.js';

interface Recording {
  config: ConfigJson & { model_type: string; vocab_size: number };
  /** The fields of the class. `rope_theta` is the default for a file without one. */
  fields: Record<string, unknown>;
  logprobs: number[];
}

const read = <T>(file: string) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as T;
const recordings = read<Recording[]>('family-defaults.json');

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

/** transformers cannot make these of sizes alone: their classes have no defaults for rope_theta and layer_types. */
const INCOMPLETE = ['lfm2_moe', 'ministral'];
const OURS = ['canon_llama', 'smeared_llama'];

test('every family has a recording', () => {
  const types = [...recordings.map(({ config }) => config.model_type), ...INCOMPLETE, ...OURS];
  expect(types.sort()).toEqual(Object.keys(allFamilies).sort());
});

/** The tensors of these families have other names in files; decoder-fields.test.ts tests them with sizes alone. */
const renamed = ['gpt2', 'gpt_neox'];
const named = recordings.map((one) => [one.config.model_type, one] as const);

test.each(named.filter(([type]) => !renamed.includes(type)))(
  '%s of sizes alone: the log-probabilities of transformers',
  async (type, { config, logprobs }) => {
    const architecture = architectureFor(config);
    const parameters = await device.createState(formulaWeights(architecture.parameters));
    const scorer = new TokenScorer({ device, architecture, parameters, maskedTokenIds: [], padTokenId: 0 });
    const [ids, targets] = ['ids', 'targets'].map((name) =>
      Int32Array.from(tokenIds(name, logprobs.length, config.vocab_size)),
    );
    const [scores] = await scorer.logprobs([{ ids, targets, weights: new Float32Array(ids.length).fill(1) }]);
    const difference = Math.max(...logprobs.map((x, i) => Math.abs(scores[i] - x)));
    expect({ type, difference: difference < 1e-3 ? 0 : difference }).toEqual({ type, difference: 0 });
  },
);

test.each(named)('%s: the values of what is left out', (type, { fields }) => {
  const { defaults, aliases = {} } = allFamilies[type];
  const nameOf = (key: string) => Object.keys(aliases).find((alias) => aliases[alias] === key) ?? key;
  const theirs = (key: string) => fields[key] ?? fields[nameOf(key)];
  const known = Object.entries(defaults).filter(
    ([key, value]) => theirs(key) !== undefined && typeof value !== 'object',
  );
  expect(Object.fromEntries(known)).toEqual(Object.fromEntries(known.map(([key]) => [key, theirs(key)])));
});

const classes = read<Record<string, { fields: Record<string, unknown> }>>('./recordings/config-fields.json');

const readers: Record<string, (config: ConfigJson) => unknown> = {
  ...Object.fromEntries(['t5', 'mt5'].map((type) => [type, (config: ConfigJson) => t5Config(config, new Set())])),
  ...Object.fromEntries(
    ['bart', 'marian', 'pegasus'].map((type) => [type, (config: ConfigJson) => bartConfig(config, new Set())]),
  ),
};

/** Sizes. */
const GIVEN = [
  'vocab_size',
  'pad_token_id',
  'eos_token_id',
  'decoder_start_token_id',
  'max_position_embeddings',
  'hidden_size',
  'intermediate_size',
  'num_hidden_layers',
  'num_attention_heads',
  'dim',
  'hidden_dim',
  'n_layers',
  'n_heads',
];

test.each(Object.keys(classes))('%s: what is left out is read as the values of its class', (type) => {
  const fields = Object.fromEntries(Object.entries(classes[type].fields).filter(([, value]) => value !== null));
  const given = Object.fromEntries(Object.entries(fields).filter(([key]) => GIVEN.includes(key)));
  const reader = readers[type] ?? encoderConfigFromJson;
  const config = { ...given, model_type: type };
  expect(reader(config)).toEqual(reader({ ...fields, ...config }));
});
