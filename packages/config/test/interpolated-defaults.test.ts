// Tests presets that depend on the algorithm: defaults lists whose options are interpolations of other choices.
import { compose, ConfigError } from '../src/index.js';
import { temporaryTree } from './temporary-tree.js';

const values = (lr: number) => `# @package _global_\nlr: ${lr}\n`;

const tree = {
  'archer_20q.yaml':
    'defaults:\n  - default\n  - preset: small\n  - _self_\n  - override /algorithm: archer\n\nrun_name: archer_20q\n',
  'default.yaml':
    'defaults:\n  - task: train\n  - algorithm: bc\n  - env: twenty_questions\n  - optional demonstrations: ${env}\n  - _self_\n\nseed: 0\n',
  'task/train.yaml': '# @package _global_\ntask: train\n',
  'algorithm/archer.yaml': '# @package _global_\nalgorithm: archer\nlr: 1\n',
  'algorithm/chai.yaml': '# @package _global_\nalgorithm: chai\nlr: 2\n',
  'algorithm/bc.yaml': '# @package _global_\nalgorithm: bc\nlr: 3\n',
  'env/twenty_questions.yaml': 'name: twenty_questions\n',
  'env/wordle.yaml': 'name: wordle\n',
  'demonstrations/twenty_questions.yaml': 'path: 20q.jsonl\n',
  'preset/small.yaml': '# @package _global_\ndefaults:\n  - optional small: ${algorithm}\n  - _self_\n\nseed: 7\n',
  'preset/small/archer.yaml': values(10),
  'preset/small/chai.yaml': values(20),
  'preset/paper.yaml': '# @package _global_\ndefaults:\n  - override /algorithm: chai\n  - _self_\n',
  'experiment/chai.yaml': '# @package _global_\ndefaults:\n  - override /algorithm: chai\n',
};

const composed = (overrides: string[], files: Record<string, string> = tree) =>
  compose({ configDirs: [temporaryTree(files)], configName: 'archer_20q', overrides, env: {} });

test.each([
  [[], { algorithm: 'archer', lr: 10, seed: 7 }],
  [['algorithm=chai'], { algorithm: 'chai', lr: 20, seed: 7 }],
  // There is no preset/small/bc.yaml, and the item is optional.
  [['algorithm=bc'], { algorithm: 'bc', lr: 3, seed: 7 }],
  [['~preset'], { algorithm: 'archer', lr: 1, seed: 0 }],
  [['algorithm=chai', 'lr=9'], { algorithm: 'chai', lr: 9, seed: 7 }],
])(
  '%j: the preset has a part for each algorithm, which wins over the algorithm’s own values',
  (overrides, expected) => {
    expect(composed(overrides).config).toMatchObject(expected);
  },
);

test('the choice of an environment brings its demonstrations, where there are any', () => {
  expect(composed([]).config.demonstrations).toEqual({ path: '20q.jsonl' });
  expect(composed(['env=wordle']).config.demonstrations).toBeUndefined();
});

// As in Hydra, `override` in the primary config wins over `override` in the configs that it includes. So a group that experiments or
// presets may override is chosen in the primary list without `override`.
test.each([
  [[], { algorithm: 'archer', lr: 10 }],
  [['algorithm=chai'], { algorithm: 'chai', lr: 20 }],
  [['+experiment=chai'], { algorithm: 'chai', lr: 20 }],
  [['+experiment=chai', 'algorithm=archer'], { algorithm: 'archer', lr: 10 }],
  [['preset=paper'], { algorithm: 'chai', lr: 2 }],
])('%j: an algorithm of the primary list can be overridden by another config', (overrides, expected) => {
  const files = {
    ...tree,
    'archer_20q.yaml': 'defaults:\n  - default\n  - algorithm: archer\n  - preset: small\n  - _self_\n',
    'default.yaml': tree['default.yaml'].replace('  - algorithm: bc\n', ''),
  };
  expect(composed(overrides, files).config).toMatchObject(expected);
});

test('a choice that nothing makes is reported with the file and line of the item', () => {
  const files = { ...tree, 'preset/small.yaml': '# @package _global_\ndefaults:\n  - optional small: ${algorihtm}\n' };
  expect(() => composed([], files)).toThrow(ConfigError);
  expect(() => composed([], files)).toThrow(
    /Error resolving interpolation '\$\{algorihtm\}'[^]*small\.yaml:3:21[^]*possible keys: .*algorithm/,
  );
});

test('without() removes keys and keeps where the others came from', () => {
  const composition = composed(['seed=5']);
  const rest = composition.without(['lr', 'demonstrations.path', 'env.name.deeper', 'no.such']);
  expect(rest.config).toEqual({
    task: 'train',
    algorithm: 'archer',
    env: { name: 'twenty_questions' },
    demonstrations: {},
    seed: 5,
    run_name: 'archer_20q',
  });
  expect(rest.origin('lr')).toEqual([]);
  expect(rest.origin('seed')).toEqual(composition.origin('seed'));
  expect(rest.origin('seed').map(({ value }) => value)).toEqual([5, 7, 0]);
  expect(composition.config.lr).toBe(10);
  expect(rest.choices).toEqual(composition.choices);
});
