// Implements task=replay: plays the recorded actions of a JSONL file in the environment, and writes a line per episode with the
// environment's observations and rewards.
import { environmentInfo, type Env, type ResetResult, type StepResult } from '@bowyer/envs';
import { camelKeys, recordedInfo, toSnakeCase, writeFileAtomically, type EpisodeRecord } from '@bowyer/core';
import { ProgressBar } from '@bowyer/logging';
import { UnreadKeys, unreadNote } from '@bowyer/conversations';
import { JsonLineError, readJsonLines } from '../../agent/demonstrations/json-lines.js';
import { engineText, replayEnvironment, type EnvironmentConfig } from '../../agent/environment/environment.js';
import type { TaskContext } from '../../context/task-context.js';
import type { TaskConfig } from '../task.js';
import type { replayOptions } from './unit.js';

type ReplayConfig = EnvironmentConfig & TaskConfig<typeof replayOptions, 'input' | 'output'>;

/** Keys of an input line that contain the environment's answers in the recording. They are allowed, but not read. */
const RECORDED = ['steps', 'final', 'final_score', 'return', 'episodic_return'];

export interface ReplayLine {
  /** In snake_case. */
  reset: Record<string, unknown>;
  actions: string[];
}

export async function replay(config: ReplayConfig, { print, progress, log }: TaskContext): Promise<void> {
  const { input, output } = config.task;
  const lines = await readJsonLines<ReplayLine>(input, lineSchema(config.env.name));
  const keys = new UnreadKeys(RECORDED);
  for (const { line, value } of lines) keys.check('a line', `line ${line}`, { ...value }, ['reset', 'actions']);
  keys.throwRefused(input, '{"reset": {"seed": 1}, "actions": ["…"]}');
  for (const note of unreadNote(keys)) log(`${input}: ${note}`);
  const env = replayEnvironment(config);
  const bar = new ProgressBar('episodes', lines.length, progress);
  const replayed: string[] = [];
  let steps = 0;
  try {
    for (const { line, value } of lines) {
      const record = await replayEpisode(env, value, (result) => engineText(config, result)).catch((error: Error) => {
        throw new JsonLineError(input, line, error.message);
      });
      replayed.push(`${JSON.stringify(record)}\n`);
      steps += record.steps.length;
      bar.update(replayed.length);
    }
  } finally {
    await env.close();
  }
  bar.finish();
  await writeFileAtomically(output, replayed.join(''));
  print(`${lines.length} episodes, ${steps} steps\nwritten: ${output}\n`);
}

/**
 * Plays recorded actions until they or the episode end.
 *
 * @param textOf returns the text that is written as the observation
 */
export async function replayEpisode(
  env: Env,
  { reset, actions }: ReplayLine,
  textOf: (result: ResetResult) => string,
): Promise<EpisodeRecord> {
  const start = await env.reset(camelKeys(reset) as { seed?: number });
  const record: EpisodeRecord = {
    reset: { observation: textOf(start), info: recordedInfo(start.info) },
    steps: [],
  };
  let result: StepResult | undefined;
  for (const action of actions) {
    if (result?.terminated || result?.truncated) break;
    result = await env.step(action);
    record.steps.push({
      action,
      observation: textOf(result),
      reward: result.reward,
      terminated: result.terminated,
      truncated: result.truncated,
      info: recordedInfo(result.info),
    });
  }
  return record;
}

function lineSchema(name: string): object {
  const { resetSchema } = environmentInfo(name);
  const options = Object.entries(resetSchema.properties).map(([key, option]) => [toSnakeCase(key), option]);
  return {
    type: 'object',
    required: ['reset', 'actions'],
    properties: {
      reset: { ...resetSchema, properties: Object.fromEntries(options) },
      actions: { type: 'array', items: { type: 'string' } },
    },
  };
}
