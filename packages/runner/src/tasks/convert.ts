// task=convert: weights of PyTorch or llama2.c as a directory in Hugging Face layout.
import { ProgressBar } from '@bowyer/logging';
import { convertCheckpoint } from '@bowyer/models';
import type { RunConfig } from '../run-config.js';
import type { TaskContext } from './task.js';

export async function convert(
  { input, output, config, tokenizer, section }: RunConfig,
  { print, progress }: TaskContext,
): Promise<void> {
  if (input === null || output === null)
    throw new Error(
      `task=convert needs weights to read and a directory to make: ${input === null ? 'input' : 'output'} is null\n` +
        '  give both: input=FILE_OR_DIRECTORY output=DIRECTORY',
    );
  let bar: ProgressBar | undefined;
  const { kind, tensors, parameters } = await convertCheckpoint({
    input,
    output,
    config,
    tokenizer,
    section,
    progress: (done, total) => (bar ??= new ProgressBar('convert', total, progress)).update(done),
  });
  bar?.finish();
  print(`${kind}: ${tensors} tensors, ${parameters} parameters\nwritten: ${output}\n`);
}
