// Tests all steps in production, as a user starts them: a server that records, feedback, a canary that is promoted, and trainings
// on the record.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { readRollouts, readTasks } from '@bowyer/rollouts';
import { templateTokens, wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { useRecords } from '../src/context/recorded-data.js';
import { runHere } from './in-process.js';
import { startServer, type StartedServer } from './started-server.js';
import { saveTinyModel } from './tiny-model.js';

const folder = newFolder();
const at = (...parts: string[]) => join(folder, ...parts);
let server: StartedServer;

/** With these characters, each text has only one tokenization. */
const characters = [...'abcdefghijklmnopqrstuvwxyzIYN?.'];

beforeAll(async () => {
  const tokenizer = wordLevelTokenizer([characters.join('\n')], {
    wholeTokens: [...templateTokens('chatml'), ...characters, ' ', '\n'],
  });
  await saveTinyModel(at('base'), tokenizer, 128, { initializer_range: 0.3 });
  await using device = await openDevice({ device: 'cpu', threads: 1 });
  const lora = { r: 2, alpha: 4, dropout: 0, targetModules: 'all-linear', seed: 1 };
  await (await LanguageModel.load({ device, dir: at('base'), lora })).save(at('better'));
  const canary = [`adapters={better: ${at('better')}}`, 'canary=better', 'canary_share=0.5', `record=${at('record')}`];
  const overrides = [`model=${at('base')}`, 'chat_template=chatml', ...canary, 'port=0', 'threads=1'];
  server = await startServer(['--config-name', 'serve_model', ...overrides, `save_path=${at('server')}`]);
}, 180_000);

async function post(path: string, json: object, headers: Record<string, string> = {}): Promise<{ id: string }> {
  const sent = { 'content-type': 'application/json', ...headers };
  const response = await fetch(`${server.url}/${path}`, { method: 'POST', headers: sent, body: JSON.stringify(json) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { id: string };
}

/** The model's weights are random: without the bias it could sample tokens for unknown words, which no training can score. */
const asked = { max_tokens: 4, logit_bias: { 0: -100, 1: -100, 2: -100 } };

const ask = (content: string, session: string) =>
  post('chat/completions', { messages: [{ role: 'user', content }], ...asked }, { 'x-session-id': session });

/** Returns the names of the models that have answered, by the answers' ids. */
async function answeredBy(): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for await (const { id, calls } of readRollouts(at('record'))) names.set(id, calls[0].sampling.model as string);
  return names;
}

const canary = (...overrides: string[]) =>
  runHere(['--config-name', 'canary', `record=${at('record')}`, `save_path=${at('canary')}`, ...overrides]);

test('a canary answers whole conversations, is compared with intervals, and is promoted and taken back while the server runs', async () => {
  const [first, again] = [await ask('Is it a dog ?', 's0'), await ask('Is it a cat ?', 's0')];
  const ids: string[] = [];
  for (let i = 0; i < 40; i++) ids.push((await ask('Is it a ball ?', `s${i}`)).id);
  const names = await answeredBy();
  expect(names.get(first.id)).toBe(names.get(again.id));
  const share = ids.filter((id) => names.get(id) === 'better').length;
  expect(share).toBeGreaterThan(8);
  expect(share).toBeLessThan(32);
  for (const [i, id] of ids.entries())
    await post(`responses/${id}/feedback`, { thumbs: names.get(id) === 'better' || i % 4 === 0 ? 'up' : 'down' });
  const table = await canary();
  expect(table.stderr).toBe('');
  expect(table.stdout).toMatch(/^base .* 0\.\d\d .* … /m);
  expect(table.stdout).toMatch(new RegExp(`^better +${share}|^better +${share + 2}`, 'm'));
  expect(table.stdout).toMatch(/better: improved beside base, \+0\.\d\d \(95 %: \+0/);
  expect(table.stdout).toContain('better answers 50 % of the conversations with base');
  for (const [share, name] of [
    [1, 'better'],
    [0, 'base'],
  ] as const) {
    expect((await canary(`share=${share}`)).stdout).toContain(`better answers ${share * 100} % of the conversations`);
    // The server reads the new share twice a second; soon the same name answers all conversations.
    for (;;) {
      const asked = await Promise.all(Array.from({ length: 16 }, (_, i) => ask('Is it a cat ?', `s${i}`)));
      const now = await answeredBy();
      if (asked.every(({ id }) => now.get(id) === name)) break;
      await sleep(100);
    }
  }
}, 180_000);

test('trainings read the record as it is, and a run that is started again reads the same items', async () => {
  const { id } = await ask('Is it an apple ?', 'corrected');
  await post(`responses/${id}/feedback`, { correction: 'Yes .' });
  const small = ['threads=1', 'chat_template=chatml', 'epochs=1'];
  const finetune = ['--config-name', 'finetune', `model=${at('base')}`, `data=${at('record')}`, ...small];
  const tuned = await runHere([...finetune, `save_path=${at('tuned')}`]);
  expect(tuned.stderr).not.toContain('Error');
  const file = at('tuned', 'recorded', 'data.jsonl');
  const items = readFileSync(file, 'utf8');
  expect(items).toContain('"content":"Yes ."');
  await ask('Is it an apple ?', 'later');
  const again = await runHere([...finetune, `save_path=${at('tuned')}`]);
  expect(again.stdout).toContain('this run is finished already');
  expect(readFileSync(file, 'utf8')).toBe(items);
  const preferred = await runHere([
    '--config-name',
    'bc_20q',
    'algorithm=offline_dpo',
    `demonstrations.path=${at('record')}`,
    `policy_lm=${at('base')}`,
    ...small,
    'test_size=1',
    'env.max_turns=1',
    'max_new_tokens=4',
    `save_path=${at('preferred')}`,
  ]);
  expect(preferred).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Error') });
  expect(readFileSync(at('preferred', 'recorded', 'path.jsonl'), 'utf8')).toContain('"chosen":');
}, 180_000);

test('the tasks of an agent are what the users have asked', async () => {
  const task = { tasks: at('record') as string, evalTasks: null };
  await useRecords({ task }, { directory: at('agent'), log: () => undefined });
  expect(existsSync(task.tasks)).toBe(true);
  const asked = (await readTasks(task.tasks)).map(
    (question) => (question as unknown as { messages: { content: string }[] }).messages[0].content,
  );
  expect(asked).toEqual(expect.arrayContaining(['Is it a dog ?', 'Is it a ball ?', 'Is it an apple ?']));
});

test('settings of the record that contradict each other are refused before anything starts', async () => {
  const refused = await runHere([
    '--config-name',
    'serve_model',
    `model=${at('base')}`,
    'canary=better',
    "record_redact=['(']",
    `save_path=${at('refused')}`,
  ]);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('task.canary needs task.record');
  expect(refused.stderr).toContain('task.canary=better is not in task.adapters');
  expect(refused.stderr).toContain('task.record_redact: Invalid regular expression');
});
