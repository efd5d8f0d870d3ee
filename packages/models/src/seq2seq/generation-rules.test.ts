import { bart } from './bart.js';
import { generationRules } from './generation-rules.js';

const config = { model_type: 'bart', vocab_size: 9, forced_bos_token_id: 0, forced_eos_token_id: 2 };

test('tokens are forced as config.json says where it stands alone, else as generation_config.json says', () => {
  const architecture = bart(config, new Set());
  expect(generationRules(architecture)).toMatchObject({ forcedBosId: 0, forcedEosId: 2, eosIds: [2], padId: 1 });
  const other = { eos_token_id: [2, 5], forced_bos_token_id: 4 };
  expect(generationRules(architecture, other)).toMatchObject({
    forcedBosId: 4,
    forcedEosId: null,
    eosIds: [2, 5],
    padId: 1,
  });
});
