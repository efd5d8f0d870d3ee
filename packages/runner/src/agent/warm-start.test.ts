import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compose, registerResolver } from '@bowyer/config';
import { toRunConfig, type RunConfigYaml } from '../config/keys.js';
import { warmStartHash } from './warm-start.js';

const configDir = fileURLToPath(new URL('../../../configs', import.meta.url));
registerResolver('first', (...values) => values.find((value) => value !== null) ?? null);
const hash = (configName: string, ...overrides: string[]) => {
  const composition = compose({ configDirs: [{ dir: configDir }], configName, overrides });
  return warmStartHash(toRunConfig(composition.resolve() as unknown as RunConfigYaml));
};

test('a warm start made before the environments had schemas of their own is still found in the cache', () => {
  expect(hash('archer_20q')).toBe('75ae91d66e2900e8');
});

test('what decides the weights decides the name, what does not decide them does not', () => {
  expect(hash('chai_20q', 'iterations=7', 'env.word_choice=bySeed')).toBe(hash('archer_20q'));
  expect(hash('archer_20q', 'env.words=full')).not.toBe(hash('archer_20q'));
  expect(hash('archer_20q', 'env=coin', 'env.timeout_ms=7')).toBe(hash('archer_20q', 'env=coin'));
  expect(hash('archer_20q', 'env=coin', 'env.fold=dev')).not.toBe(hash('archer_20q', 'env=coin'));
});

test('demonstrations from a file are told apart by what the file holds', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bowyer-warm-start-'));
  try {
    const file = join(directory, 'games.json');
    const hashOf = async (text: string) => {
      await writeFile(file, text);
      return hash('bc_20q', `demonstrations.path='${file}'`);
    };
    expect(await hashOf('[]')).not.toBe(await hashOf('[{}]'));
    expect(await hashOf('[]')).toBe(await hashOf('[]'));
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('the architecture decides the weights; as GPT-2 the name stays as it was without the key', () => {
  expect(hash('archer_20q', 'policy.model_type=llama')).not.toBe(hash('archer_20q'));
  expect(hash('archer_20q', 'policy.model_type=gpt2')).toBe(hash('archer_20q'));
});

test('optimizer and schedule decide the weights; at their defaults the name stays as it was without them', () => {
  expect(hash('archer_20q', 'warm_start.schedule.kind=cosine')).not.toBe(hash('archer_20q'));
  expect(hash('archer_20q', 'optimizer=sgd')).not.toBe(hash('archer_20q'));
  expect(hash('archer_20q', 'optimizer=sgd', 'optimizer.betas=[0.5,0.5]')).toBe(hash('archer_20q', 'optimizer=sgd'));
  expect(hash('archer_20q', 'warm_start.warmup_steps=20', 'lm_schedule.kind=cosine')).toBe(hash('archer_20q'));
});
