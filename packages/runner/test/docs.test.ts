// What the documentation says is so: linked files exist, commands compose, and the metrics of docs/algorithms are those that a run logs.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repository, run, tinyGame } from './command-line.js';

const pages = ['README.md', 'CONTRIBUTING.md', 'benchmarks/README.md', ...markdownBelow('docs'), ...packageReadmes()];

function markdownBelow(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.startsWith('api'))
    .map((file) => join(folder, file));
}

function packageReadmes(): string[] {
  const all = readdirSync(join(repository, 'packages')).map((name) => `packages/${name}/README.md`);
  return all.filter((file) => existsSync(join(repository, file)));
}

const textOf = (page: string) => readFileSync(join(repository, page), 'utf8');

test('relative links lead to files', () => {
  const broken = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map(([, target]) => join(dirname(page), target))
      .filter((target) => !existsSync(join(repository, target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test('paths of this repository exist', () => {
  const roots = 'packages|configs|docs|tools|examples|experiments|benchmarks|schemas';
  const path = new RegExp(`\`((?:${roots})/[\\w./-]*\\w)\``, 'g');
  const missing = pages
    .filter((page) => !page.startsWith('docs/decisions/'))
    .flatMap((page) =>
      [...textOf(page).matchAll(path)]
        .map(([, target]) => target)
        .filter((target) => !/\b[A-Z]{2,}\b|\/api$/.test(target)) // NAME, a placeholder
        .filter((target) => target !== 'experiments/long.yaml') // an example's file in the README of config
        .filter((target) => ![repository, join(repository, dirname(page))].some((at) => existsSync(join(at, target))))
        .map((target) => `${page}: ${target}`),
    );
  expect(missing).toEqual([]);
});

/** Every command line of the page, as one line, without its comment. */
function commandsIn(page: string): string[] {
  const text = textOf(page).replace(/\\\n\s*/g, '');
  const blocks = [...text.matchAll(/^```bash\n([\s\S]*?)^```/gm)].flatMap(([, block]) => block.split('\n'));
  const inline = [...text.matchAll(/`(npx bowyer [^`]+)`/g)].map(([, line]) => line);
  return [...blocks, ...inline]
    .map((line) => /npx bowyer (?:[^#]|\S#)*/.exec(line.replaceAll('\n', ' '))?.[0].trim() ?? '')
    .filter((line) => line !== '' && !/…|\||\bNAME\b/.test(line));
}

// With --cfg nothing starts: files, folders and servers that a command names need not exist.
const command = join(repository, 'packages/runner/bin/bowyer.js');
const commands = pages.flatMap((page) => commandsIn(page).map((line): [string, string] => [page, line]));

test('the README and the pages show commands', () => {
  expect(commands.filter(([page]) => page === 'README.md').length).toBeGreaterThan(5);
});

test.each(commands)('%s: %s', async (_, line) => {
  const only = /--(cfg|help|info|version)/.test(line) ? '' : line.includes(' -m ') ? ' --dry-run' : ' --cfg job';
  const words = line.replace('npx bowyer', `"${process.execPath}" "${command}"`) + only;
  await promisify(execFile)('bash', ['-c', words], { cwd: repository });
});

/** Names and patterns in the table of logged metrics: `losses/q1`, `q2`; `rollout/x` (`_max`); `eval/…`. */
function documentedMetrics(page: string): RegExp[] {
  const section = /## Logged metrics\n([\s\S]*?)(?:\n## |$)/.exec(textOf(page))?.[1] ?? '';
  const patterns: string[] = [];
  for (const row of section.split('\n').filter((line) => line.startsWith('| `'))) {
    let last = '';
    for (const [, name] of row.split(' | ')[0].matchAll(/`([^`]+)`/g)) {
      const full = name.startsWith('_') ? last + name : name.includes('/') ? name : `${last.split('/')[0]}/${name}`;
      if (!name.startsWith('_')) last = full;
      patterns.push(full);
    }
  }
  return patterns.map((name) => new RegExp(`^${name.replace('…', '.*')}$`));
}

test.each(['archer', 'chai', 'online_filteredbc'])(
  'the metrics that docs/algorithms/%s.md lists are those that are logged',
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'bowyer-docs-'));
    try {
      const paths = [`save_path=${join(folder, 'run')}`, `cache_dir=${join(folder, 'cache')}`];
      const config = ['--config-name', `${name}_20q`];
      const keys = (await run([...config, '--cfg', 'job'])).stdout.matchAll(/^(\w+):/gm);
      const known = new Set([...keys].map(([, key]) => key));
      const tiny = tinyGame.filter((override) => known.has(/^\w+/.exec(override)![0])); // each algorithm has keys of its own
      const { code, stderr } = await run([...config, ...tiny, ...paths]);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const lines = readFileSync(join(folder, 'run/metrics.jsonl'), 'utf8').trim().split('\n');
      const logged = [...new Set(lines.flatMap((line) => Object.keys(JSON.parse(line) as object)))];
      const ours = logged.filter((key) => key.includes('/')); // ArCHer's own names have dots
      const documented = documentedMetrics(`docs/algorithms/${name}.md`);
      expect(ours.filter((key) => !documented.some((pattern) => pattern.test(key)))).toEqual([]);
      expect(documented.filter((pattern) => !ours.some((key) => pattern.test(key))).map(String)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
