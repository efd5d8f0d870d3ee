// Compares ONNX folders of `exportOnnx` in transformers.js with the models here: greedy tokens of small random models of every
// family in float32, and in the other types.
//   npm --prefix benchmarks/export-onnx ci --ignore-scripts
//   node --conditions=source --import tsx benchmarks/export-onnx.ts [only=families,types] [names=EXPRESSION]
//     [version=3,4 of transformers.js] [folders=FOLDER,…] [texts=FILE] [start=TEXT]
// folders: models whose tokenizer is also compared over the lines of a file, and whose greedy tokens after a text are compared in
// every type
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDevice } from '@bowyer/graph';
import { compareFolder } from './export-onnx/compare-tokenizers.js';
import { compareFamilies, compareTypes, type Here } from './export-onnx/compare-models.js';
import { packages, TransformersJs, type LibraryVersion } from './export-onnx/transformers-js.js';

const options = process.argv.slice(2);
const option = (name: string) => options.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
const only = option('only')?.split(',') ?? ['families', 'types'];
const names = option('names') ?? '';

const dir = await mkdtemp(join(tmpdir(), 'export-onnx-'));
const device = await openDevice({ device: 'cpu', threads: 1 });
const before: Here['before'] = new Map();
try {
  for (const version of chosenVersions()) {
    const there = await TransformersJs.open(version);
    console.log(`transformers.js ${there.version}`);
    const here = { dir, device, there, before };
    if (only.includes('families')) await compareFamilies(here, names);
    for (const [at, folder] of (option('folders')?.split(',') ?? []).entries())
      await compareFolder(here, folder, at, textsOf());
    if (only.includes('types')) await compareTypes(here, names);
    there.close();
  }
} finally {
  await rm(dir, { recursive: true });
  await device.close();
}

function chosenVersions(): LibraryVersion[] {
  const known = Object.keys(packages).map(Number) as LibraryVersion[];
  const chosen = (option('version') ?? '4').split(',').map(Number);
  return known.filter((version) => chosen.includes(version));
}

function textsOf() {
  return { file: option('texts') ?? 'README.md', start: option('start') ?? 'Questions:\n' };
}
