// Runs MaskBench of jsonschemabench: about 11,000 schemas with valid and invalid instances, against guaranteed JSON.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judged } from '../guaranteed-json.js';
import type { CaseResult, Suite } from '../suite.js';
import { MaskTimes } from './mask-times.js';

interface File {
  readonly schema: unknown;
  readonly tests?: readonly { valid: boolean; data: unknown }[];
}

/** The number of schemas between two lines of progress. */
const LOGGED = 1_000;

/** One of this many schemas is measured. */
const MEASURED = 10;

export default {
  title: 'MaskBench',
  against: 'guaranteed JSON',
  sources: [
    {
      github: 'guidance-ai/jsonschemabench',
      commit: 'ba103c73756198dd9b149ddc7db7867da7a077f6',
      version: '12 February 2026',
      // one schema, with more than 4 MiB, is excluded
      paths: ['maskbench/data', ':!maskbench/data/JsonSchemaStore---cloudformation.schema.json'],
    },
    { npm: 'gpt-tokenizer', version: '4.0.0' },
  ],
  inCheck: false,
  notes:
    'Each instance is written byte by byte, its properties in an order that the schema allows, and each byte is looked up in ' +
    'its mask; a schema without instances is one case. The minutes are those of a machine with other work. Every tenth schema is ' +
    'compiled for o200k_base as well, and the masks before the tokens of its valid instances are measured. MaskBench itself ' +
    '(its README, one thread of an Azure NC96ads_A100_v4, the 128,000 tokens of Llama 3) publishes for llguidance 0.7.10 masks ' +
    'of 46, 119 and 533 µs and compilations of 1,037, 5,457 and 17,988 µs at the median, 0.95 and 0.99; for xgrammar 0.1.17 ' +
    '9, 499 and 5,687 µs, and 919,459 µs, 36 s and 900 s.',
  run: async ({ folders: [folder, installed], log, measured }) => {
    const data = join(folder, 'maskbench/data');
    const times = await MaskTimes.of(installed);
    const cases: CaseResult[] = [];
    for (const [i, file] of readdirSync(data).sort().entries()) {
      const { schema, tests = [] } = JSON.parse(readFileSync(join(data, file), 'utf8')) as File;
      const instances = tests.map(({ valid, data }, j) => ({ name: `${j + 1}`, valid, data }));
      cases.push(...judged(file.slice(0, -'.json'.length), schema, instances));
      if (i % MEASURED === 0)
        times.add(
          schema,
          instances.filter(({ valid }) => valid).map((instance) => instance.data),
        );
      if (i % LOGGED === LOGGED - 1) log(`${i + 1} schemas, ${cases.length} cases`);
    }
    measured(String(times));
    return cases;
  },
} satisfies Suite;
