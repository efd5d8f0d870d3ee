// BERT and RoBERTa written as plainly as possible: loops over numbers in float64, one text at a time. For tests only.
import type { EncoderConfig } from '../src/encoder/encoder-config.js';
import type { HostTensors } from '@bowyer/checkpoints';

type Vector = number[];

/** Hidden states of the last layer, [tokens][hidden]. @param ids of one text, not padded */
export function slowEncoder(tensors: HostTensors, config: EncoderConfig, ids: readonly number[]): Vector[] {
  const { hiddenSize, numHeads, layerNormEps } = config;
  const row = (name: string, index: number): Vector =>
    Array.from({ length: hiddenSize }, (_, i) => tensors[name].data[index * hiddenSize + i]);
  const norm = (x: Vector, name: string): Vector => {
    const mean = x.reduce((a, b) => a + b) / x.length;
    const variance = x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length;
    const { [`${name}.weight`]: scale, [`${name}.bias`]: bias } = tensors;
    return x.map((value, i) => ((value - mean) / Math.sqrt(variance + layerNormEps)) * scale.data[i] + bias.data[i]);
  };
  const start = config.modelType === 'roberta' ? config.padTokenId + 1 : 0;
  let x = ids.map((id, t) => {
    const word = row('embeddings.word_embeddings.weight', id);
    const place = row('embeddings.position_embeddings.weight', start + t);
    const type = row('embeddings.token_type_embeddings.weight', 0);
    return norm(sum(sum(word, place), type), 'embeddings.LayerNorm');
  });
  for (let l = 0; l < config.numLayers; l++) {
    const name = `encoder.layer.${l}`;
    const apply = (v: Vector, part: string) => slowLinear(tensors, `${name}.${part}`, v);
    const [queries, keys, values] = ['query', 'key', 'value'].map((part) =>
      x.map((v) => apply(v, `attention.self.${part}`)),
    );
    const size = hiddenSize / numHeads;
    const attended = x.map((_, t) => {
      const out: Vector = [];
      for (let h = 0; h < numHeads; h++) {
        const part = (v: Vector) => v.slice(h * size, (h + 1) * size);
        const weights = softmax(keys.map((key) => dot(part(queries[t]), part(key)) / Math.sqrt(size)));
        for (let i = 0; i < size; i++)
          out.push(values.reduce((total, value, s) => total + weights[s] * value[h * size + i], 0));
      }
      return out;
    });
    x = x.map((v, t) => {
      const y = norm(sum(apply(attended[t], 'attention.output.dense'), v), `${name}.attention.output.LayerNorm`);
      const inner = apply(y, 'intermediate.dense').map((z) => slowActivation(z, config.activation));
      return norm(sum(apply(inner, 'output.dense'), y), `${name}.output.LayerNorm`);
    });
  }
  return x;
}

/** W x + b with W [out, in]. */
export function slowLinear(tensors: HostTensors, name: string, x: Vector): Vector {
  const { [`${name}.weight`]: weight, [`${name}.bias`]: bias } = tensors;
  return Array.from(bias.data, (b, o) =>
    x.reduce((total, value, i) => total + value * weight.data[o * x.length + i], b),
  );
}

const sum = (a: Vector, b: Vector): Vector => a.map((value, i) => value + b[i]);
const dot = (a: Vector, b: Vector): number => a.reduce((total, value, i) => total + value * b[i], 0);

function softmax(scores: Vector): Vector {
  const highest = Math.max(...scores);
  const exps = scores.map((score) => Math.exp(score - highest));
  const total = exps.reduce((a, b) => a + b);
  return exps.map((e) => e / total);
}

function slowActivation(x: number, kind: EncoderConfig['activation']): number {
  if (kind === 'relu') return Math.max(0, x);
  if (kind === 'gelu_new') return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
  return 0.5 * x * (1 + erf(x / Math.SQRT2));
}

/** Taylor series, exact enough for |x| < 5: erf x = 2/√π Σ (−1)ⁿ x²ⁿ⁺¹ / (n! (2n + 1)). */
function erf(x: number): number {
  if (Math.abs(x) > 5) return Math.sign(x);
  let [term, total] = [x, x];
  for (let n = 1; n < 100; n++) {
    term *= (-x * x) / n;
    total += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * total;
}
