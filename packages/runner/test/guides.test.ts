// Tests the guides: shell blocks consist of commands, tables of members are complete according to the interfaces in the sources,
// the shown code is in the sources and examples, and the files that the guide to the code names exist.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineEnvironment } from '@bowyer/envs';
import ts from 'typescript';
import { repository } from './command-line.js';

const textOf = (path: string) => readFileSync(join(repository, path), 'utf8');
const filesBelow = (folder: string, ending: string): string[] =>
  readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file));
const packages = readdirSync(join(repository, 'packages')).filter((name) =>
  existsSync(join(repository, 'packages', name, 'src')),
);

describe('shell blocks', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    ...filesBelow('docs', '.md').filter((file) => !file.startsWith('docs/api/')),
    ...packages.flatMap((name) => filesBelow(`packages/${name}/src`, '.md')),
    ...packages.map((name) => `packages/${name}/README.md`).filter((file) => existsSync(join(repository, file))),
  ];
  const blocksOf = (page: string) =>
    [...textOf(page).matchAll(/^ *```(?:bash|sh)\n([\s\S]*?)^ *```/gm)].map(([, block]) => block!);
  /** Lists the lines without comments; a line that ends with a backslash continues. */
  const linesOf = (block: string) =>
    block
      .replace(/\\\n\s*/g, ' ')
      .split('\n')
      .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
      .filter((line) => line !== '');
  const programs =
    'npx npm node python chromium cd echo export curl nice java apt-get mpirun srun kubectl tensorboard git docker mkdir cat'.split(
      ' ',
    );
  const isCommand = (line: string) => {
    const [program] = line.split(/\s+/).filter((word) => !/^[A-Z_]+=/.test(word));
    return programs.includes(program!) || program!.includes('/');
  };

  test('every line begins with a program: no end of a comment stands alone', () => {
    const others = pages.flatMap((page) =>
      blocksOf(page)
        .flatMap(linesOf)
        .filter((line) => !isCommand(line))
        .map((line) => `${page}: ${line}`),
    );
    expect(others).toEqual([]);
  });

  test('no comment is glued to a word', () => {
    const glued = pages.flatMap((page) =>
      blocksOf(page)
        .flatMap(linesOf)
        .filter((line) => /\S#/.test(line.replace(/'[^']*'|"[^"]*"/g, '')))
        .map((line) => `${page}: ${line}`),
    );
    expect(glued).toEqual([]);
  });

  test('bash parses every block', () => {
    const script = pages.flatMap(blocksOf).join('\n');
    expect(script.length).toBeGreaterThan(1000);
    expect(spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });
});

/** Lists the members that an interface itself declares. */
function membersOf(file: string, name: string): string[] {
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest);
  const found = source.statements.find(
    (statement): statement is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(statement) && statement.name.text === name,
  );
  if (found === undefined) throw new Error(`${file} has no interface ${name}`);
  return found.members.map(({ name: member }) => (member as ts.Identifier).text);
}

/** Lists the names in the first column of a page's tables of members: `a(…)`, `b` → a, b. */
const tabledMembers = (page: string): string[] =>
  [...textOf(page).matchAll(/^ *\| (?:field|member) \|[^\n]*\n *\|[-|]+\|\n((?: *\|[^\n]*\n)+)/gm)]
    .flatMap(([, rows]) => rows!.trim().split('\n'))
    .flatMap((row) => [...row.split('|')[1]!.matchAll(/`([\w.]+)/g)].map(([, name]) => name!));

const run = 'packages/algorithms/src/run';
test.each<[string, [file: string, name: string, prefix?: string][]]>([
  [
    'docs/extending/algorithm.md',
    [
      [`${run}/algorithm-unit.ts`, 'AlgorithmDeclaration'],
      [`${run}/algorithm-unit.ts`, 'AlgorithmNeeds', 'needs.'],
      [`${run}/algorithm-run.ts`, 'AlgorithmRun'],
      [`${run}/training-run.ts`, 'TrainingRun'],
      [`${run}/training-run.ts`, 'Agent'],
    ],
  ],
  ['docs/extending/task.md', [['packages/runner/src/tasks/task.ts', 'TaskUnit']]],
  ['docs/extending/model.md', [['packages/models/src/decoder/plain-decoder.ts', 'Departures']]],
  ['docs/extending/operator.md', [['packages/graph/src/ir.ts', 'OpSpec']]],
  ['docs/extending/protocol.md', [['packages/serving/src/protocols/protocol.ts', 'ModelCalls']]],
])('%s: the tables of members are complete', (page, interfaces) => {
  const members = interfaces.flatMap(([file, name, prefix = '']) =>
    membersOf(file, name).map((member) => prefix + member),
  );
  expect([...new Set(tabledMembers(page))].sort()).toEqual([...new Set(members)].sort());
});

/** Lists the blocks of a page in a language, without the indent of a surrounding list. */
const blocksIn = (page: string, language: string): string[] =>
  [...textOf(page).matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'))].map(
    ([, indent, block]) => block!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );

test.each([
  ['docs/extending/algorithm.md', 'examples/own-algorithm/reinforce_20q.yaml'],
  ['docs/extending/environment.md', 'examples/own-task/guess_number.yaml'],
])('%s: its primary config is that of %s', (page, example) => {
  const withoutComments = textOf(example).replaceAll(/ *#.*$/gm, '');
  const shown = blocksIn(page, 'yaml');
  expect(shown).toHaveLength(1);
  expect(withoutComments).toContain(shown[0]);
});

test('docs/extending/environment.md: the refusal of a misspelt member is the one that it shows', () => {
  const [refusal] = blocksIn('docs/extending/environment.md', 'text');
  const reset = () => ({ observation: '' });
  const define = () => defineEnvironment({ name: 'guess_number', reset, stpe: reset } as never);
  expect(define).toThrow(new Error(refusal!.trimEnd()));
});

test('docs/extending/operator.md shows an operator that is there, with its method and its sample', () => {
  const [shown] = blocksIn('docs/extending/operator.md', 'ts');
  const name = /^export const (\w+)/.exec(shown!)![1]!;
  expect(textOf('packages/graph/src/ops/elementwise.ts')).toContain(`\n${shown}`);
  expect(textOf('packages/graph/src/builder.ts')).toContain(`(elementwise.${name}, `);
  expect(textOf('packages/graph/test/operator-samples.ts')).toMatch(new RegExp(`^ +${name}: `, 'm'));
});

describe('docs/walkthrough.md', () => {
  const sections = textOf('docs/walkthrough.md')
    .split(/^## /m)
    .slice(1)
    .map((text): { title: string; folders: string[]; spans: string[] } => {
      const [title, ...rest] = text.split('\n');
      const folders = [...title!.matchAll(/`(packages\/[^`]+)`/g)].map(([, folder]) => folder!);
      const spans = [...rest.join(' ').matchAll(/`([^`]+)`/g)].map(([, span]) => span!);
      return { title: title!, folders, spans };
    });
  const isFile = (span: string) => /^[\w./-]+\.(?:ts|js|json)$/.test(span);
  const fileOf = (span: string, folders: readonly string[]) =>
    ['', ...folders].map((folder) => join(folder, span)).find((path) => existsSync(join(repository, path)));

  test('the files of every step exist', () => {
    const missing = sections.flatMap(({ title, folders, spans }) =>
      spans
        .filter((span) => isFile(span) && !/^[\w-]+\.json$/.test(span) && fileOf(span, folders) === undefined)
        .map((span) => `${title}: ${span}`),
    );
    expect(missing).toEqual([]);
  });
});
