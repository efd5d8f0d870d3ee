import { pricedName } from './endpoints.js';

test('a price belongs to the name on the hub, though the model is read from its cache', () => {
  expect(pricedName('/home/me/.cache/huggingface/hub/models--Qwen--Qwen3-0.6B/snapshots/c1899de289a0')).toBe(
    'Qwen/Qwen3-0.6B',
  );
  expect(pricedName('C:\\hub\\models--own--a-model\\snapshots\\0123')).toBe('own/a-model');
  expect(pricedName('runs/mine')).toBe('runs/mine');
  expect(pricedName('https://api.openai.com/v1#gpt-5')).toBe('gpt-5');
});
