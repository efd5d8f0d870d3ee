import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { composed } from './composed.js';
import { newFolder } from '@bowyer/testing';
import { warmStartHash, type WarmStartConfig } from '../src/agent/warm-start/warm-start.js';
import { schemaOf } from '../src/config/units.js';
import { resolvedConfig } from '../src/context/resolved-config.js';

const hash = async (configName: string, ...overrides: string[]) => {
  const composition = await composed(configName, ...overrides);
  return warmStartHash(
    resolvedConfig(composition.resolve(), schemaOf(composition)).values as unknown as WarmStartConfig,
  );
};

test('a warm start that is in the cache is found again by a later version of the code', async () => {
  expect(await hash('archer_20q')).toBe('7582f6cd0fa235b7');
});

test('keys that were added later leave the name as it was where they change nothing', async () => {
  expect(await hash('archer_20q', 'demonstrations.ties=drawn')).toBe(await hash('archer_20q'));
  expect(await hash('archer_20q', 'demonstrations.ties=first')).not.toBe(await hash('archer_20q'));
  expect(await hash('archer_20q', 'warm_start.observation_weight=0.1')).not.toBe(await hash('archer_20q'));
});

test('what decides the weights decides the name, what does not decide them does not', async () => {
  expect(await hash('chai_20q', 'iterations=7', 'env.word_choice=bySeed')).toBe(await hash('archer_20q'));
  expect(await hash('archer_20q', 'env.words=full')).not.toBe(await hash('archer_20q'));
  expect(await hash('archer_20q', 'env=coin', 'env.fold=dev')).not.toBe(await hash('archer_20q', 'env=coin'));
});

test.each([
  ['demonstrations', 'demonstrations.path'],
  ['tasks to play', 'env=mcp', 'env.tasks'],
])('%s from a file are distinguished by the contents of the file', async (_, ...keys) => {
  const directory = newFolder();
  const file = join(directory, 'games.json');
  const hashOf = async (text: string) => {
    await writeFile(file, text);
    return hash('archer_20q', ...keys.slice(0, -1), `${keys.at(-1)}='${file}'`);
  };
  expect(await hashOf('[]')).not.toBe(await hashOf('[{}]'));
  expect(await hashOf('[]')).toBe(await hashOf('[]'));
});

test('files within a folder of tasks, and those of the members of a mixture, decide the name', async () => {
  const directory = newFolder();
  await mkdir(join(directory, 'five', 'solution'), { recursive: true });
  await writeFile(join(directory, 'five', 'task.toml'), '');
  const solution = join(directory, 'five', 'solution', 'solve.sh');
  const lines = join(directory, 'lines.jsonl');
  for (const [file, overrides] of [
    [solution, ['env=harbor', `env.tasks='${directory}'`]],
    [solution, ['env=mixture', `env.envs=[{name:harbor,tasks:'${directory}'},maze]`]],
    [lines, ['env=mixture', `env.envs=[{name:code,data:'${lines}'},maze]`]],
  ] as const) {
    const hashOf = async (text: string) => {
      await writeFile(file, text);
      return hash('archer_20q', ...overrides);
    };
    expect(await hashOf('echo 5')).not.toBe(await hashOf('echo 6'));
    expect(await hashOf('echo 5')).toBe(await hashOf('echo 5'));
  }
});

test('a text that is too long for the name of a file is a text', async () => {
  expect(await hash('archer_20q', 'env=code', `env.instruction=${'a'.repeat(300)}`)).toMatch(/^[0-9a-f]{16}$/);
});

test('the architecture decides the weights; as GPT-2 the name stays as it was without the key', async () => {
  expect(await hash('archer_20q', 'policy.model_type=llama')).not.toBe(await hash('archer_20q'));
  expect(await hash('archer_20q', 'policy.model_type=gpt2')).toBe(await hash('archer_20q'));
});

test('optimizer and schedule decide the weights; at their defaults the name stays as it was without them', async () => {
  expect(await hash('archer_20q', 'warm_start.schedule.kind=cosine')).not.toBe(await hash('archer_20q'));
  expect(await hash('archer_20q', 'optimizer=sgd')).not.toBe(await hash('archer_20q'));
  expect(await hash('archer_20q', 'optimizer=sgd', 'optimizer.momentum=0.5')).not.toBe(
    await hash('archer_20q', 'optimizer=sgd'),
  );
  expect(await hash('archer_20q', 'warm_start.warmup_steps=20', 'lm_schedule.kind=cosine')).toBe(
    await hash('archer_20q'),
  );
});
