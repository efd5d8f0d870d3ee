import { jsonBytesInSteps, WrittenList } from '../../http/json-writing.js';
import type { SteppedTokenizer } from '../../generation/stepped-tokenizer.js';
import type { Embedder, Exchange } from '../protocol.js';
import { embeddings } from './embeddings.js';

const vectors = Array.from({ length: 40 }, (_, i) => Float32Array.from({ length: 500 }, (_value, j) => i + j / 500));
const tokenizer: Partial<SteppedTokenizer> = {
  inSteps: (work: () => unknown) => Promise.resolve(work()) as Promise<never>,
};
const embedder: Partial<Embedder> = {
  tokenizer: tokenizer as SteppedTokenizer,
  dimensions: 500,
  contextLength: 8,
  vocabSize: 100,
  mostTexts: 2048,
  vectors: () => Promise.resolve(vectors),
};

test.each(['float', 'base64'])('vectors are written as %s one after the other, not all at once', async (format) => {
  const served = { embedder, name: 'tiny' } as Parameters<typeof embeddings.serve>[0];
  const body = { model: 'tiny', input: vectors.map((_, i) => [i]), encoding_format: format };
  const exchange = { body: () => Promise.resolve(body), signal: new AbortController().signal } as Partial<Exchange>;
  const answer = await embeddings.serve(served).routes[0].respond(exchange as Exchange);
  const json = answer!.json as { data: unknown };
  expect(json.data).toBeInstanceOf(WrittenList);
  const parts: Buffer[] = [];
  const steps = jsonBytesInSteps(json);
  let step = steps.next();
  let count = 0;
  for (; step.done !== true; step = steps.next()) count++;
  parts.push(...step.value);
  expect(count).toBeGreaterThan(format === 'float' ? 10 : 1);
  const { data } = JSON.parse(Buffer.concat(parts).toString()) as { data: { index: number; embedding: number[] }[] };
  expect(data.map(({ index }) => index)).toEqual(vectors.map((_, i) => i));
  if (format === 'float') expect(data[3].embedding).toEqual([...vectors[3]]);
});
