// Runs the tests of @huggingface/jinja, by Vitest as in their repository, against the templates of @bowyer/text.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jestCases } from '../programs.js';
import type { CaseResult, Suite } from '../suite.js';

const FILES = ['e2e', 'format', 'interpreter', 'templates'].map((name) => `test/${name}.test.js`);

/** All imports of the tests resolve to our module, which imports Vitest itself. */
const config = (root: string, library: string): string => `
export default {
  root: ${JSON.stringify(root)},
  plugins: [{
    name: 'bowyer',
    enforce: 'pre',
    resolveId: (source, importer) => importer?.includes('/packages/jinja/test/') ? ${JSON.stringify(library)} : null,
  }],
  ssr: { resolve: { conditions: ['source', 'node', 'import', 'default'] }, noExternal: [/@bowyer/] },
  test: { chaiConfig: { truncateThreshold: 0 }, include: ${JSON.stringify(FILES)}, server: { deps: { inline: [/@bowyer/] } } },
};
`;

/** Parts of the tests that check something other than a rendered template. */
const OTHER = /^Templates (?:Lexing|Formatting) |^format |Custom formatting /;

export default {
  title: "huggingface.js's jinja",
  against: 'chat templates',
  sources: [
    {
      github: 'huggingface/huggingface.js',
      commit: 'fe42e68017ffc76d09922ea8f9b38a6964345710',
      version: 'jinja 0.5.9',
      paths: ['packages/jinja'],
    },
  ],
  inCheck: false,
  notes:
    'Its tests run as they are; what they import is a module with the templates of Bowyer behind it. Where Jinja2 itself ' +
    'prints something else than the suite expects, Bowyer prints what Jinja2 does.',
  run: ({ folders: [folder], work }) => {
    const root = join(folder, 'packages/jinja');
    const [configFile, reportFile] = [join(work, 'vitest.config.mjs'), join(work, 'report.json')];
    writeFileSync(configFile, config(root, join(import.meta.dirname, 'library.ts')));
    const given = ['run', '--config', configFile, '--reporter=json', '--outputFile', reportFile];
    try {
      execFileSync(join(import.meta.dirname, '../../node_modules/.bin/vitest'), given, { stdio: 'ignore' });
    } catch {
      // failed tests are in the report
    }
    const seen = new Map<string, number>();
    const cases = jestCases(reportFile).map((tested): CaseResult => {
      const count = (seen.get(tested.name) ?? 0) + 1;
      seen.set(tested.name, count);
      const name = count === 1 ? tested.name : `${tested.name} (${count})`;
      return OTHER.test(tested.name) ? { name, outcome: 'skipped' } : { ...tested, name };
    });
    return Promise.resolve(cases);
  },
} satisfies Suite;
