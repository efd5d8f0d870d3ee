// What a finished fine-tuning shows: the loss of the start beside that of the model that was saved.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textTable } from '@bowyer/logging';

export interface FinetuneResults {
  /** Losses are of these many items that were not trained on; 0: of the last steps of the training itself. */
  validationItems: number;
  models: { name: string; nll: number; perplexity: number }[];
  /** Where the model is. */
  model: string;
  /** A command that shows what it writes. */
  trial: string;
}

export const finetuneHeader = ['model', 'loss', 'perplexity'] as const;

export const finetuneRows = ({ models }: FinetuneResults): string[][] =>
  models.map(({ name, nll, perplexity }) => [name, nll.toFixed(4), perplexity.toPrecision(4)]);

export function finetuneText(directory: string, results: FinetuneResults): string {
  const { validationItems: items } = results;
  return [
    textTable(finetuneHeader, finetuneRows(results)),
    '',
    items > 0
      ? `loss in nats per learned token on ${items} validation ${items === 1 ? 'item' : 'items'}, which were not trained on`
      : 'loss in nats per learned token of the last training steps; nothing was held out (validation_share=0)',
    '',
    `model: ${results.model}`,
    `report: ${join(directory, 'report.html')}`,
    `try it: ${results.trial}`,
  ].join('\n');
}

export async function readFinetuneResults(directory: string): Promise<FinetuneResults | null> {
  const text = await readFile(join(directory, 'results.json'), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as FinetuneResults);
}
