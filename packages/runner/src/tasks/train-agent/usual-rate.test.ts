import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { usualRate } from './usual-rate.js';

const folder = newFolder();

async function rate(config: object, usesLora = false) {
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  return usualRate(folder, usesLora);
}

test('the rate falls with the width, and is ten times as high for adapters', async () => {
  expect(await rate({ hidden_size: 64 })).toEqual({
    lr: 1e-4,
    text: 'learning rate 0.0001: all weights of a model 64 wide',
  });
  expect((await rate({ n_embd: 768 })).lr).toBe(8.3e-6); // 0.0064 / 768
  expect((await rate({ n_embd: 768 }, true)).lr).toBe(8.3e-5);
  expect((await rate({ text_config: { hidden_size: 2048 } })).lr).toBe(3.1e-6);
  expect((await rate({ hidden_size: 32 }, true)).lr).toBe(1e-3); // the upper bound
});

test('a model whose config has no width needs a learning rate', async () => {
  await expect(rate({ model_type: 'own' })).rejects.toThrow(
    'names no width (hidden_size)\n  give the learning rate: algorithm.actor.lr=1e-5',
  );
});
