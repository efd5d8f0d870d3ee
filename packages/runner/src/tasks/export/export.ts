// task=export: the folder is written under another name and renamed when it is whole.
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';
import { ProgressBar } from '@bowyer/logging';
import { exportGguf, isAdapterDirectory } from '@bowyer/models';
import { owningOutput } from '../../run/folder-owner.js';
import type { TaskContext } from '../../context/task-context.js';
import type { ExportConfig, Written } from './export-config.js';
import { writeHuggingFaceFolder } from './hugging-face-folder.js';
import { modelCard } from './model-card.js';
import { modelfile } from './modelfile.js';

export function exportModel(config: ExportConfig, context: TaskContext): Promise<void> {
  return owningOutput(config.output, () => writeWhole(config, context));
}

async function writeWhole(config: ExportConfig, context: TaskContext): Promise<void> {
  const { output } = config;
  if ((await readdir(output).catch(() => [])).length > 0)
    throw new Error(`export: the folder '${output}' is not empty\n  give a new one, or remove it`);
  const partial = `${output.replace(/\/+$/, '')}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  try {
    const { lines, notes } =
      config.format === 'gguf' ? await writeGguf(config, partial, context) : await writeFolder(config, partial);
    await writeFileAtomically(join(partial, 'README.md'), await modelCard(config, notes));
    await rm(output, { recursive: true, force: true });
    await rename(partial, output);
    context.print(`${[...lines, ...notes.map((note) => `note: ${note}`), `written: ${output}`].join('\n')}\n`);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function writeGguf(config: ExportConfig, folder: string, { progress }: TaskContext): Promise<Written> {
  const { model, merge, license, dtype: chosen } = config;
  const isAdapter = isAdapterDirectory(model) && !merge;
  const file = isAdapter ? 'adapter.gguf' : 'model.gguf';
  const dtype = chosen ?? 'f16';
  let bar: ProgressBar | undefined;
  const { arch, tensors, bytes, notes } = await exportGguf({
    dir: model,
    output: join(folder, file),
    dtype,
    merge,
    name: basename(resolve(config.output)),
    ...(license !== null && { license }),
    progress: (done, total) => (bar ??= new ProgressBar('export', total, progress)).update(done),
  });
  bar?.finish();
  await writeFileAtomically(join(folder, 'Modelfile'), await modelfile(model, { file, isAdapter }));
  return { lines: [`${file}: ${arch}, ${dtype}, ${tensors} tensors, ${(bytes / 1e6).toFixed(1)} MB`], notes };
}

async function writeFolder({ model, merge }: ExportConfig, folder: string): Promise<Written> {
  const files = await writeHuggingFaceFolder(model, folder, merge);
  return { lines: [merge ? 'adapter merged into its base' : `${files} files, as they are`], notes: [] };
}
