// Tests the family in docs/extending/model.md: it computes the same as a forward pass written in loops, and it trains and decodes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { DecodePrograms } from '../src/decoding/decode-programs.js';
import { Episodes } from '../src/decoding/episodes.js';
import { FamilyConfig } from '../src/decoder/family.js';
import { TokenScorer } from '../src/training/token-scorer.js';
import { formulaWeights, tokenIds } from './families/formula-weights.js';
import { arcee } from './guide-family.js';

const [vocabulary, width, inner, heads, layers] = [29, 16, 20, 4, 2];
const headSize = width / heads;
const config = {
  vocab_size: vocabulary,
  hidden_size: width,
  intermediate_size: inner,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  max_position_embeddings: 64,
};
const architecture = arcee.build(new FamilyConfig('arcee', arcee, config));
const weights = formulaWeights(architecture.parameters);
const ids = tokenIds('ids', 12, vocabulary);

test('the guide shows this family behind its imports', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/extending/model.md'), 'utf8');
  const file = readFileSync(join(import.meta.dirname, 'guide-family.ts'), 'utf8');
  expect(page).toContain(file.slice(file.indexOf('\nexport const arcee')));
});

/** Multiplies a linear layer's weight [out, in] by a row. */
function product(name: string, row: readonly number[]): number[] {
  const { shape, data } = weights[`${name}.weight`];
  return Array.from({ length: shape[0] }, (_, o) =>
    row.reduce((sum, x, i) => sum + x * Number(data[o * shape[1] + i]), 0),
  );
}

function rmsNorm(name: string, row: readonly number[]): number[] {
  const scale = 1 / Math.sqrt(row.reduce((sum, x) => sum + x * x, 0) / row.length + 1e-5);
  return row.map((x, i) => x * scale * Number(weights[`${name}.weight`].data[i]));
}

/** Applies rotary embedding with base 10000: column i of a head is rotated with column i + half. */
function rotated(row: readonly number[], position: number): number[] {
  const half = headSize / 2;
  return row.map((x, i) => {
    const column = i % headSize;
    const angle = position * 10000 ** (-(column % half) / half);
    return x * Math.cos(angle) + (column < half ? -row[i + half] : row[i - half]) * Math.sin(angle);
  });
}

const softmax = (scores: readonly number[]) => {
  const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
};
const plus = (a: readonly number[], b: readonly number[]) => a.map((x, i) => x + b[i]);

/** Computes the probabilities of the next token, [tokens][vocabulary]. */
function probabilities(text: readonly number[]): number[][] {
  let rows = text.map((id) =>
    [...weights['model.embed_tokens.weight'].data.slice(id * width, (id + 1) * width)].map(Number),
  );
  for (let layer = 0; layer < layers; layer++) {
    const at = `model.layers.${layer}`;
    const read = rows.map((row) => rmsNorm(`${at}.input_layernorm`, row));
    const [queries, keys] = ['q', 'k'].map((name) =>
      read.map((row, t) => rotated(product(`${at}.self_attn.${name}_proj`, row), t)),
    );
    const values = read.map((row) => product(`${at}.self_attn.v_proj`, row));
    const attended = queries.map((query, t) =>
      query.map((_, i) => {
        const first = i - (i % headSize);
        const dot = (key: readonly number[]) =>
          Array.from({ length: headSize }, (__, c) => query[first + c] * key[first + c]).reduce((sum, x) => sum + x, 0);
        const shares = softmax(keys.slice(0, t + 1).map((key) => dot(key) / Math.sqrt(headSize)));
        return shares.reduce((sum, share, s) => sum + share * values[s][i], 0);
      }),
    );
    rows = rows.map((row, t) => plus(row, product(`${at}.self_attn.o_proj`, attended[t])));
    rows = rows.map((row) => {
      const up = product(`${at}.mlp.up_proj`, rmsNorm(`${at}.post_attention_layernorm`, row));
      return plus(
        row,
        product(
          `${at}.mlp.down_proj`,
          up.map((x) => Math.max(x, 0) ** 2),
        ),
      );
    });
  }
  return rows.map((row) => softmax(product('lm_head', rmsNorm('model.norm', row))));
}

function oracleLoss(): number {
  const rows = probabilities(ids.slice(0, -1));
  return -rows.reduce((sum, row, t) => sum + Math.log(row[ids[t + 1]]), 0);
}

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());
const load = async () => ({
  device,
  architecture,
  parameters: await device.createState(formulaWeights(architecture.parameters)),
  maskedTokenIds: [],
  padTokenId: 0,
});
const example = {
  ids: Int32Array.from(ids.slice(0, -1)),
  targets: Int32Array.from(ids.slice(1)),
  weights: new Float32Array(ids.length - 1).fill(1),
};

test('a layer has no gate, and biases only where config.json asks for them', () => {
  const ofLayer = architecture.parameters.flatMap(({ name }) =>
    name.startsWith('model.layers.0.') ? [name.slice('model.layers.0.'.length)] : [],
  );
  expect(ofLayer.sort()).toEqual([
    'input_layernorm.weight',
    'mlp.down_proj.weight',
    'mlp.up_proj.weight',
    'post_attention_layernorm.weight',
    ...['k_proj', 'o_proj', 'q_proj', 'v_proj'].map((name) => `self_attn.${name}.weight`),
  ]);
});

test('log-probabilities are those of the loops, and the gradient is their slope', async () => {
  const scorer = new TokenScorer(await load());
  const [found] = await scorer.logprobs([example]);
  const expected = probabilities(ids.slice(0, -1)).map((row, t) => Math.log(row[ids[t + 1]]));
  expected.forEach((logprob, t) => expect(found[t]).toBeCloseTo(logprob, 4));

  const gradients = await device.createZeros(
    Object.fromEntries(architecture.parameters.map(({ name, shape }) => [name, shape])),
  );
  const { loss } = await scorer.accumulateGradients([example], gradients);
  expect(loss).toBeCloseTo(oracleLoss(), 3);
  const name = 'model.layers.0.mlp.up_proj.weight';
  const { data } = weights[name];
  const slopes = (await device.read(gradients))[name].data;
  for (const i of [0, 33, 150, 319]) {
    const [before, step] = [Number(data[i]), 1e-2];
    const [up, down] = [step, -step].map((change) => ((data[i] = before + change), oracleLoss()));
    data[i] = before;
    expect(Number(slopes[i])).toBeCloseTo((up - down) / (2 * step), 2);
  }
  await scorer.release();
});

test('decoding with a cache gives the likeliest tokens', async () => {
  const programs = new DecodePrograms(await load());
  const episodes = await Episodes.open({ programs, contextLength: 40, slots: 1, prefillChunk: 4 });
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 8, terminatorIds: [] };
  const [utterance] = await episodes.act([{ slot: 0, tokens: ids, rng: new Rng(1) }], sampling);
  const said = [...ids];
  for (let token = 0; token < 8; token++) {
    const last = probabilities(said).at(-1)!;
    said.push(last.indexOf(Math.max(...last)));
  }
  expect(utterance.ids).toEqual(said.slice(ids.length));
  await episodes.close();
  await programs.release();
});
