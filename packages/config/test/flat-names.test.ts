import { compose, ConfigError } from '../src/index.js';
import { temporaryTree } from './temporary-tree.js';

const flatNames = {
  lr: ['algorithm.actor.lr', 'task.lr'],
  schedule: ['algorithm.actor.schedule'],
  'schedule.steps': ['algorithm.actor.schedule.iterations'],
  task: ['task.name'],
  'server.wait': ['server.limits.wait'],
  steps: ['server.limits.steps', 'server.steps'],
  size: ['algorithm.size', 'server.size'],
  rate: [{ path: 'algorithm.actor.lr', units: ['sgd'] }],
  pace: [{ path: 'algorithm.actor.lr', units: ['adam', 'ppo'] }],
  passes: [
    { path: 'algorithm.rounds', units: ['sgd'] },
    { path: 'algorithm.turns', units: ['ppo'] },
  ],
};

const files = {
  'configs/config.yaml': 'defaults:\n  - algorithm: ppo\n  - server: own\n  - _self_\ntask:\n  name: train\nseed: 0\n',
  'configs/algorithm/ppo.yaml':
    'name: ppo\nsize: 2\nactor:\n  lr: 1.0\n  schedule:\n    kind: linear\n    iterations: 7\n',
  'configs/algorithm/of_plugin.yaml': 'name: of_plugin\nrounds: 1\nactor:\n  lr: 1.0\n',
  'configs/server/own.yaml': 'limits:\n  wait: 1\n  steps: 1\nsteps: 9\nsize: 4\nurl: ${lr}-${seed}\n',
  'configs/mine.yaml':
    'defaults:\n  - config\n  - _self_\nlr: 0.5\ntask: play\nserver:\n  wait: 3\nschedule:\n  kind: flat\n',
};

const composed = (configName: string, ...overrides: string[]) =>
  compose({ configDirs: [{ dir: `${temporaryTree(files)}/configs` }], configName, overrides, flatNames });

test('a command line gives options of nodes by their flat names', () => {
  const composition = composed('config', 'lr=0.1', 'schedule.kind=cosine', 'task=play');
  expect(composition.resolve()).toMatchObject({
    algorithm: { actor: { lr: 0.1, schedule: { kind: 'cosine' } } },
    task: { name: 'play' },
    server: { url: '0.1-0' },
  });
  expect(composition.flatUses).toEqual([
    { name: 'lr=0.1', path: 'algorithm.actor.lr' },
    { name: 'schedule.kind=cosine', path: 'algorithm.actor.schedule.kind' },
    { name: 'task=play', path: 'task.name' },
  ]);
  expect(composition.setting('lr')).toBe(0.1);
  expect(composition.origin('lr')).toEqual(composition.origin('algorithm.actor.lr'));
});

test('a file does so too, below its nodes as well, and a later override of the option itself wins', () => {
  const config = composed('mine', 'algorithm.actor.lr=0.2').resolve();
  expect(config).toEqual({
    algorithm: { name: 'ppo', size: 2, actor: { lr: 0.2, schedule: { kind: 'flat', iterations: 7 } } },
    server: { limits: { wait: 3, steps: 1 }, steps: 9, size: 4, url: '0.2-0' },
    task: { name: 'play' },
    seed: 0,
  });
});

test('a member of a node has another name there', () => {
  const files2 = {
    ...files,
    'configs/steps.yaml': 'defaults:\n  - config\n  - _self_\nschedule:\n  kind: flat\n  steps: 3\n',
  };
  const schedule = { kind: 'flat', iterations: 3 };
  const configDirs = [{ dir: `${temporaryTree(files2)}/configs` }];
  for (const overrides of [[], ['schedule={kind:flat,steps:3}'], ['schedule.steps=3']])
    expect(compose({ configDirs, configName: 'steps', overrides, flatNames }).resolve()).toMatchObject({
      algorithm: { actor: { schedule } },
    });
  expect(() => composed('config', 'schedule={paces:3}')).toThrow(/key 'algorithm.actor.schedule.paces' does not exist/);
});

test('of options in several nodes the one that is listed first counts', () => {
  expect(composed('config', 'size=3').resolve()).toMatchObject({ algorithm: { size: 3 }, server: { size: 4 } });
});

test('a flat name of two options of one node is refused with both', () => {
  const attempt = () => composed('config', 'steps=3');
  expect(attempt).toThrow(ConfigError);
  expect(attempt).toThrow(/'steps' may be one of several options here[^]*server.limits.steps, server.steps/);
});

test('a flat name without an option in the config is an unknown key', () => {
  expect(() => composed('config', 'wait=3')).toThrow(/no such key/);
});

test('a flat name of some units is refused with another unit, with the option that it may mean', () => {
  expect(composed('config', 'pace=0.2').resolve()).toMatchObject({ algorithm: { actor: { lr: 0.2 } } });
  expect(() => composed('config', 'rate=0.2')).toThrow(
    /'rate' is the name of no option here\n[^\n]*command line: rate=0.2\n[^\n]*write one of: algorithm.actor.lr/,
  );
});

test('for a unit that no flat name has, the name is that of the option that its file has', () => {
  const algorithm = { name: 'of_plugin', rounds: 3, actor: { lr: 0.2 } };
  expect(composed('config', 'algorithm=of_plugin', 'passes=3', 'rate=0.2').resolve()).toMatchObject({ algorithm });
});

test.each([
  [['lr=0.1', 'algorithm.actor.lr=0.2'], /by lr=0.1\n[^\n]*by algorithm.actor.lr=0.2/],
  [['pace=0.1', 'lr=0.2'], /by pace=0.1\n[^\n]*by lr=0.2/],
])('a command line that gives one option under two names is refused: %j', (overrides, places) => {
  expect(() => composed('config', ...overrides)).toThrow(places);
});

test('of the same flat name twice on a command line the last one counts', () => {
  expect(composed('config', 'lr=0.1', 'lr=0.2').setting('lr')).toBe(0.2);
});

test.each([
  ['lr: 0.5\nalgorithm:\n  actor:\n    lr: 0.2\n', /as lr, in .*twice.yaml:4[^]*in .*twice.yaml:7/],
  [
    'schedule:\n  kind: flat\nalgorithm:\n  actor:\n    schedule:\n      kind: linear\n',
    /as schedule.kind, in .*:5[^]*in .*:9/,
  ],
])('a file that gives one option under two names is refused with both places: %j', (text, places) => {
  const twice = { ...files, 'configs/twice.yaml': `defaults:\n  - config\n  - _self_\n${text}` };
  const attempt = () =>
    compose({
      configDirs: [{ dir: `${temporaryTree(twice)}/configs` }],
      configName: 'twice',
      overrides: [],
      flatNames,
    });
  expect(attempt).toThrow(ConfigError);
  expect(attempt).toThrow(places);
});
