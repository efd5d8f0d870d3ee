import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { fieldsOf } from './fields.js';
import { defaultsOf } from '../option.js';
import { verifiersSchema, type VerifiersOptions } from './options.js';
import { verifiersReport } from './report.js';
import { verifiersTasks } from './task-file.js';
import { verifiersUnit } from './unit.js';
import { VerifiersEnv } from './verifiers.js';

const folder = newFolder();

function file(name: string, ...lines: (object | string)[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return path;
}

const defaults = defaultsOf(verifiersSchema);
const make = (options: Partial<VerifiersOptions>) => new VerifiersEnv({ ...defaults, ...options });

const sum = {
  prompt: 'What is 2 + 3?',
  answer: 5,
  info: '{"level": 1}',
  task: 'sums',
  completion: '<answer>5</answer>',
};
const chat = {
  prompt: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Name a planet.' }] },
  ],
  completion: [
    { role: 'assistant', content: 'Mars' },
    { role: 'user', content: 'Another one.' },
    { role: 'assistant', content: 'Venus' },
  ],
};

test('a line has a text or messages as its prompt, an answer, and info that may be stored as a text', () => {
  const [first, second] = verifiersTasks({ data: file('tasks.jsonl', sum, chat) });
  expect(first).toMatchObject({
    prompt: [{ role: 'user', content: 'What is 2 + 3?' }],
    answer: '5',
    info: { level: 1 },
    kind: 'sums',
    completion: ['<answer>5</answer>'],
  });
  expect(second).toMatchObject({ answer: null, info: null, completion: ['Mars', 'Venus'], row: chat });
});

test('all bad lines are named at once', () => {
  const path = file(
    'bad.jsonl',
    '{"prompt": ',
    { answer: '1' },
    { ...sum, id: 'sum' },
    { ...sum, split: 'other' },
    { ...sum, id: 'sum' },
    { prompt: [{ role: 'tool', content: 'x' }] },
    { prompt: [{ role: 'user', content: 'x', tool_calls: [] }] },
    { prompt: 'a', info: '{"b": ' },
    { prompt: 'b', completion: [{ role: 'user', content: 'x' }] },
    '[1]',
  );
  expect(() => verifiersTasks({ data: path })).toThrow(
    [
      `verifiers: ${path} cannot be used`,
      '  line 1: is not JSON: Unexpected end of JSON input',
      '  line 2: no prompt; its columns are answer',
      '  line 4: split "other" must be train, eval or test',
      '  line 5: the id "sum" is that of line 3',
      '  line 6: prompt[0]: role must be system, user or assistant; it is "tool"',
      '  line 7: prompt[0]: tool_calls is not read here; texts alone are',
      '  line 8: info is a text that begins as JSON and is none: Unexpected end of JSON input',
      '  line 9: completion has no message of the assistant',
      '  line 10: is not a JSON object',
    ].join('\n'),
  );
});

test('without a module the reward is 1 for the answer, which may be in a tag', async () => {
  const data = file('sum.jsonl', sum);
  const plain = make({ data, instruction: 'Calculate.' });
  expect((await plain.reset()).observation).toBe('Calculate.\n\nWhat is 2 + 3?');
  expect(await plain.step(' 5 ')).toMatchObject({ reward: 1, terminated: true, info: { won: true, kind: 'sums' } });
  const tagged = make({ data, fields: ['reasoning', 'answer'] });
  await tagged.reset();
  expect(await tagged.step('5')).toMatchObject({ reward: 0, info: { won: false, invalid: true } });
  await tagged.reset();
  const reply = '<reasoning>2 and 3</reasoning><answer>6</answer> no: <answer> 5 </answer>';
  expect(await tagged.step(reply)).toMatchObject({ reward: 1, info: { components: { exact: 1 }, invalid: false } });
});

test('the last complete tag holds; a tag without its end is none', () => {
  expect(fieldsOf('<a>1</a><a>2</a><a>3', ['a', 'b'])).toEqual({ a: '2', b: null });
});

const REWARDS = `
  export const exact = ({ text, answer }) => text === answer;
  export async function brief({ completion, info, state }) {
    state.seen = true;
    return completion[0].content.length <= 4 * info.level ? 0.5 : 0;
  }
  export const length_of_reply = ({ text }) => text.length;
  export const weights = { brief: 2, length_of_reply: 0 };
`;

test('exported functions are the rewards, weighted by name, and each is reported', async () => {
  const [data, rewards] = [file('sum.jsonl', sum), file('rewards.mjs', REWARDS)];
  const env = make({ data, rewards });
  await env.reset();
  const { reward, info } = await env.step('5');
  expect(reward).toBe(1 + 2 * 0.5);
  expect(info).toMatchObject({ components: { exact: 1, brief: 0.5, length_of_reply: 1 }, won: false });
  const other = make({ data, rewards, weights: { exact: 3, lengthOfReply: 0.1 } });
  await other.reset();
  expect((await other.step('12345')).reward).toBeCloseTo(3 * 0 + 2 * 0 + 0.1 * 5);
  const report = verifiersReport({
    model: { path: 'runs/a', name: null },
    sampling: { temperature: 0, maxTokens: 5 },
    episodes: [[{ action: '5', info }], [{ action: '', info: { ...info, components: { exact: 0 } } }]],
  });
  expect(report.content).toMatchObject({
    n: 2,
    rewards: { exact: { n: 2, mean: 0.5, standard_error: 0.5 }, brief: { n: 1, mean: 0.5, standard_error: null } },
  });
});

test('respond makes several turns, of which the rewards see all', async () => {
  const data = file('chat.jsonl', chat);
  const rewards = file(
    'respond.mjs',
    `export const named = ({ completion }) => completion.filter(({ role }) => role === 'assistant').length;
     export const respond = ({ text, turn }) => (text === 'stop' ? null : 'Another one, ' + turn);`,
  );
  const env = make({ data, rewards, maxTurns: 3 });
  expect((await env.reset()).observation).toBe('Be brief.\n\nName a planet.');
  expect(env.expertReply()).toBe('Mars');
  expect(await env.step('Mars')).toMatchObject({ observation: 'Another one, 1', reward: 0, terminated: false });
  expect(env.expertReply()).toBe('Venus');
  expect(await env.step('stop')).toMatchObject({ observation: '', reward: 2, terminated: true });
  await env.reset();
  for (const action of ['a', 'b']) expect((await env.step(action)).terminated).toBe(false);
  expect(await env.step('c')).toMatchObject({ reward: 3, terminated: true }); // this is max_turns
});

test.each([
  ['export default () => 1;', /default export has no name/],
  ['export const LIMIT = 5; export const ok = () => 1;', /LIMIT is no function/],
  ['export const respond = () => null;', /it exports no function/],
  ['export const ok = () => 1; export const weights = { other: 1 };', /exported weights name other/],
  ['export const (', /failed to load/],
])('a module that cannot be used is refused: %s', async (text, message) => {
  const env = make({ rewards: file(`${Buffer.from(text).toString('hex').slice(0, 40)}.mjs`, text) });
  await expect(env.reset()).rejects.toThrow(message);
});

test('a reward that fails or is no number ends the run with its name and the task', async () => {
  const rewards = file('nan.mjs', 'export const broken = ({ text }) => (text ? NaN : missing);');
  const env = make({ rewards, data: file('sum.jsonl', { ...sum, id: 'sum-1' }) });
  await env.reset();
  await expect(env.step('5')).rejects.toThrow('broken of the task sum-1 must return a finite number; it returned NaN');
  await env.reset();
  await expect(env.step('')).rejects.toThrow('broken of the task sum-1 failed: missing is not defined');
});

test('completions of training tasks are demonstrations', async () => {
  const { demonstrations, config } = verifiersUnit;
  const set = await demonstrations!.make(defaults, { count: 3, seed: 1 });
  expect(set.summary).toBe('3 episodes, 3 turns, mean return 1.00');
  const data = file('none.jsonl', { prompt: 'a', split: 'train' }, { ...sum, split: 'test' });
  expect(demonstrations!.problem!({ ...defaults, data })).toMatch(/no training task/);
  expect(config!.problems!({ ...defaults, rewards: join(folder, 'no.ts') })).toMatchObject([{ key: 'env.rewards' }]);
});
