// Implements task=convert: writes weights of PyTorch or llama2.c, or an adapter merged into its base model, as a folder in
// Hugging Face's format.
import { openDevice } from '@bowyer/graph';
import { ProgressBar } from '@bowyer/logging';
import { convertCheckpoint, isAdapterDirectory, LanguageModel } from '@bowyer/models';
import type { NodePart } from '../../agent/keys/agent-keys.js';
import { owningNewFolder } from '../../run/folder-owner.js';
import type { TaskContext } from '../../context/task-context.js';
import type { TaskConfig } from '../task.js';
import type { convertOptions } from './unit.js';

type ConvertConfig = TaskConfig<typeof convertOptions, 'input' | 'output'> & PolicyBits;

type PolicyBits = NodePart<'policy', 'quantization'>;

export function convert(config: ConvertConfig, context: TaskContext): Promise<void> {
  return owningNewFolder(config.task.output, context, (command) => writeConverted(config, context, command));
}

async function writeConverted(
  { task: { input, output, config, tokenizer, section }, policy: { quantization } }: ConvertConfig,
  { progress }: TaskContext,
  command: string,
): Promise<string> {
  if (isAdapterDirectory(input)) return merge(input, output, quantization);
  let bar: ProgressBar | undefined;
  const { kind, tensors, parameters } = await convertCheckpoint({
    input,
    output,
    config,
    tokenizer,
    section,
    command,
    progress: (done, total) => (bar ??= new ProgressBar('convert', total, progress)).update(done),
  });
  bar?.finish();
  return `${kind}: ${tensors} tensors, ${parameters} parameters\nwritten: ${output}\n`;
}

/**
 * Merges an adapter into its base model, in float32.
 *
 * @param quantization of the base model while the adapter was trained
 */
async function merge(
  input: string,
  output: string,
  quantization: PolicyBits['policy']['quantization'],
): Promise<string> {
  await using device = await openDevice({ device: 'cpu' });
  const model = await LanguageModel.load({ device, dir: input, quantization });
  await model.saveMerged(output);
  await model.release();
  return `adapter merged into its base\nwritten: ${output}\n`;
}
