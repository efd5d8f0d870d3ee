// Defines the config keys of tasks that run a model over the lines of a JSONL file (task=score and task=generate).
import { optionalText, type ConfigProblem } from '@bowyer/core';
import { missingOptions } from './missing-options.js';

export const languageModelText =
  'a language model: a folder, a GGUF file, a run, or a model of the hub (OWNER/NAME[@REVISION])';

/** @param lines a phrase for the contents of an input line, for the description */
export const lineFileKeys = (lines: string) => ({
  model: optionalText(`${languageModelText}; required`),
  input: optionalText(`JSONL file to read, required: ${lines}`),
  output: optionalText('JSONL file to write, required; it gets a line for each input line in the same order'),
});

type LineFiles = { task: { model: string | null; input: string | null; output: string | null } };

export const lineFileProblems =
  (task: string) =>
  ({ task: { model, input, output } }: LineFiles): ConfigProblem[] =>
    missingOptions(
      task,
      'a model, a file to read and a file to write',
      { model, input, output },
      'give all three: task.model=FOLDER task.input=FILE.jsonl task.output=FILE.jsonl',
    );
