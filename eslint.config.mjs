// What oxlint has no rule for; .oxlintrc.json has the rest.
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/** The import table of style.md: a layer may import only what stands to the right of it. */
const mayImport = {
  testing: [],
  page: [],
  core: [],
  config: [],
  graph: ['core'],
  checkpoints: ['core'],
  text: [],
  conversations: ['core', 'text'],
  models: ['core', 'graph', 'checkpoints', 'text'],
  envs: ['core'],
  algorithms: ['core', 'text', 'models', 'envs'],
  serving: ['core', 'text', 'conversations', 'models', 'envs'],
  rollouts: ['core', 'text', 'conversations', 'models', 'envs', 'algorithms', 'serving'],
  tinker: ['core', 'graph', 'checkpoints', 'text', 'models', 'envs', 'algorithms', 'serving'],
  wandb: ['core'],
  logging: ['core', 'wandb'],
  views: [],
  mpi: ['core'],
  runner: [
    'core',
    'config',
    'graph',
    'checkpoints',
    'text',
    'conversations',
    'models',
    'envs',
    'algorithms',
    'serving',
    'rollouts',
    'tinker',
    'wandb',
    'logging',
    'views',
    'mpi',
  ],
  agents: ['core', 'rollouts', 'runner'],
  web: ['config', 'graph', 'page', 'runner'],
};

/** A test of an algorithm opens the device that its models run on; those of pages use the entries of all packages. */
const ofTests = { algorithms: ['graph'], web: ['checkpoints', 'envs', 'graph'] };

/** Tests also import the testing package. */
const testsMayImport = Object.fromEntries(
  Object.entries(mayImport).map(([layer, targets]) => [layer, [...targets, 'testing', ...(ofTests[layer] ?? [])]]),
);

const boundaries = (table, options = {}) => [
  'error',
  {
    banTransitiveDependencies: false,
    ...options,
    depConstraints: Object.entries(table).map(([layer, targets]) => ({
      sourceTag: `layer:${layer}`,
      onlyDependOnLibsWithTags: [`layer:${layer}`, ...targets.map((target) => `layer:${target}`)],
    })),
  },
];

const spreadInto = (callee, instead) => ({
  selector: `CallExpression${callee} > SpreadElement`,
  message: `Above about 120,000 elements a spread argument list overflows the stack: ${instead}.`,
});

/** Calls whose argument lists may come from data. */
const dataInArguments = [
  spreadInto("[callee.object.name='Math']", 'use maximum or minimum of @bowyer/core, or a loop'),
  spreadInto(
    "[callee.object.name='String'][callee.property.name=/^from(CharCode|CodePoint)$/]",
    'use a Buffer or a loop',
  ),
];

/** Also forbidden where arrays are as long as texts in tokens, batches or graphs. */
const dataInPushes = spreadInto('[callee.property.name=/^(push|unshift)$/]', 'push in a loop, or use concat');

/** A literal is written out where it stands, and the formatter decides on its lines. */
const spreadLiterals = {
  selector: 'SpreadElement > :matches(ObjectExpression, ArrayExpression)',
  message: 'Write the members of the literal here instead of spreading it.',
};

/** Programs beside the packages use them as a user does. */
const frontDoors = {
  patterns: [
    {
      regex: 'packages/[^/]+/src/',
      message:
        "Import the package by its name: '@bowyer/NAME'. What is missing there is exported, or the program moves into the package.",
    },
  ],
};

/** A cast that the compiler does not check: a value that a schema has checked is `value as typeof value & Declared` instead. */
const uncheckedCasts = [
  {
    selector: 'TSAsExpression > TSNeverKeyword.typeAnnotation',
    message: "'as never' fits any type: declare the type that the reader needs.",
  },
  {
    selector: "TSAsExpression > TSAsExpression.expression[typeAnnotation.type='TSUnknownKeyword']",
    message: "'as unknown as' is not checked: narrow the value, as `value as typeof value & Declared`.",
  },
];

export default tseslint.config(
  {
    ignores: [
      'docs/api/**',
      '**/dist/**',
      '**/node_modules/**',
      '.nx/**',
      'outputs/**',
      'multirun/**',
      'examples/browser/vendor/**',
      '**/coverage/**',
    ],
  },
  tseslint.configs.base,
  {
    files: ['packages/*/src/**/*.ts', 'packages/*/test/**/*.ts'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(mayImport),
    },
  },
  {
    // Shipped source never imports the testing package; tests of every package may.
    files: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.ts'],
    rules: { '@nx/enforce-module-boundaries': boundaries(testsMayImport) },
  },
  {
    // Programs that tests start use the build on the same condition as the command line.
    files: ['packages/testing/src/source-arguments.ts'],
    rules: { '@nx/enforce-module-boundaries': boundaries(mayImport, { allow: ['../../runner/bin/is-stale.js'] }) },
  },
  {
    // A test of a tool for maintainers stands with the tests of the whole repository.
    files: ['packages/testing/test/**/*.ts'],
    rules: {
      '@nx/enforce-module-boundaries': boundaries(testsMayImport, {
        allow: ['../../../tools/lint-prose.js', '../../../tools/failures.js'],
      }),
    },
  },
  {
    // A test of a server opens the device that the model runs on, and replays the recordings that the clients' tests replay.
    files: ['packages/serving/{test,src}/**/*.test.ts', 'packages/serving/test/**/*.ts'],
    rules: {
      '@nx/enforce-module-boundaries': boundaries(
        { ...testsMayImport, serving: [...testsMayImport.serving, 'graph'] },
        { allow: ['../../envs/test/recorded-traffic.js'] },
      ),
    },
  },
  {
    // Tests of rollouts and agents make the small models that their agents ask.
    files: ['packages/{rollouts,agents}/test/**/*.ts'],
    rules: {
      '@nx/enforce-module-boundaries': boundaries({
        ...testsMayImport,
        rollouts: [...testsMayImport.rollouts, 'graph'],
        agents: [...testsMayImport.agents, 'graph', 'text', 'models'],
      }),
    },
  },
  {
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Randomness comes from the run’s seed: take an Rng.' },
      ],
      'no-restricted-syntax': ['error', spreadLiterals],
    },
  },
  {
    files: [
      'packages/*/src/**/*.ts',
      'benchmarks/**/*.ts',
      'examples/**/*.ts',
      'experiments/**/*.ts',
      'suites/**/*.ts',
      'tools/**/*.ts',
    ],
    ignores: ['**/*.test.ts'],
    rules: { 'no-restricted-syntax': ['error', spreadLiterals, ...uncheckedCasts, ...dataInArguments] },
  },
  {
    files: ['{benchmarks,examples,experiments,suites,tools}/**/*.ts'],
    rules: { 'no-restricted-imports': ['error', frontDoors] },
  },
  {
    files: ['core', 'graph', 'logging', 'wandb', 'text', 'models', 'algorithms'].map(
      (name) => `packages/${name}/src/**/*.ts`,
    ),
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-syntax': ['error', spreadLiterals, ...uncheckedCasts, ...dataInArguments, dataInPushes],
    },
  },
);
