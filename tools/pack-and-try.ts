// Packs all packages, installs the tarballs into an empty folder and runs the command there: npm run try-packages. It needs the
// npm registry for our dependencies.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { packAll } from './pack.js';

const folder = mkdtempSync(join(tmpdir(), 'bowyer-try-'));
// The settings of this repository are removed, which a user's npm does not have.
const inherited = Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_'));
const env = { ...Object.fromEntries(inherited), ORT_DISABLE_TELEMETRY: '1' };
const run = (command: string, ...argv: string[]) => {
  console.log(`> ${[command, ...argv].join(' ').replaceAll(folder, '.').slice(0, 160)}`);
  return execFileSync(command, argv, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
};
const expect = (holds: boolean, what: string) => {
  if (!holds) throw new Error(`installed packages: ${what}`);
};

try {
  const tarballs = await packAll(join(folder, 'tarballs'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  // With install scripts, npm would download CUDA files or, where it cannot, omit onnxruntime-node.
  run('npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', ...tarballs);
  checkDeclarations(tarballs.map((path) => basename(path).replace(/^bowyer-(.*)-[^-]*\.tgz$/, '@bowyer/$1')));

  const config = run('npx', 'bowyer', '--config-name', 'archer_20q', '--cfg', 'job');
  expect(config.includes('run_name: archer_20q'), `--cfg job printed ${config}`);
  expect(run('npx', 'run', '--version') === run('npx', 'bowyer', '--version'), '`run` is not `bowyer`');

  const tiny = ['env.words=subset10', 'iterations=2', 'warmup_iter=1', 'epochs=2', 'demonstrations.count=32'];
  const small = ['rollout_size=4', 'slots=4', 'eval_size=4', 'test_size=4', 'threads=1'];
  run('npx', 'bowyer', '--config-name', 'archer_20q', ...tiny, ...small, 'save_path=run', 'cache_dir=cache');
  expect(readFileSync(join(folder, 'run/metrics.jsonl'), 'utf8').split('\n').length > 2, 'a run logged nothing');
  expect(existsSync(join(folder, 'run/report.html')), 'a run left no report');

  // The project of `init`, with a tenth of its tasks.
  const project = join(folder, 'project');
  expect(run('npx', 'bowyer', 'init', 'agent', 'project').includes('npm run train'), 'init does not say what is next');
  run('npm', 'test', '--prefix', 'project');
  const tasks = readFileSync(join(project, 'tasks.mjs'), 'utf8');
  writeFileSync(join(project, 'tasks.mjs'), tasks.replace('length: 400', 'length: 40'));
  const evaluated = run('npm', 'run', 'evaluate', '--prefix', 'project');
  expect(/mean reward [01]\.\d\d/.test(evaluated), `the evaluation of the project printed ${evaluated}`);

  // A user's environment, task and algorithm, from folders without package.json and node_modules.
  const examples = join(import.meta.dirname, '..', 'examples');
  for (const name of ['own-task', 'own-algorithm'])
    cpSync(join(examples, name), join(folder, name), { recursive: true });
  run('npx', 'bowyer', '--config-dir', './own-task', '--config-name', 'guess_number', '--dry-run');
  const rollouts = ['iterations=2', 'rollout_size=4', 'slots=4', 'eval_size=4', 'test_size=4'];
  const start = ['demonstrations.count=32', 'warm_start.epochs=1', 'cache_dir=cache', 'save_path=own-run'];
  run('npx', 'bowyer', '--config-dir', './own-algorithm', '--config-name', 'reinforce_20q', ...rollouts, ...start);
  expect(existsSync(join(folder, 'own-run/results.json')), 'own-algorithm left no results');

  rmSync(join(folder, 'node_modules/onnxruntime-node'), { recursive: true });
  const without = spawnSync('npx', ['bowyer', '--config-name', 'archer_20q', 'save_path=without'], {
    cwd: folder,
    env,
  });
  expect(`${without.stderr}`.includes('npm install --ignore-scripts onnxruntime-node@'), `without: ${without.stderr}`);
  run('npx', 'bowyer', '--config-name', 'archer_20q', '--cfg', 'job');

  writeFileSync(
    join(folder, 'library.mjs'),
    `import { makeEnv } from '@bowyer/envs';
const env = await makeEnv('adventure', {});
console.log((await env.reset({ seed: 0 })).observation.length > 0);
await env.close();
`,
  );
  expect(run('node', 'library.mjs').trim() === 'true', 'the story file of `adventure` is not in the tarball');
  console.log(`packed, installed and run: ${tarballs.length} packages`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Compiles a strict program that imports every package with its declarations: by TypeScript 6 with the oldest types of Node, and
 * by TypeScript 7 with the newest.
 */
function checkDeclarations(names: readonly string[]): void {
  const imports = names.map((name, i) => `import * as package${i} from '${name}';\nvoid package${i};\n`);
  writeFileSync(join(folder, 'program.ts'), imports.join(''));
  const options = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node'];
  for (const [compiler, version] of [
    ['typescript', '20'],
    ['typescript-7', 'latest'],
  ]) {
    run('npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', `@types/node@${version}`);
    const tsc = join(import.meta.dirname, '..', 'node_modules', compiler, 'bin', 'tsc');
    run('node', tsc, ...options, 'program.ts');
  }
}
