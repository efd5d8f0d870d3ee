// ONNX folders of `exportOnnx` in transformers.js, beside the models here: greedy tokens of small random models of every family.
//   npm --prefix benchmarks/export-onnx ci --ignore-scripts
//   node --conditions=source --import tsx benchmarks/export-onnx.ts [only=families] [names=EXPRESSION]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDevice } from '@bowyer/graph';
import { compareFamilies } from './export-onnx/compare-models.js';

const options = process.argv.slice(2);
const option = (name: string) => options.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
const only = option('only')?.split(',') ?? ['families'];

const dir = await mkdtemp(join(tmpdir(), 'export-onnx-'));
const device = await openDevice({ device: 'cpu', threads: 1 });
try {
  if (only.includes('families')) await compareFamilies({ dir, device }, option('names') ?? '');
} finally {
  await rm(dir, { recursive: true });
  await device.close();
}
