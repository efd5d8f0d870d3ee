// Chooses the learning rate of a training whose config gives none: by the width of the model, and by whether all weights or
// adapters are trained.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openAdapterDirectory } from '@bowyer/models';
import { agentFolderOf, isAdapterFolder } from '../../agent/folders/model-folders.js';

/**
 * The product of Adam's learning rate and the model's width, if all weights are trained; chosen by the experiments in
 * experiments/agents.
 */
const RATE_TIMES_WIDTH = 0.0064;
/** The factor by which the learning rate for adapters is higher, as in https://thinkingmachines.ai/blog/lora/. */
const ADAPTERS = 10;
/**
 * The highest learning rate that is chosen. Without this limit, the adapters of narrow models would get a rate at which they
 * diverge.
 */
const HIGHEST = 1e-3;

export interface UsualRate {
  lr: number;
  /** The reason for the chosen rate, for the log. */
  text: string;
}

/**
 * Returns Adam's learning rate for a model whose config gives none: c / width.
 *
 * Source: the dependence on the width is that of maximal update parametrisation, Yang et al. 2022, arXiv:2203.03466, table 3.
 *
 * @param model the folder that `task.model` names
 * @throws where the model's config has no width
 */
export async function usualRate(model: string, usesLora: boolean): Promise<UsualRate> {
  const folder = agentFolderOf(model);
  const { baseDir } = await openAdapterDirectory(folder);
  const config = JSON.parse(await readFile(join(baseDir, 'config.json'), 'utf8')) as Record<string, unknown>;
  const inner = (config.text_config ?? {}) as Record<string, unknown>;
  const width = [config, inner].flatMap((one) => [one.hidden_size, one.n_embd, one.d_model]).find(Number.isFinite);
  if (width === undefined)
    throw new Error(
      `${join(baseDir, 'config.json')} names no width (hidden_size)\n  give the learning rate: algorithm.actor.lr=1e-5`,
    );
  const hasAdapters = usesLora || isAdapterFolder(model);
  const lr = Math.min(HIGHEST, ((hasAdapters ? ADAPTERS : 1) * RATE_TIMES_WIDTH) / (width as number));
  const rounded = Number(lr.toPrecision(2));
  return {
    lr: rounded,
    text: `learning rate ${rounded}: ${hasAdapters ? 'adapters' : 'all weights'} of a model ${String(width)} wide`,
  };
}
