// Tests whether an agent is good enough, by playing rollouts until the result is statistically certain.
import { AssertionError } from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';
import { confidenceSequence, mean, Rng, rolloutsNeeded, standardDeviation, writeFileAtomically } from '@bowyer/core';
import { costOf, usageOf, type AgentTask, type Prices } from '@bowyer/rollouts';
import type { AgentFunctions, Reward } from '../agent-functions.js';
import { evaluateAgent } from '../evaluate-agent.js';
import type { AgentRunOptions } from '../run-agent-task.js';
import type { AgentContext } from '../rollout-context.js';

type Run<Task extends AgentTask, Result> = AgentFunctions<Task, Result>['run'];

/** The limits at which a test ends, whether or not its result is certain. */
export interface TestBudget {
  /** The number of rollouts. Default: 200. */
  rollouts?: number;
  seconds?: number;
  /** The largest cost of a test, in the currency of `prices`. */
  cost?: number;
}

export interface AgentTestOptions<Task extends AgentTask, Result> extends Pick<
  AgentRunOptions<Task, Result>,
  'model' | 'tasks' | 'reward' | 'signal' | 'log' | 'onProgress' | 'seed' | 'concurrency' | 'timeout'
> {
  /** The probability that the result of the test is right, however early the test stops. Default: 0.95. */
  confidence?: number;
  /** The limit of the test: a number of rollouts, or several limits. */
  budget?: number | TestBudget;
  /** The prices of a million tokens, from which the cost is computed that `budget.cost` limits. */
  prices?: Prices;
  /**
   * The tested quantity: the mean reward, or the probability that one of k rollouts succeeds (pass@k) or all k do (pass^k).
   * Default: `reward`.
   */
  of?: 'reward' | `pass@${number}` | `pass^${number}`;
  /** The smallest reward that counts as a success. Default: 1. */
  successReward?: number;
  /** The smallest and the largest possible reward. Default: [0, 1]. */
  range?: readonly [number, number];
  /** The folder of the evaluation. Default: a new one under outputs/. */
  savePath?: string;
  /** Any other key of the config `evaluate_agent`, in camelCase. */
  [setting: string]: unknown;
}

/** The result of testing an agent against an expectation. */
export interface AgentVerdict {
  passed: boolean;
  /** Whether the result became certain within the budget. */
  decided: boolean;
  mean: number;
  /** The confidence sequence of the mean (an interval that is valid at any time) at the end of the test. */
  interval: { low: number; high: number };
  rollouts: number;
  /** The cost of all rollouts in the currency of `prices`; 0 without prices. */
  cost: number;
  /** A sentence with the expectation and the result. */
  message: string;
}

/** Plays tasks until the mean is certainly above or below the target, or the budget is used up. */
export async function reaches<Task extends AgentTask, Result>(
  run: Run<Task, Result>,
  target: number,
  options: AgentTestOptions<Task, Result>,
): Promise<AgentVerdict> {
  const played = await playUntil(run, options, ({ low, high }) => low >= target || high < target);
  const { interval, values } = played;
  const passed = interval.low >= target;
  const decided = passed || interval.high < target;
  const { of = 'reward' } = options;
  const wanted = `${of} of at least ${target}`;
  return {
    ...played,
    passed,
    decided,
    message: [
      `${passed ? 'reached' : decided ? 'not reached' : 'not shown'}: ${wanted}`,
      foundText(played),
      ...(decided ? [] : [moreText(played, Math.abs(mean(values) - target))]),
      ...played.reasons,
    ].join('\n  '),
  };
}

/**
 * Compares an agent with its last accepted version, whose results are in `file`, on the same tasks and random numbers. The test
 * fails if the agent is certainly worse by more than `drop`. If `file` does not exist, or `accept` is true, all rollouts of the
 * budget are played, and their results are written to `file`.
 */
export async function keepsUp<Task extends AgentTask, Result>(
  run: Run<Task, Result>,
  file: string,
  options: AgentTestOptions<Task, Result> & { drop?: number; accept?: boolean },
): Promise<AgentVerdict> {
  const { drop = 0, accept = process.env.BOWYER_ACCEPT === '1', of = 'reward', ...settings } = options;
  const { seed = 0, tasks } = settings;
  const setup = { of, seed, tasks: tasks.map(({ id }) => id) };
  if (accept || !existsSync(file)) {
    if (!accept && process.env.CI)
      throw new Error(`${file}: there is no accepted version\n  run the test once on your machine and commit the file`);
    const played = await playUntil(run, { ...settings, of }, () => false);
    await writeFileAtomically(file, `${JSON.stringify({ ...setup, values: played.values })}\n`);
    return { ...played, passed: true, decided: true, message: `accepted in ${file}\n  ${foundText(played)}` };
  }
  const { values: accepted, ...known } = JSON.parse(readFileSync(file, 'utf8')) as typeof setup & { values: number[] };
  if (JSON.stringify(known) !== JSON.stringify(setup))
    throw new Error(
      `${file}: it was made with other tasks, another seed or another 'of'\n  accept the agent as it is: BOWYER_ACCEPT=1`,
    );
  const [least, most] = settings.range ?? [0, 1];
  const played = await playUntil(
    run,
    { ...settings, of, budget: { ...budgetOf(settings), rollouts: accepted.length * rolloutsOf(of) } },
    ({ low, high }) => low >= -drop || high < -drop,
    { range: [least - most, most - least], from: (value, i) => value - accepted[i] },
  );
  const worse = played.interval.high < -drop;
  return {
    ...played,
    passed: !worse,
    decided: worse || played.interval.low >= -drop,
    message: [
      `${worse ? 'worse than' : 'not shown to be worse than'} the accepted version by more than ${drop}: ${file}`,
      foundText(played),
      ...(worse ? ['if this is wanted, accept it: BOWYER_ACCEPT=1'] : [moreText(played, drop || SMALL_DIFFERENCE)]),
      ...played.reasons,
    ].join('\n  '),
  };
}

/** The difference in the tested quantity for which the message states the needed number of rollouts, if no other is given. */
const SMALL_DIFFERENCE = 0.05;

interface PlayedTest {
  /** The tested quantity for each drawn task. */
  values: number[];
  mean: number;
  interval: { low: number; high: number };
  rollouts: number;
  cost: number;
  /** The reasons why rollouts failed, and the limit of the budget that ended the test. */
  reasons: string[];
}

/** The prices that are used if an endpoint does not report its tokens, or if no prices are given. */
const FREE: Prices = { input: 0, output: 0 };

/**
 * Returns the number of rollouts from which one value of the tested quantity is computed: k for pass@k and pass^k, otherwise 1.
 *
 * @throws for an unknown quantity
 */
function rolloutsOf(of: string): number {
  const [, count] = /^(?:reward|pass[@^]([1-9]\d*))$/.exec(of) ?? [];
  if (count === undefined && of !== 'reward')
    throw new Error(`of is '${of}'\n  write 'reward', 'pass@K' or 'pass^K', with K from 1 on`);
  return Number(count ?? 1);
}

const budgetOf = ({ budget = {} }: { budget?: number | TestBudget }): TestBudget =>
  typeof budget === 'number' ? { rollouts: budget } : budget;

/**
 * Draws tasks with replacement and plays them by `evaluateAgent`. They are drawn with replacement since the confidence sequence
 * requires that the expected value of each draw does not depend on earlier draws.
 */
async function playUntil<Task extends AgentTask, Result>(
  run: Run<Task, Result>,
  options: AgentTestOptions<Task, Result>,
  isClear: (interval: PlayedTest['interval']) => boolean,
  compared?: { range: readonly [number, number]; from: (value: number, i: number) => number },
): Promise<PlayedTest> {
  const { confidence = 0.95, prices, of = 'reward', range = [0, 1], successReward = 1, reward, ...settings } = options;
  const { budget: _, tasks, seed = 0, concurrency = 8, ...others } = settings;
  const budget = budgetOf(options);
  if (budget.cost !== undefined && prices === undefined)
    throw new Error('budget.cost is given without prices\n  give prices: { input, output }, for a million tokens');
  const samples = rolloutsOf(of);
  const rng = Rng.forPurpose(seed, 'drawn tasks');
  const drawn = Array.from({ length: Math.max(1, Math.floor((budget.rollouts ?? 200) / samples)) }, (__, i) => {
    const task = tasks[rng.integer(0, tasks.length - 1)];
    return { id: `${task.id} #${i}`, task };
  });
  let cost = 0;
  const end = budget.seconds === undefined ? Infinity : performance.now() + budget.seconds * 1000;
  const [least, most] = compared?.range ?? (of === 'reward' ? range : [0, 1]);
  const found: PlayedTest = {
    values: [],
    mean: 0,
    interval: { low: least, high: most },
    rollouts: 0,
    cost: 0,
    reasons: [],
  };
  const { failed } = await evaluateAgent({
    maxFailureShare: 1,
    attempts: 1,
    ...others,
    seed,
    concurrency,
    tasks: drawn,
    evalShare: 0,
    testShare: 0,
    samples,
    failedReward: range[0],
    run: ({ task }, context: AgentContext) => run(task, { ...context, rollout: { ...context.rollout, task } }),
    reward: async ({ task }, played) => {
      for (const call of played.rollout.calls) cost += costOf(usageOf(call) ?? FREE, prices ?? FREE);
      return reward ? reward(task, played) : (played.result as Reward);
    },
    isEnough(returns) {
      const values = Array.from({ length: returns.length / samples }, (__, i) =>
        valueOf(returns.slice(i * samples, (i + 1) * samples), of, successReward),
      );
      found.values = compared ? values.map(compared.from) : values;
      found.rollouts = returns.length;
      found.mean = mean(found.values);
      const scaled = found.values.map((value) => (value - least) / (most - least));
      const outside = scaled.find((value) => value < 0 || value > 1);
      if (outside !== undefined)
        throw new RangeError(`a reward is ${least + outside * (most - least)}, outside of range [${least}, ${most}]`);
      const { low, high } = confidenceSequence(scaled, confidence);
      found.interval = { low: least + low * (most - least), high: least + high * (most - least) };
      found.cost = cost;
      if (isClear(found.interval)) return true;
      if (budget.cost !== undefined && cost >= budget.cost) found.reasons.push(`ended by budget.cost: ${budget.cost}`);
      else if (performance.now() >= end) found.reasons.push(`ended by budget.seconds: ${budget.seconds}`);
      return found.reasons.length > 0;
    },
  });
  const reasons = failed.reasons.map(({ message, episodes }) => `${episodes} rollouts failed: ${message}`);
  if (failed.rollouts === failed.of)
    throw new Error(['nothing was scored: all rollouts failed', ...reasons].join('\n  '));
  found.reasons.push(...reasons);
  return found;
}

function valueOf(rewards: readonly number[], of: string, success: number): number {
  if (of === 'reward') return mean(rewards);
  const successes = rewards.filter((reward) => reward >= success).length;
  return Number(of.startsWith('pass@') ? successes > 0 : successes === rewards.length);
}

function foundText({ mean: found, interval: { low, high }, rollouts, cost }: PlayedTest): string {
  const price = cost > 0 ? `, cost ${cost.toFixed(4)}` : '';
  return `found ${found.toFixed(3)} (${low.toFixed(3)} … ${high.toFixed(3)}) in ${rollouts} rollouts${price}`;
}

/** Returns a text with the number of tasks that would be needed to show a difference. */
function moreText({ values }: PlayedTest, difference: number): string {
  if (difference === 0 || values.length < 2) return 'more rollouts are needed (budget)';
  const deviation = Math.max(standardDeviation(values), 0.05);
  return `a difference of ${difference.toFixed(3)} needs about ${rolloutsNeeded({ difference, deviation })} tasks (budget)`;
}

/**
 * Tests an agent in any test runner. The promise is rejected with an AssertionError that describes the result.
 *
 *     await expectAgent(run).toReach(0.8, { model, tasks, reward, budget: 100 });
 */
export function expectAgent<Task extends AgentTask, Result>(run: Run<Task, Result>) {
  return {
    /** Passes if the tested quantity is certainly at least `target`. */
    toReach: async (target: number, options: AgentTestOptions<Task, Result>) =>
      passedOrThrow(await reaches(run, target, options)),
    /** Fails if the agent is certainly worse than the accepted version in `file`. */
    toKeepUp: async (file: string, options: Parameters<typeof keepsUp<Task, Result>>[2]) =>
      passedOrThrow(await keepsUp(run, file, options)),
  };
}

function passedOrThrow(verdict: AgentVerdict): AgentVerdict {
  if (!verdict.passed) throw new AssertionError({ message: verdict.message });
  return verdict;
}
