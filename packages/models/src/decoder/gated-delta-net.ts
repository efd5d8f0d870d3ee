// Builds Gated DeltaNet, a recurrent layer in place of attention: a short convolution of queries, keys and values, the gated
// delta rule over them, and a gated norm.
// Source: Yang et al. 2024, arXiv:2412.06464, section 3.4; names and layout of Hugging Face's Qwen3NextGatedDeltaNet.
import { multiplyDims, type Value } from '@bowyer/graph';
import type { ForwardScope } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import { activatePrecisely, type ActivationName } from '../layers/activations.js';
import { deltaChunks, deltaStep, type DeltaInputs } from '../layers/gated-delta-rule.js';
import { rmsNormalization } from '../layers/rms-normalization.js';
import { linear, type Layer, type Part } from './parts.js';
import { convolveSequences, overSequences, type Sequences } from './sequences.js';

export interface GatedDeltaNet {
  /** The module's path, e.g. `model.layers.0.linear_attn`. */
  path: string;
  width: number;
  keyHeads: number;
  /** The number of value heads, a multiple of `keyHeads`; consecutive value heads share a key head. */
  valueHeads: number;
  keySize: number;
  valueSize: number;
  /** The kernel size of the convolution: the number of tokens that it sees, the current one included. */
  convolutionTokens: number;
  activation: ActivationName;
  epsilon: number;
  standardDeviation: number;
  /**
   * The layers that compute the inputs of the rule: separate ones for queries, keys and values together, for z, for b and for a
   * (Qwen 3.5), or `in_proj_qkvz` and `in_proj_ba`, whose outputs are grouped by key head (Qwen 3 Next).
   */
  projections: 'separate' | 'by-key-head';
}

/**
 * The projections of flat rows [batch · tokens, …]: queries, keys and values next to each other in `mixed`; the output gate z; b
 * and a for each value head, from which the rule's update strength and decay are computed.
 */
interface Projected {
  mixed: Value;
  z: Value;
  b: Value;
  a: Value;
}

export function gatedDeltaNet(net: GatedDeltaNet): Part {
  const { path, valueHeads, keySize, valueSize, convolutionTokens, epsilon, standardDeviation } = net;
  const { channels, values } = sizesOf(net);
  const project = net.projections === 'separate' ? separateProjections(net) : projectionsByKeyHead(net);
  const out = linear(`${path}.out_proj`, net.width, values, { bias: false, standardDeviation });
  const [convolution, timeBias, logA, normScale] = ['conv1d.weight', 'dt_bias', 'A_log', 'norm.weight'].map(
    (name) => `${path}.${name}`,
  );
  const own: ParameterSpec[] = [
    { name: convolution, shape: [channels, 1, convolutionTokens], init: { kind: 'normal', standardDeviation } },
    { name: timeBias, shape: [valueHeads], init: { kind: 'ones' } },
    { name: logA, shape: [valueHeads], init: { kind: 'zeros' } },
    { name: normScale, shape: [valueSize], init: { kind: 'ones' } },
  ];
  const states = { convolution: `${path}.convolution`, delta: `${path}.delta` };
  return {
    parameters: [...own, ...project.parameters, ...out.parameters],
    states: [
      { name: states.convolution, shape: [convolutionTokens - 1, channels] },
      { name: states.delta, shape: [valueHeads, keySize, valueSize] },
    ],
    apply(scope, x) {
      const { g } = scope;
      const { mixed, z, b, a } = project.apply(scope, x);
      const gate = g.mul(g.neg(g.exp(scope.parameter(logA))), g.softplus(g.add(a, scope.parameter(timeBias))));
      const output = overSequences(scope, [mixed, gate, g.sigmoid(b)], (sequences, [rows, logDecay, beta]) => {
        const weight = scope.parameter(convolution);
        const convolved = convolveSequences(sequences, rows, states.convolution, { weight });
        const active = activatePrecisely(g, net.activation, convolved);
        return deltaRule(sequences, net, states.delta, { mixed: active, logDecay, beta });
      });
      const apart = g.reshape(output, [x.dim(0), valueHeads, valueSize]);
      const normed = rmsNormalization(g, apart, scope.parameter(normScale), epsilon);
      return out.apply(scope, g.mul(g.reshape(normed, [x.dim(0), values]), g.silu(z)));
    },
  };
}

function sizesOf({ keyHeads, valueHeads, keySize, valueSize }: GatedDeltaNet) {
  const [keys, values] = [keyHeads * keySize, valueHeads * valueSize];
  return { keys, values, channels: 2 * keys + values };
}

/** Returns flat rows [batch · tokens, valueHeads · valueSize]. */
function deltaRule(
  { g, batch, tokens, recurrence }: Sequences,
  net: GatedDeltaNet,
  stateName: string,
  { mixed, logDecay, beta }: { mixed: Value; logDecay: Value; beta: Value },
): Value {
  const { keyHeads, valueHeads, keySize, valueSize } = net;
  const { keys, values } = sizesOf(net);
  const rows = multiplyDims(batch, valueHeads);
  const [query, key, value] = g.split(mixed, 2, [keys, keys, values]);
  const headsFirst = (x: Value, size: number) =>
    g.reshape(g.transpose(g.reshape(x, [batch, tokens, valueHeads, size]), [0, 2, 1, 3]), [rows, tokens, size]);
  const shared = (x: Value) => {
    const heads = g.reshape(x, [batch, tokens, keyHeads, 1, keySize]);
    const squares = g.reduceSumSquare(heads, { axes: [4], keepdims: true });
    const unit = g.mul(heads, g.reciprocal(g.sqrt(g.add(squares, 1e-6))));
    return headsFirst(g.expand(unit, [batch, tokens, keyHeads, valueHeads / keyHeads, keySize]), keySize);
  };
  // At padding tokens decay and update are turned off, so that they do not change the recurrent state.
  const real = recurrence.counts && g.less(g.unsqueeze(g.range(tokens), 0), g.unsqueeze(recurrence.counts, 1));
  const perHead = (x: Value) => {
    const apart = g.reshape(x, [batch, tokens, valueHeads]);
    const kept = real ? g.where(g.unsqueeze(real, 2), apart, 0) : apart;
    return g.reshape(g.transpose(kept, [0, 2, 1]), [rows, tokens]);
  };
  const before = recurrence.before(stateName);
  const inputs: DeltaInputs = {
    query: g.mul(shared(query), 1 / Math.sqrt(keySize)),
    key: shared(key),
    value: headsFirst(value, valueSize),
    logDecay: perHead(logDecay),
    beta: perHead(beta),
    state: before && g.reshape(before, [rows, keySize, valueSize]),
  };
  const { output, state } =
    tokens === 1 && inputs.state
      ? deltaStep(g, { ...inputs, state: inputs.state })
      : deltaChunks(g, inputs, recurrence.chunk);
  recurrence.after(stateName, g.reshape(state, [batch, valueHeads, keySize, valueSize]));
  const tokensFirst = g.transpose(g.reshape(output, [batch, valueHeads, tokens, valueSize]), [0, 2, 1, 3]);
  return g.reshape(tokensFirst, [multiplyDims(batch, tokens), values]);
}

interface Projections extends Pick<Layer, 'parameters'> {
  apply(scope: ForwardScope, x: Value): Projected;
}

function separateProjections(net: GatedDeltaNet): Projections {
  const { path, width, valueHeads, standardDeviation } = net;
  const { channels, values } = sizesOf(net);
  const into = (name: string, size: number) =>
    linear(`${path}.in_proj_${name}`, size, width, { bias: false, standardDeviation });
  const layers = {
    mixed: into('qkv', channels),
    z: into('z', values),
    b: into('b', valueHeads),
    a: into('a', valueHeads),
  };
  return {
    parameters: Object.values(layers).flatMap(({ parameters }) => parameters),
    apply: (scope, x) => ({
      mixed: layers.mixed.apply(scope, x),
      z: layers.z.apply(scope, x),
      b: layers.b.apply(scope, x),
      a: layers.a.apply(scope, x),
    }),
  };
}

/** Projections grouped by key head: one layer outputs each head's query, key, values and z, the other its b and a. */
function projectionsByKeyHead(net: GatedDeltaNet): Projections {
  const { path, width, keyHeads, valueHeads, keySize, valueSize, standardDeviation } = net;
  const { keys, values, channels } = sizesOf(net);
  const options = { bias: false, standardDeviation };
  const wide = linear(`${path}.in_proj_qkvz`, channels + values, width, options);
  const narrow = linear(`${path}.in_proj_ba`, 2 * valueHeads, width, options);
  const shared = valueHeads / keyHeads;
  return {
    parameters: [...wide.parameters, ...narrow.parameters],
    apply(scope, x) {
      const { g } = scope;
      const rows = x.dim(0);
      const perKeyHead = (joint: Value, sizes: number[]) => {
        const total = sizes.reduce((sum, size) => sum + size, 0);
        return g.split(g.reshape(joint, [rows, keyHeads, total]), 2, sizes);
      };
      const parts = perKeyHead(wide.apply(scope, x), [keySize, keySize, shared * valueSize, shared * valueSize]);
      const [query, key, value, z] = parts.map((part, i) => g.reshape(part, [rows, i < 2 ? keys : values]));
      const [b, a] = perKeyHead(narrow.apply(scope, x), [shared, shared]).map((part) =>
        g.reshape(part, [rows, valueHeads]),
      );
      return { mixed: g.concat([query, key, value], 1), z, b, a };
    },
  };
}
