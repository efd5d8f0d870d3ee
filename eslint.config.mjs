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

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.nx/**', 'outputs/**', 'multirun/**', '**/coverage/**'] },
  ...tseslint.configs.recommended,
  {
    files: ['packages/*/src/**/*.ts', 'packages/*/test/**/*.ts'],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { project: './tsconfig.check.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', { allowForKnownSafeCalls: ['test', 'it', 'describe'] }],
      '@nx/enforce-module-boundaries': [
        'error',
        {
          banTransitiveDependencies: false,
          depConstraints: Object.entries(mayImport).map(([layer, targets]) => ({
            sourceTag: `layer:${layer}`,
            onlyDependOnLibsWithTags: [`layer:${layer}`, ...targets.map((target) => `layer:${target}`)],
          })),
        },
      ],
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
);
