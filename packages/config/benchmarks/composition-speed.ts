// How long composition takes: a program of ten groups, defaults lists of growing length, and override texts of growing length.
// Run: npx tsx packages/config/benchmarks/composition-speed.ts   (on an otherwise idle machine)
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { compose } from '../src/index.js';
import { parseOverride } from '../src/overrides/parser.js';

const root = mkdtempSync(path.join(os.tmpdir(), 'bowyer-config-speed-'));

/** Median milliseconds of several runs, after a few that warm up. */
function median(run: () => unknown, rounds = 15): number {
  for (let round = 0; round < 3; round++) run();
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)]!;
}

/** A text that does not parse takes its time too. */
function refused(text: string): boolean {
  try {
    parseOverride(text);
    return false;
  } catch {
    return true;
  }
}

/** A config folder whose primary config takes `count` configs of ten keys each. */
function program(count: number): string {
  const dir = path.join(root, `groups-${count}`);
  const names = Array.from({ length: count }, (_, index) => `group${index}`);
  for (const name of names) {
    mkdirSync(path.join(dir, name), { recursive: true });
    const keys = Array.from({ length: 10 }, (_, key) => `key${key}: ${key % 3 === 0 ? `\${${name}.key1}` : key}`);
    for (const option of ['a', 'b']) writeFileSync(path.join(dir, name, `${option}.yaml`), `${keys.join('\n')}\n`);
  }
  writeFileSync(
    path.join(dir, 'config.yaml'),
    `defaults:\n${names.map((name) => `  - ${name}: a\n`).join('')}  - _self_\n\nseed: 1\n`,
  );
  return dir;
}

try {
  const first = performance.now();
  const ten = { configDirs: [program(10)], configName: 'config', overrides: ['group1=b', 'group2.key1=5', '+new=1'] };
  compose(ten).resolve();
  console.log(`ten groups, first composition   ${(performance.now() - first).toFixed(1)} ms (with making the files)`);
  console.log(`ten groups                      ${median(() => compose(ten)).toFixed(2)} ms`);
  console.log(
    `ten groups, YAML and resolved   ${median(() => [compose(ten).yaml, compose(ten).resolve()]).toFixed(2)} ms`,
  );
  for (const count of [10, 100, 300, 1000]) {
    const options = { configDirs: [program(count)], configName: 'config', overrides: [] };
    const time = median(() => compose(options), 5);
    console.log(
      `${String(count).padStart(4)} defaults                   ${time.toFixed(1)} ms, ${((time / count) * 1000).toFixed(0)} µs each`,
    );
  }
  for (const length of [1000, 10_000, 100_000]) {
    const text = `key=[${'a,'.repeat(length / 2)}b]`;
    const time = median(() => parseOverride(text), 5);
    const open = median(() => refused(`key=${'${'.repeat(length / 2)}`), 5);
    const each = `${((time / length) * 1e6).toFixed(0)} ns each`;
    console.log(
      `override of ${String(length).padStart(6)} characters  ${time.toFixed(1)} ms, ${each}; refused in ${open.toFixed(1)} ms`,
    );
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
