// Runs a smoke test under every supported version of Node: npm run try-node-versions. It runs --cfg job, a tiny training, and the
// tests of recorded answers, whose ends some versions of Node lose; for major versions other than the check's, also the unit
// tests of core that use modules of Node. The binaries come from the npm packages node-PLATFORM-ARCH; needs the npm registry.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The oldest version of `engines`, and the newest of each line since. */
const versions = ['20.18.1', '22', '24'];

const repository = resolve(import.meta.dirname, '..');
const core = join(repository, 'packages/core');
const testsOfNode = readdirSync(core, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /^src.*\.test\.ts$/.test(file) && readFileSync(join(core, file), 'utf8').includes(" from 'node:"),
);
const folder = mkdtempSync(join(tmpdir(), 'bowyer-node-'));
try {
  for (const version of versions) {
    const name = `node-${process.platform}-${process.arch}`;
    const prefix = join(folder, version);
    execFileSync('npm', ['install', '--prefix', prefix, '--no-audit', '--no-fund', '--no-save', `${name}@${version}`]);
    const node = join(prefix, 'node_modules', name, 'bin', 'node');
    const run = (cwd: string, ...argv: string[]) =>
      execFileSync(node, argv, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

    const found = run(repository, '--version').trim();
    const bowyer = (...argv: string[]) => run(repository, 'packages/runner/bin/bowyer.js', ...argv);
    if (!bowyer('--config-name', 'archer_20q', '--cfg', 'job').includes('run_name: archer_20q'))
      throw new Error(`Node ${found}: --cfg job did not print the config`);
    const tiny = ['env.words=subset10', 'iterations=2', 'warmup_iter=1', 'epochs=2', 'demonstrations.count=32'];
    const small = ['rollout_size=4', 'slots=4', 'eval_size=4', 'test_size=4', 'threads=1'];
    const paths = [`save_path=${join(prefix, 'run')}`, `cache_dir=${join(prefix, 'cache')}`];
    bowyer('--config-name', 'archer_20q', ...tiny, ...small, ...paths);
    const jest = [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      '--single-threaded-gc',
      '../../node_modules/jest/bin/jest.js',
    ];
    const isOfCheck = found.split('.')[0] === process.version.split('.')[0];
    if (!isOfCheck) run(core, ...jest, ...testsOfNode);
    run(join(repository, 'packages/rollouts'), ...jest, 'test/recording.test.ts');
    const tested = isOfCheck ? 'tests' : 'tests of core and those';
    console.log(`Node ${found}: --cfg job, a tiny training and the ${tested} of recorded answers pass`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
