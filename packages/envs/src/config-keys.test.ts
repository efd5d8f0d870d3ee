import { environmentProblems } from './config-keys.js';
import { environmentInfo, environmentNames, withDefaults } from './registry.js';

const optionsOf = (name: string, changes: object = {}) => withDefaults(environmentInfo(name).schema, changes, name);
const problems = (name: string, changes: object) => environmentProblems(name, optionsOf(name, changes));

test('a site’s address with the embedded shop is refused with the key to change', () => {
  expect(problems('webshop', { baseUrl: 'http://127.0.0.1:3000' })).toEqual([
    {
      key: 'env.base_url',
      message:
        'env.base_url: webshop reads it only with env.backend=site or env.backend=agentgym; env.backend is embedded',
      remedy: 'write env.backend=site, or leave env.base_url out',
      unreadFor: 'env.backend',
    },
  ]);
});

test.each([
  ['twenty_questions', { oracle: 'openai', oracleUrl: 'http://a', oracleModel: 'm' }],
  ['webshop', { backend: 'site', baseUrl: 'http://a', webshopLower: 5 }],
])('%s %j has no problem', (name, changes) => {
  expect(problems(name, changes)).toEqual([]);
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
      remedy: 'give its address: env.base_url=http://HOST:PORT',
    },
  ]);
  expect(problems('webarena', { baseUrl: 'http://a' })).toEqual([]);
});

test.each(environmentNames())('%s: what its unit names is among its options', (name) => {
  const { schema, config = {}, replay = {}, demonstrations } = environmentInfo(name);
  const { flatNames = {}, readWith = {} } = config;
  const named = [
    ...Object.values(flatNames),
    ...Object.entries(readWith).flatMap(([option, condition]) => [option, ...Object.keys(condition!)]),
    ...Object.keys(replay.options ?? {}),
    ...((demonstrations?.independentOf ?? []) as string[]),
  ];
  expect(named.filter((option) => !Object.hasOwn(schema.properties, option))).toEqual([]);
});
