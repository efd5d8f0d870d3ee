// What task=score and task=generate share: a model, a JSONL file of items, and a JSONL file that grows in their order.
import { open, rename, rm } from 'node:fs/promises';
import { camelKeys, LockLostError, namingFile } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { ProgressBar } from '@bowyer/logging';
import { ItemError, loadTextModel, type LanguageModel, type Seq2SeqModel } from '@bowyer/models';
import { deviceOf, type DeviceConfig } from '../agent/device-choice.js';
import type { SharedConfig } from '../config/keys.js';
import { owningOutput } from '../run/folder-owner.js';
import { templateInputsOf } from '../demonstrations/conversations.js';
import { JsonLineError, readJsonLines } from '../demonstrations/json-lines.js';
import type { TaskContext } from './task.js';

/** What the config of such a task has. */
export type LinesConfig = DeviceConfig &
  Pick<SharedConfig, 'quantization'> &
  Partial<Pick<SharedConfig, 'packedDecoding'>> & { task: string; model: string; input: string; output: string };

export interface ModelLines<Item> {
  /** JSON Schema of an input line. */
  schema: object;
  /** One result per item, in their order; written as they come. */
  results: (model: LanguageModel | Seq2SeqModel, items: Item[]) => AsyncIterable<object>;
}

/**
 * Reads and checks the whole input, loads the model, and writes a line per item. Lines stand in `OUTPUT.partial` until the
 * last one is written, so OUTPUT is whole or not there.
 */
export function runModelLines<Item>(config: LinesConfig, context: TaskContext, work: ModelLines<Item>): Promise<void> {
  return owningOutput(config.output, () => writeModelLines(config, context, work));
}

async function writeModelLines<Item>(
  { input, output, model: folder, quantization, packedDecoding, ...config }: LinesConfig,
  { print, progress }: TaskContext,
  { schema, results }: ModelLines<Item>,
): Promise<void> {
  const lines = await readJsonLines<Record<string, unknown>>(input, schema);
  const partial = `${output}.partial`;
  const device = await openDevice(deviceOf(config));
  try {
    // The checkpoint's own distribution: nothing is masked.
    const model = await loadTextModel({
      ...{ device, dir: folder, masksPadding: false, quantization },
      packedDecoding: packedDecoding ?? undefined,
    });
    const bar = new ProgressBar(config.task, lines.length, progress);
    const file = await open(partial, 'w');
    try {
      let done = 0;
      for await (const result of results(
        model,
        // What a template reads keeps its keys.
        lines.map(({ value: { messages, tools, documents, chat_template_kwargs, ...item } }) => ({
          ...(camelKeys(item) as Item),
          ...(messages !== undefined && {
            messages,
            inputs: templateInputsOf({ tools, documents, chat_template_kwargs }),
          }),
        })),
      )) {
        // Unlike write, it writes all or throws.
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
  } finally {
    await device.close();
  }
}

const text = { type: 'string' };
const ids = { type: 'array', items: { type: 'integer', minimum: 0 } };

/** Each part as text or as ids: `{prompt}` or `{prompt_ids}`. A line may contain more. */
export const linesOf = (...parts: string[]): object => ({
  type: 'object',
  properties: Object.fromEntries(
    parts.flatMap((part) => [
      [part, text],
      [`${part}_ids`, ids],
    ]),
  ),
});
