import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isConversationFile, readConversations } from './conversations.js';

const folder = mkdtempSync(join(tmpdir(), 'conversations-'));
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const agentGym = {
  item_id: 'textcraft_3',
  conversations: [
    { from: 'human', loss: null, value: 'Craft.' },
    { from: 'gpt', loss: false, value: 'Ok.' },
    { from: 'human', loss: null, value: 'Goal: stick' },
    { from: 'gpt', loss: true, value: 'Action:\nget 1 stick' },
  ],
  reward: 1,
};
const openAi = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
  ],
};

test('AgentGym’s array and OpenAI’s lines are the same messages; empty items are passed over', async () => {
  const array = file('a.json', JSON.stringify([{ item_id: 'textcraft_9', conversations: null }, agentGym]));
  expect(isConversationFile(array)).toBe(true);
  expect((await readConversations(array)).map(({ messages }) => messages)).toEqual([
    [
      { role: 'user', content: 'Craft.' },
      { role: 'assistant', content: 'Ok.', loss: false },
      { role: 'user', content: 'Goal: stick' },
      { role: 'assistant', content: 'Action:\nget 1 stick' },
    ],
  ]);
  const lines = file('b.jsonl', `${JSON.stringify(openAi)}\n\n${JSON.stringify(openAi)}\n`);
  expect(isConversationFile(lines)).toBe(true);
  expect(await readConversations(lines)).toHaveLength(2);
});

test('episodes and games are no conversations', () => {
  const episode = { reset: { observation: 'conversations' }, steps: [{ action: 'a', observation: 'b', reward: 0 }] };
  expect(isConversationFile(file('c.jsonl', JSON.stringify(episode)))).toBe(false);
  expect(isConversationFile(file('d.json', JSON.stringify([{ lines: ['messages'] }])))).toBe(false);
  expect(isConversationFile(null)).toBe(false);
});

test.each([
  [
    '{"messages": [{"role": "narrator", "content": "x"}]}',
    'line 1: the role of message 1 is "narrator"; known roles: system, human,',
  ],
  ['{"messages": [{"role": "user"}]}', 'line 1: the content of message 1 is missing, not a text'],
  ['{"messages": 3}', "line 1: 'messages' is the number 3, not an array of messages"],
  ['{"messages": ', 'line 1: is not JSON (Unexpected end of JSON input): {"messages":'],
])('%s is reported', async (text, problem) => {
  const path = file('e.jsonl', text);
  await expect(readConversations(path)).rejects.toThrow(`${path}: 1 of 1 items cannot be used\n  ${problem}`);
});

test('all bad lines are reported at once, twenty of them with their problem', async () => {
  const lines = [JSON.stringify(openAi), '', ...Array.from({ length: 22 }, (_, i) => `{"messages": ${i}}`)];
  const path = file('f.jsonl', lines.join('\n'));
  const shown = Array.from(
    { length: 20 },
    (_, i) => `  line ${i + 3}: 'messages' is the number ${i}, not an array of messages`,
  );
  await expect(readConversations(path)).rejects.toThrow(
    [
      `${path}: 22 of 23 items cannot be used`,
      ...shown,
      '  … and 2 more',
      '  expected: {"messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]}',
    ].join('\n'),
  );
});

test('a file without a conversation is reported, and one object over several lines', async () => {
  await expect(readConversations(file('g.jsonl', '{"messages": []}'))).rejects.toThrow(
    'g.jsonl: contains no conversation',
  );
  await expect(readConversations(file('h.json', JSON.stringify({ data: [openAi] }, null, 1)))).rejects.toThrow(
    'h.json: the file is an object with the keys data over several lines\n  expected: an array, or one item on each line: {"messages"',
  );
});
