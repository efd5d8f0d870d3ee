// Writes the model card (README.md) of an exported model in the format of the Hugging Face hub: its base model, how it was
// trained and how good it is.
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { modelNameOf } from '../../agent/folders/model-folders.js';
import { runTables } from '../../report/run-data.js';
import { readRunRecord, type RunRecord } from '../../report/run-facts.js';
import { GGUF_ENDING, type ExportConfig } from './export-config.js';
import { CONFIG_FILE } from '../../run/recorded-config.js';

/** @param notes sentences about differences between the written files and the model */
export async function modelCard({ model, output, license }: ExportConfig, notes: readonly string[]): Promise<string> {
  const run = runFolderOf(model);
  const record = run === null ? null : await readRunRecord(run);
  const head = [
    '---',
    `license: ${license ?? 'unknown'}`,
    'library_name: bowyer',
    'pipeline_tag: text-generation',
    '---',
  ];
  return `${[
    ...head,
    '',
    `# ${basename(resolve(output)).replace(GGUF_ENDING, '')}`,
    '',
    record === null
      ? `Exported from \`${modelNameOf(model)}\`. The run that trained it is not known.`
      : `Trained by a run of Bowyer: ${record.title}.`,
    ...(license === null ? ['', 'The licence of the weights is not known: ask the authors of the base model.'] : []),
    ...section(
      'Differences in this format',
      notes.map((note) => `- ${note}`),
    ),
    ...(record === null ? [] : runSections(record)),
  ].join('\n')}\n`;
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];

function runSections(record: RunRecord): string[] {
  const facts = record.facts.filter(({ label }) => label !== 'Folder');
  return [
    ...section(
      'Training',
      table(
        ['', ''],
        facts.map(({ label, value }) => [label, value]),
      ),
    ),
    ...runTables(record).flatMap(({ title, header, rows, notes = [] }) =>
      section(title, [...table(header, rows), ...notes.flatMap((note) => ['', note])]),
    ),
    ...section('Config', ['```json', JSON.stringify(record.config, null, 2), '```']),
  ];
}

const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const table = (header: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  line(header),
  line(header.map(() => '---')),
  ...rows.map(line),
];

/**
 * Finds the folder of the run in which a model was trained, up to three levels above the model's folder; null for a model of no
 * run.
 */
function runFolderOf(model: string): string | null {
  let folder = resolve(model);
  for (let up = 0; up < 4; up++) {
    if (existsSync(join(folder, CONFIG_FILE))) return folder;
    folder = dirname(folder);
  }
  return null;
}
