// Tests fields of config.json that model families write in several ways.
import { architectureFor } from './architectures.js';
import { allFamilies } from '../decoder/all-families.js';
import { rotaryShare } from '../decoder/families/gpt-neox.js';
import { FamilyConfig } from '../decoder/family.js';
import { gpt2Config } from '../decoder/gpt2-config.js';

test('GPT-NeoX: how much of a head turns, in each spelling of the file', () => {
  const sizes = { hidden_size: 32, num_attention_heads: 4 };
  const config = (json: object) => new FamilyConfig('gpt_neox', allFamilies.gpt_neox, { ...sizes, ...json });
  const rotary = (json: object) => config(json).rotary({ share: rotaryShare(config(json)) }).frequencies;
  expect(rotary({})).toHaveLength(1); // a quarter of eight columns, in pairs
  expect(rotary({ rotary_pct: 1, rotary_emb_base: 100 })).toHaveLength(4);
  expect(rotary({ partial_rotary_factor: 0.5 })).toHaveLength(1); // the class does not read the field at the top level
  const rope_parameters = { rope_type: 'default', rope_theta: 100, partial_rotary_factor: 0.5 };
  expect(rotary({ rope_parameters, rotary_pct: 1 })).toEqual(rotary({ rotary_pct: 0.5, rotary_emb_base: 100 }));
  const llama = { model_type: 'llama', rope_parameters };
  expect(() => architectureFor(llama)).toThrow('rope_parameters.partial_rotary_factor is 0.5, which is not supported');
});

test('GPT-2 under the names of other models', () => {
  const sizes = { hidden_size: 8, num_attention_heads: 2, num_hidden_layers: 3, max_position_embeddings: 16 };
  expect(gpt2Config(sizes)).toMatchObject({ n_embd: 8, n_head: 2, n_layer: 3, n_positions: 16 });
});
