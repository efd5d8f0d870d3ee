// GPT-2 as plain loops in float64, one token after the other: the slow, obvious version with which the graphs are compared.
// Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.3 (pre-norm blocks).
import type { Gpt2Config } from '../../src/decoder/gpt2-config.js';

/** Parameters by name; linear weights are [out, in]. */
export interface Weights {
  [name: string]: { shape: readonly number[]; data: ArrayLike<number> };
}

const reader = (weights: Weights) => (name: string) => {
  if (!(name in weights)) throw new Error(`gpt2-loops: no parameter '${name}'`);
  return weights[name].data;
};

/** Computes the logits after each position, [tokens][vocabulary]. */
export function gpt2LoopLogits(config: Gpt2Config, weights: Weights, ids: ArrayLike<number>): number[][] {
  const at = reader(weights);
  const head = config.tie_word_embeddings ? 'transformer.wte.weight' : 'lm_head.weight';
  return gpt2LoopTrunk(config, weights, ids).map((x) =>
    linear(
      layerNorm(x, at('transformer.ln_f.weight'), at('transformer.ln_f.bias'), config.layer_norm_epsilon),
      at(head),
    ),
  );
}

/** Computes V after each position: `value_head` on the normalised residual stream. */
export const gpt2LoopValues = (config: Gpt2Config, weights: Weights, ids: ArrayLike<number>): number[] =>
  gpt2LoopTrunk(config, weights, ids).map((x) => {
    const rms = Math.sqrt(dot(x, x) / x.length + 1e-6);
    const at = reader(weights);
    return (
      dot(
        x.map((xi) => xi / rms),
        Array.from(at('value_head.weight')),
      ) + at('value_head.bias')[0]
    );
  });

/** Computes the residual stream after the last block, [tokens][width]. */
function gpt2LoopTrunk(config: Gpt2Config, weights: Weights, ids: ArrayLike<number>): number[][] {
  const at = reader(weights);
  const row = (name: string, index: number, width: number) =>
    Array.from({ length: width }, (_, i) => at(name)[index * width + i]);
  const width = config.n_embd;
  const headWidth = width / config.n_head;

  let hidden = Array.from(ids, (id, t) =>
    add(row('transformer.wte.weight', id, width), row('transformer.wpe.weight', t, width)),
  );
  for (let layer = 0; layer < config.n_layer; layer++) {
    const name = (part: string) => `transformer.h.${layer}.${part}`;
    const normed = hidden.map((x) =>
      layerNorm(x, at(name('ln_1.weight')), at(name('ln_1.bias')), config.layer_norm_epsilon),
    );
    const qkv = normed.map((x) => linear(x, at(name('attn.c_attn.weight')), at(name('attn.c_attn.bias'))));
    const mixed = hidden.map((_, t) => {
      const output: number[] = [];
      for (let head = 0; head < config.n_head; head++) {
        const slice = (s: number, which: number) =>
          qkv[s].slice(which * width + head * headWidth, which * width + (head + 1) * headWidth);
        const scores = Array.from({ length: t + 1 }, (_, s) => dot(slice(t, 0), slice(s, 1)) / Math.sqrt(headWidth));
        const probabilities = softmax(scores);
        for (let i = 0; i < headWidth; i++)
          output.push(probabilities.reduce((sum, p, s) => sum + p * slice(s, 2)[i], 0));
      }
      return linear(output, at(name('attn.c_proj.weight')), at(name('attn.c_proj.bias')));
    });
    hidden = hidden.map((x, t) => add(x, mixed[t]));
    hidden = hidden.map((x) => {
      const normed2 = layerNorm(x, at(name('ln_2.weight')), at(name('ln_2.bias')), config.layer_norm_epsilon);
      const inner = linear(normed2, at(name('mlp.c_fc.weight')), at(name('mlp.c_fc.bias'))).map(geluNew);
      return add(x, linear(inner, at(name('mlp.c_proj.weight')), at(name('mlp.c_proj.bias'))));
    });
  }
  return hidden;
}

/** Computes log softmax(logits)[target] in float64; masked ids have probability 0. */
export function logprobOf(logits: number[], target: number, maskedTokenIds: readonly number[] = []): number {
  const kept = logits.map((x, id) => (maskedTokenIds.includes(id) ? -Infinity : x));
  const top = Math.max(...kept);
  return kept[target] - top - Math.log(kept.reduce((sum, x) => sum + Math.exp(x - top), 0));
}

const add = (a: number[], b: number[]) => a.map((x, i) => x + b[i]);
const dot = (a: number[], b: number[]) => a.reduce((sum, x, i) => sum + x * b[i], 0);

function linear(x: number[], weight: ArrayLike<number>, bias?: ArrayLike<number>): number[] {
  const outputs = weight.length / x.length;
  return Array.from({ length: outputs }, (_, o) =>
    x.reduce((sum, xi, i) => sum + xi * weight[o * x.length + i], bias ? bias[o] : 0),
  );
}

function layerNorm(x: number[], scale: ArrayLike<number>, shift: ArrayLike<number>, epsilon: number): number[] {
  const mean = x.reduce((sum, xi) => sum + xi, 0) / x.length;
  const variance = x.reduce((sum, xi) => sum + (xi - mean) ** 2, 0) / x.length;
  return x.map((xi, i) => ((xi - mean) / Math.sqrt(variance + epsilon)) * scale[i] + shift[i]);
}

function softmax(scores: number[]): number[] {
  const top = Math.max(...scores);
  const exps = scores.map((x) => Math.exp(x - top));
  const total = exps.reduce((sum, x) => sum + x, 0);
  return exps.map((x) => x / total);
}

/** Computes GELU in its tanh approximation: ½x (1 + tanh(√(2/π) (x + 0.044715 x³))). */
const geluNew = (x: number) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
