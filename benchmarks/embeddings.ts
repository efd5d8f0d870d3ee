// Compares the vectors of POST /v1/embeddings with those of sentence-transformers, for small encoders of three families from the
// peer, and each mode of pooling with and without normalization: the largest absolute difference over the elements of 100 texts.
// It fails above 1e-5; for mean_sqrt_len_tokens (√tokens times the mean) without normalization, above 1e-5 · √128.
// PYTHON is a Python with torch, transformers and sentence-transformers:
//   PYTHON=/path/to/python node --conditions=source --import tsx benchmarks/embeddings.ts [bert,roberta,albert] [mean,cls,…]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { maximum, Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { SentenceEncoder } from '@bowyer/models';
import { EmbeddingServer } from '@bowyer/serving';
import { openPeer } from './peer.js';

interface Answer {
  folder: string;
  versions: Record<string, string>;
  vectors: number[][];
}

const MOST = 1e-5;
const MOST_TOKENS = 128;
const TEXTS = 100;
const MODES = 'mean,cls,max,weightedmean,mean_sqrt_len_tokens,lasttoken,cls+mean';

const [families, modes] = [process.argv[2] ?? 'bert,roberta,albert', process.argv[3] ?? MODES].map((list) =>
  list.split(','),
);
const texts = randomTexts();
const folder = await mkdtemp(join(tmpdir(), 'embeddings-'));
const device = await openDevice({ device: 'cpu', threads: 1 });
try {
  const peer = await openPeer<Answer>('sentence_transformers_vectors.py', { folder, texts });
  if (peer === null) process.exitCode = 1;
  else {
    await compareAll((line) => peer.next(line));
    peer.close();
  }
} finally {
  await device.close();
  await rm(folder, { recursive: true });
}

async function compareAll(ask: (line: string) => Promise<Answer>): Promise<void> {
  console.log(`| family | pooling | largest difference | the same, length 1 |\n|---|---|---|---|`);
  let most = 0;
  let versions = {};
  for (const family of families)
    for (const mode of modes) {
      const found: number[] = [];
      for (const end of ['', ' normalize']) {
        const answer = await ask(`${family} ${mode}${end}`);
        versions = answer.versions;
        found.push(difference(await served(answer.folder), answer.vectors));
      }
      console.log(`| ${family} | ${mode} | ${found.map((value) => value.toExponential(1)).join(' | ')} |`);
      if (!(found[1] <= MOST) || !(found[0] <= mostOf(mode))) process.exitCode = 1;
      most = Math.max(most, found[0], found[1]);
    }
  console.log(`largest of ${texts.length} texts: ${most.toExponential(1)}; ${JSON.stringify(versions)}`);
}

function mostOf(mode: string): number {
  return MOST * (mode === 'mean_sqrt_len_tokens' ? Math.sqrt(MOST_TOKENS) : 1);
}

/** Returns a server's vectors for all texts, from one request. */
async function served(dir: string): Promise<number[][]> {
  const encoder = await SentenceEncoder.load(device, dir);
  const options = { name: 'encoder', host: '127.0.0.1', port: 0, apiKey: null, maxQueued: 1 };
  const server = await EmbeddingServer.listen({ encoder, ...options });
  try {
    const response = await fetch(`${server.url}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'encoder', input: texts }),
    });
    const body = await response.text();
    if (!response.ok) throw new Error(`${dir}: ${response.status} ${body}`);
    const { data } = JSON.parse(body) as { data: { embedding: number[] }[] };
    return data.map(({ embedding }) => embedding);
  } finally {
    await server.close();
    await encoder.release();
  }
}

/** Finds the largest difference of all elements; NaN for vectors of different lengths. */
function difference(found: number[][], expected: number[][]): number {
  if (found.length !== expected.length) return NaN;
  const all = expected.flatMap((row, i) => row.map((value, j) => Math.abs(value - found[i][j])));
  return found.every((row, i) => row.length === expected[i].length) ? maximum(all) : NaN;
}

/** Draws texts of 1 to 25 words, some with capitals, accents, digits, punctuation or rare characters. */
function randomTexts(): string[] {
  const words =
    "the a cat dog Paris café naïve Zürich runs 42 3.14 isn’t x+y=z hello, world! (maybe) — 東京 Ünïcode 🙂 don't".split(
      ' ',
    );
  const rng = new Rng(1);
  return Array.from({ length: TEXTS }, () =>
    Array.from({ length: rng.integer(1, 25) }, () => words[rng.integer(0, words.length - 1)]).join(' '),
  );
}
