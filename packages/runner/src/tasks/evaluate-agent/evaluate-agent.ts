// Implements task=evaluate_agent: lets a user's agent play the same tasks with one model after the other, and compares the
// models.
import {
  failureReasons,
  InterruptedError,
  SHOWN_REASONS,
  textDialogues,
  type Decoding,
  type FailureReason,
  type Metrics,
} from '@bowyer/algorithms';
import { episodicReturn, type Trajectory } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import { ProgressBar, textTable } from '@bowyer/logging';
import { agentFolderOf } from '../../agent/folders/model-folders.js';
import { deviceOf } from '../../agent/policy/device-choice.js';
import { loadPolicy } from '../../agent/policy/policy-setup.js';
import type { TaskContext } from '../../context/task-context.js';
import { withReport } from '../../report/write-report.js';
import { owningRun } from '../../run/owning-run.js';
import { policyResult } from '../../run/policy-result.js';
import {
  byEpisode,
  compared,
  intervalText,
  resultText,
  testedItems,
  writeResults,
  type Comparison,
  type RunResults,
} from '../../run/results.js';
import { claimDirectory } from '../../run/run-files.js';
import { storeTest } from '../../run/stored-test.js';
import { agentSource } from '../train-agent/agent-source.js';
import { openAgents, type Agents } from '../train-agent/open-agents.js';
import { playAgents } from '../train-agent/play-agents.js';
import type { OpenRolloutSource } from '../train/rollout-source.js';
import { hubNameOf, isEndpoint, modelsOf, pricedName } from './endpoints.js';
import { openEndpoint } from './open-endpoint.js';
import { costText, UsageMeter, type ModelCost } from './model-costs.js';
import { drawnCounts, passRate, type PassRate } from './pass-rates.js';
import type { TaskConfig } from '../task.js';
import type { NodesOfAgents } from '../train-agent/agent-keys.js';
import type { evaluateAgentOptions } from './unit.js';

type EvaluateAgentConfig = TaskConfig<typeof evaluateAgentOptions> & NodesOfAgents;

interface PlayedModel {
  name: string;
  decoding: Decoding;
  trajectories: Trajectory[];
  /** The number of rollouts that were started. */
  rollouts: number;
  failures: Error[];
  usage: UsageMeter;
}

/** The error of an evaluation whose reward is below the one that the config requires. */
class BelowError extends Error {
  override readonly name = 'BelowError';
}

export async function evaluateAgent(config: EvaluateAgentConfig, context: TaskContext): Promise<void> {
  await owningRun(context, async () => {
    await withReport(context, async () => {
      try {
        await evaluateInFolder(config, context);
      } catch (error) {
        if (!(error instanceof InterruptedError)) throw error;
        context.log('stopped; the same call plays all rollouts again');
        return 'interrupted';
      }
      return 'finished';
    });
  });
}

async function evaluateInFolder(config: EvaluateAgentConfig, context: TaskContext): Promise<void> {
  const agents = await openAgents(config.task, context);
  await using device = await openDevice(deviceOf(config));
  const played: PlayedModel[] = [];
  const models = modelsOf(config.task).map(agentFolderOf);
  for (const model of models) played.push(await playModel(model, device, config, context, agents));
  const results = resultsOf(played, agents, config);
  // The config is written into the folder only now, since before there are results the folder may be used with any config.
  await claimDirectory(context.directory, context.config.decisive);
  await storeTest(context.directory, played, undefined);
  await writeResults(context.directory, results);
  context.progress.report?.({ event: 'results', ...results });
  context.print(
    `${[resultText(results), ...failedText(results), '', passText(results.pass), ...tableText(results)].join('\n')}\n`,
  );
  checkGate(results, config.task);
}

async function playModel(
  folder: string,
  device: Device,
  config: EvaluateAgentConfig,
  context: TaskContext,
  agents: Agents,
): Promise<PlayedModel> {
  const { samples, decoding, concurrency } = config.task;
  const episodes = agents.tasks.test.length * samples;
  const bar = new ProgressBar('rollouts', episodes, context.progress);
  const usage = new UsageMeter();
  const metered = { ...agents, onRollout: usage.add };
  await using open = isEndpoint(folder)
    ? await openEndpoint(folder, config.task, context, metered)
    : await openModel(folder, device, config, context, metered);
  const failures: Error[] = [];
  const isEnough = context.agent?.isEnough;
  try {
    const trajectories: Trajectory[] = [];
    // All samples of a task are played in the same round, so that the number of rollouts in a round is a multiple of `samples`.
    const round = isEnough ? Math.ceil(concurrency / samples) * samples : episodes;
    let played = 0;
    do {
      const count = Math.min(round, episodes - played);
      const before = played;
      const set = {
        purpose: 'test',
        split: 'test',
        firstEpisode: played,
        episodes: count,
        groupSize: samples,
      } as const;
      trajectories.push(
        ...(await playAgents(open, config, context, set, {
          greedy: decoding === 'greedy',
          failures,
          progress(_, done) {
            bar.update(before + done);
            context.onProgress?.({ phase: 'rollouts', model: folder, done: before + done, total: episodes });
          },
        })),
      );
      played += count;
    } while (!isEnough?.(returnsOf(trajectories)) && played < episodes);
    return { name: hubNameOf(folder), decoding, trajectories, rollouts: played, failures, usage };
  } finally {
    bar.finish();
  }
}

/** Opens a local model and the server through which agents use it. */
async function openModel(
  folder: string,
  device: Device,
  config: EvaluateAgentConfig,
  context: TaskContext,
  agents: Agents,
): Promise<OpenRolloutSource> {
  const policy = await loadPolicy(folder, config, device);
  const dialogues = textDialogues(policy.tokenizer);
  const source = agentSource(config, context, agents);
  const { parts, ...open } = await source.open({ policy, critic: null, dialogues }, () => 0);
  return { parts, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]().then(() => policy.release()) };
}

/** Lists the returns of the episodes, in the order of their numbers. */
const returnsOf = (trajectories: readonly Trajectory[]): number[] =>
  [...trajectories].sort((one, other) => one.episode! - other.episode!).map(episodicReturn);

/** The contents of results.json of this task. */
export interface AgentEvaluation extends RunResults {
  comparisons: Comparison[];
  pass: { name: string; rates: PassRate[] }[];
  /** The failed rollouts, with one entry for each model. */
  failed: FailedRollouts[];
  costs: ModelCost[];
}

/** The rollouts with a model that failed in every attempt. */
export interface FailedRollouts {
  name: string;
  rollouts: number;
  /** The number of all rollouts with the model, failed or not. */
  of: number;
  /** The first three reasons of failures, each with the number of its rollouts. */
  reasons: FailureReason[];
}

function resultsOf(played: readonly PlayedModel[], agents: Agents, config: EvaluateAgentConfig): AgentEvaluation {
  const items = testedItems({ noun: 'tasks', shared: agents.shared }, played[0].trajectories, null);
  const [first, ...others] = played;
  const models = modelsOf(config.task);
  const comparable = others.filter((other) => isScored(first) && isScored(other));
  return {
    iterations: 0,
    policies: played.map((model) => {
      // If every rollout failed, no mean reward is reported: a reward of 0 would blame the model for a setup that does not work.
      if (!isScored(model)) return { name: model.name, decoding: model.decoding, metrics: { 'test/episodes': 0 } };
      // The interval is computed by resampling tasks, because rollouts of the same task are correlated.
      return policyResult(model, { shared: false });
    }),
    items,
    comparisons: comparable.map((other) =>
      compared(byEpisode(other), byEpisode(first), { shared: false }, first.decoding),
    ),
    pass: played.map((model) => ({
      name: model.name,
      rates: isScored(model) ? passRates(model.trajectories, config.task) : [],
    })),
    failed: played.map(({ name, rollouts, failures }) => ({
      name,
      rollouts: failures.length,
      of: rollouts,
      reasons: failureReasons(failures).slice(0, SHOWN_REASONS),
    })),
    costs: played.map(({ name, usage }, i) => usage.costs(name, config.task.prices?.[pricedName(models[i])])),
    optimalReturn: null,
    calibration: null,
  };
}

/** Writes the table of costs if there are several models, or if the model has a price. */
const tableText = ({ policies, costs }: AgentEvaluation): string[] =>
  costs.length > 1 || costs.some(({ thousand }) => thousand !== null) ? ['', costText(policies, costs)] : [];

/** Returns whether a model has at least one rollout that did not fail. */
const isScored = ({ rollouts, failures }: PlayedModel): boolean => failures.length < rollouts;

/** Writes lines about rollouts that failed; returns no lines if none failed. */
function failedText({ failed }: AgentEvaluation): string[] {
  return failed
    .filter(({ rollouts }) => rollouts > 0)
    .flatMap(({ name, rollouts, of, reasons }) => [
      `failed with ${name}: ${rollouts} of ${of} rollouts${rollouts === of ? ', which leaves no score' : ''}`,
      ...reasons.map(({ message, episodes }) => `  ${episodes}: ${message.replaceAll('\n', '\n  ')}`),
    ]);
}

function passRates(
  trajectories: readonly Trajectory[],
  { samples, successReward }: EvaluateAgentConfig['task'],
): PassRate[] {
  const tasks = new Map<string, { rollouts: number; successes: number }>();
  for (const trajectory of trajectories) {
    const { rollouts, successes } = tasks.get(trajectory.item!) ?? { rollouts: 0, successes: 0 };
    const success = Number(episodicReturn(trajectory) >= successReward);
    tasks.set(trajectory.item!, { rollouts: rollouts + 1, successes: successes + success });
  }
  return drawnCounts(samples).flatMap((k) => passRate([...tasks.values()], k) ?? []);
}

function passText(pass: AgentEvaluation['pass']): string {
  const figure = (value: number, interval: PassRate['anyInterval']) =>
    `${value.toFixed(3)} (${intervalText(interval)})`;
  const rows = pass.flatMap(({ name, rates }) =>
    rates.map(({ k, any, anyInterval, all, allInterval }) => [
      name,
      String(k),
      figure(any, anyInterval),
      figure(all, allInterval),
    ]),
  );
  return textTable(['model', 'k', 'pass@k: one of k succeeds', 'pass^k: all of k succeed'], rows);
}

/** Throws BelowError if the reward is below the one that the config requires. */
function checkGate(
  { policies: [{ metrics }], comparisons }: AgentEvaluation,
  { failBelow, failDrop }: EvaluateAgentConfig['task'],
): void {
  const { 'test/episodic_return': reward = null } = metrics as Partial<Metrics>;
  if (reward === null && (failBelow !== null || failDrop !== null))
    throw new BelowError('all rollouts failed, so that task.fail_below and task.fail_drop have no reward to compare');
  if (reward !== null && failBelow !== null && reward < failBelow)
    throw new BelowError(`the mean reward is ${reward.toFixed(3)}, below task.fail_below=${failBelow}`);
  for (const { baseline, meanDifference } of comparisons)
    if (failDrop !== null && meanDifference < -failDrop)
      throw new BelowError(
        `the mean reward is lower by ${(-meanDifference).toFixed(3)} than with ${baseline}, more than task.fail_drop=${failDrop} allows`,
      );
}
