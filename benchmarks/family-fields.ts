// Compares the effect of single fields of config.json, for every newer family, with transformers:
// packages/models/test/record-fields.py recorded a value of each field and the mean log-probability of a text with it. Each must
// be reproduced or refused.
//   node --conditions=source --import tsx benchmarks/family-fields.ts [NAME…]
import { readFileSync } from 'node:fs';
import { openDevice } from '@bowyer/graph';
import { architectureFor, TokenScorer } from '@bowyer/models';
import { formulaWeights } from '../packages/models/test/families/formula-weights.js';

type Config = Record<string, unknown>;
interface Changes {
  config: Config;
  base: number;
  /** Fields with a value that changes the result, and the result. */
  effective: Record<string, [value: unknown, logprob: number]>;
  /** Fields with a value that does not change the result. */
  idle: Record<string, unknown>;
}

const path = new URL('../packages/models/test/recorded-fields/changes.json', import.meta.url);
const { ids, families } = JSON.parse(readFileSync(path, 'utf8')) as {
  ids: number[];
  families: Record<string, Changes>;
};
const example = {
  ids: Int32Array.from(ids.slice(0, -1)),
  targets: Int32Array.from(ids.slice(1)),
  weights: new Float32Array(ids.length - 1).fill(1),
};
const chosen = process.argv.slice(2);
const device = await openDevice({ device: 'cpu', threads: 1 });
try {
  for (const [name, changes] of Object.entries(families)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    const found = await compareFamily(changes);
    const list = (what: string, fields: string[]) => (fields.length > 0 ? [`${what}: ${fields.join(', ')}`] : []);
    const lines = [...list('DIFFERS', found.differs), ...list('refused', found.refused)];
    console.log(`${name}: ${found.equal} equal; ${lines.join('; ')}`);
  }
} finally {
  await device.close();
}

async function compareFamily({ config, base, effective, idle }: Changes) {
  const cases: [field: string, value: unknown, expected: number][] = [
    ...Object.entries(effective).map(([field, [value, score]]) => [field, value, score] as [string, unknown, number]),
    ...Object.entries(idle).map(([field, value]) => [field, value, base] as [string, unknown, number]),
  ];
  const result = { equal: 0, differs: [] as string[], refused: [] as string[] };
  for (const [field, value, expected] of cases) {
    const score = await scoreOf({ ...config, [field]: value });
    if (score === null) result.refused.push(field in effective ? field : `${field} (without effect)`);
    else if (Math.abs(score - expected) < 2e-5) result.equal++;
    else result.differs.push(`${field}=${JSON.stringify(value)} ${score.toFixed(5)} instead of ${expected.toFixed(5)}`);
  }
  return result;
}

/** Computes the mean log-probability in nats; null if the config is refused. */
async function scoreOf(config: Config): Promise<number | null> {
  let architecture;
  try {
    architecture = architectureFor(config);
  } catch {
    return null;
  }
  const parameters = await device.createState(formulaWeights(architecture.parameters));
  const scorer = new TokenScorer({ device, architecture, parameters, maskedTokenIds: [], padTokenId: 0 });
  const [scores] = await scorer.logprobs([example]);
  await scorer.release();
  await device.release(parameters);
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}
