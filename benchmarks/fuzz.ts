// Gives damaged files and requests to all readers and servers, and counts how many are read, refused with an explanation, or
// handled wrongly. The latter, the findings, are printed with their seeds, and make the exit code 1. With FOLDER, findings and
// counts are stored there, and an interrupted command resumes:
//   nice node --conditions=source --import tsx benchmarks/fuzz.ts [INPUTS_OF_A_TARGET [FIRST_SEED [TARGET,… [FOLDER]]]]
// A million inputs, about half an hour of CPU time. Files are small, so most of the time is waiting for the disk: several of
// these commands, each with other targets, can work on one FOLDER at the same time.
//   nice node --conditions=source --import tsx benchmarks/fuzz.ts 76924 1 all FOLDER
// The table of the results in FOLDER:
//   node --conditions=source --import tsx benchmarks/fuzz.ts 0 1 all FOLDER
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { maximum } from '@bowyer/core';
import { fuzz, type FuzzResult } from '../packages/runner/test/fuzz/fuzz.js';
import { targets } from '../packages/runner/test/fuzz/targets.js';

/** The number of inputs between two writes to FOLDER. */
const PART = 1000;

/** The results of inputs with the seeds `first`, `first` + 1, …; a line of the target's file in FOLDER. */
type Part = Omit<FuzzResult, 'findings'> & { first: number; findings: { seed: number; problem: string }[] };

const [countText = '1000', firstText = '1', only = 'all', folder] = process.argv.slice(2);
const [count, first] = [Number(countText), Number(firstText)];
if (folder !== undefined) mkdirSync(folder, { recursive: true });
const fileName = (target: string) => target.replaceAll(/\W+/g, '-');

const partsFile = (target: string) => join(folder, `${fileName(target)}.jsonl`);

function earlierParts(target: string): Part[] {
  if (folder === undefined || !existsSync(partsFile(target))) return [];
  const lines = readFileSync(partsFile(target), 'utf8').split('\n').slice(0, -1); // the last line may be incomplete
  return lines.map((line) => JSON.parse(line) as Part);
}

async function fuzzPart(target: string, inputs: number, from: number): Promise<Part> {
  const result = await fuzz(target, inputs, from);
  const findings = result.findings.map(({ seed, problem }) => ({ seed, problem }));
  const part = { ...result, first: from, findings };
  if (folder === undefined) return part;
  for (const { seed, input } of result.findings) writeFileSync(join(folder, `${fileName(target)}-${seed}`), input);
  appendFileSync(partsFile(target), `${JSON.stringify(part)}\n`);
  return part;
}

function printFindings(findings: Part['findings']): void {
  const kinds = new Set<string>();
  for (const { problem, seed } of findings) {
    const kind = problem.replaceAll(/\d+/g, 'N').slice(0, 200);
    if (!kinds.has(kind)) console.log(`  seed ${seed}: ${problem.split('\n').slice(0, 4).join('\n    ')}`);
    kinds.add(kind);
  }
}

console.log('| input | inputs | read although damaged | slowest | findings |\n|---|---|---|---|---|');
let total = 0;
for (const target of only === 'all' ? Object.keys(targets) : only.split(',')) {
  const parts = earlierParts(target);
  for (let from = first; from < first + count; from += PART)
    if (!parts.some((part) => part.first === from))
      parts.push(await fuzzPart(target, Math.min(PART, first + count - from), from));
  const sum = (of: (part: Part) => number) => parts.reduce((before, part) => before + of(part), 0);
  const slowestMs = maximum([0, ...parts.map((part) => part.slowestMs)]);
  const findings = parts.flatMap((part) => part.findings);
  const inputs = sum((part) => part.inputs);
  console.log(
    `| ${target} | ${inputs.toLocaleString('en')} | ${sum((part) => part.accepted).toLocaleString('en')} | ${slowestMs.toFixed(0)} ms | ${findings.length} |`,
  );
  printFindings(findings);
  total += inputs;
  if (findings.length > 0) process.exitCode = 1;
}
console.log(`${total.toLocaleString('en')} inputs`);
