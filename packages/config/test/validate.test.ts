import { compose, ConfigError, findViolations, validate, type JsonSchema } from '../src/index.js';
import { temporaryTree } from './temporary-tree.js';

const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['algorithm', 'seed', 'steps'],
  properties: {
    seed: { type: 'integer', minimum: 0 },
    steps: { type: 'integer', default: 100 },
    device: { enum: ['cpu', 'cuda', 'webgpu'] },
    limit: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    layers: { type: 'array', items: { type: 'integer' } },
    algorithm: {
      type: 'object',
      additionalProperties: false,
      properties: {
        name: { type: 'string' },
        clip_range: { type: 'number', exclusiveMinimum: 0 },
        lr: { type: 'number' },
      },
    },
  },
};

const good = {
  'config.yaml': 'defaults:\n  - algorithm: ppo\n  - _self_\n\nseed: 1\nsteps: 10\n',
  'algorithm/ppo.yaml': 'name: ppo\nclip_range: 0.2\n',
};

async function report(files: Record<string, string>, overrides: string[] = []) {
  const root = temporaryTree(files);
  const composition = compose({ configDirs: [root], configName: 'config', overrides, env: {} });
  const violations = await findViolations(composition, schema);
  return { composition, violations, texts: violations.map(({ message }) => message.replaceAll(root, 'ROOT')), root };
}

test('a config that fits passes', async () => {
  const { composition, violations } = await report(good);
  expect(violations).toEqual([]);
  await expect(validate(composition, schema)).resolves.toBeUndefined();
});

test('an unknown key names its file, its line and the nearest known key', async () => {
  const { texts, violations } = await report({ ...good, 'algorithm/ppo.yaml': 'name: ppo\nclip_rnage: 0.2\n' });
  expect(texts).toEqual([
    [
      `Unknown config key 'algorithm.clip_rnage'`,
      '  in ROOT/algorithm/ppo.yaml:2',
      `  did you mean 'algorithm.clip_range'?`,
      `  to remove it, write '~algorithm.clip_rnage'`,
    ].join('\n'),
  ]);
  expect(violations[0]).toMatchObject({
    keyPath: 'algorithm.clip_rnage',
    nearest: 'algorithm.clip_range',
    line: 2,
    column: 1,
  });
});

test.each([
  ['seed=9007199254740993', "'seed' must be at most 9007199254740991, not 9007199254740993"],
  ['seed=9223372036854775807', "'seed' must be at most 9007199254740991, not 9223372036854775807"],
  ['seed=-9223372036854775809', "'seed' must be at least 0, not -9223372036854775809"],
  ['steps=-9223372036854775809', "'steps' must be at least -9007199254740991, not -9223372036854775809"],
  ['seed=1e18', "'seed' must be at most 9007199254740991, not 1000000000000000000"],
  ['+layers=[1,9007199254740992]', "'layers[1]' must be at most 9007199254740991, not 9007199254740992"],
  ['+limit=9007199254740992', "'limit' must be at most 9007199254740991, not 9007199254740992"],
  ['algorithm.clip_range=-9007199254740992', "'algorithm.clip_range' must be more than 0, not -9007199254740992"],
  ['+algorithm.lr=9007199254740992', "'algorithm.lr' must be at most 9007199254740991, not 9007199254740992"],
])('%s: %s', async (override, message) => {
  const { texts } = await report(good, [override]);
  expect(texts).toEqual([expect.stringContaining(`Config key ${message}`)]);
});

test('the largest integers are in bounds', async () => {
  const { texts } = await report(good, ['seed=9007199254740991', 'steps=-9007199254740991', '+limit=1e300']);
  expect(texts).toEqual([]);
});

test('everything is reported at once, in the order of the config', async () => {
  const { texts } = await report(good, [
    'algorithm.clip_range=0',
    'seed=-1',
    '+device=cdua',
    '+layers=[1,x]',
    '+limit=much',
    '~steps',
  ]);
  expect(texts).toEqual([
    [
      `Config key 'algorithm.clip_range' must be more than 0, not 0`,
      '  in command line: algorithm.clip_range=0',
      '  where it replaces 0.2 of ROOT/algorithm/ppo.yaml:2',
      `  to change it, write 'algorithm.clip_range=…'`,
    ].join('\n'),
    [
      `Config key 'seed' must be at least 0, not -1`,
      '  in command line: seed=-1',
      '  where it replaces 1 of ROOT/config.yaml:5',
      `  to change it, write 'seed=…'`,
    ].join('\n'),
    [
      `Config key 'device' must be one of 'cpu', 'cuda', 'webgpu', not the text 'cdua'`,
      '  in command line: +device=cdua',
      `  did you mean 'cuda'?`,
      `  to change it, write 'device=cuda'`,
    ].join('\n'),
    [
      `Config key 'layers[1]' must be an integer, not the text 'x'`,
      '  in command line: +layers=[1,x]',
      `  to change it, write 'layers.1=…'`,
    ].join('\n'),
    [
      `Config key 'limit' must be a number, or null, not the text 'much'`,
      '  in command line: +limit=much',
      `  to change it, write 'limit=…'`,
    ].join('\n'),
    [`Missing config key 'steps'`, `  to give it, write '+steps=100'`].join('\n'),
  ]);
});

test('a computed value is validated by its result and reported at its interpolation', async () => {
  const { texts } = await report({
    ...good,
    'config.yaml': good['config.yaml'].replace('seed: 1', 'seed: ${algorithm.name}'),
  });
  expect(texts).toEqual([
    [
      `Config key 'seed' must be an integer, not the text 'ppo'`,
      `  in ROOT/config.yaml:5, computed from '\${algorithm.name}'`,
      `  to change it, write 'seed=…'`,
    ].join('\n'),
  ]);
});

test('values that are ??? or cannot be computed are reported with all other errors', async () => {
  const { texts, violations } = await report(
    { ...good, 'config.yaml': good['config.yaml'].replace('seed: 1', 'seed: ???').replace('10', '${nope}') },
    ['+device=x'],
  );
  expect(violations.map(({ keyPath }) => keyPath)).toEqual(['seed', 'steps', 'device']);
  expect(texts[0]).toBe(
    [`Config key 'seed' must be given (it is ???)`, '  in ROOT/config.yaml:5', `  to give it, write 'seed=…'`].join(
      '\n',
    ),
  );
  expect(texts[1]).toContain(`Interpolation key 'nope' not found, needed by 'steps'`);
});

test('validate throws them all as one ConfigError', async () => {
  const { composition } = await report(good, ['seed=-1', '+zzz=1']);
  const error: unknown = await validate(composition, schema).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  expect(error).toMatchObject({
    kind: 'validation',
    keyPath: 'seed',
    summary: 'The config breaks its schema in 2 places',
  });
  expect((error as ConfigError).violations).toHaveLength(2);
  expect((error as ConfigError).message).toContain(`Unknown config key 'zzz'`);
});

test('of alternatives distinguished by a constant, the intended one is reported', async () => {
  const either: JsonSchema = {
    type: 'object',
    properties: {
      env: {
        anyOf: [
          {
            type: 'object',
            additionalProperties: false,
            properties: { name: { const: 'a' }, size: { type: 'integer' } },
          },
          {
            type: 'object',
            additionalProperties: false,
            properties: { name: { const: 'b' }, width: { type: 'integer' } },
          },
        ],
      },
    },
  };
  const root = temporaryTree({ 'config.yaml': 'env: {name: b, widht: 3}\n' });
  const [violation, ...rest] = await findViolations(
    compose({ configDirs: [root], configName: 'config', overrides: [] }),
    either,
  );
  expect(rest).toEqual([]);
  expect(violation).toMatchObject({ keyPath: 'env.widht', nearest: 'env.width' });
});
