// Writes the files of an evaluation (all episodes, the same episodes in AgentGym's format, and results.json) and returns its
// table for the terminal.
import { join } from 'node:path';
import type { Decoding } from '@bowyer/algorithms';
import { type Trajectory, toRecord, JsonlFile } from '@bowyer/core';
import { textTable } from '@bowyer/logging';
import { breakdownOf, taskRows, type TaskResult } from '../../run/breakdown.js';
import { policyResult } from '../../run/policy-result.js';
import { compared, failuresText, resultText, testedItems, writeResults, type RunResults } from '../../run/results.js';
import type { TaskContext } from '../../context/task-context.js';
import { agentGymLine } from './agentgym-lines.js';
import { itemsToPlay } from './items.js';
import type { PlayedConfig } from './open-agent.js';

/** The episodes of all seeds that one agent has played with one decoding. */
export interface PlayedAgent {
  name: string;
  decoding: Decoding;
  episodes: { seed: number; trajectory: Trajectory }[];
}

interface PlayedEvaluation {
  agents: PlayedAgent[];
  /** The errors of the episodes that failed. */
  failures: string[];
  optimalReturn: number | null;
}

/** Returns the table for the terminal. */
export async function writeEvaluation(
  config: PlayedConfig,
  context: TaskContext,
  { agents, failures, optimalReturn }: PlayedEvaluation,
): Promise<string> {
  await writeEpisodes(config, context, agents);
  const { plan } = itemsToPlay(config, context.envParts);
  const [first] = agents;
  const items = testedItems(plan, trajectoriesOf(first), null);
  const results: RunResults & { failures: string[]; tasks: Record<string, TaskResult[]> } = {
    iterations: 0,
    ...(context.processes && { processes: context.processes }),
    policies: agents.map((agent) => policyResult({ ...agent, trajectories: trajectoriesOf(agent) }, items)),
    items,
    comparisons: agents
      .filter(({ name }) => name !== first.name)
      .map((agent) => {
        const baseline = agents.find(({ name, decoding }) => name === first.name && decoding === agent.decoding)!;
        return compared(keyed(baseline), keyed(agent), items, agent.decoding);
      }),
    optimalReturn,
    calibration: null,
    failures,
    tasks: Object.fromEntries(
      agents.map((agent) => [`${agent.name} (${agent.decoding})`, breakdownOf(config.env.name, trajectoriesOf(agent))]),
    ),
  };
  await writeResults(context.directory, results);
  const tasks = breakdownOf(config.env.name, trajectoriesOf(first));
  const table = tasks.length > 0 ? ['', textTable([first.name, 'episodes', 'return', 'win'], taskRows(tasks))] : [];
  return [resultText(results), ...table, ...failuresText(failures)].join('\n');
}

const trajectoriesOf = ({ episodes }: PlayedAgent): Trajectory[] => episodes.map(({ trajectory }) => trajectory);

/**
 * Indexes an agent's episodes by seed and number; episodes of different agents with the same key are of the same item and random
 * numbers.
 */
const keyed = ({ name, episodes }: PlayedAgent) => ({
  name,
  episodes: new Map(episodes.map(({ seed, trajectory }) => [`${seed}/${trajectory.episode}`, trajectory])),
});

async function writeEpisodes(
  config: PlayedConfig,
  { directory, envParts }: TaskContext,
  agents: PlayedAgent[],
): Promise<void> {
  const { split } = itemsToPlay(config, envParts);
  const file = await JsonlFile.open(join(directory, 'trajectories', 'test.jsonl'), 0);
  for (const { name, decoding, episodes } of agents)
    await file.append(
      ...episodes.map(({ seed, trajectory }) => ({
        ...toRecord(trajectory, 0),
        policy: name,
        decoding,
        split,
        evaluation_seed: seed,
      })),
    );
  for (const [i, agent] of agents.entries()) {
    const lines = await JsonlFile.open(join(directory, i === 0 ? 'agentgym.jsonl' : `agentgym-${i + 1}.jsonl`), 0);
    await lines.append(...trajectoriesOf(agent).map((trajectory) => agentGymLine(config.env.name, trajectory)));
  }
}
