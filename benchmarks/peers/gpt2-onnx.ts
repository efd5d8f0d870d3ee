// GPT-2 as an ONNX file of the kind that transformers.js runs: weights inside, the cache passes through the graph.
// Names of inputs and outputs: Optimum's exporter, task text-generation-with-past.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { protobuf } from '@bowyer/core';
import { addDims, GraphBuilder, serialize, type Value } from '@bowyer/graph';
import type { LanguageModel } from '@bowyer/models';

/** Writes `dir`/config.json and `dir`/onnx/model.onnx. */
export async function writeTransformersJsModel(model: LanguageModel, dir: string): Promise<void> {
  await mkdir(join(dir, 'onnx'), { recursive: true });
  await writeFile(join(dir, 'config.json'), JSON.stringify({ ...model.config, pad_token_id: 0 }));
  await writeFile(join(dir, 'onnx', 'model.onnx'), withPlainNames(serialize(await decoderGraph(model))));
}

/** Builds the graph of logits [batch, tokens, vocabulary] and the longer cache, from ids and the cache so far. */
async function decoderGraph(model: LanguageModel): Promise<GraphBuilder> {
  const { layers, heads, headSize, vocabSize } = model.architecture;
  const width = heads * headSize;
  const g = new GraphBuilder('decoder_with_past');
  const weights = await model.copyParameters();
  const weight = (name: string) => {
    const value = g.initializers.find((made) => made.name === name);
    return value ?? g.initializer(name, weights[name].data, weights[name].shape);
  };
  const linear = (x: Value, name: string) =>
    g.gemm(x, weight(`${name}.weight`), weight(`${name}.bias`), { transB: true });
  const norm = (x: Value, name: string) =>
    g.layerNormalization(x, weight(`${name}.weight`), weight(`${name}.bias`), { epsilon: 1e-5 });
  const split = (x: Value) => g.transpose(g.reshape(x, ['batch', 'tokens', heads, headSize]), [0, 2, 1, 3]);

  const ids = g.input('input_ids', 'int64', ['batch', 'tokens']);
  const total = addDims('past', 'tokens');
  const attended = g.input('attention_mask', 'int64', ['batch', total]);
  const positions = g.input('position_ids', 'int64', ['batch', 'tokens']);
  const past = (layer: number, part: string) =>
    g.input(`past_key_values.${layer}.${part}`, 'float32', ['batch', heads, 'past', headSize]);
  let mask: Value | undefined;

  let x = g.reshape(
    g.add(g.gather(weight('transformer.wte.weight'), ids, 0), g.gather(weight('transformer.wpe.weight'), positions, 0)),
    [-1, width],
  );
  for (let layer = 0; layer < layers; layer++) {
    const name = `transformer.h.${layer}`;
    const [q, k, v] = g.split(linear(norm(x, `${name}.ln_1`), `${name}.attn.c_attn`), 1, [width, width, width]);
    const key = g.concat([past(layer, 'key'), split(k)], 2);
    const value = g.concat([past(layer, 'value'), split(v)], 2);
    mask ??= attentionMask(g, attended, total);
    const scores = g.add(g.fusedMatMul(split(q), key, { transB: true, alpha: 1 / Math.sqrt(headSize) }), mask);
    const mixed = g.reshape(g.transpose(g.matMul(g.softmax(scores), value), [0, 2, 1, 3]), [-1, width]);
    x = g.add(x, linear(mixed, `${name}.attn.c_proj`));
    const inner = g.gelu(linear(norm(x, `${name}.ln_2`), `${name}.mlp.c_fc`), 'tanh');
    x = g.add(x, linear(inner, `${name}.mlp.c_proj`));
    g.output(`present.${layer}.key`, key);
    g.output(`present.${layer}.value`, value);
  }
  const logits = g.gemm(norm(x, 'transformer.ln_f'), weight('transformer.wte.weight'), undefined, { transB: true });
  g.output('logits', g.reshape(logits, ['batch', 'tokens', vocabSize]));
  return g;
}

/** Makes the mask [batch, 1, tokens, total]: 0 where a token may look: at what is attended to, and not later than itself. */
function attentionMask(g: GraphBuilder, attended: Value, total: ReturnType<typeof addDims>): Value {
  const places = g.range(total);
  const rows = g.unsqueeze(g.slice(places, 0, 'past', total), 1);
  const isPast = g.lessOrEqual(g.unsqueeze(places, 0), rows);
  const isThere = g.greater(g.reshape(attended, ['batch', 1, 1, total]), 0);
  return g.where(g.and(isThere, isPast), g.scalar(0), -1e9);
}

/** Removes the mark of outputs from names (`out:logits`): transformers.js knows them without it. */
function withPlainNames(bytes: Uint8Array): Uint8Array {
  const { graph = {}, ...model } = protobuf.decode(modelProto, bytes, { unknown: 'kept' });
  const plain = (name: string) => name.replace(/^out:/, '');
  const node = graph.node?.map(({ input = [], output = [], ...rest }) => ({
    ...rest,
    input: input.map(plain),
    output: output.map(plain),
  }));
  const output = graph.output?.map(({ name = '', ...rest }) => ({ ...rest, name: plain(name) }));
  return protobuf.encode(modelProto, { ...model, graph: { ...graph, node, output } });
}

/** The fields of ONNX's messages with names of outputs; the others are kept as bytes. */
const { many, messageType, optional, string } = protobuf;
const nodeProto = messageType('NodeProto', { input: many(1, string), output: many(2, string) });
const valueProto = messageType('ValueInfoProto', { name: optional(1, string) });
const graphProto = messageType('GraphProto', { node: many(1, nodeProto), output: many(12, valueProto) });
const modelProto = messageType('ModelProto', { graph: optional(7, graphProto) });
