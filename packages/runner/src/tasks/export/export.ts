// task=export: the folder is written whole or not at all.
import { basename, join, resolve } from 'node:path';
import { refuseUsedFolder, writeFileAtomically, writeNewFolder } from '@bowyer/core';
import { ProgressBar } from '@bowyer/logging';
import {
  exportGguf,
  exportOnnx,
  isAdapterDirectory,
  onnxPrecisions,
  type OnnxPrecisionName,
  type TensorTypeName,
} from '@bowyer/models';
import { owningNewFolder } from '../../run/folder-owner.js';
import type { TaskContext } from '../../context/task-context.js';
import type { ExportConfig, Written } from './export-config.js';
import { writeHuggingFaceFolder } from './hugging-face-folder.js';
import { modelCard } from './model-card.js';
import { modelfile } from './modelfile.js';

export function exportModel(config: ExportConfig, context: TaskContext): Promise<void> {
  return owningNewFolder(config.output, context, (command) => writeWhole(config, context, command));
}

async function writeWhole(config: ExportConfig, context: TaskContext, command: string): Promise<string> {
  const { output } = config;
  await refuseUsedFolder('export', output);
  const write = async (folder: string) => {
    const written = await writers[config.format](config, folder, context);
    await writeFileAtomically(join(folder, 'README.md'), await modelCard(config, written.notes));
    return written;
  };
  const { lines, notes } = await writeNewFolder(output, write, command);
  return `${[...lines, ...notes.map((note) => `note: ${note}`), `written: ${output}`].join('\n')}\n`;
}

const writers = { gguf: writeGguf, onnx: writeOnnx, hf: writeFolder };

/** A bar that appears with the first tensor. */
function exportBar({ progress }: TaskContext) {
  let bar: ProgressBar | undefined;
  return {
    update: (done: number, total: number) => (bar ??= new ProgressBar('export', total, progress)).update(done),
    finish: () => bar?.finish(),
  };
}

async function writeGguf(config: ExportConfig, folder: string, context: TaskContext): Promise<Written> {
  const { model, merge, license, dtype: chosen } = config;
  const isAdapter = isAdapterDirectory(model) && !merge;
  const file = isAdapter ? 'adapter.gguf' : 'model.gguf';
  const dtype = (chosen ?? 'f16') as TensorTypeName;
  const bar = exportBar(context);
  const { arch, tensors, bytes, notes } = await exportGguf({
    dir: model,
    output: join(folder, file),
    dtype,
    merge,
    name: basename(resolve(config.output)),
    ...(license !== null && { license }),
    progress: bar.update,
  });
  bar.finish();
  await writeFileAtomically(join(folder, 'Modelfile'), await modelfile(model, { file, isAdapter }));
  return { lines: [`${file}: ${arch}, ${dtype}, ${tensors} tensors, ${(bytes / 1e6).toFixed(1)} MB`], notes };
}

async function writeOnnx(
  { model, merge, dtype }: ExportConfig,
  folder: string,
  context: TaskContext,
): Promise<Written> {
  const chosen = [dtype ?? (Object.keys(onnxPrecisions) as OnnxPrecisionName[])].flat();
  const bar = exportBar(context);
  const { family, files, notes } = await exportOnnx({
    dir: model,
    output: folder,
    precisions: chosen as OnnxPrecisionName[],
    merge,
    progress: bar.update,
  });
  bar.finish();
  return { lines: files.map(({ name, bytes }) => `${name}: ${family}, ${(bytes / 1e6).toFixed(1)} MB`), notes };
}

async function writeFolder({ model, merge }: ExportConfig, folder: string): Promise<Written> {
  const files = await writeHuggingFaceFolder(model, folder, merge);
  return { lines: [merge ? 'adapter merged into its base' : `${files} files, as they are`], notes: [] };
}
