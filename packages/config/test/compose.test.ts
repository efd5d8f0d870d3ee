// Tests composed configs, the origin of each value, and the whole text of the messages.
import {
  compose,
  ConfigError,
  expandSweep,
  registerResolver,
  sweepDimensions,
  type ComposeOptions,
  type Composition,
} from '../src/index.js';
import { clearResolver } from '../src/interpolation/resolvers.js';
import { temporaryTree } from './temporary-tree.js';

const tree = {
  'config.yaml': 'defaults:\n  - agent: ppo\n  - _self_\n\nseed: 1\nnote: run_${agent.name}\n',
  'agent/ppo.yaml': 'name: ppo\nlr: 0.0003\n',
  'agent/dqn.yaml': 'name: dqn\nlr: 0.0001\n',
};

interface Composed {
  composition: Composition;
  root: string;
}

function composed(
  overrides: string[],
  files: Record<string, string | Uint8Array> = tree,
  more: Partial<ComposeOptions> = {},
): Composed {
  const root = temporaryTree(files);
  return { root, composition: compose({ configDirs: [root], configName: 'config', overrides, env: {}, ...more }) };
}

/** Returns the error of a composition (or of reading its values), with the folder written as ROOT. */
function mistake(
  overrides: string[],
  files: Record<string, string | Uint8Array> = tree,
): { error: ConfigError; text: string } {
  const root = temporaryTree(files);
  try {
    compose({ configDirs: [root], configName: 'config', overrides, env: {} }).resolve();
  } catch (error) {
    if (error instanceof ConfigError) return { error, text: error.message.replaceAll(root, 'ROOT') };
    throw error;
  }
  throw new Error('composes without an error');
}

test('one setting is what the whole config has at its key, also where a text looks like an interpolation', () => {
  const yaml = [
    'home: /data',
    "text: '\\${home} is a variable'",
    "path: '\\\\\\${home}'",
    "linked: '${text}'",
    "joined: '${home}/${text}'",
    "node: { text: '\\${nothing}', list: ['${text}', '${linked}'] }",
    "copy: '${node}'",
    "hydra: { job: { name: '\\${home}' } }",
  ];
  const { composition } = composed([], { 'config.yaml': `${yaml.join('\n')}\n` });
  const resolved = composition.resolve();
  expect(resolved).toMatchObject({
    text: '${home} is a variable',
    path: '\\${home}',
    joined: '/data/${home} is a variable',
    node: { text: '${nothing}', list: ['${home} is a variable', '${home} is a variable'] },
  });
  for (const [key, value] of Object.entries(resolved)) expect([key, composition.setting(key)]).toEqual([key, value]);
  expect(composition.setting('node.text')).toBe('${nothing}');
  expect(composition.setting('copy.list.1')).toBe('${home} is a variable');
  expect(composition.setting('hydra.job.name')).toBe('${home}');
});

test('origin reports the chain of what set a value, newest first', () => {
  const files = { ...tree, 'config.yaml': 'defaults:\n  - agent: ppo\n  - _self_\n\nagent:\n  lr: 0.5\n' };
  const { composition, root } = composed(['agent.lr=1'], files);
  expect(composition.origin('agent.lr')).toEqual([
    { source: 'command line: agent.lr=1', value: 1 },
    { source: `${root}/config.yaml`, line: 6, column: 7, value: 0.5 },
    { source: `${root}/agent/ppo.yaml`, line: 2, column: 5, value: 0.0003 },
  ]);
  expect(composition.origin('agent.zzz')).toEqual([]);
});

test('a file is one config: a second document is refused', () => {
  expect(mistake([], { ...tree, 'agent/ppo.yaml': 'a: 1\n---\nb: 2\n' }).text).toContain(
    'a second document begins here\n  in ROOT/agent/ppo.yaml:2:1\n  keep one document in a file',
  );
});

test('a folder can appear as a group of another name', () => {
  const root = temporaryTree({
    'conf/config.yaml': 'seed: 1\n',
    'experiments/long.yaml': '# @package _global_\nseed: 9\n',
  });
  const composition = compose({
    configDirs: [`${root}/conf`, { dir: `${root}/experiments`, group: 'experiment' }],
    configName: 'config',
    overrides: ['+experiment=long'],
  });
  expect(composition.config).toEqual({ seed: 9 });
  expect(composition.choices).toEqual({ experiment: 'long' });
});

test('composing leaves the loaded files as they are: a second composition starts afresh', () => {
  const root = temporaryTree({ ...tree, 'config.yaml': 'a: &x {k: [1]}\nb: *x\n' });
  const options = { configDirs: [root], configName: 'config', env: {} };
  expect(compose({ ...options, overrides: ['a.k=extend_list(2)'] }).config).toEqual({
    a: { k: [1, 2] },
    b: { k: [1] },
  });
  expect(compose({ ...options, overrides: [] }).config).toEqual({ a: { k: [1] }, b: { k: [1] } });
});

test('integers beyond 2^53 and deep keys survive', () => {
  const { composition } = composed(['+big=123456789012345678901', '+a.b.c={d:[1.0]}', '+__proto__=1']);
  expect(composition.config.big).toBe(123456789012345678901n);
  expect(composition.yaml).toContain('a:\n  b:\n    c:\n      d:\n      - 1.0\n__proto__: 1\n');
  expect(Object.keys(composition.config)).toContain('__proto__');
});

test('a folder that is searched by itself is not a group of the folder around it', () => {
  const root = temporaryTree({
    'conf/config.yaml': 'seed: 1\n',
    'experiments/long.yaml': 'seed: 2\n',
    'experiments/study/experiment/study.yaml': 'seed: 3\n',
    'experiments/study/preset/own.yaml': 'seed: 4\n',
  });
  const { repository } = compose({
    configDirs: [
      `${root}/conf`,
      { dir: `${root}/experiments`, group: 'experiment' },
      { dir: `${root}/experiments/study` },
    ],
    configName: 'config',
    overrides: [],
  });
  expect(repository.groups('')).toEqual(expect.arrayContaining(['experiment', 'preset']));
  expect(repository.groups('experiment')).toEqual([]);
  expect(repository.options('experiment')).toEqual(['long', 'study']);
});

test('a registered resolver gets plain values', () => {
  registerResolver('sum', (...parts) => parts.reduce((sum: number, part) => sum + Number(part), 0));
  try {
    expect(composed([], { 'config.yaml': 'a: 2\nb: ${sum:1,${a},3}\nc: n${sum:1}\n' }).composition.resolve()).toEqual({
      a: 2,
      b: 6,
      c: 'n1',
    });
    expect(() => registerResolver('sum', () => 1)).toThrow(`A resolver named 'sum' exists already`);
  } finally {
    clearResolver('sum');
  }
});

test('now gives one time for the whole run, and cached resolvers one value', () => {
  let calls = 0;
  registerResolver('count', () => ++calls, { cache: true });
  try {
    const { composition } = composed(
      [],
      { 'config.yaml': 'a: ${now:%H:%M}\nb: ${count:}\nc: ${count:}\n' },
      { now: new Date(2024, 0, 6, 19, 5) },
    );
    expect(composition.resolve()).toEqual({ a: '19:05', b: 1, c: 1 });
  } finally {
    clearResolver('count');
  }
});

test('sweep dimensions keep intervals and tags', () => {
  const { composition } = composed([]);
  expect(
    sweepDimensions(['seed=tag(t,int(interval(1,8)))', 'agent=ppo,dqn', 'hydra.job.name=x', 'note=a'], composition),
  ).toEqual([
    { kind: 'interval', key: 'seed', tags: ['t'], start: 1, end: 8, integer: true },
    { kind: 'values', key: 'agent', tags: [], texts: ['agent=ppo', 'agent=dqn'] },
    { kind: 'values', key: 'note', tags: [], texts: ['note=a'] },
  ]);
});

describe('messages', () => {
  test('a mistyped key', () => {
    expect(mistake(['agent.rl=3']).text).toBe(
      [
        `Could not override 'agent.rl': no such key`,
        '  in the command line',
        `  did you mean 'agent.lr'?`,
        `  to add a key that no config declares, write '+agent.rl=3'`,
      ].join('\n'),
    );
  });
  test('a mistyped option', () => {
    expect(mistake([], { ...tree, 'config.yaml': 'defaults:\n  - agent: pp\n' }).text).toBe(
      [
        `In 'config': Could not find 'agent/pp'`,
        '  in ROOT/config.yaml:2:12',
        `  did you mean 'ppo'?`,
        `  available options in 'agent': dqn, ppo`,
        '  config search path:',
        '    provider=hydra, path=pkg://hydra.conf',
        '    provider=main, path=file://ROOT',
        '    provider=schema, path=structured://',
      ].join('\n'),
    );
  });
  test('a choice that must be made', () => {
    expect(mistake([], { ...tree, 'config.yaml': 'defaults:\n  - agent: ???\n' }).text).toBe(
      [
        `You must specify 'agent', for example agent=dqn`,
        '  available options: dqn, ppo',
        '  in ROOT/config.yaml:2:12',
      ].join('\n'),
    );
  });
  test('configs that include each other in a circle are reported', () => {
    const files = {
      'config.yaml': 'defaults:\n  - agent: a\n',
      'agent/a.yaml': 'defaults:\n  - b\n',
      'agent/b.yaml': 'defaults:\n  - a\n',
    };
    const { error, text } = mistake([], files);
    expect(error.kind).toBe('cycle');
    expect(text).toBe(
      [
        'Defaults list cycle: agent/a -> agent/b -> agent/a',
        '  in ROOT/agent/b.yaml:2:5',
        '  remove one of these from the defaults list of the config before it',
      ].join('\n'),
    );
  });
  test('interpolations that refer to each other in a circle are reported', () => {
    expect(mistake([], { 'config.yaml': 'a: ${b}\nb: x${c}\nc: ${a}\n' }).text).toBe(
      [
        'Interpolation cycle: a -> b -> c -> a',
        `  at 'a' in ROOT/config.yaml:1:4`,
        '  give one of these keys a value of its own',
      ].join('\n'),
    );
  });
  test('an interpolation to a mistyped key', () => {
    const { error, text } = mistake([], { 'config.yaml': 'a: {lr: 1}\nx: ${a.rl}\n' });
    expect([error.kind, error.keyPath, error.line]).toEqual(['interpolation-key', 'x', 2]);
    expect(text).toBe(
      [
        `Interpolation key 'a.rl' not found, needed by 'x'`,
        `  at 'x' in ROOT/config.yaml:2:4`,
        `  did you mean 'a.lr'?`,
      ].join('\n'),
    );
  });
  test('a sweep without --multirun', () => {
    expect(mistake(['seed=1,2']).text).toBe(
      [
        `Ambiguous value for argument 'seed=1,2': without --multirun it cannot be a sweep`,
        `  1. to use it as a list, write 'seed=[value1,value2]'`,
        `  2. to use it as text, quote it: seed=\\'value1,value2\\'`,
        '  3. to sweep over it, add --multirun',
      ].join('\n'),
    );
  });
  test('YAML that cannot be read', () => {
    const { error, text } = mistake([], { 'config.yaml': 'a: 1\nb: 2\na: 3\n' });
    expect([error.kind, error.line, error.column]).toEqual(['yaml', 3, 1]);
    expect(text).toBe(
      [
        `Cannot read YAML: key 'a' appears twice in one mapping, first at line 1`,
        '  in ROOT/config.yaml:3:1',
        '  remove one of them',
      ].join('\n'),
    );
  });
});

describe('bad input is one clear error', () => {
  test.each<[string, string[], Record<string, string | Uint8Array>, string, string]>([
    [
      '10 MB',
      [],
      { 'config.yaml': `a: ${'x'.repeat(10 * 1024 * 1024)}` },
      'file',
      'A config file of 10.0 MiB is too large',
    ],
    [
      'Latin-1',
      [],
      { 'config.yaml': Buffer.from('a: caf\xe9\n', 'latin1') },
      'file',
      'A config file is not UTF-8: byte 7',
    ],
    ['a folder named like a file', [], { 'config.yaml/': '' }, 'file', 'A folder has the name of a config file'],
    [
      'an option that is a folder',
      ['agent=x'],
      { ...tree, 'agent/x.yaml/': '' },
      'file',
      'A folder has the name of a config file',
    ],
    [
      'a group outside of the folder',
      [],
      { 'config.yaml': 'defaults:\n  - ../x: y\n' },
      'composition',
      'climbs out of the config folder',
    ],
    [
      'a file outside of the folder',
      [],
      { 'config.yaml': 'defaults:\n  - a/../../../etc/passwd\n' },
      'composition',
      'climbs out of the config folder',
    ],
    [
      'a config within itself',
      [],
      { 'config.yaml': 'defaults:\n  - config\n' },
      'cycle',
      'Defaults list cycle: config -> config',
    ],
    [
      'an interpolation into its own parent',
      [],
      { 'config.yaml': 'a: {b: "${a}"}\n' },
      'interpolation',
      `leads to 'a', which contains it`,
    ],
    [
      'two dicts within each other',
      [],
      { 'config.yaml': 'x: {p: "${y}"}\ny: {q: "${x}"}\n' },
      'interpolation',
      'Interpolation cycle',
    ],
    [
      'a header of two values',
      [],
      { 'config.yaml': '# @package a b\nx: 1\n' },
      'composition',
      'A header line has the form',
    ],
    [
      'a list as the primary config',
      [],
      { 'config.yaml': '- 1\n' },
      'composition',
      `Primary config 'config' must be a mapping`,
    ],
    ['a number as a config', [], { 'config.yaml': '5\n' }, 'yaml', 'A config must contain keys and values'],
    ['the empty override', [''], tree, 'override-syntax', 'it is empty'],
    [
      'an index beyond the list',
      ['l.5=1'],
      { 'config.yaml': 'l: [1]\n' },
      'composition',
      `index 5 is out of range in 'l[5]'`,
    ],
    [
      'a list item deleted',
      ['~l.0'],
      { 'config.yaml': 'l: [1]\n' },
      'composition',
      'items of a list cannot be deleted',
    ],
    ['a dict over a list', ['l={a:1}'], { 'config.yaml': 'l: [1]\n' }, 'type', 'a dict cannot be merged with a list'],
    [
      'a wrong type of a hydra setting',
      ['hydra.job.num=abc'],
      tree,
      'type',
      `'hydra.job.num' must be an integer, not 'abc' (str)`,
    ],
    ['no batch at all', ['seed=1', 'hydra.sweeper.max_batch_size=x'], tree, 'type', 'must be an integer'],
  ])('%s', (_, overrides, files, kind, part) => {
    const { error, text } = mistake(overrides, files);
    expect(error.kind).toBe(kind);
    expect(text).toContain(part);
  });

  test('a folder that cannot be read', () => {
    const root = temporaryTree(tree);
    expect(() => compose({ configDirs: [`${root}/nowhere`], configName: 'config', overrides: [] })).toThrow(
      `Primary config directory '${root}/nowhere' not found`,
    );
  });
  test('a sweep of a billion jobs', () => {
    const root = temporaryTree(tree);
    const options = { configDirs: [root], configName: 'config' };
    expect(() => expandSweep({ ...options, overrides: ['seed=range(1000000000)'] })).toThrow(
      `Cannot expand 'seed=range(1000000000)'`,
    );
    expect(() =>
      expandSweep({ ...options, overrides: ['seed=range(1000)', '+a=range(1000)', '+b=range(1000)'] }),
    ).toThrow('The sweep has more than 1000000 jobs');
    expect(() => expandSweep({ ...options, overrides: ['seed=1,2', 'hydra.sweeper.max_batch_size=0'] })).toThrow(
      'hydra.sweeper.max_batch_size must be at least 1, not 0',
    );
  });
});

test.each([
  ['  123  ', '  123  '],
  [' true', ' true'],
  ['null ', 'null '],
  ['1_0 ', '1_0 '],
  ['\\, ', ', '],
  [' a b ', ' a b '],
  ['[ 1 , 2 ]', [1, 2]],
])('oc.decode keeps the spaces around %j, which is a text then', (text, value) => {
  const { composition } = composed([], { 'config.yaml': `a: "\${oc.decode:\${b}}"\nb: ${JSON.stringify(text)}\n` });
  expect(composition.resolve().a).toEqual(value);
});
