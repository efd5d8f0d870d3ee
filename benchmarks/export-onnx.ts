// ONNX folders of `exportOnnx` in transformers.js, beside the models here: greedy tokens of small random models of every family
// in float32, and in the other types.
//   npm --prefix benchmarks/export-onnx ci --ignore-scripts
//   node --conditions=source --import tsx benchmarks/export-onnx.ts [only=families,types] [names=EXPRESSION]
//     [folders=FOLDER,…] [texts=FILE]
// folders: models whose tokenizer is compared too, over the lines of a file
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDevice } from '@bowyer/graph';
import { compareFolder } from './export-onnx/compare-tokenizers.js';
import { compareFamilies, compareTypes } from './export-onnx/compare-models.js';

const options = process.argv.slice(2);
const option = (name: string) => options.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
const only = option('only')?.split(',') ?? ['families', 'types'];
const names = option('names') ?? '';

const dir = await mkdtemp(join(tmpdir(), 'export-onnx-'));
const device = await openDevice({ device: 'cpu', threads: 1 });
try {
  if (only.includes('families')) await compareFamilies({ dir, device }, names);
  for (const [at, folder] of (option('folders')?.split(',') ?? []).entries())
    await compareFolder({ dir, device }, folder, at, option('texts') ?? 'README.md');
  if (only.includes('types')) await compareTypes({ dir, device }, names);
} finally {
  await rm(dir, { recursive: true });
  await device.close();
}
