import { recordedConfig } from './recorded-config.js';

const of02 = {
  agentType: 'archer',
  task: 'train',
  seed: 3,
  device: 'cpu',
  lmLr: 1e-5,
  epochs: 20,
  rolloutSize: 32,
  gamma: 0.95,
  lmSchedule: { kind: 'linear', warmupSteps: 2 },
  slots: 8,
  policyLm: null,
  policy: { modelType: 'gpt2', nLayer: 2 },
  maxNewTokens: 17,
  chatTemplateKwargs: {},
  env: { name: 'twenty_questions', words: 'full' },
};

test('a recorded config of version 0.2 is converted to the present nodes', () => {
  expect(recordedConfig(JSON.stringify(of02))).toEqual({
    task: { name: 'train' },
    seed: 3,
    device: { kind: 'cpu' },
    algorithm: {
      name: 'archer',
      actor: { lr: 1e-5, schedule: { kind: 'linear', warmupIterations: 2 } },
      critic: { steps: 20 },
      rollout: { size: 32 },
      gamma: 0.95,
    },
    play: { slots: 8 },
    policy: { modelType: 'gpt2', nLayer: 2, model: null },
    sampling: { maxNewTokens: 17 },
    chat: { templateKwargs: {} },
    env: { name: 'twenty_questions', words: 'full' },
  });
});

test('a flat name is that of an option of its task and of its algorithm', () => {
  const bc = { agentType: 'bc', task: 'train', epochs: 3, batchSize: 8, dropout: true };
  expect(recordedConfig(JSON.stringify(bc))).toMatchObject({
    algorithm: { name: 'bc', epochs: 3, batch: { size: 8 }, actor: { dropout: true } },
  });
  const finetune = { task: 'finetune', model: 'm', epochs: 3, batchSize: 8, dropout: true };
  expect(recordedConfig(JSON.stringify(finetune))).toEqual({
    task: { name: 'finetune', model: 'm', epochs: 3, batchSize: 8, dropout: true },
  });
});

test('the warm-up of version 0.3.0 is one of iterations where the algorithm counts them', () => {
  const recorded = (name: string) =>
    recordedConfig(JSON.stringify({ algorithm: { name, actor: { schedule: { kind: 'linear', warmupSteps: 2 } } } }));
  expect(recorded('grpo').algorithm?.actor?.schedule).toEqual({ kind: 'linear', warmupIterations: 2 });
  expect(recorded('bc').algorithm?.actor?.schedule).toEqual({ kind: 'linear', warmupSteps: 2 });
});

test('a recorded config of the present version is not changed', () => {
  const record = { task: { name: 'train' }, device: { kind: 'cpu' }, play: { slots: 8 }, algorithm: { name: 'bc' } };
  expect(recordedConfig(JSON.stringify(record))).toEqual(record);
});
