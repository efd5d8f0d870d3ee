import { environmentKeys, environmentProblems, optionsWithKeys, readsKey } from './config-keys.js';
import { environmentInfo, environmentNames, withDefaults } from './registry.js';

const optionsOf = (name: string, changes: object = {}) => withDefaults(environmentInfo(name).schema, changes, name);
const problems = (name: string, changes: object, keys: object = {}) =>
  environmentProblems(name, optionsOf(name, changes), keys as Record<string, unknown>);

test('keys outside the env node that some environment reads', () => {
  expect(environmentKeys().sort()).toEqual([
    'env_idx',
    'env_load_path',
    'env_server_base',
    'webshop_lower',
    'webshop_upper',
  ]);
});

test.each([
  ['maze', {}, { env_idx: 3 }, 'game', 3],
  ['textcraft', {}, { env_idx: 3 }, 'goal', 3],
  ['twenty_questions', {}, { env_idx: 3 }, 'envIdx', 3],
  ['adventure', {}, { env_load_path: 'a.z5' }, 'story', 'a.z5'],
  ['twenty_questions', { oracle: 't5' }, { env_load_path: 'a' }, 'oracleModel', 'a'],
  ['guess_my_city', { oracle: 't5' }, { env_load_path: 'a' }, 'oracleModel', 'a'],
  ['webshop', { backend: 'site' }, { env_load_path: 'http://a' }, 'baseUrl', 'http://a'],
  ['webshop', { backend: 'site' }, { webshop_lower: 5 }, 'webshopLower', 5],
  ['webshop', {}, { env_load_path: 'http://a' }, 'baseUrl', null],
  ['webarena', {}, { env_server_base: 'http://a' }, 'baseUrl', 'http://a'],
  ['textcraft', { backend: 'agentgym' }, { env_server_base: 'http://a' }, 'baseUrl', 'http://a'],
  ['textcraft', {}, { env_server_base: 'http://a' }, 'baseUrl', null],
  ['maze', { game: 4 }, { env_idx: null }, 'game', 4],
])('%s %j with %j has %s %j', (name, changes, keys, option, value) => {
  expect(optionsWithKeys(name, optionsOf(name, changes), keys)[option]).toBe(value);
});

test('whether a key is read depends on the options', () => {
  expect(readsKey('webshop', 'env_load_path', optionsOf('webshop'))).toBe(false);
  expect(readsKey('webshop', 'env_load_path', optionsOf('webshop', { backend: 'site' }))).toBe(true);
  expect(readsKey('coin', 'env_idx', optionsOf('coin'))).toBe(false);
});

test('a shop’s address for the embedded shop is refused, with what to write', () => {
  expect(problems('webshop', {}, { env_load_path: 'http://127.0.0.1:3000' })).toEqual([
    {
      key: 'env_load_path',
      message:
        'env_load_path: webshop reads it only with env.backend=site or env.backend=agentgym; env.backend is embedded',
      remedy: 'write env.backend=site, or leave env_load_path out',
      unreadFor: 'env.backend',
    },
  ]);
});

test('a key of other environments is refused, with their names', () => {
  expect(problems('coin', {}, { env_idx: 3 })).toEqual([
    {
      key: 'env_idx',
      message: 'env_idx: coin does not read it',
      remedy: 'leave it out; environments that read it: guess_my_city, maze, textcraft, twenty_questions',
    },
  ]);
});

test.each([
  ['maze', { game: 1 }, { env_idx: 2 }, 'env_idx', 'env_idx is 2, but env.game is 1'],
  [
    'webshop',
    { backend: 'agentgym' },
    { env_load_path: 'http://a', env_server_base: 'http://b' },
    'env_server_base',
    'env_server_base is http://b, but env_load_path is http://a',
  ],
])('%s: two different values of one option are refused', (name, changes, keys, key, message) => {
  const remedy = 'they are two names of the same option: give one of them';
  expect(problems(name, changes, keys)).toEqual([{ key, message, remedy }]);
});

test.each([
  ['maze', { game: 2 }, { env_idx: 2 }],
  ['twenty_questions', { oracle: 'openai', oracleUrl: 'http://a', oracleModel: 'm' }, {}],
  ['webshop', { backend: 'site', baseUrl: 'http://a' }, {}],
])('%s %j with %j has no problem', (name, changes, keys) => {
  expect(problems(name, changes, keys)).toEqual([]);
});

test.each([
  ['sciworld', { baseUrl: 'http://a', jar: 'a.jar' }, 'env.jar', 'env.backend=java'],
  ['webshop', { baseUrl: 'http://a' }, 'env.base_url', 'env.backend=site or env.backend=agentgym'],
  ['twenty_questions', { oracleUrl: 'http://a' }, 'env.oracle_url', 'env.oracle=openai'],
  ['alfworld', { games: 'a', taskTypes: ['pick_and_place_simple'] }, 'env.task_types', 'env.games=null'],
])('%s %j: an option that nothing reads', (name, changes, key, wanted) => {
  const [problem, ...others] = problems(name, changes);
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ key, message: expect.stringContaining(`reads it only with ${wanted}; `) });
});

test('a server without an address', () => {
  expect(problems('webarena', {})).toEqual([
    {
      key: 'env.base_url',
      message: 'env.base_url is null: webarena is played on a server, and none is named',
      remedy: 'give its address: env.base_url=http://HOST:PORT, or env_server_base=http://HOST:PORT as in AgentGym',
    },
  ]);
  expect(problems('webarena', {}, { env_server_base: 'http://a' })).toEqual([]);
});

test.each(environmentNames())('%s: what its unit names is among its options', (name) => {
  const { schema, keys = {}, readWith = {}, replayOptions = {}, demonstrations } = environmentInfo(name);
  const named = [
    ...Object.values(keys).flatMap(({ option, readWith: condition = {} }) => [option, ...Object.keys(condition)]),
    ...Object.entries(readWith).flatMap(([option, condition]) => [option, ...Object.keys(condition!)]),
    ...Object.keys(replayOptions),
    ...((demonstrations?.independentOf ?? []) as string[]),
  ];
  expect(named.filter((option) => !Object.hasOwn(schema.properties, option))).toEqual([]);
  for (const { option } of Object.values(keys)) expect(schema.properties[option].default).toBeNull();
});
