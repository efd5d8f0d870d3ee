// MaskBench of jsonschemabench: about 11,000 schemas with valid and invalid instances, against guaranteed JSON.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judged } from '../guaranteed-json.js';
import type { CaseResult, Suite } from '../suite.js';

interface File {
  readonly schema: unknown;
  readonly tests?: readonly { valid: boolean; data: unknown }[];
}

/** How many schemas go by between two lines of progress. */
const LOGGED = 1_000;

export default {
  title: 'MaskBench',
  against: 'guaranteed JSON',
  sources: [
    {
      github: 'guidance-ai/jsonschemabench',
      commit: 'ba103c73756198dd9b149ddc7db7867da7a077f6',
      version: '12 February 2026',
      // One schema, of more than 4 MiB, is left out.
      paths: ['maskbench/data', ':!maskbench/data/JsonSchemaStore---cloudformation.schema.json'],
    },
  ],
  inCheck: false,
  notes:
    'Each instance is written byte by byte, its properties in an order that the schema allows, and each byte is looked up in ' +
    'its mask; a schema without instances is one case. The minutes are those of two cores that eight programs shared. MaskBench ' +
    'publishes 46 µs for a median mask of llguidance 0.7.10 and 9 µs of xgrammar 0.1.17 (0.95: 119 and 499 µs), and 1.0 and 919 ms ' +
    'for a median compilation, on a vocabulary of 128,000; those of Bowyer, on one of 199,999, are 70 µs (0.95: 400 to 650 µs) and ' +
    '4 ms (benchmarks/json-schemas.md).',
  run: ({ folders: [folder], log }) => {
    const data = join(folder, 'maskbench/data');
    const cases: CaseResult[] = [];
    for (const [i, file] of readdirSync(data).sort().entries()) {
      const { schema, tests = [] } = JSON.parse(readFileSync(join(data, file), 'utf8')) as File;
      const instances = tests.map(({ valid, data }, j) => ({ name: `${j + 1}`, valid, data }));
      cases.push(...judged(file.slice(0, -'.json'.length), schema, instances));
      if (i % LOGGED === LOGGED - 1) log(`${i + 1} schemas, ${cases.length} cases`);
    }
    return Promise.resolve(cases);
  },
} satisfies Suite;
