// Reads the expected outcomes of a suite: `suites/NAME/expected.json`.
import { existsSync, readFileSync } from 'node:fs';
import type { CaseResult } from './suite.js';

/** A reason why cases fail or are skipped, with their names, in which a `*` stands for any text, and their number. */
export interface Expectation {
  readonly reason: string;
  readonly count: number;
  readonly cases: readonly string[];
}

/** Reads the expectations of a suite; none without a file. */
export function readExpectations(file: string): Expectation[] {
  if (!existsSync(file)) return [];
  const groups = JSON.parse(readFileSync(file, 'utf8')) as Expectation[];
  const isGroup = ({ reason, count, cases }: Expectation) => reason !== '' && count > 0 && Array.isArray(cases);
  if (!Array.isArray(groups) || !groups.every(isGroup))
    throw new Error(`${file}: it must be a list of { reason, count, cases }`);
  return groups;
}

const escaped = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
const matcher = (name: string): RegExp => new RegExp(`^${escaped(name).replaceAll('*', '.*')}$`, 's');

/**
 * Compares the outcomes of cases with the expected ones.
 *
 * @returns `surprises`: cases that failed or were skipped without a reason, names that match no failed or skipped case, and
 *   reasons with a wrong number of cases; `reasons`: how many cases each reason explains
 */
export function compared(
  cases: readonly CaseResult[],
  expectations: readonly Expectation[],
): { surprises: string[]; reasons: { reason: string; cases: number }[] } {
  const groups = expectations.map(({ reason, count, cases: names }) => {
    return {
      reason,
      count,
      found: 0,
      names: names.map((name) => ({ name, pattern: matcher(name), cases: 0, passes: 0 })),
    };
  });
  const surprises: string[] = [];
  for (const { name: caseName, outcome, detail } of cases) {
    const group = groups.find(({ names }) => names.some(({ pattern }) => pattern.test(caseName)));
    const expected = group?.names.find(({ pattern }) => pattern.test(caseName));
    if (!group || !expected) {
      if (outcome !== 'passed') surprises.push(`${outcome}: ${caseName}${detail ? `: ${detail}` : ''}`);
    } else if (outcome === 'passed') expected.passes++;
    else {
      expected.cases++;
      group.found++;
    }
  }
  for (const { reason, count, found, names } of groups) {
    for (const line of names)
      if (line.cases === 0) surprises.push(`expected.json: ${line.name}: no case failed (${line.passes} passed)`);
    if (found !== count) surprises.push(`expected.json: ${found} cases instead of ${count}: ${reason}`);
  }
  return { surprises, reasons: groups.map(({ reason, found }) => ({ reason, cases: found })) };
}
