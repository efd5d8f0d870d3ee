// Tests a supervised start: the answers of a stronger endpoint are recorded, finetune learns them, and an evaluation on other
// tasks shows the result.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { answerChats, newFolder, type AnsweringServer } from '@bowyer/testing';
import { runAsLibrary } from '@bowyer/runner';
import { evaluateAgent, recordAgent, type AgentContext } from '../src/index.js';
import { answerTo, colourModel, colours, type ColourTask } from './colour-agent.js';

let expert: AnsweringServer;
let folder: string;
let model: string;
beforeAll(async () => {
  folder = newFolder();
  model = await colourModel(adjectives.join(' '));
  // The endpoint answers with the last word of the message, the colour.
  expert = await answerChats(({ messages }) => messages[0].content.split(' ').at(-1)!);
});
afterAll(async () => {
  expert.close();
  for (const one of [folder, model]) await rm(one, { recursive: true });
});

const adjectives = ['big', 'small', 'old', 'new'];
/** Returns the training tasks or the held-out ones. Each adjective is held out with one colour. */
const tasksOf = (isHeldOut: boolean): ColourTask[] =>
  adjectives.flatMap((adjective, a) =>
    colours
      .filter((_, c) => (c === a) === isHeldOut)
      .map((colour) => ({ id: `${adjective}-${colour}`, shown: `${adjective} ${colour}` })),
  );
const run = (task: ColourTask, context: AgentContext) => answerTo(task, context);
const reward = ({ shown }: ColourTask, { result }: { result: string }) => Number(result === shown.split(' ')[1]);

test('the model that has imitated the record solves tasks that are not in it', async () => {
  const { conversations } = await recordAgent({
    upstream: `${expert.address}/v1`,
    upstreamKey: 'secret',
    tasks: tasksOf(false),
    savePath: join(folder, 'expert'),
    minReward: 1,
    run,
    reward,
  });
  const lines = (await readFile(conversations, 'utf8')).trim().split('\n');
  expect(lines).toHaveLength(12);
  for (const line of lines)
    expect(JSON.parse(line)).toEqual({
      messages: [
        { role: 'user', content: expect.any(String) },
        { role: 'assistant', content: expect.any(String) },
      ],
      reward: 1,
    });

  const { directory } = await runAsLibrary({
    configName: 'finetune',
    settings: {
      model,
      data: conversations,
      epochs: 40,
      batchSize: 4,
      lmLr: 0.01,
      validationShare: 0,
      threads: 1,
      savePath: join(folder, 'imitated'),
    },
  });
  const { results } = await evaluateAgent({
    model: directory,
    compareWith: [model],
    tasks: tasksOf(true),
    run,
    reward,
    evalShare: 0,
    testShare: 0,
    samples: 8,
    threads: 1,
    savePath: join(folder, 'evaluated'),
  });
  const [imitated, start] = results.policies.map(({ metrics }) => metrics['test/episodic_return']);
  expect(imitated).toBeGreaterThan(start + 0.3);
}, 300_000);
