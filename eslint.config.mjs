import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/** The import table of style.md: a layer may import only what stands to the right of it. */
const mayImport = {
  core: [],
  config: [],
  graph: ['core'],
  models: ['core', 'graph'],
  envs: ['core'],
  algorithms: ['core', 'models', 'envs'],
  logging: ['core'],
  runner: ['core', 'config', 'graph', 'models', 'envs', 'algorithms', 'logging'],
};

const boundaries = (table) => [
  'error',
  {
    banTransitiveDependencies: false,
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

/** Packages that still have such calls. */
const stillSpread = ['algorithms', 'config', 'envs', 'models'];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.nx/**', 'outputs/**', 'multirun/**', '**/coverage/**'] },
  ...tseslint.configs.recommended,
  {
    files: ['packages/*/src/**/*.ts', 'packages/*/test/**/*.ts'],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { project: './tsconfig.check.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', { allowForKnownSafeCalls: ['test', 'it', 'describe'] }],
      '@nx/enforce-module-boundaries': boundaries(mayImport),
    },
  },
  {
    // A test of an algorithm has to open the device that its models run on.
    files: ['packages/algorithms/test/**/*.ts'],
    rules: {
      '@nx/enforce-module-boundaries': boundaries({ ...mayImport, algorithms: [...mayImport.algorithms, 'graph'] }),
    },
  },
  {
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Randomness comes from the run’s seed: take an Rng.' },
      ],
    },
  },
  {
    files: ['packages/*/src/**/*.ts', 'benchmarks/**/*.ts', 'examples/**/*.ts', 'tools/**/*.ts'],
    ignores: ['**/*.test.ts', ...stillSpread.map((name) => `packages/${name}/**`)],
    rules: { 'no-restricted-syntax': ['error', ...dataInArguments] },
  },
  {
    files: ['core', 'graph', 'logging', 'models', 'algorithms'].map((name) => `packages/${name}/src/**/*.ts`),
    ignores: ['**/*.test.ts', ...stillSpread.map((name) => `packages/${name}/**`)],
    rules: { 'no-restricted-syntax': ['error', ...dataInArguments, dataInPushes] },
  },
);
