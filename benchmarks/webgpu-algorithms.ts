// Compares one update of every algorithm on a GPU with the CPU's, from the same weights on the same small game. Without a GPU:
// VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/lvp_icd.json GALLIVM_PERF=nopt
//   nice node --conditions=source --import tsx benchmarks/webgpu-algorithms.ts [ALGORITHM …]
import { algorithmNames, findAlgorithm } from '@bowyer/algorithms';
import { toSnakeCase } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { oneUpdate, relativeDifference } from '../packages/runner/test/small-training.js';

const chosen = process.argv.slice(2);
const withKl = (name: string) =>
  'kl_coefficient' in (findAlgorithm(name)!.options.properties as object) ? { klCoefficient: 0.1 } : {};
const rows: [name: string, changes: object][] = [
  ...algorithmNames().map((name): [string, object] => [name, withKl(name)]),
  ['archer', { useBaseline: true, klCoefficient: 0.1, importanceClip: 5 }],
  ['ppo', { valueFunction: 'critic', gaeLevel: 'token', entropyCoefficient: 0.01 }],
];

const [cpu, gpu] = [
  await openDevice({ device: 'cpu', threads: 1 }),
  await openDevice({ device: 'webgpu', threads: 1 }),
];
const seconds = () => process.cpuUsage().user / 1e6;
console.log('| algorithm | difference | CPU s on the CPU | CPU s on the GPU |\n|---|---|---|---|');
for (const [name, changes] of rows) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const started = seconds();
  const expected = await oneUpdate(name, cpu, changes);
  const between = seconds();
  const difference = relativeDifference(expected, await oneUpdate(name, gpu, changes));
  const label = [name, ...Object.entries(changes).map(([key, value]) => `${toSnakeCase(key)}=${String(value)}`)].join(
    ' ',
  );
  console.log(
    `| \`${label}\` | ${difference.toExponential(1)} | ${(between - started).toFixed(1)} | ${(seconds() - between).toFixed(1)} |`,
  );
}
await cpu.close();
await gpu.close();
