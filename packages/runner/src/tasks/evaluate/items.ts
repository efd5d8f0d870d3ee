// Chooses the items (such as games or problems) that an evaluation plays: those of a split, or of one of AgentGym's item lists.
import { choice, integer, optional, optionalText } from '@bowyer/core';
import {
  itemKey,
  listedSplits,
  makeEnv,
  makeSplitEnv,
  readItemNumbers,
  SplitEnv,
  type Env,
  type EnvParts,
  type Split,
  type SplitPlan,
} from '@bowyer/envs';
import { environmentOptions, splitPlanOf, type EnvironmentConfig } from '../../agent/environment/environment.js';
import type { Choices } from '../../agent/keys/choices.js';

export interface ItemConfig {
  task: {
    split?: Split;
    itemList: string | null;
    dataLen?: number | null;
  };
}

const itemListKey = {
  item_list: optionalText(
    'file with AgentGym’s list of problems (JSON or JSON lines with item_id), each played once; null: items of a split are played',
  ),
};

const dataLenKey = {
  data_len: optional(integer, 'number of problems that are played from the beginning of task.item_list; null: all'),
};

const splitKey = {
  split: choice(
    ['test', 'eval', 'train'],
    'test',
    'items to play. test: held out for the final test; eval: those on which the best agent is chosen; train: those of training',
  ),
};

export const itemKeys = ({ setting }: Choices) =>
  (setting('task.item_list') ?? null) === null ? { ...itemListKey, ...splitKey } : { ...itemListKey, ...dataLenKey };

export interface PlayedItems {
  plan: SplitPlan;
  split: Split;
  /** The number of problems of AgentGym's list that are played; null if the items of a split are played. */
  listed: number | null;
  makeEnv: (split: Split) => Env;
}

/** Throws ItemListError for a list that cannot be read. */
export function itemsToPlay(config: EnvironmentConfig & ItemConfig, parts: EnvParts): PlayedItems {
  const { name } = config.env;
  const { itemList, dataLen, split: chosen } = config.task;
  const options = environmentOptions(config);
  if (itemList === null)
    return {
      plan: splitPlanOf(config),
      split: chosen!,
      listed: null,
      makeEnv: (split) => makeSplitEnv(name, split, options, parts),
    };
  const numbers = readItemNumbers(itemList).slice(0, dataLen ?? undefined);
  const key = itemKey(name);
  const plan = listedSplits({
    noun: 'problems of the list',
    items: { train: numbers, eval: numbers, test: numbers },
    reset: (item) => ({ [key]: item }),
    id: (item) => `${name}_${item}`,
  });
  return {
    plan,
    split: 'test',
    listed: numbers.length,
    makeEnv: (split) => new SplitEnv(makeEnv(name, options, parts), plan, split),
  };
}
