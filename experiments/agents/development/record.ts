// The agent of record/, which reports its own reward: its model has learned from an expert with 50 % of errors.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { recordAgent, type AgentContext, type AgentTask } from '@bowyer/agents';
import { makeModel } from '../../../examples/agents/common/make-model.js';
import type { WarmStart } from '../../../examples/agents/common/example.js';
import type { Dialogue } from '../../../examples/agents/common/scripted-endpoint.js';
import { common, type StudyAgent } from '../agent.js';

const folderOfAgent = resolve(import.meta.dirname, 'record');
const linesOf = <Line>(file: string): Line[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
const tasksOf = (file: string) => linesOf<AgentTask>(join(folderOfAgent, file));

type Answer = (task: AgentTask, rollout: { baseURL: string; apiKey: string; rolloutUrl: string }) => Promise<void>;
const { answer } = (await import(join(folderOfAgent, 'agent.mjs'))) as { answer: Answer };
type Expert = { url: string; close: () => void };
const { startExpert } = (await import(join(folderOfAgent, 'expert.mjs'))) as {
  startExpert: (errors: number) => Promise<Expert>;
};

const functions = {
  async run(task: AgentTask, { baseURL, apiKey, rollout }: AgentContext) {
    await answer(task, { baseURL, apiKey, rolloutUrl: rollout.url });
    return {};
  },
};

export const agent = recordAgentWith('record', 'one turn, four desks, 128 tasks, its own reward', {
  epochs: 12,
  batchSize: 16,
  lmLr: 4e-3,
});

/** The same agent with a model of 124 million weights, of which adapters are trained. */
export const large = recordAgentWith('record-124m', 'that of record, adapters beside a model of 124 million weights', {
  epochs: 5,
  batchSize: 16,
  lmLr: 3e-4,
  width: 768,
  layers: 21,
});

type Passes = Pick<WarmStart, 'epochs' | 'batchSize' | 'lmLr' | 'width' | 'layers'>;

function recordAgentWith(name: string, kind: string, passes: Passes): StudyAgent {
  const tasks = tasksOf('tasks.jsonl');
  return {
    name,
    kind,
    hasRoom: true,
    tasks,
    judgingTasks: tasksOf('test.jsonl'),
    samples: 4,
    functions,
    judgedFunctions: functions,
    settings: { ...common, failedReward: 0 },
    async makeStart(folder) {
      const model = join(folder, 'run/checkpoints/best');
      if (existsSync(join(folder, 'run/results.json'))) return model;
      await makeModel(folder, linesOf<Dialogue>(await recorded(folder, tasks)), {
        ...passes,
        records: 128,
        carelessness: 0.5,
        copies: 0,
      });
      return model;
    },
  };
}

/** Records the expert with errors in half of its answers. @returns the file of conversations */
async function recorded(folder: string, tasks: readonly AgentTask[]): Promise<string> {
  const expert = await startExpert(0.5);
  try {
    const { conversations } = await recordAgent({
      upstream: expert.url,
      upstreamKey: 'none',
      tasks,
      savePath: `${folder}-record`,
      ...functions,
    });
    return conversations;
  } finally {
    expert.close();
  }
}
