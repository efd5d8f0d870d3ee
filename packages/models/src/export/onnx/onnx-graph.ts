// Builds the graph of an exported decoder, with the inputs and outputs of Optimum's exports, which transformers.js expects:
//
//     input_ids, position_ids [batch_size, sequence_length], attention_mask [batch_size, past_sequence_length + sequence_length] int64
//     past_key_values.N.key, past_key_values.N.value [batch_size, keyValueHeads, past_sequence_length, headSize]
//     → logits [batch_size, sequence_length, vocabulary] float32
//       present.N.key, present.N.value [batch_size, keyValueHeads, past_sequence_length + sequence_length, headSize]
//
// Source of the names: OnnxConfigWithPast of huggingface/optimum-onnx.
import { addDims, float16Form, GraphBuilder, webgpuForm, type Graph } from '@bowyer/graph';
import type { CausalArchitecture } from '../../architecture/architecture.js';
import type { WeightLayouts } from '../../quantization/weight-layouts.js';
import { BATCH, ExportScope, PAST, TOKENS } from './export-scope.js';

/** Builds the graph of a decoding step, with operators that ONNX Runtime's CPU, WebAssembly and WebGPU providers have. */
export function onnxGraph(
  architecture: CausalArchitecture,
  { float, layouts }: { float: 'float32' | 'float16'; layouts: WeightLayouts },
): Graph {
  const g = new GraphBuilder(String(architecture.config.model_type));
  const ids = g.input('input_ids', 'int64', [BATCH, TOKENS]);
  const mask = g.input('attention_mask', 'int64', [BATCH, addDims(PAST, TOKENS)]);
  const positions = g.input('position_ids', 'int64', [BATCH, TOKENS]);
  const scope = new ExportScope(g, { architecture, float, layouts, mask });
  const residual = architecture.residual(scope, g.reshape(ids, [-1]), g.reshape(positions, [-1]));
  const logits = g.inFloat32(architecture.logits(scope, residual));
  g.output('logits', g.reshape(logits, [BATCH, TOKENS, architecture.vocabSize]));
  return webgpuForm(float === 'float16' ? float16Form(g) : g);
}
