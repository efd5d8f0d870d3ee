// Tests the documentation: linked files exist, commands are valid, and the metrics that a run logs are on the metrics' page.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommandLine } from '@bowyer/config';
import { newFolder } from '@bowyer/testing';
import { bowyer } from '../src/program.js';
import { repository, run, tinyGame, succeeds } from './command-line.js';
import {
  commandsOfComments,
  commandsOfPage,
  filledIn,
  makeFixtures,
  programsOfPage,
  shellWords,
} from './documented-commands.js';
import { runHere } from './in-process.js';

const folders = ['benchmarks', 'docs', 'examples', 'experiments', 'packages/algorithms/src', 'packages/envs/src'];
const pages = ['README.md', 'CONTRIBUTING.md', ...folders.flatMap(markdownBelow), ...packageReadmes()];

function markdownBelow(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !/^api|(^|\/)node_modules\//.test(file))
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
  const missing = pages.flatMap((page) =>
    [...textOf(page).matchAll(path)]
      .map(([, target]) => target)
      .filter((target) => !/\b[A-Z]{2,}\b|\/api$/.test(target)) // NAME is a placeholder
      .filter((target) => target !== 'experiments/long.yaml') // a file in an example of the README of config
      .filter((target) => ![repository, join(repository, dirname(page))].some((at) => existsSync(join(at, target))))
      .map((target) => `${page}: ${target}`),
  );
  expect(missing).toEqual([]);
});

test('the index of the decisions has their titles', () => {
  const rows = [...textOf('docs/decisions/README.md').matchAll(/^\| \[.*?\]\((.*?)\) \| (.*) \|$/gm)];
  const files = readdirSync(join(repository, 'docs/decisions')).filter((file) => file !== 'README.md');
  expect(rows.map(([, file]) => file).sort()).toEqual(files.sort());
  for (const [, file, titles] of rows) {
    const page = textOf(`docs/decisions/${file}`);
    const found = [2, 1].map((level) =>
      [...page.matchAll(new RegExp(`^#{${level}} (.*)$`, 'gm'))].map(([, title]) => title),
    );
    expect(titles).toBe(found.find(({ length }) => length > 0)!.join('; '));
  }
});

/** A name without a folder is a user's program, except on pages about examples. */
test('programs of this repository that commands start exist', () => {
  const programs = pages.flatMap((page) =>
    programsOfPage(textOf(page))
      .filter((program) => program.includes('/') || page.startsWith('examples/'))
      .map((program) => ({ page, program })),
  );
  const missing = programs.filter(
    ({ page, program }) =>
      ![repository, join(repository, dirname(page))].some((folder) => existsSync(join(folder, program))),
  );
  expect(missing).toEqual([]);
  expect(programs.filter(({ page }) => page.startsWith('examples/'))).not.toEqual([]);
});

// The commands are composed, prepared and validated in this process, as --dry-run does, in a folder with the files that they
// name. Commands with --config-dir load a user's plugin, which Jest's modules cannot do: they run as processes.
const yamlFiles = ['configs', 'experiments'].flatMap((folder) =>
  readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => join(folder, file)),
);
const commands = [
  ...pages.flatMap((page) => commandsOfPage(textOf(page)).map((line): [string, string] => [page, line])),
  ...yamlFiles.flatMap((file) => commandsOfComments(textOf(file)).map((line): [string, string] => [file, line])),
].filter(([, line]) => !/…|\.\.\.$/.test(line));
const ofExperiments = commands.filter(
  ([file, line]) => /^experiments.*\.yaml$/.test(file) && line.includes('+experiment='),
);
/**
 * Commands that experiments.test.ts plans completely: those of the experiments' own files, also with the folder in which a page
 * starts them.
 */
const planned = new Set(ofExperiments.map(([, line]) => line).filter((line) => /^--config-name \w+ \S+$/.test(line)));
const isPlanned = (line: string) => planned.has(line.replace(/ hydra\.sweep\.dir=\S+$/, ''));
/** Each command is checked once. */
const checked = [...new Map(commands.map((command) => [command[1], command])).values()].filter(
  (command) => !ofExperiments.includes(command) && !isPlanned(command[1]),
);

test('README, pages and configs show commands', () => {
  const shown = (start: string) => commands.filter(([page]) => page.startsWith(start)).length;
  expect(
    ['packages/runner/README.md', 'packages/algorithms/src/', 'configs/', 'experiments/'].map(
      (start) => shown(start) > 4,
    ),
  ).toEqual(Array(4).fill(true));
});

/** Recognizes words in a sentence, such as `--config-name score`, that name a config and are not a complete command. */
const isMention = (words: readonly string[]) => words.length === 2 && words[0] === '--config-name';

describe('commands', () => {
  const home = process.cwd();
  let folder: string;
  beforeEach(() => {
    folder = newFolder();
    process.chdir(folder);
  });
  afterEach(() => {
    process.chdir(home);
  });

  test.each(checked)('%s: %s', async (_, line) => {
    const words = filledIn(shellWords(line));
    const only = words.some((word) => /^--(cfg|help|info|version|dry-run)$/.test(word))
      ? []
      : isMention(words)
        ? ['--cfg', 'job']
        : ['--dry-run'];
    makeFixtures(words, folder);
    if (words.includes('--config-dir')) {
      expect(await run([...words, ...only])).toMatchObject({ code: 0 });
      return;
    }
    const printed: string[] = [];
    const sink = { write: (text: string) => printed.push(text) };
    const code = await runCommandLine({ ...bowyer([...words, ...only]), stdout: sink, stderr: sink });
    expect({ code, printed: code === 0 ? '' : printed.join('') }).toEqual({ code: 0, printed: '' });
  });
});

test('our names in the tables for those who come from elsewhere are configs, options or functions', () => {
  const options = textOf('configs/flat-names.json') + textOf('schemas/run.json');
  const exported = textOf('packages/agents/src/index.ts');
  const isOurs = (name: string) => {
    const [key, value] = name.split('=');
    const config = key === 'algorithm' ? `algorithm/${value}` : key;
    return (
      [config, `algorithm/${key}`].some((file) => existsSync(join(repository, `configs/${file}.yaml`))) ||
      options.includes(`"${key}"`) ||
      key.split('.').every((part) => options.includes(`"${part}"`) || options.includes(`.${part}"`)) ||
      ['run', 'save_path'].includes(key) ||
      new RegExp(`\\b${key}\\b`).test(exported)
    );
  };
  const strangers = pages
    .filter((page) => page.startsWith('docs/agents/from-'))
    .flatMap((page) =>
      textOf(page)
        .split('\n')
        .filter((line) => line.startsWith('| '))
        .flatMap((line) =>
          [
            ...line
              .split('|')
              .at(-2)!
              .matchAll(/`([^`]+)`/g),
          ].map(([, name]) => name!),
        )
        .filter((name) => !isOurs(name))
        .map((name) => `${page}: ${name}`),
    );
  expect(strangers).toEqual([]);
});

/** Lists the names in a page's table of logged metrics. */
function documentedMetrics(page: string): string[] {
  const section = /## Logged metrics\n([\s\S]*?)(?:\n## |$)/.exec(textOf(page))?.[1] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) => /`([^`]+)`/.exec(row)![1]!);
}

// A test of packages/algorithms, with all options on, checks that the page lists no other metrics.
test.each(['archer', 'bc'])(
  'all metrics that a run of %s logs are on its page or on that of diagnostics',
  async (name) => {
    const folder = newFolder();
    const cache = name === 'bc' ? [] : [`cache_dir=${join(folder, 'cache')}`];
    await succeeds(runHere([...tinyGame(`${name}_20q`), `save_path=${join(folder, 'run')}`, ...cache]));
    const lines = readFileSync(join(folder, 'run/metrics.jsonl'), 'utf8').trim().split('\n');
    const logged = new Set(lines.flatMap((line) => Object.keys(JSON.parse(line) as object)));
    const ours = [...logged].filter((key) => key.includes('/')); // only ArCHer's own names contain dots
    const documented = [
      'docs/diagnostics.md',
      pages.find((page) => page.startsWith('packages/') && page.endsWith(`/${name}.md`))!,
    ].flatMap(documentedMetrics);
    expect(ours.filter((metric) => !documented.includes(metric))).toEqual([]);
    expect(ours).toContain(name === 'bc' ? 'losses/nll' : 'losses/q1');
  },
  180_000,
);
