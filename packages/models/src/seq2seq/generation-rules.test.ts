import { bart } from './bart.js';
import { generationRules } from './generation-rules.js';
import { t5 } from './t5.js';

const config = { model_type: 'bart', vocab_size: 9, forced_bos_token_id: 0, forced_eos_token_id: 2 };

test('tokens are forced as config.json says where it stands alone, else as generation_config.json says', () => {
  const architecture = bart(config);
  expect(generationRules(architecture)).toMatchObject({ forcedBosId: 0, forcedEosId: 2, eosIds: [2], padId: 1 });
  const other = { eos_token_id: [2, 5], forced_bos_token_id: 4 };
  expect(generationRules(architecture, other)).toMatchObject({
    forcedBosId: 4,
    forcedEosId: null,
    eosIds: [2, 5],
    padId: 1,
  });
});

test('a T5 head of its own, in the spelling of transformers 4 and of 5', () => {
  const head = (json: object) =>
    t5({ model_type: 't5', ...json }).parameters.some(({ name }) => name === 'lm_head.weight');
  expect(head({})).toBe(false);
  expect(head({ tie_word_embeddings: false })).toBe(true);
  expect(head({ tie_word_embeddings: true, scale_decoder_outputs: true })).toBe(false);
  const newer = { tie_word_embeddings: true, scale_decoder_outputs: false };
  expect(head(newer)).toBe(true);
  expect(head({ model_type: 'mt5', tie_word_embeddings: true, transformers_version: '4.30.0' })).toBe(false);
  expect(head({ model_type: 'mt5', tie_word_embeddings: true, transformers_version: '5.1.0' })).toBe(true);

  const shared = { shape: [1, 2], data: Float32Array.of(1, 2) };
  const own = { shape: [1, 2], data: Float32Array.of(3, 4) };
  const headOf = (json: object, tensors: object) =>
    t5({ model_type: 't5', ...json }).fromFile({ 'shared.weight': shared, ...tensors })['lm_head.weight'];
  expect(headOf(newer, { 'lm_head.weight': own })).toBe(own);
  expect(headOf(newer, {})).toBe(shared);
  expect(headOf({ tie_word_embeddings: false }, {})).toBeUndefined(); // the loader reports it as missing
});
