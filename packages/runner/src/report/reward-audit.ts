// Computes statistics about the training rollouts of a user's agent: rewards, lengths, groups and tools. They can show that the
// agent exploits the reward, or that the reward gives no signal.
import { groupBy, correlation, mean } from '@bowyer/core';
import { effectiveRewards, REWARD, type RecordedRollout } from '@bowyer/rollouts';
import type { Table } from '@bowyer/views';
import { callTree } from './agent-tree.js';

export interface AuditedRollout {
  group?: string;
  task?: string;
  failure: string | null;
  rewards: Map<string, number>;
  calls: number;
  branches: number;
  written: number;
  tools: { name: string; failed: boolean }[];
}

export function auditedRollout(rollout: RecordedRollout): AuditedRollout {
  const { calls } = callTree(rollout, null);
  const continued = new Set(calls.map(({ parent }) => parent));
  const rewards = new Map<string, number>();
  for (const { name, value } of effectiveRewards(rollout)) rewards.set(name, (rewards.get(name) ?? 0) + value);
  return {
    ...(rollout.group !== undefined && { group: rollout.group }),
    ...(rollout.task !== undefined && { task: rollout.task }),
    failure: rollout.status === 'failed' ? (rollout.reason ?? 'without a reason') : null,
    rewards,
    calls: rollout.calls.length,
    branches: calls.filter((_, i) => !continued.has(i)).length,
    written: calls.reduce((sum, { answerTokens }) => sum + answerTokens, 0),
    tools: calls.flatMap((call) => call.tools.map(({ name, failed }) => ({ name, failed }))),
  };
}

/** The share of a run's rollouts that counts as its beginning, and as its end. */
const EDGE = 0.2;

/** @param rollouts of the training, in the order of time */
export function rewardAudit(rollouts: readonly AuditedRollout[]): Table[] {
  const ended = rollouts.filter(({ failure, rewards }) => failure === null && rewards.size > 0);
  const tables = [
    componentTable(ended),
    lengthTable(ended),
    groupTable(ended),
    toolTable(rollouts),
    failureTable(rollouts),
  ];
  return tables.filter(({ rows }) => rows.length > 0);
}

function componentTable(rollouts: readonly AuditedRollout[]): Table {
  const names = [...new Set(rollouts.flatMap(({ rewards }) => [...rewards.keys()]))].sort();
  return {
    title: 'Components of the reward',
    header: ['component', 'rollouts', 'mean', 'at the beginning', 'at the end', 'correlation with the reward'],
    rows: names.map((name) => {
      const own = rollouts.filter(({ rewards }) => rewards.has(name));
      const values = own.map(({ rewards }) => rewards.get(name)!);
      const both = own.filter(({ rewards }) => rewards.has(REWARD));
      const related =
        name === REWARD
          ? null
          : correlationOf(
              both.map(({ rewards }) => rewards.get(name)!),
              both.map(({ rewards }) => rewards.get(REWARD)!),
            );
      return [name, String(own.length), ...meanAndEdges(values), shown(related)];
    }),
    notes: [
      `The beginning and the end are the first and the last ${100 * EDGE} % of the rollouts. '${REWARD}' is the reward that is trained on; a component that rises while it falls is what the agent learns instead.`,
    ],
  };
}

function lengthTable(rollouts: readonly AuditedRollout[]): Table {
  const rewarded = rollouts.filter(({ rewards }) => rewards.has(REWARD));
  const rewards = rewarded.map((rollout) => rollout.rewards.get(REWARD)!);
  const figures: [string, (rollout: AuditedRollout) => number][] = [
    ['tokens written', ({ written }) => written],
    ['tokens per answer', ({ written, calls }) => written / Math.max(1, calls)],
    ['calls of the model', ({ calls }) => calls],
    ['branches', ({ branches }) => branches],
    ['calls of tools', ({ tools }) => tools.length],
  ];
  return {
    title: 'Lengths of rollouts',
    header: ['figure', 'mean', 'at the beginning', 'at the end', 'correlation with the reward'],
    rows:
      rewarded.length === 0
        ? []
        : figures.map(([name, of]) => {
            const values = rewarded.map(of);
            return [name, ...meanAndEdges(values), shown(correlationOf(values, rewards))];
          }),
    notes: ['A length that grows while the reward does not is drift: look at what the longer answers say.'],
  };
}

function groupTable(rollouts: readonly AuditedRollout[]): Table {
  const grouped = rollouts.filter(({ group }) => group !== undefined);
  const all = [...groupBy(grouped, ({ group }) => group).values()].filter(({ length }) => length > 1);
  const edge = Math.max(1, Math.floor(all.length * EDGE));
  const spans: [string, AuditedRollout[][]][] = [
    ['all', all],
    ['at the beginning', all.slice(0, edge)],
    ['at the end', all.slice(-edge)],
  ];
  return {
    title: 'Groups without a signal',
    header: [
      'groups',
      'number',
      'all rewards equal',
      'equal and at the top',
      'equal and at the bottom',
      'tasks without a signal',
    ],
    rows: all.length === 0 ? [] : spans.map(([name, own]) => [name, ...groupFigures(own, rewardRange(rollouts))]),
    notes: [
      'Where all rewards of a group are equal, advantages are 0 and nothing is learned. At the top the task is too easy, at the bottom too hard, or the reward does not tell good rollouts from bad ones.',
    ],
  };
}

function groupFigures(groups: readonly AuditedRollout[][], [lowest, highest]: [number, number]): string[] {
  const spreads = groups.map((own) => rewardRange(own));
  const flat = groups.filter((_, i) => spreads[i][0] === spreads[i][1]);
  const at = (value: number) => spreads.filter(([low, high]) => low === high && low === value).length;
  const tasks = new Set(flat.map(([{ task }]) => task));
  for (const [i, [{ task }]] of groups.entries()) if (spreads[i][0] !== spreads[i][1]) tasks.delete(task);
  const share = (count: number) => `${((100 * count) / groups.length).toFixed(0)} %`;
  // If all rewards are equal, no group can be said to have only the highest or only the lowest reward.
  const ends = lowest === highest ? ['–', '–'] : [share(at(highest)), share(at(lowest))];
  return [String(groups.length), share(flat.length), ...ends, String(tasks.size)];
}

function rewardRange(rollouts: readonly AuditedRollout[]): [number, number] {
  const values = rollouts.map(({ rewards }) => rewards.get(REWARD) ?? 0);
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

function toolTable(rollouts: readonly AuditedRollout[]): Table {
  const names = [...new Set(rollouts.flatMap(({ tools }) => tools.map(({ name }) => name)))].sort();
  const edge = Math.max(1, Math.floor(rollouts.length * EDGE));
  const failedShare = (own: readonly AuditedRollout[], name: string) => {
    const calls = own.flatMap(({ tools }) => tools.filter((tool) => tool.name === name));
    if (calls.length === 0) return '–';
    return `${((100 * calls.filter(({ failed }) => failed).length) / calls.length).toFixed(0)} %`;
  };
  return {
    title: 'Calls of tools',
    header: ['tool', 'calls', 'rollouts', 'failed', 'failed at the beginning', 'failed at the end'],
    rows: names.map((name) => [
      name,
      String(rollouts.reduce((sum, { tools }) => sum + tools.filter((tool) => tool.name === name).length, 0)),
      String(rollouts.filter(({ tools }) => tools.some((tool) => tool.name === name)).length),
      failedShare(rollouts, name),
      failedShare(rollouts.slice(0, edge), name),
      failedShare(rollouts.slice(-edge), name),
    ]),
    notes: [
      'A call counts as failed if its result begins with an error or a traceback, if its result is a JSON object with an error, or if the call itself could not be read.',
    ],
  };
}

function failureTable(rollouts: readonly AuditedRollout[]): Table {
  const reasons = new Map<string, number>();
  for (const { failure } of rollouts) if (failure !== null) reasons.set(failure, (reasons.get(failure) ?? 0) + 1);
  const most = [...reasons].sort((a, b) => b[1] - a[1]).slice(0, MOST_REASONS);
  return {
    title: 'Rollouts that failed',
    header: ['reason', 'rollouts'],
    rows: most.map(([reason, count]) => [reason.split('\n')[0], String(count)]),
    notes: reasons.size > MOST_REASONS ? [`${reasons.size - MOST_REASONS} rarer reasons are left out.`] : [],
  };
}

const MOST_REASONS = 10;

function meanAndEdges(values: readonly number[]): string[] {
  const edge = Math.max(1, Math.floor(values.length * EDGE));
  return [values, values.slice(0, edge), values.slice(-edge)].map((own) => mean(own).toPrecision(3));
}

/** Null where one of them is constant. */
function correlationOf(x: readonly number[], y: readonly number[]): number | null {
  const varies = (values: readonly number[]) => values.some((value) => value !== values[0]);
  return x.length > 2 && varies(x) && varies(y) ? correlation(x, y) : null;
}

const shown = (value: number | null): string => (value === null ? '–' : value.toFixed(2));
