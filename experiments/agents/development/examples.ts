// Opens the agents of examples/agents as they are. They need that folder's packages and the Node among them:
//   npm ci --ignore-scripts --prefix examples/agents
import { join, resolve } from 'node:path';
import type { Agent, Example } from '../../../examples/agents/common/example.js';
import { studyAgent, type StudyAgent } from '../agent.js';

const folder = resolve(import.meta.dirname, '../../../examples/agents');

const kinds = {
  openai: 'two tools, OpenAI’s SDK',
  'ai-sdk': 'two tools, then a streamed report',
  compacting: 'pages that are forgotten, notes that are kept',
  'openai-agents': 'hand-overs to three desks',
  langchain: 'questions to SQLite',
  mastra: 'an adviser that asks a clerk',
};
type ExampleName = keyof typeof kinds;
export const exampleNames = Object.keys(kinds) as ExampleName[];

export async function exampleAgent(name: ExampleName): Promise<StudyAgent> {
  const { example } = (await import(join(folder, name, 'example.ts'))) as { example: Example<object, unknown> };
  const { answer } = (await import(join(folder, name, 'agent.mjs'))) as { answer: Agent<object, unknown> };
  return studyAgent<object, unknown>({ name, kind: kinds[name], example, answer });
}
