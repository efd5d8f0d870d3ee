// Runs JSON-Schema-Test-Suite, the required tests of drafts 7 and 2020-12, against guaranteed JSON.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judged } from '../guaranteed-json.js';
import type { CaseResult, Suite } from '../suite.js';

interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { description: string; data: unknown; valid: boolean }[];
}

function casesOf(tests: string, draft: string): CaseResult[] {
  const folder = join(tests, draft);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  return files.sort().flatMap((file) => {
    const groups = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Group[];
    return groups.flatMap(({ description, schema, tests: all }, i) =>
      judged(
        `${draft}/${file.slice(0, -'.json'.length)} ${i + 1} ${description}`,
        schema,
        all.map(({ description: name, data, valid }, j) => ({ name: `${j + 1} ${name}`, data, valid })),
      ),
    );
  });
}

export default {
  title: 'JSON-Schema-Test-Suite, drafts 7 and 2020-12',
  against: 'guaranteed JSON',
  sources: [
    {
      github: 'json-schema-org/JSON-Schema-Test-Suite',
      commit: '44401e0c046704b476ec9d2e2fccdaee618f259d',
      version: '22 August 2026',
    },
  ],
  inCheck: true,
  run: ({ folders: [folder] }) =>
    Promise.resolve(['draft7', 'draft2020-12'].flatMap((draft) => casesOf(join(folder, 'tests'), draft))),
} satisfies Suite;
