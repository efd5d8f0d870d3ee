// A sweep over algorithms or environments in which not every one reads each key of the command line: `iterations=4` shortens those that
// have iterations, and is left out for the others.
import { findAlgorithm } from '@bowyer/algorithms';
import { environmentNames } from '@bowyer/envs';
import { hasKey } from './prepare.js';
import { findTask } from '../tasks/registry.js';

interface Units {
  algorithm: string | null;
  env: string | null;
}

/** @param swept options of each group that varies */
export async function leaveOut(
  swept: Readonly<Record<string, readonly string[]>>,
): Promise<(overrides: readonly string[]) => readonly string[]> {
  const { algorithm = [], env = [] } = swept;
  if (algorithm.length + env.length < 2) return () => [];
  const others = [
    ...algorithm.map((name) => ({ algorithm: name, env: null })),
    ...env.map((name) => ({ algorithm: null, env: name })),
  ];
  return (overrides) => {
    const task = findTask(valueOf(overrides, 'task') ?? 'train');
    if (!task) return [];
    const reads = (key: string, { algorithm, env }: Units) =>
      hasKey(task, key, {
        algorithm: algorithm === null ? null : (findAlgorithm(algorithm) ?? null),
        env: env !== null && environmentNames().includes(env) ? env : null,
        setting: () => undefined,
      });
    const own = { algorithm: valueOf(overrides, 'algorithm') ?? null, env: valueOf(overrides, 'env') ?? null };
    return overrides.filter((text) => {
      const key = /^\+{0,2}([a-z][\w.]*)=/i.exec(text)?.[1];
      return key !== undefined && !(key in swept) && !reads(key, own) && others.some((other) => reads(key, other));
    });
  };
}

const valueOf = (overrides: readonly string[], key: string): string | undefined =>
  overrides.find((text) => text.startsWith(`${key}=`))?.slice(key.length + 1);
