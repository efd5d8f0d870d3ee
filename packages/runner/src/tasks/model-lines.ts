// Runs a model over the items of a JSONL file and writes a line for each into another file, for task=score and task=generate.
import { open, rename, rm } from 'node:fs/promises';
import type { TObject } from '@sinclair/typebox';
import { camelKeys, LockLostError, namingFile, type OptionsOf } from '@bowyer/core';
import { openDevice, type DeviceOptions } from '@bowyer/graph';
import { ProgressBar } from '@bowyer/logging';
import { ItemError, loadTextModel, type LanguageModel, type Seq2SeqModel } from '@bowyer/models';
import { atLine, JsonLineError, readJsonLines } from '../agent/demonstrations/json-lines.js';
import type { writerOptions } from '../agent/keys/model-keys.js';
import { chatMessagesOf, templateInputsOf, UnreadKeys, unreadNote, withSystem } from '@bowyer/conversations';
import { owningOutput } from '../run/folder-owner.js';
import type { TaskContext } from '../context/task-context.js';

/** The options of a task that runs a model over the items of a JSONL file and writes a line for each item. */
export interface LinesOptions extends Partial<OptionsOf<TObject<typeof writerOptions>>> {
  name: string;
  model: string;
  input: string;
  output: string;
  device: DeviceOptions;
}

export interface ModelLines<Item> {
  /** The JSON Schema of an input line; its properties are the keys that are read. */
  schema: { properties: object };
  /** Keys of an input line that are not read and not reported either. */
  harmless?: readonly string[];
  /** Runs the model over the items, and yields a result for each in the order of the items. */
  results: (model: LanguageModel | Seq2SeqModel, items: Item[]) => AsyncIterable<object>;
}

/**
 * Reads and checks the complete input file, loads the model, and writes a line per item. The lines are written to
 * `OUTPUT.partial`, which is renamed after the last one, so that the file OUTPUT is never incomplete.
 */
export function runModelLines<Item>(
  options: LinesOptions,
  context: TaskContext,
  work: ModelLines<Item>,
): Promise<void> {
  return owningOutput(options.output, () => writeModelLines(options, context, work));
}

async function writeModelLines<Item>(
  { name, input, output, model: folder, quantization, packedDecoding, device: where }: LinesOptions,
  { print, progress, log }: TaskContext,
  { schema, harmless, results }: ModelLines<Item>,
): Promise<void> {
  const { lines, notes } = await readLines(input, schema, harmless);
  for (const note of notes) log(`${input}: ${note}`);
  const partial = `${output}.partial`;
  await using device = await openDevice(where);
  try {
    // No token is masked, so that the probabilities are those of the checkpoint over all tokens.
    const model = await loadTextModel({
      device,
      dir: folder,
      masksPadding: false,
      quantization,
      packedDecoding: packedDecoding ?? undefined,
    });
    const bar = new ProgressBar(name, lines.length, progress);
    const file = await open(partial, 'w');
    try {
      let done = 0;
      for await (const result of results(
        model,
        lines.map(({ item }) => item as Item),
      )) {
        // appendFile writes the complete line or throws, while write may write only a part of it.
        await namingFile(partial, () => file.appendFile(`${JSON.stringify(result)}\n`));
        bar.update(++done);
      }
    } finally {
      await file.close();
    }
    bar.finish();
    await namingFile(output, () => rename(partial, output));
    print(`${lines.length} lines written: ${output}\n`);
  } catch (error) {
    if (!(error instanceof LockLostError)) await rm(partial, { force: true });
    throw error instanceof ItemError ? new JsonLineError(input, lines[error.index].line, error.problem) : error;
  }
}

/** Throws where a line does not match the schema, or has keys that nothing reads. */
async function readLines(path: string, schema: { properties: object }, harmless?: readonly string[]) {
  const lines = await readJsonLines<Record<string, unknown>>(path, schema);
  const keys = new UnreadKeys(harmless);
  const read = lines.map(({ line, value }) => {
    const place = `line ${line}`;
    keys.check('a line', place, value, Object.keys(schema.properties));
    return { line, item: atLine(path, line, () => itemOf(value, keys, place)) };
  });
  keys.throwRefused(path, `a line with ${Object.keys(schema.properties).join(', ')}`);
  return { lines: read, notes: unreadNote(keys) };
}

/** Converts the keys of an input line to camelCase, except those inside messages and other values that a chat template reads. */
function itemOf(value: Readonly<Record<string, unknown>>, keys: UnreadKeys, place: string): object {
  const { messages, system, tools, documents, chat_template_kwargs, ...item } = value;
  if (messages === undefined) return camelKeys(item) as object;
  const reading = { keys, place };
  const dialogue = withSystem(system, chatMessagesOf(messages as unknown[], reading));
  const inputs = templateInputsOf({ tools, documents, chat_template_kwargs }, reading);
  return { ...(camelKeys(item) as object), messages: dialogue, inputs };
}

const text = { type: 'string' };
const ids = { type: 'array', items: { type: 'integer', minimum: 0 } };

/** Returns the JSON Schema of lines whose fields may each be given as a text or as token ids: `{prompt}` or `{prompt_ids}`. */
export const linesOf = (...parts: string[]): { type: string; properties: object } => ({
  type: 'object',
  properties: Object.fromEntries(
    parts.flatMap((part) => [
      [part, text],
      [`${part}_ids`, ids],
    ]),
  ),
});
