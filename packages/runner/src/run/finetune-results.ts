// Defines the results of a finished fine-tuning, which are the losses of the initial and of the saved model, and writes them as
// text.
import { join } from 'node:path';
import type { GainVerdict, Interval } from '@bowyer/core';
import { textTable } from '@bowyer/logging';

/** A model's reply to an item and the item's reference answer, with special tokens as text. */
export interface Answer {
  prompt: string;
  reference: string;
  answer: string;
}

/** Counts how a model's own tool calls compare with those that held-out dialogues recorded at the same position. */
export interface CallCounts {
  recorded: number;
  rightName: number;
  /** The number of calls with the right function name and arguments that are equal as JSON. */
  rightArguments: number;
  noCall: number;
}

export interface FinetuneResults {
  /** The number of held-out items whose loss is reported; if it is 0, the losses are those of the last training steps. */
  validationItems: number;
  models: { name: string; nll: number; perplexity: number; calls?: CallCounts }[];
  /**
   * The decrease of the loss from the initial to the saved model, in nats per learned token, with its 95 % interval over items;
   * absent where no items were held out.
   */
  gain?: { mean: number; interval?: Interval; verdict: GainVerdict };
  /** The replies that the report shows; absent in runs of versions before 0.2. */
  answers?: readonly Answer[];
  model: string;
  /** A command that generates text with the model. */
  trial: string;
}

type Models = Pick<FinetuneResults, 'models'>;

/** Returns the cells of the table of losses, header first. Correct tool calls are given as shares of the recorded ones. */
export function finetuneTable({ models }: Models): { header: string[]; rows: string[][] } {
  const hasCalls = models.some(({ calls }) => calls);
  return {
    header: ['model', 'loss', 'perplexity', ...(hasCalls ? ['right name', 'right arguments', 'no call'] : [])],
    rows: models.map(({ name, nll, perplexity, calls }) => [
      name,
      nll.toFixed(4),
      perplexity.toPrecision(4),
      ...(hasCalls ? callCells(calls) : []),
    ]),
  };
}

function callCells(calls: CallCounts | undefined): string[] {
  if (calls === undefined) return ['', '', ''];
  const { recorded, rightName, rightArguments, noCall } = calls;
  return [rightName, rightArguments, noCall].map((count) => (count / recorded).toFixed(2));
}

export function finetuneText(directory: string, results: FinetuneResults): string {
  const { validationItems: items } = results;
  const { header, rows } = finetuneTable(results);
  return [
    textTable(header, rows),
    '',
    items > 0
      ? `loss in nats per learned token on ${items} validation ${items === 1 ? 'item' : 'items'}, which were not trained on`
      : 'loss in nats per learned token of the last training steps; nothing was held out (task.validation_share=0)',
    ...gainLines(results),
    ...callLines(results),
    '',
    ...answerLines(results),
    `model: ${results.model}`,
    `report: ${join(directory, 'report.html')}`,
    `try it: ${results.trial}`,
  ].join('\n');
}

/**
 * Writes the lines about the gain. If the best epoch was chosen on the same items, a note warns that the interval is too narrow.
 */
function gainLines({ gain }: FinetuneResults): string[] {
  if (gain === undefined) return [];
  const { mean, interval, verdict } = gain;
  const change = (value: number) => `${value < 0 ? '+' : '−'}${Math.abs(value).toFixed(4)}`;
  const range =
    interval === undefined ? 'one item gives no interval' : `95 %: ${change(interval.high)} … ${change(interval.low)}`;
  return [`best: ${verdict} beside the start, loss ${change(mean)} (${range}), item by item`];
}

function callLines({ models }: Models): string[] {
  const calls = models.find(({ calls: counted }) => counted)?.calls;
  if (calls === undefined) return [];
  return [
    `calls: shares of ${calls.recorded} recorded calls of these items, with what the model writes (greedy) in their places`,
  ];
}

const SHOWN = 240;

/** Writes a text in one line and shortens it: its beginning is kept, or its end if `end` is true. */
const shortened = (text: string, end: boolean): string => {
  const line = JSON.stringify(text.trim()).slice(1, -1).replaceAll('\\"', '"');
  if (line.length <= SHOWN) return line;
  return end ? `…${line.slice(-SHOWN)}` : `${line.slice(0, SHOWN)}…`;
};

function answerLines({ answers = [], validationItems }: FinetuneResults): string[] {
  if (answers.length === 0) return [];
  return [
    `answers of the model (greedy) to ${answers.length} ${validationItems > 0 ? 'validation' : 'training'} items:`,
    ...answers.flatMap(({ prompt, reference, answer }) => [
      `  prompt:    ${shortened(prompt, true)}`,
      `  reference: ${shortened(reference, false)}`,
      `  answer:    ${shortened(answer, false)}`,
      '',
    ]),
  ];
}
