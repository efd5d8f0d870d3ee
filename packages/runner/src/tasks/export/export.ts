// Implements task=export, which writes a trained model for other programs. The folder (or the GGUF file) is written completely or
// not at all: a failed export leaves no incomplete files.
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isUnreported, refuseUsedFolder, shellQuoted, writeFileAtomically, writeNewFolder } from '@bowyer/core';
import { ProgressBar } from '@bowyer/logging';
import {
  exportGguf,
  exportOnnx,
  isAdapterDirectory,
  onnxPrecisions,
  type OnnxPrecisionName,
  type TensorTypeName,
} from '@bowyer/models';
import { owningNewFolder, owningOutput } from '../../run/folder-owner.js';
import type { TaskContext } from '../../context/task-context.js';
import { GGUF_ENDING, isGgufFile, type ExportConfig, type Written } from './export-config.js';
import { ggufParity } from './gguf-parity.js';
import { writeHuggingFaceFolder } from './hugging-face-folder.js';
import { modelCard } from './model-card.js';
import { modelfile } from './modelfile.js';
import { onnxParity } from './onnx-parity.js';

export function exportModel({ task: config }: { task: ExportConfig }, context: TaskContext): Promise<void> {
  if (isGgufFile(config)) return owningOutput(config.output, () => writeGgufFile(config, context));
  return owningNewFolder(config.output, context, async (command) => {
    await refuseUsedFolder('export', config.output);
    return textOf(config, await writeNewFolder(config.output, (folder) => writeIn(folder, config, context), command));
  });
}

const textOf = (config: ExportConfig, { lines, notes }: Written): string =>
  [
    ...lines,
    ...notes.map((note) => `note: ${note}`),
    `written: ${config.output}`,
    ...(config.format === 'gguf' ? ollamaCommands(config) : []),
    '',
  ].join('\n');

async function writeIn(folder: string, config: ExportConfig, context: TaskContext): Promise<Written> {
  const names = namesIn(config);
  const written =
    config.format === 'gguf'
      ? await writeGguf(config, folder, context, names)
      : await writers[config.format](config, folder, context);
  await writeFileAtomically(join(folder, names.card), await modelCard(config, written.notes));
  return written;
}

/**
 * Writes a GGUF file with the user's file name, and its Modelfile and model card into the same folder. All three are first
 * written into a temporary folder and then moved, the GGUF file last. The temporary folder is removed only after the command has
 * printed its result: if the command is killed before, the same command completes the export.
 */
async function writeGgufFile(config: ExportConfig, context: TaskContext): Promise<void> {
  const { output } = config;
  const command = JSON.stringify(context.config.decisive);
  const parts = `${output}.parts`;
  const isWhole = await isUnreported(parts, command);
  if (!isWhole && existsSync(output))
    throw new Error(`export: '${output}' is there already\n  give a new name, or remove it`);
  const text = isWhole
    ? `written: ${output}, by this command before it was killed\n`
    : textOf(config, await writeNewFolder(parts, (folder) => writeIn(folder, config, context), command));
  const names = namesIn(config);
  for (const name of [names.card, names.modelfile, names.file])
    if (existsSync(join(parts, name))) await rename(join(parts, name), join(dirname(output), name));
  context.print(text);
  await rm(parts, { recursive: true, force: true });
}

/** Returns the names of the files that an export to GGUF writes, without their folder. */
function namesIn(config: ExportConfig): { file: string; modelfile: string; card: string } {
  if (!isGgufFile(config))
    return { file: isLoneAdapter(config) ? 'adapter.gguf' : 'model.gguf', modelfile: 'Modelfile', card: 'README.md' };
  const name = basename(config.output).replace(GGUF_ENDING, '');
  return { file: basename(config.output), modelfile: `${name}.Modelfile`, card: `${name}.md` };
}

const isLoneAdapter = ({ model, merge }: ExportConfig): boolean => isAdapterDirectory(model) && !merge;

/** Returns the shell commands with which the user can create an Ollama model from the exported file and run it. */
function ollamaCommands(config: ExportConfig): string[] {
  const { output } = config;
  const folder = isGgufFile(config) ? dirname(output) : output;
  const name = basename(resolve(output)).replace(GGUF_ENDING, '');
  const base = isLoneAdapter(config) ? ', with the base model beside it as base.gguf' : '';
  return [
    `for Ollama${base}:`,
    `  ${folder === '.' ? '' : `cd ${shellQuoted(folder)} && `}ollama create ${shellQuoted(name)} -f ${shellQuoted(namesIn(config).modelfile)}`,
    `  ollama run ${shellQuoted(name)}`,
  ];
}

const writers = { onnx: writeOnnx, hf: writeFolder };

/** Returns a progress bar that appears when the first tensor is written. */
function exportBar({ progress }: TaskContext) {
  let bar: ProgressBar | undefined;
  return {
    update: (done: number, total: number) => (bar ??= new ProgressBar('export', total, progress)).update(done),
    finish: () => bar?.finish(),
  };
}

async function writeGguf(
  config: ExportConfig,
  folder: string,
  context: TaskContext,
  names: { file: string; modelfile: string },
): Promise<Written> {
  const { model, merge, license, dtype: chosen } = config;
  const { file } = names;
  const dtype = (chosen ?? 'f16') as TensorTypeName;
  const bar = exportBar(context);
  const { arch, tensors, bytes, notes } = await exportGguf({
    dir: model,
    output: join(folder, file),
    dtype,
    merge,
    name: basename(resolve(config.output)).replace(GGUF_ENDING, ''),
    ...(license !== null && { license }),
    progress: bar.update,
  });
  bar.finish();
  const parity = isLoneAdapter(config)
    ? 'parity was not checked: an adapter alone is run beside its base'
    : await ggufParity(join(folder, file), model, dtype);
  const forOllama = await modelfile(model, { file, isAdapter: isLoneAdapter(config) });
  await writeFileAtomically(join(folder, names.modelfile), forOllama.text);
  const line = `${file}: ${arch}, ${dtype}, ${tensors} tensors, ${(bytes / 1e6).toFixed(1)} MB`;
  return { lines: [line, parity], notes: [...notes, ...forOllama.notes] };
}

async function writeOnnx(
  { model, merge, dtype }: ExportConfig,
  folder: string,
  context: TaskContext,
): Promise<Written> {
  const chosen = [dtype ?? Object.keys(onnxPrecisions)].flat() as OnnxPrecisionName[];
  const bar = exportBar(context);
  const { family, files, notes } = await exportOnnx({
    dir: model,
    output: folder,
    precisions: chosen,
    merge,
    progress: bar.update,
  });
  bar.finish();
  const lines = files.map(({ name, bytes }) => `${name}: ${family}, ${(bytes / 1e6).toFixed(1)} MB`);
  const written = new Map(chosen.map((name) => [name, `onnx/${onnxPrecisions[name].file}`]));
  const parity = await onnxParity(folder, model, written);
  return { lines: [...lines, ...parity, UNCHECKED_TOKENIZER], notes };
}

const UNCHECKED_TOKENIZER = 'the tokenizer in transformers.js was not checked: that library is not run by this command';

async function writeFolder({ model, merge }: ExportConfig, folder: string): Promise<Written> {
  const files = await writeHuggingFaceFolder(model, folder, merge);
  return { lines: [merge ? 'adapter merged into its base' : `${files} files, as they are`], notes: [] };
}
