// Writes a model in Hugging Face's layout as a folder for transformers.js and ONNX Runtime: config.json, generation_config.json, the
// tokenizer, and onnx/model….onnx for each precision. Everything that may be refused is checked before writing begins.
import { join } from 'node:path';
import { readGenerationFields, writeChunksAtomically } from '@bowyer/checkpoints';
import { writeFileAtomically } from '@bowyer/core';
import { onnxFiles, type FileTensor, type OnnxFile } from '@bowyer/graph';
import type { CausalArchitecture } from '../../architecture/architecture.js';
import { mergedReader, withOpenedModel, type OpenedModel, type ReadParameter } from '../opened-model.js';
import { onnxProblem } from './families.js';
import { modelTensors } from './model-tensors.js';
import { OnnxExportError } from './onnx-error.js';
import { onnxGraph } from './onnx-graph.js';
import { layoutsIn, onnxPrecisions, type OnnxPrecisionName } from './precisions.js';
import { tokenizerFiles } from './tokenizer-files.js';

export interface OnnxOptions {
  /** The folder of a model, or of an adapter. */
  dir: string;
  /** The folder to write into. */
  output: string;
  precisions: readonly OnnxPrecisionName[];
  /** Whether an adapter is merged into its base; if false, a folder with an adapter is refused. */
  merge: boolean;
  /** From this number of bytes on, a model's tensors are in separate files; 2 GB if not given. */
  externalFrom?: number;
  progress?: (done: number, total: number) => void;
}

export interface ExportedOnnx {
  /** `model_type` of the config. */
  family: string;
  files: { name: string; bytes: number }[];
  /** Differences between the files' computation and this model's, for the user. */
  notes: string[];
}

type Json = Readonly<Record<string, unknown>>;

/** Writes a model as ONNX files for transformers.js. @throws OnnxExportError if something has no counterpart there */
export function exportOnnx(options: OnnxOptions): Promise<ExportedOnnx> {
  const { dir, output, merge, precisions } = options;
  return withOpenedModel(dir, async (opened) => {
    const { architecture, tokenizer, adapter } = opened;
    const fail = (problem: string) => new OnnxExportError(dir, problem);
    const problem = onnxProblem(architecture);
    if (problem !== null) throw fail(problem);
    if (adapter && !merge) throw fail('ONNX has no adapters beside a model: write task.merge=true');
    const { definition, config } = tokenizerFiles(tokenizer, fail);
    const generation = await generationOf(opened);
    const models = onnxModels(opened, options);
    for (const file of models.flatMap(({ files }) => files))
      await writeChunksAtomically(join(output, 'onnx', file.name), file.chunks());
    const texts: Record<string, Json> = {
      'config.json': configOf(architecture, models),
      'generation_config.json': generation,
      'tokenizer.json': definition,
      'tokenizer_config.json': config,
    };
    for (const [name, json] of Object.entries(texts))
      await writeFileAtomically(join(output, name), `${JSON.stringify(json, null, 2)}\n`);
    const files = models.flatMap((model) => model.files.map(({ name, bytes }) => ({ name: `onnx/${name}`, bytes })));
    return { family: String(architecture.config.model_type), files, notes: notesOf(architecture, precisions) };
  });
}

interface OnnxModel {
  precision: OnnxPrecisionName;
  /** The files of the model; the first one contains the graph, the others external tensors. */
  files: OnnxFile[];
}

function onnxModels(opened: OpenedModel, { precisions, externalFrom, progress }: OnnxOptions): OnnxModel[] {
  const { architecture } = opened;
  const read = counted(mergedReader(opened), precisions.length * architecture.parameters.length, progress);
  return precisions.map((precision) => {
    const { file, float } = onnxPrecisions[precision];
    const layouts = layoutsIn(onnxPrecisions[precision], architecture);
    const tensors: FileTensor[] = modelTensors(architecture, { read, float, layouts });
    const graph = onnxGraph(architecture, { float, layouts });
    return { precision, files: onnxFiles(graph, tensors, { name: file, externalFrom }) };
  });
}

/** Reports progress while tensors are read. A tied weight that is also quantised is read twice, so the count may exceed the total. */
function counted(read: ReadParameter, total: number, progress: OnnxOptions['progress']): ReadParameter {
  let done = 0;
  return async (spec) => {
    const tensor = await read(spec);
    progress?.(Math.min(++done, total), total);
    return tensor;
  };
}

/** Returns the folder's generation_config.json, or the special tokens of config.json in the same form. */
async function generationOf({ baseDir, architecture: { config } }: OpenedModel): Promise<Json> {
  const { file, json } = await readGenerationFields(baseDir);
  if (file === 'generation_config.json') return json;
  const roles = ['bos_token_id', 'eos_token_id', 'pad_token_id'].filter((role) => config[role] !== undefined);
  return { _from_model_config: true, ...Object.fromEntries(roles.map((role) => [role, config[role]])) };
}

/** Adds the fields that transformers.js needs: the files with external tensors, and, for version 3, the type of the cache. */
function configOf({ config }: CausalArchitecture, models: readonly OnnxModel[]): Json {
  const external = models.filter(({ files }) => files.length > 1);
  const halves = models.map(({ precision }) => precision).filter((name) => onnxPrecisions[name].float === 'float16');
  const own = {
    ...(external.length > 0 && {
      use_external_data_format: Object.fromEntries(external.map(({ files }) => [files[0].name, files.length - 1])),
    }),
    ...(halves.length > 0 && { kv_cache_dtype: Object.fromEntries(halves.map((name) => [name, 'float16'])) }),
  };
  return { ...config, ...(Object.keys(own).length > 0 && { 'transformers.js_config': own }) };
}

function notesOf({ config }: CausalArchitecture, precisions: readonly OnnxPrecisionName[]): string[] {
  return [
    ...(precisions.includes('q4') ? ['in q4 the output head has 8 bits, and the token embedding is float32'] : []),
    ...(precisions.includes('q4f16') ? ['in q4f16 the output head and the token embedding are float16'] : []),
    ...(precisions.includes('q8') ? ['in q8 the token embedding is float32'] : []),
    ...(config.model_type === 'gemma3_text'
      ? ['transformers.js counts the positions of Gemma 3 from 1, so its contexts end one token earlier']
      : []),
  ];
}
