// Compares GGUF files of `exportGguf` in llama.cpp (node-llama-cpp) with the models here: greedy tokens of small random models of
// every family in float32, with and without adapters; tokens of texts; rendered chat templates.
//   npm --prefix benchmarks/peers/llama-cpp install
//   node --conditions=source --import tsx benchmarks/export-gguf.ts [only=families,adapters,types,read,tokenizers]
//     [names=EXPRESSION] [tokenizers=FOLDER,…] [texts=10000]
// tokenizers: folders with tokenizer.json and, for templates, tokenizer_config.json
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDevice } from '@bowyer/graph';
import { compareAdapters, compareFamilies, compareRead, compareTypes } from './export-gguf/compare-models.js';
import { compareTokenizers } from './export-gguf/compare-tokenizers.js';
import { openPeer } from './llama-cpp.js';

const options = process.argv.slice(2);
const option = (name: string) => options.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
const only = option('only')?.split(',') ?? ['families', 'adapters', 'types', 'read', 'tokenizers'];
const names = option('names') ?? '';
const THREADS = 1;

const dir = await mkdtemp(join(tmpdir(), 'export-gguf-'));
const peer = await openPeer(THREADS);
const device = await openDevice({ device: 'cpu', threads: THREADS });
const sides = { dir, peer, device, threads: THREADS };
try {
  if (only.includes('families')) await compareFamilies(sides, names);
  if (only.includes('adapters')) await compareAdapters(sides, names);
  if (only.includes('types')) await compareTypes(sides);
  if (only.includes('read')) await compareRead(sides, names);
  if (only.includes('tokenizers'))
    await compareTokenizers(sides, option('tokenizers')?.split(',') ?? [], Number(option('texts') ?? 10_000));
} finally {
  await rm(dir, { recursive: true });
  await peer.dispose();
  await device.close();
}
