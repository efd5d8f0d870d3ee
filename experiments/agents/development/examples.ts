// The agents of examples/agents as they are. They need that folder's packages and the Node among them:
//   npm ci --ignore-scripts --prefix examples/agents
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AgentContext, AgentTask, Reward } from '@bowyer/agents';
import type { Agent, Example } from '../../../examples/agents/common/example.js';
import { pythonWithOpenAI } from '../../../examples/agents/common/python.js';
import { studyAgent, type StudyAgent } from '../agent.js';

const folder = resolve(import.meta.dirname, '../../../examples/agents');

const kinds = {
  openai: 'two tools, OpenAI’s SDK',
  'ai-sdk': 'two tools, then a streamed report',
  compacting: 'pages that are forgotten, notes that are kept',
  'openai-agents': 'hand-overs to three desks',
  langchain: 'questions to SQLite',
  mastra: 'an adviser that asks a clerk',
  python: 'the agent and the start of `openai` as a program in Python',
};
type ExampleName = keyof typeof kinds;
export const exampleNames = Object.keys(kinds) as ExampleName[];

export async function exampleAgent(name: ExampleName): Promise<StudyAgent> {
  const { example } = (await import(join(folder, name, 'example.ts'))) as { example: Example<object, unknown> };
  // The model of the agent in Python begins as that of the same agent in JavaScript.
  const recorded = name === 'python' ? 'openai' : name;
  const { answer } = (await import(join(folder, recorded, 'agent.mjs'))) as { answer: Agent<object, unknown> };
  const agent = studyAgent<object, unknown>({ name, kind: kinds[name], example, answer });
  if (name !== 'python') return agent;
  const functions = { run: program(pythonProgram()) };
  return { ...agent, functions, judgedFunctions: functions };
}

/** @throws where this machine has no Python with the package `openai` */
function pythonProgram(): string[] {
  const found = pythonWithOpenAI(resolve(import.meta.dirname, '../../../outputs/agents/python/venv'));
  if ('missing' in found) throw new Error(`there is no Python with the package openai here\n  ${found.missing}`);
  return [found.python, join(folder, 'python/agent.py')];
}

/** The agent as a program that `train_agent` would start: its reward is the last line of what it prints. */
function program([command, ...args]: string[]) {
  return async (task: AgentTask, { baseURL, apiKey, rollout, signal }: AgentContext): Promise<Reward> => {
    const { PATH, HOME } = process.env;
    const env = {
      PATH,
      HOME,
      OPENAI_BASE_URL: baseURL,
      OPENAI_API_KEY: apiKey,
      BOWYER_TASK: JSON.stringify(task),
      BOWYER_ROLLOUT_URL: rollout.url,
    };
    const child = spawn(command, args, { env, signal, stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>]);
    if (code !== 0) throw new Error(`${command} ended with ${code}`);
    return JSON.parse(printed.trim().split('\n').at(-1)!) as Reward;
  };
}
