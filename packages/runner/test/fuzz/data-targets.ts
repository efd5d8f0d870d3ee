// Targets that read data of other programs: traces, Parquet tables, tasks of agents, and questions with answers.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rng } from '@bowyer/core';
import { makeEnv } from '@bowyer/envs';
import { readTasks } from '@bowyer/rollouts';
import { readTrainingItems } from '../../src/tasks/finetune/training-items.js';
import { repository } from '../command-line.js';
import { damageBytes, damageLines, damageNestedLines } from './mutations.js';
import { file, type OpenTarget } from './target.js';

const fixtures = join(repository, 'packages/conversations/test/fixtures');
const fixture = (name: string) => readFileSync(join(fixtures, name));
const spans = (name: string) => Buffer.from(fixture(name).toString().trimEnd());
const lines = (...values: object[]) => Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'));

const find = { name: 'find', description: 'Find a thing', parameters: { properties: { thing: { type: 'string' } } } };

const responses = {
  instructions: 'Be brief.',
  tools: [{ type: 'function', ...find, strict: true }],
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'Where?' }] },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'I look.' }] },
    { type: 'function_call', call_id: 'c1', name: 'find', arguments: '{"thing": "cup"}', status: 'completed' },
    { type: 'function_call_output', call_id: 'c1', output: 'the hall' },
  ],
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'The hall.' }] }],
  reward: 1,
};

const anthropic = {
  request: {
    system: [{ type: 'text', text: 'Be brief.' }],
    tools: [{ name: 'find', input_schema: find.parameters }],
    messages: [
      { role: 'user', content: 'Where?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I look.', signature: 'x' },
          { type: 'tool_use', id: 'c1', name: 'find', input: { thing: 'cup' } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'the hall' }] }],
      },
    ],
  },
  response: { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'The hall.' }] },
};

const atif = {
  schema_version: 'ATIF-v1.7',
  agent: { name: 'a', tool_definitions: [{ type: 'function', function: find }] },
  steps: [
    { step_id: 1, source: 'system', message: 'Be brief.' },
    {
      step_id: 2,
      source: 'agent',
      message: '',
      reasoning_content: 'I look.',
      tool_calls: [{ tool_call_id: 'c1', function_name: 'find', arguments: { thing: 'cup' } }],
      observation: { results: [{ source_call_id: 'c1', content: 'the hall' }] },
    },
  ],
  subagent_trajectories: [{ agent: { name: 'b' }, steps: [{ source: 'agent', message: 'c' }] }],
  extra: { reward: 0.25 },
};

const tasks = lines({ id: 1, question: 'a', split: 'train' }, { id: 'x', files: { 'a.txt': 'b' } });

/** Reads files in both ways in which users read them: for training, and as tasks to play again. */
async function readTraces(path: string): Promise<void> {
  await readTasks(path);
  await readTrainingItems(path);
}

const moon = { question: 'Which is a planet?', choices: ['Moon', 'Mars'], answer: 1, subject: 'sky', split: 'test' };
const arc = { id: 'a', question: 'Which?', choices: { text: ['Moon', 'Mars'], label: ['1', '2'] }, answerKey: '2' };
const table = 'question,A,B,C,answer\n"Which, then?",Moon,Mars,Sun,B\nAnd now?,1,2,3,2\n';

/** Reads a file of questions, and plays the first one. */
const questions: OpenTarget = (folder) => ({
  seeds: [lines(moon, moon), lines(arc, { question: 'How many?', answer: '2\n#### 2' }), Buffer.from(table)],
  damage: (seed, rng) => (seed[0] === 0x7b ? damageLines : damageBytes)(seed, rng),
  read: async (input) => {
    const data = join(folder, input[0] === 0x71 ? 'data.csv' : 'data.jsonl');
    writeFileSync(data, input);
    const env = await makeEnv('questions', { data });
    await env.reset({ seed: 1 });
    await env.step('B');
    await env.close();
  },
});

const parquet = readdirSync(fixtures).filter((name) => name.endsWith('.parquet'));

/** Damages a Parquet table, mostly its end, which contains the positions of everything. */
const damageTable = (seed: Uint8Array, rng: Rng): Uint8Array => {
  const from = rng.uniform() < 0.5 ? 0 : Math.floor(seed.length / 2);
  return Buffer.concat([seed.subarray(0, from), damageBytes(seed.subarray(from), rng)]);
};

/** Reads tables. A reader that would never end is stopped after three seconds. */
const parquetTables: OpenTarget = async (folder) => ({
  ...(await file('data.parquet', parquet.map(fixture), damageTable, readTrainingItems)(folder)),
  limitMs: 6000,
});

export const dataTargets: Readonly<Record<string, OpenTarget>> = {
  traces: file(
    'traces.jsonl',
    [
      spans('ai-sdk-gen-ai.jsonl'),
      spans('ai-sdk-legacy.jsonl'),
      lines(responses, responses),
      lines(anthropic),
      lines(atif),
    ],
    damageNestedLines,
    readTraces,
  ),
  'tasks of agents': file('tasks.jsonl', [tasks], damageLines, readTasks),
  Parquet: parquetTables,
  'questions and answers': questions,
};
