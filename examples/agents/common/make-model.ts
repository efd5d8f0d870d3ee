// Makes a small model and trains it on a few of the expert's dialogues.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startModel } from '@bowyer/agents';
import type { WarmStart } from './example.js';
import type { Dialogue } from './scripted-endpoint.js';

/** @returns the folder of the trained model, in `folder`, whose earlier files are removed */
export async function makeModel(folder: string, dialogues: readonly Dialogue[], settings: WarmStart): Promise<string> {
  const { epochs, batchSize, lmLr, width, layers } = settings;
  rmSync(folder, { recursive: true, force: true });
  const { model } = await startModel({
    data: dialogues,
    savePath: join(folder, 'run'),
    chatTemplate: join(import.meta.dirname, 'template.jinja'),
    width,
    layers,
    epochs,
    batchSize,
    lmLr,
    validationShare: 0,
    saveMinutes: 60,
    threads: 1,
  });
  return model;
}
