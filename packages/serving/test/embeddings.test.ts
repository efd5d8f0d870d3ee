// Tests embeddings over HTTP against a slow pooling of the encoder's own hidden states.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openDevice } from '@bowyer/graph';
import { SentenceEncoder } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder, sendJson } from '@bowyer/testing';
import { EmbeddingServer } from '../src/model-server/embedding-server.js';

const fixture = resolve(import.meta.dirname, '../../models/test/encoder-fixtures/bert');
const tokenizer = wordLevelTokenizer(['is it a dog or a cat ?']);

const device = await openDevice({ device: 'cpu', threads: 1 });
const dir = newFolder();
afterAll(async () => {
  await device.close();
});

/** Writes a folder of sentence-transformers. */
async function folder(mode: string, modules: readonly string[], pooling?: object): Promise<string> {
  const path = join(dir, `${mode}-${modules.join('-')}`);
  cpSync(fixture, path, { recursive: true });
  await tokenizer.save(path);
  mkdirSync(join(path, '1_Pooling'), { recursive: true });
  const listed = modules.map((name, idx) => ({
    idx,
    name,
    path: name === 'Pooling' ? '1_Pooling' : '',
    type: `sentence_transformers.models.${name}`,
  }));
  writeFileSync(join(path, 'modules.json'), JSON.stringify(listed));
  writeFileSync(
    join(path, '1_Pooling/config.json'),
    JSON.stringify(pooling ?? { [`pooling_mode_${mode}`]: true, pooling_mode_weightedmean_tokens: false }),
  );
  return path;
}

/* oxlint-disable typescript/no-explicit-any -- bodies of answers */
async function withServer<T>(
  path: string,
  use: (post: (json: object) => Promise<{ status: number; body: any }>) => Promise<T>,
) {
  const encoder = await SentenceEncoder.load(device, path);
  const server = await EmbeddingServer.listen({
    encoder,
    name: 'tiny',
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    maxQueued: 8,
  });
  const post = (json: object, route = 'embeddings') => sendJson<any>(`${server.url}/${route}`, json);
  try {
    return await use(post);
  } finally {
    await server.close();
    await encoder.release();
  }
}

/* oxlint-enable typescript/no-explicit-any */

const near = (found: readonly number[], expected: ArrayLike<number>) =>
  Array.from(expected).forEach((value, i) => expect(found[i]).toBeCloseTo(value, 5));

test('the mean of length 1 is the vector of loadWithMean, alone, in company, as ids and in Base64', async () => {
  const path = await folder('mean_tokens', ['Transformer', 'Pooling', 'Normalize']);
  const encoder = await SentenceEncoder.loadWithMean(device, path);
  const texts = ['is it a dog ?', 'cat'];
  const expected = await encoder.vectorsOfTexts(texts);
  await encoder.release();
  await withServer(path, async (post) => {
    const { body } = await post({ model: 'tiny', input: texts });
    expect(body.data.map(({ index }: { index: number }) => index)).toEqual([0, 1]);
    expected.forEach((vector, i) => near(body.data[i].embedding, vector));
    near((await post({ input: texts[1] })).body.data[0].embedding, expected[1]);
    const ids = tokenizer.encodeWithSpecials(texts[0]);
    const { body: coded } = await post({ input: ids, encoding_format: 'base64' });
    const bytes = Buffer.from(coded.data[0].embedding as string, 'base64');
    near(
      Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i)),
      expected[0],
    );
    expect(coded.usage).toEqual({ prompt_tokens: ids.length, total_tokens: ids.length });
  });
});

test('cls, max and the last token pool as loops over the tokens do', async () => {
  const vectors: Record<string, number[][]> = {};
  for (const mode of ['cls_token', 'max_tokens', 'lasttoken', 'mean_tokens'])
    await withServer(await folder(mode, ['Transformer', 'Pooling']), async (post) => {
      const { body } = await post({ input: ['dog', 'dog cat'] });
      vectors[mode] = body.data.map(({ embedding }: { embedding: number[] }) => embedding);
    });
  const { cls_token: cls, max_tokens: max, lasttoken: last, mean_tokens: mean } = vectors;
  const isSingle = tokenizer.encodeWithSpecials('dog').length === 1;
  if (isSingle) for (const each of [max, last, mean]) near(each[0], cls[0]); // all poolings are the only token's state
  const states = [cls[1], last[1]]; // the first and the last of two tokens
  near(
    mean[1],
    states[0].map((value, i) => (value + states[1][i]) / 2),
  );
  near(
    max[1],
    states[0].map((value, i) => Math.max(value, states[1][i])),
  );
});

test('pooling_mode of sentence-transformers 6 names one mode or several, whose parts follow each other', async () => {
  const vectorsOf = async (pooling_mode: string | string[]) =>
    withServer(await folder(String(pooling_mode), ['Transformer', 'Pooling'], { pooling_mode }), async (post) => {
      const { body } = await post({ input: ['dog cat'] });
      return body.data[0].embedding as number[];
    });
  const [cls, last] = [await vectorsOf('cls'), await vectorsOf('lasttoken')]; // the two tokens of the text
  near(await vectorsOf(['cls', 'lasttoken']), [...cls, ...last]);
  near(
    await vectorsOf('weightedmean'),
    cls.map((value, i) => (1 * value + 2 * last[i]) / 3),
  );
  near(
    await vectorsOf('mean_sqrt_len_tokens'),
    cls.map((value, i) => (value + last[i]) / Math.sqrt(2)),
  );
});

test('a prompt before each text is refused by its name, and an empty one or none is not', async () => {
  const path = await folder('prompts', ['Transformer', 'Pooling'], { pooling_mode: 'mean' });
  const loadWith = async (settings: object) => {
    writeFileSync(join(path, 'config_sentence_transformers.json'), JSON.stringify(settings));
    await (await SentenceEncoder.load(device, path)).release();
  };
  const prompts = { query: 'query: ', document: '' };
  await expect(loadWith({ prompts, default_prompt_name: 'query' })).rejects.toThrow(`the prompt 'query', "query: "`);
  await loadWith({ prompts, default_prompt_name: 'document' });
  await loadWith({ prompts, default_prompt_name: null });
});

test('do_lower_case is refused with a tokenizer that keeps capital letters, and served with one that does not', async () => {
  const path = await folder('lower_case', ['Transformer', 'Pooling'], { pooling_mode: 'mean' });
  const loadWith = async (normalizer: object | null) => {
    const cased = wordLevelTokenizer(['The the Quick quick Brown brown Fox fox']);
    const definition = { ...cased.definition, normalizer };
    await cased.save(path);
    writeFileSync(join(path, 'tokenizer.json'), JSON.stringify(definition));
    writeFileSync(join(path, 'sentence_bert_config.json'), '{"do_lower_case": true}');
    await (await SentenceEncoder.load(device, path)).release();
  };
  await expect(loadWith(null)).rejects.toThrow('do_lower_case: true, which is not served with a tokenizer that keeps');
  await loadWith({ type: 'Lowercase' });
});

test('models that cannot be served are refused by name', async () => {
  await expect(
    SentenceEncoder.load(device, await folder('mean_tokens', ['Transformer', 'Pooling', 'Dense'])),
  ).rejects.toThrow('Dense');
  await expect(
    SentenceEncoder.load(device, await folder('median', ['Transformer', 'Pooling'], { pooling_mode: 'median' })),
  ).rejects.toThrow('has "median"; cls, max, mean');
  await withServer(await folder('mean_tokens', ['Transformer', 'Pooling']), async (post) => {
    for (const [json, param] of [
      [{ input: '' }, 'input'],
      [{ input: 'dog', dimensions: 2 }, 'dimensions'],
      [{ input: 'dog '.repeat(999) }, 'input'],
    ] as const) {
      const { status, body } = await post(json);
      expect([status, body.error.param]).toEqual([400, param]);
    }
    const chat = await (post as (json: object, route: string) => ReturnType<typeof post>)(
      { messages: [] },
      'chat/completions',
    );
    expect(chat.body.error.message).toContain('is an encoder, which writes no text');
  });
});
