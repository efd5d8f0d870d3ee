// Implements task=reverify: plays the actions of stored episodes in the environment of the present config, to compute their
// rewards again; no model takes part.
import { join } from 'node:path';
import {
  episodicReturn,
  type Trajectory,
  type Transition,
  fromRecord,
  toRecord,
  type TrajectoryRecord,
  JsonlFile,
} from '@bowyer/core';
import type { Env, Split } from '@bowyer/envs';
import { ProgressBar } from '@bowyer/logging';
import { EpisodeKeys } from '../../agent/demonstrations/episode-keys.js';
import { JsonLineError, readJsonLines } from '../../agent/demonstrations/json-lines.js';
import type { EnvironmentConfig } from '../../agent/environment/environment.js';
import { policyResult } from '../../run/policy-result.js';
import { compared, resultText, testedItems, writeResults, type RunResults } from '../../run/results.js';
import { owningRun } from '../../run/owning-run.js';
import { claimDirectory } from '../../run/run-files.js';
import { itemsToPlay, type ItemConfig } from '../evaluate/items.js';
import type { TaskContext } from '../../context/task-context.js';

type ReverifyConfig = EnvironmentConfig & { task: Omit<ItemConfig['task'], 'split'> & { input: string } };

/** Episodes of training rollouts have no member `split`, since their split is always `train`. */
type StoredEpisode = TrajectoryRecord & { split?: Split };

interface Verified {
  before: Trajectory;
  after: Trajectory;
  stored: StoredEpisode;
  /** Whether the environment's texts now differ from the stored ones. */
  differs: boolean;
}

export async function reverify(config: ReverifyConfig, context: TaskContext): Promise<void> {
  await owningRun(context, () => reverifyInFolder(config, context));
}

async function reverifyInFolder(config: ReverifyConfig, context: TaskContext): Promise<void> {
  const { directory, envParts, progress, print, log } = context;
  const { input } = config.task;
  const lines = await readJsonLines<StoredEpisode>(input, episodeSchema);
  const keys = new EpisodeKeys();
  for (const { line, value } of lines) keys.checkTrajectory(`line ${line}`, value, []);
  for (const note of keys.notes(input)) log(`${input}: ${note}`);
  await claimDirectory(directory, context.config.decisive);
  const bar = new ProgressBar('episodes', lines.length, progress);
  const open = new Map<Split, Env>();
  const verified: Verified[] = [];
  try {
    for (const { line, value } of lines) {
      const split = value.split ?? 'train';
      const items = itemsToPlay({ ...config, task: { ...config.task, split } }, envParts);
      const env = open.get(split) ?? items.makeEnv(split);
      open.set(split, env);
      const again = await verify(env, value, split).catch((error: Error) => {
        throw new JsonLineError(input, line, error.message);
      });
      verified.push(again);
      bar.update(verified.length);
    }
  } finally {
    for (const env of open.values()) await env.close();
  }
  bar.finish();
  print(`${await writeVerified(config, context, verified)}\n`);
}

/** The JSON Schema of an input line, with the keys that are read. */
const episodeSchema = {
  type: 'object',
  required: ['episode', 'seed', 'opening', 'turns'],
  properties: {
    episode: { type: 'integer' },
    seed: { type: 'integer' },
    split: { type: 'string', enum: ['train', 'eval', 'test'] },
    turns: { type: 'array', items: { type: 'object', required: ['action', 'reward'] } },
  },
};

/**
 * Plays the actions of a stored episode in the environment.
 *
 * @throws where the environment's item is another one than that of the stored episode, since the rewards would be those of
 *   another task
 */
async function verify(env: Env, stored: StoredEpisode, split: Split): Promise<Verified> {
  const before = fromRecord(stored);
  const { seed, episode } = before;
  const start = await env.reset({ seed, ...(split !== 'train' && { episode }) });
  const item = String(start.info.item);
  if (before.item !== undefined && before.item !== item)
    throw new Error(
      `the episode was of item '${before.item}', and its seed gives '${item}' now\n` +
        '  give the options of env (and task.item_list) that the episode was played with, but for those that decide the reward',
    );
  const transitions: Transition[] = [];
  const infos: Record<string, unknown>[] = [];
  let { observation } = start;
  let differs = false;
  for (const [turn, { action, state, nextObservation }] of before.transitions.entries()) {
    const result = await env.step(action);
    const { reward, terminated, truncated, info } = result;
    transitions.push({ observation, action, reward, nextObservation: result.observation, terminated, truncated });
    infos.push(info);
    // If the agent read a context (config node `context`) instead of the environment's text, the observation has the context's
    // text, and the environment's text is stored as `state`.
    const then = state === undefined ? nextObservation : before.transitions[turn + 1]?.state;
    differs ||= then !== undefined && then !== result.observation;
    observation = result.observation;
    if (terminated || truncated) break;
  }
  differs ||= transitions.length < before.transitions.length;
  return { before, after: { ...before, item, transitions, infos, segments: [] }, stored, differs };
}

/** Returns the table for the terminal. */
async function writeVerified(
  config: ReverifyConfig,
  { directory, envParts }: TaskContext,
  verified: readonly Verified[],
): Promise<string> {
  const { plan } = itemsToPlay({ ...config, task: { ...config.task, split: 'test' } }, envParts);
  const file = await JsonlFile.open(join(directory, 'trajectories', 'reverified.jsonl'), 0);
  await file.append(
    ...verified.map(({ after, stored }) => ({ ...stored, ...toRecord(after, stored.iteration), segments: [] })),
  );
  const [before, after] = [verified.map((one) => one.before), verified.map((one) => one.after)];
  const items = testedItems(plan, after, null);
  const keyed = (name: string, episodes: Trajectory[]) => ({
    name,
    episodes: new Map(episodes.map((episode, i) => [String(i), episode])),
  });
  const changed = verified.filter((one) => episodicReturn(one.before) !== episodicReturn(one.after)).length;
  const different = verified.filter(({ differs }) => differs).length;
  const results: RunResults & { changed: number; different: number } = {
    iterations: 0,
    policies: [
      policyResult({ name: 'as stored', trajectories: before }, items),
      policyResult({ name: 'scored again', trajectories: after }, items),
    ],
    items,
    comparisons: [compared(keyed('as stored', before), keyed('scored again', after), items)],
    optimalReturn: null,
    calibration: null,
    changed,
    different,
  };
  await writeResults(directory, results);
  const lines = [resultText(results), `${changed} of ${verified.length} returns changed`];
  if (different > 0)
    lines.push(
      `in ${different} episodes the environment answered differently from the recording: their actions were chosen for the recorded answers`,
    );
  return lines.join('\n');
}
