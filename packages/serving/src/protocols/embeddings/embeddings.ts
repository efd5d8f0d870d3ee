// Defines the protocol of POST /v1/embeddings, which returns the vectors that an encoder computes from texts. Source:
// platform.openai.com/docs/api-reference/embeddings.
import { checkCharacters, checkTokens, inSteps, noCut } from '../../generation/request-bounds.js';
import { BadRequestError } from '../../generation/request-error.js';
import type { HttpAnswer } from '../../http/http-listener.js';
import { WrittenList } from '../../http/json-writing.js';
import { modelOf } from '../fields/model-name.js';
import { RequestFields } from '../fields/request-fields.js';
import { openaiError } from '../openai/errors.js';
import { fieldTable } from '../fields/field-table.js';
import type { Embedder, Exchange, ProtocolUnit, ServedModels } from '../protocol.js';
import { embeddingFields } from './known-fields.js';

export const embeddings: ProtocolUnit = {
  fieldTable: () => fieldTable([['a request', embeddingFields]]),
  serve: (served) => ({
    errorBody: openaiError,
    routes: [{ method: 'POST', path: '/v1/embeddings', respond: (exchange) => embed(served, exchange) }],
  }),
};

async function embed({ embedder, name }: ServedModels, exchange: Exchange): Promise<HttpAnswer> {
  if (embedder === null)
    throw new BadRequestError(
      `'${name}' writes text, and its hidden states are not trained as embeddings; serve an encoder: serve_model task.model=FOLDER`,
      'model',
      'unsupported',
    );
  const fields = new RequestFields(await exchange.body(), embeddingFields);
  const model = modelOf(fields, { name });
  const format = fields.choice('encoding_format', ['float', 'base64'], 'float');
  fields.number('dimensions', embedder.dimensions, { min: embedder.dimensions, max: embedder.dimensions, whole: true });
  const texts = await idsOf(fields, embedder, exchange.signal);
  const vectors = await embedder.vectors(texts, exchange.signal);
  const tokens = texts.reduce((sum, { length }) => sum + length, 0);
  const data = new WrittenList([...vectors.entries()], ([index, vector]) => ({
    object: 'embedding',
    index,
    embedding: written(vector, format),
  }));
  return { status: 200, json: { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } } };
}

/** Writes a vector as numbers, or as base64 of little-endian float32, which OpenAI's clients request by default. */
function written(vector: Float32Array, format: 'float' | 'base64'): number[] | string {
  if (format === 'float') return [...vector];
  const bytes = Buffer.alloc(4 * vector.length);
  vector.forEach((value, i) => bytes.writeFloatLE(value, 4 * i));
  return bytes.toString('base64');
}

/** An input is a text or a list of token ids. */
async function idsOf(fields: RequestFields, embedder: Embedder, signal: AbortSignal): Promise<number[][]> {
  const { tokenizer, contextLength, mostTexts } = embedder;
  const bounds = { tokenizer, contextLength, defaults: { maxTokens: 1 } };
  const given = givenTexts(fields, embedder);
  if (given.length > mostTexts)
    throw fields.fail('input', `has ${given.length} texts; at most ${mostTexts} are embedded at once`);
  for (const text of given) if (typeof text === 'string') checkCharacters(text.length, bounds, 'input', noCut);
  const specials = fields.boolean('add_special_tokens', true);
  const encode = (text: string) => (specials ? tokenizer.encodeWithSpecials(text) : tokenizer.encode(text));
  const texts = given.filter((text) => typeof text === 'string');
  const encoded = await inSteps(() => texts.map(encode), bounds, noCut, signal);
  const ids = given.map((text) => (typeof text === 'string' ? encoded.shift()! : text));
  for (const { length } of ids) checkTokens(length, bounds, 'input');
  if (ids.some(({ length }) => length === 0)) throw fields.fail('input', 'has a text without a token');
  return ids;
}

function givenTexts(fields: RequestFields, { vocabSize }: Embedder): (string | number[])[] {
  const value = fields.value('input');
  const isId = (id: unknown): id is number => Number.isInteger(id) && (id as number) >= 0 && (id as number) < vocabSize;
  const isIds = (item: unknown): item is number[] => Array.isArray(item) && item.length > 0 && item.every(isId);
  const list: unknown[] = Array.isArray(value) && !isIds(value) ? value : [value];
  const good = list.every(
    (item): item is string | number[] => (typeof item === 'string' && item !== '') || isIds(item),
  );
  if (!good || list.length === 0)
    throw fields.fail('input', `must be a text, token ids below ${vocabSize}, or an array of these; none may be empty`);
  return list;
}
