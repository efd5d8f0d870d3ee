// task=export: a trained model for other programs: GGUF for llama.cpp and Ollama, or a folder in Hugging Face's layout.
import { Type } from '@sinclair/typebox';
import { nullable, type ConfigProblem } from '@bowyer/core';
import { hubKeys, isAdapterFolder, modelProblem } from '@bowyer/agent';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskUnit } from '../task.js';

const { seed: _, ...keysOfRun } = runKeys; // nothing is drawn

export const FORMATS = ['gguf', 'hf'] as const;
export const DTYPES = ['f32', 'f16', 'bf16', 'q8_0', 'q4_0'] as const;

const choice = (names: readonly string[], description: string) =>
  nullable(Type.Union(names.map((name) => Type.Literal(name))), description);

export const exportTask: TaskUnit = {
  name: 'export',
  description: 'write a model for other programs: GGUF for llama.cpp and Ollama, or a Hugging Face folder',
  keys: () => ({
    ...keysOfRun,
    ...hubKeys,
    model: nullable(
      Type.String(),
      'folder of a model or of an adapter, a run or one of its checkpoints, or a model of the hub',
    ),
    format: choice(
      FORMATS,
      'gguf: model.gguf for llama.cpp, with a Modelfile for Ollama; hf: a folder in Hugging Face layout',
    ),
    output: nullable(Type.String(), 'folder to write; its name is the name of the model'),
    dtype: choice(
      DTYPES,
      'type of the matrices in GGUF; norms and biases are float32, and so are small tensors. null: f16 in GGUF, and in hf as they are stored',
    ),
    merge: Type.Boolean({ description: 'add an adapter to its base model; false: write the adapter alone' }),
    license: nullable(
      Type.String({ minLength: 1 }),
      'licence of the weights for the model card, as an identifier of SPDX such as apache-2.0; null: the card says that it is not known',
    ),
  }),
  plays: false,
  problems,
  load: async () => (await import('./export.js')).exportModel,
};

async function problems(config: Record<string, unknown>): Promise<ConfigProblem[]> {
  const missing = ['model', 'format', 'output'].filter((key) => config[key] === null);
  if (missing.length > 0)
    return [
      {
        key: missing[0],
        message: `task=export needs a model, a format and a folder to write: ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} null`,
        remedy: `give all three: model=FOLDER format=${FORMATS.join('|')} output=FOLDER`,
      },
    ];
  const model = config.model as string;
  const wrong = await modelProblem('model', model);
  if (wrong !== null) return [wrong];
  return [...dtypeProblems(config), ...mergeProblems(config, model)];
}

const dtypeProblems = ({ format, dtype }: Record<string, unknown>): ConfigProblem[] =>
  format === 'hf' && dtype !== null
    ? [
        {
          key: 'dtype',
          message: `dtype=${String(dtype)}: a Hugging Face folder is written with the numbers that the model has`,
          remedy: 'leave dtype out, or write format=gguf',
        },
      ]
    : [];

const mergeProblems = ({ merge }: Record<string, unknown>, model: string): ConfigProblem[] =>
  merge === true && !isAdapterFolder(model)
    ? [
        {
          key: 'merge',
          message: `merge=true: ${model} is a whole model, with no adapter to merge`,
          remedy: 'leave merge out, or give the folder of an adapter',
        },
      ]
    : [];
