// Defines the options of task=export, which writes a trained model for other programs: GGUF for llama.cpp and Ollama, ONNX for
// transformers.js, or a folder in Hugging Face's format.
import { Type } from '@sinclair/typebox';
import { flag, optional, optionalText, unitOptions, oneProblem, type ConfigProblem } from '@bowyer/core';
import { hubNode } from '../../agent/keys/model-keys.js';
import { isAdapterFolder, modelProblem } from '../../agent/folders/model-folders.js';
import { seedlessKeys } from '../../keys/run-keys.js';
import { missingOptions } from '../missing-options.js';
import type { TaskConfig, TaskUnit } from '../task.js';
import { GGUF_ENDING, isGgufFile } from './export-config.js';

export const FORMATS = ['gguf', 'onnx', 'hf'] as const;
const DTYPES: Readonly<Record<string, readonly string[]>> = {
  gguf: ['f32', 'f16', 'bf16', 'q8_0', 'q4_0', 'q4_k'],
  onnx: ['fp32', 'fp16', 'q8', 'q4', 'q4f16'],
};

const oneOf = (names: readonly string[]) => Type.Union(names.map((name) => Type.Literal(name)));

export const exportOptions = unitOptions({
  model: optionalText(
    'folder of a model or of an adapter, a GGUF file, a run or one of its checkpoints, or a model of the hub; required',
  ),
  format: optional(
    () => oneOf(FORMATS),
    'gguf: model.gguf for llama.cpp, with a Modelfile for Ollama; onnx: a folder for transformers.js and ONNX Runtime; hf: a folder in Hugging Face layout; required',
  ),
  output: optionalText(
    'folder to write, whose name is the name of the model; with task.format=gguf and a name that ends with .gguf that file, its Modelfile and card beside it; required',
  ),
  dtype: optional(
    () =>
      Type.Union([
        oneOf([...DTYPES.gguf, ...DTYPES.onnx]),
        Type.Array(oneOf(DTYPES.onnx), { minItems: 1, uniqueItems: true }),
      ]),
    'type of the matrices: in GGUF f32, f16, bf16, q8_0, q4_0 or q4_k, norms and biases being float32; in ONNX fp32, fp16, q8, q4 or q4f16, or a list of them, a file each. null: f16 in GGUF, all five in ONNX, and in hf as they are stored',
  ),
  merge: flag(false, 'add an adapter to its base model; false: write the adapter alone'),
  license: optional(
    () => Type.String({ minLength: 1 }),
    'licence of the weights for the model card, as an identifier of SPDX such as apache-2.0; null: the card says that it is not known',
  ),
});

export const exportTask: TaskUnit = {
  name: 'export',
  description:
    'write a model for other programs: GGUF for llama.cpp and Ollama, ONNX for transformers.js, or a Hugging Face folder',
  keys: () => ({ ...seedlessKeys, hub: hubNode, task: exportOptions }),
  plays: false,
  problems,
  load: async () => (await import('./export.js')).exportModel,
};

type Options = TaskConfig<typeof exportOptions>['task'];

async function problems({ task }: { task: Options }): Promise<ConfigProblem[]> {
  const { model, format, output } = task;
  const remedy = `give all three: task.model=FOLDER task.format=${FORMATS.join('|')} task.output=FOLDER`;
  const missing = missingOptions(
    'export',
    'a model, a format and a folder to write',
    { model, format, output },
    remedy,
  );
  if (model === null || missing.length > 0) return missing;
  const wrong = await modelProblem('task.model', model);
  if (wrong !== null) return [wrong];
  return [...outputProblems(task), ...dtypeProblems(task), ...mergeProblems(task, model)];
}

/** Matches the file name endings of models. An output folder may not have one, since it would be taken for a file. */
const MODEL_FILE = /\.(gguf|onnx|safetensors|bin|pt|pth)$/i;

function outputProblems(task: Options): ConfigProblem[] {
  const { format, output } = task;
  const [ending] = MODEL_FILE.exec(output!) ?? [];
  if (ending === undefined || isGgufFile(task)) return [];
  const isGguf = GGUF_ENDING.test(output!);
  return oneProblem(
    'task.output',
    `task.output=${output} is the name of a ${isGguf ? 'GGUF file' : `file (${ending})`}, and task.format=${format} writes a folder`,
    `${isGguf ? 'write task.format=gguf, or give' : 'give'} the folder another name`,
  );
}

function dtypeProblems({ format, dtype }: Options): ConfigProblem[] {
  if (dtype === null) return [];
  const message = `task.dtype=${Array.isArray(dtype) ? `[${dtype.join(',')}]` : String(dtype)}`;
  const known = DTYPES[format!];
  if (known === undefined)
    return oneProblem(
      'task.dtype',
      `${message}: a Hugging Face folder is written with the numbers that the model has`,
      'leave task.dtype out, or write task.format=gguf or task.format=onnx',
    );
  if ([dtype].flat().every((each) => known.includes(each)) && (format === 'onnx' || !Array.isArray(dtype))) return [];
  const form = format === 'onnx' ? 'one of them, or a list' : 'one of them';
  return oneProblem(
    'task.dtype',
    `${message}: task.format=${format} has the types ${known.join(', ')}`,
    `give ${form}, or leave task.dtype out`,
  );
}

function mergeProblems({ format, merge }: Options, model: string): ConfigProblem[] {
  const isAdapter = isAdapterFolder(model);
  if (merge === true && !isAdapter)
    return oneProblem(
      'task.merge',
      `task.merge=true: ${model} is a whole model, with no adapter to merge`,
      'leave task.merge out, or give the folder of an adapter',
    );
  if (format === 'onnx' && isAdapter && merge !== true)
    return oneProblem(
      'task.merge',
      `task.format=onnx: ${model} is an adapter, and ONNX has no adapters beside a model`,
      'write task.merge=true, and its base is written with the adapter added',
    );
  return [];
}
