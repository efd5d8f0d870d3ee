// Damaged files and requests in numbers: what is read or refused in words, and what is not. Findings are printed with their seeds and kept
// in FOLDER if given. Exit code 1 if there are any.
//   nice node --conditions=source --import tsx benchmarks/fuzz.ts [INPUTS_OF_A_TARGET [FIRST_SEED [TARGET [FOLDER]]]]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fuzz } from '../packages/runner/test/fuzz/fuzz.js';
import { targets } from '../packages/runner/test/fuzz/targets.js';

const [count = '1000', first = '1', only, folder] = process.argv.slice(2);
for (const target of only ? only.split(',') : Object.keys(targets)) {
  const began = performance.now();
  const { inputs, accepted, slowestMs, findings } = await fuzz(target, Number(count), Number(first));
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `${target.padEnd(24)} ${inputs} inputs in ${seconds.toFixed(1)} s, ${accepted} read, slowest ${slowestMs.toFixed(0)} ms, ${findings.length} findings`,
  );
  const kinds = new Map<string, number>();
  for (const { problem, seed, input } of findings) {
    const kind = problem.replaceAll(/\d+/g, 'N').slice(0, 200);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (kinds.get(kind) === 1) console.log(`  seed ${seed}: ${problem.split('\n').slice(0, 4).join('\n    ')}`);
    if (folder === undefined) continue;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${target.replaceAll(/\W+/g, '-')}-${seed}`), input);
  }
  if (findings.length > 0) process.exitCode = 1;
}
