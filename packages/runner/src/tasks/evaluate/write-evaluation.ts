// The files of an evaluation (all episodes, the same in AgentGym's format, results.json) and its table for the terminal.
import { join } from 'node:path';
import { episodeMetrics, type Decoding } from '@bowyer/algorithms';
import { writeFileAtomically, type Trajectory, toRecord, JsonlFile } from '@bowyer/core';
import { textTable } from '@bowyer/logging';
import { breakdownOf, type TaskResult } from '../../run/breakdown.js';
import { compared, resultText, returnInterval, testedItems, type RunResults } from '../../run/results.js';
import type { TaskContext } from '../../context/task-context.js';
import { agentGymLine } from './agentgym-lines.js';
import { itemsToPlay } from './items.js';
import type { PlayedConfig } from './open-agent.js';

/** One agent with one decoding: its episodes of all seeds. */
export interface PlayedAgent {
  name: string;
  decoding: Decoding;
  episodes: { seed: number; trajectory: Trajectory }[];
}

interface PlayedEvaluation {
  agents: PlayedAgent[];
  /** The errors of episodes that failed. */
  failures: string[];
  optimalReturn: number | null;
}

/** Writes the files of an evaluation. @returns the table for the terminal */
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
    policies: agents.map((agent) => ({
      name: agent.name,
      decoding: agent.decoding,
      metrics: episodeMetrics(trajectoriesOf(agent), 'test'),
      interval: returnInterval(trajectoriesOf(agent), items),
    })),
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
  await writeFileAtomically(join(context.directory, 'results.json'), `${JSON.stringify(results, null, 1)}\n`);
  const tasks = breakdownOf(config.env.name, trajectoriesOf(first));
  const failed =
    failures.length === 0 ? [] : [`${failures.length} episodes failed and are left out, the first: ${failures[0]}`];
  return [resultText(results), ...(tasks.length > 0 ? ['', taskText(first.name, tasks)] : []), ...failed].join('\n');
}

const trajectoriesOf = ({ episodes }: PlayedAgent): Trajectory[] => episodes.map(({ trajectory }) => trajectory);

/** Indexes an agent's episodes by seed and number, which name the same game for all agents. */
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

function taskText(name: string, tasks: readonly TaskResult[]): string {
  const rows = tasks.map(({ task, episodes, meanReturn, winRate }) => [
    task,
    String(episodes),
    meanReturn.toFixed(2),
    winRate === null ? '–' : winRate.toFixed(3),
  ]);
  return textTable([name, 'episodes', 'return', 'win'], rows);
}
