// Sources of the package under test run as ES modules straight from TypeScript; other packages are bundled from their sources.
import { bundledPackages } from './packages/testing/bundled-packages.mjs';

// Tests see a copy of the environment, so what the library under test sets for itself does not reach ONNX Runtime.
process.env.ORT_DISABLE_TELEMETRY ??= '1';
// esbuild bundles the worker that devices start; a thread of esbuild's own would keep jest from ending.
process.env.ESBUILD_WORKER_THREADS ??= '0';

export default {
  id: 'bowyer', // names the folder of the cache, which all packages share
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['<rootDir>/src/**/*.test.ts', '<rootDir>/test/**/*.test.ts'],
  transform: {
    '^.+\\.ts$': [
      '<rootDir>/../testing/shared-transform.mjs',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: true },
    ],
  },
  moduleNameMapper: {
    ...(await bundledPackages(process.cwd())),
    '^@bowyer/([a-z-]+)$': '<rootDir>/../$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/../testing/temporary-files.mjs',
  testSequencer: '<rootDir>/../testing/longest-first.mjs',
  reporters: ['default', '<rootDir>/../testing/skip-reporter.mjs', '<rootDir>/../testing/ends.mjs'],
  testTimeout: 180_000, // only what hangs fails: the tests of a busy machine take ten times as long
};
