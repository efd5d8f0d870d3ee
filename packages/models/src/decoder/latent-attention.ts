// Builds multi-head latent attention (MLA): the keys and values of all heads are computed from one narrow vector per token, and
// all heads share one further key vector with rotary embedding.
// Source: DeepSeek-AI 2024, arXiv:2405.04434, section 2.1; names and layout of Hugging Face's DeepseekV3Attention. In contrast to
// the paper, the KV cache contains the heads' keys and values instead of the narrow vector.
import type { Value } from '@bowyer/graph';
import type { AttentionForm } from '../layers/attention.js';
import { rotateHeads } from '../layers/rotary-embedding.js';
import type { RotaryFrequencies } from '../layers/rotary-frequencies.js';
import { linear, norm, type Layer, type Part } from './parts.js';

interface LatentAttention {
  /** The module's path, e.g. `model.layers.0.self_attn`. */
  path: string;
  width: number;
  heads: number;
  /** The width of the narrow vector from which queries are computed; if omitted, one layer computes queries directly. */
  queryRank?: number;
  keyValueRank: number;
  /** The number of columns of a head's query and key without rotary embedding (`plainSize`) and with it (`rotarySize`). */
  plainSize: number;
  rotarySize: number;
  valueSize: number;
  bias: boolean;
  standardDeviation: number;
  rotary: RotaryFrequencies;
  form: AttentionForm & { scale: number };
}

/** The ε of the norms inside the projections; it is constant, whatever ε the config states for the other norms. */
const EPSILON = 1e-6;

/** The head size in the KV cache: that of keys or of values, whichever is larger; the smaller are padded with zeros. */
export const latentHeadSize = ({
  plainSize,
  rotarySize,
  valueSize,
}: Pick<LatentAttention, 'plainSize' | 'rotarySize' | 'valueSize'>) => Math.max(plainSize + rotarySize, valueSize);

export function latentAttention(attention: LatentAttention): Part {
  const { path, width, heads, keyValueRank, plainSize, rotarySize, valueSize, rotary, form } = attention;
  const { bias, standardDeviation } = attention;
  const layer = (name: string, out: number, input: number, hasBias = false) =>
    linear(`${path}.${name}`, out, input, { bias: hasBias, standardDeviation });
  const normAt = (name: string, size: number) => norm(`${path}.${name}`, size, { kind: 'rms', epsilon: EPSILON });
  const queryLayers = queryProjection(attention, layer, normAt);
  const narrow = layer('kv_a_proj_with_mqa', keyValueRank + rotarySize, width, bias);
  const narrowNorm = normAt('kv_a_layernorm', keyValueRank);
  const wide = layer('kv_b_proj', heads * (plainSize + valueSize), keyValueRank);
  const output = layer('o_proj', width, heads * valueSize, bias);
  const headSize = latentHeadSize(attention);
  return {
    parameters: [...queryLayers, narrow, narrowNorm, wide, output].flatMap(({ parameters }) => parameters),
    rotary,
    apply(scope, x, place) {
      const { g } = scope;
      const rows = x.dim(0);
      const rotate = (part: Value) => rotateHeads(g, part, place.tables(rotary));
      const padded = (parts: Value[]) => {
        const joined = g.concat(parts, 2);
        return g.reshape(g.pad(joined, 2, 0, headSize - Number(joined.dim(2))), [rows, heads * headSize]);
      };
      const query = queryLayers.reduce((value, part) => part.apply(scope, value), x);
      const queries = g.split(g.reshape(query, [rows, heads, plainSize + rotarySize]), 2, [plainSize, rotarySize]);
      const [latent, key] = g.split(narrow.apply(scope, x), 1, [keyValueRank, rotarySize]);
      const both = g.reshape(wide.apply(scope, narrowNorm.apply(scope, latent)), [rows, heads, plainSize + valueSize]);
      const [plain, values] = g.split(both, 2, [plainSize, valueSize]);
      const rotated = g.expand(rotate(g.reshape(key, [rows, 1, rotarySize])), [rows, heads, rotarySize]);
      const mixed = scope.attention(
        place.layer,
        padded([queries[0], rotate(queries[1])]),
        padded([plain, rotated]),
        padded([values]),
        form,
      );
      const own = g.slice(g.reshape(mixed, [rows, heads, headSize]), 2, 0, valueSize);
      return output.apply(scope, g.reshape(own, [rows, heads * valueSize]));
    },
  };
}

/** Lists the layers that compute queries when they are applied one after the other. */
function queryProjection(
  { width, heads, queryRank, plainSize, rotarySize, bias }: LatentAttention,
  layer: (name: string, out: number, input: number, hasBias?: boolean) => Layer,
  normAt: (name: string, size: number) => Layer,
): Layer[] {
  const queries = heads * (plainSize + rotarySize);
  if (queryRank === undefined) return [layer('q_proj', queries, width)];
  return [
    layer('q_a_proj', queryRank, width, bias),
    normAt('q_a_layernorm', queryRank),
    layer('q_b_proj', queries, queryRank),
  ];
}
