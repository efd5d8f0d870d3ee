// Chooses the learning rate of a training whose config gives none, by the width of the model and by what is trained: all weights
// or adapters.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openAdapterDirectory } from '@bowyer/models';
import { agentFolderOf, isAdapterFolder } from '../../agent/folders/model-folders.js';

/** Adam's learning rate times the width, where all weights are trained; chosen in experiments/agents. */
const RATE_TIMES_WIDTH = 0.0064;
/** The rate for adapters is higher by this factor, as in https://thinkingmachines.ai/blog/lora/. */
const ADAPTERS = 10;
/** The highest rate, since the rule would give narrow models one at which their adapters diverge. */
const HIGHEST = 1e-3;

export interface UsualRate {
  lr: number;
  /** The reason for the rate, for the log. */
  text: string;
}

/**
 * Returns Adam's learning rate for a model whose rate is not given, c / width.
 *
 * Source: the widths' rule is that of maximal update parametrisation, Yang et al. 2022, arXiv:2203.03466, table 3.
 *
 * @param model a folder, as `task.model` names it
 * @throws where the model's config names no width
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
