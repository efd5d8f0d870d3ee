import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { jsonAsWritten, textAsWritten } from '@bowyer/text';
import { isConversationFile, readConversations } from './conversation-file.js';

const talksOf = async (path: string) => (await readConversations(path)).items.map(({ value }) => value);
const messagesOf = async (path: string) => (await talksOf(path)).map(({ messages }) => messages);

const folder = newFolder();
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

test('AgentGym’s array and OpenAI’s lines are read as the same messages; empty items are skipped', async () => {
  const array = file('a.json', JSON.stringify([{ item_id: 'textcraft_9', conversations: null }, agentGym]));
  expect(isConversationFile(array)).toBe(true);
  expect(await messagesOf(array)).toEqual([
    [
      { role: 'user', content: 'Craft.' },
      { role: 'assistant', content: 'Ok.', loss: false },
      { role: 'user', content: 'Goal: stick' },
      { role: 'assistant', content: 'Action:\nget 1 stick' },
    ],
  ]);
  const lines = file('b.jsonl', `${JSON.stringify(openAi)}\n\n${JSON.stringify(openAi)}\n`);
  expect(isConversationFile(lines)).toBe(true);
  expect(await talksOf(lines)).toHaveLength(2);
});

test('members that templates read are kept: tools first, calls, reasoning, content parts', async () => {
  const call = { function: { name: 'clock', arguments: { at_night: true } } };
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'Time?' }] },
    { role: 'assistant', tool_calls: [call], reasoning_content: 'I ask.' },
    { role: 'tool', name: 'clock', content: '9:00' },
  ];
  const tools = [{ type: 'function', function: { name: 'clock' } }];
  const path = file(
    't.jsonl',
    JSON.stringify({ tools: JSON.stringify(tools), chat_template_kwargs: { a_b: 1 }, messages }),
  );
  expect(isConversationFile(path)).toBe(true);
  const [first, { ...second }, third] = messages;
  const called = { ...second, content: '', tool_calls: [{ id: '', type: 'function', ...call }] };
  expect(await talksOf(path)).toEqual([
    { messages: [{ ...first, content: 'Time?' }, called, third], inputs: { tools, variables: { a_b: 1 } } },
  ]);
});

test('a prompt and a completion as messages are a dialogue of which the completion is learned', async () => {
  const prompt = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
    { role: 'user', content: 'c' },
  ];
  const completion = [{ role: 'assistant', content: 'd' }];
  const path = (item: object) => file('prompted.jsonl', JSON.stringify(item));
  expect(isConversationFile(path({ prompt, completion }))).toBe(true);
  const expected = [prompt[0], { ...prompt[1], loss: false }, prompt[2], completion[0]];
  expect(await messagesOf(path({ prompt, completion }))).toEqual([expected]);
  expect(await messagesOf(path({ prompt: 'c', completion }))).toEqual([[prompt[2], completion[0]]]);
  expect(await messagesOf(path({ prompt: [prompt[2]], completion: 'd' }))).toEqual([[prompt[2], completion[0]]]);
  for (const [item, problem] of [
    [{ prompt: completion, completion }, "'prompt' ends with a message of the assistant"],
    [{ prompt, completion: [prompt[0]] }, "'completion' has no message of the assistant"],
    [{ prompt, completion, messages: prompt }, "has both 'messages' and 'completion'"],
  ] as const)
    await expect(readConversations(path(item))).rejects.toThrow(problem);
});

test('episodes and games are not conversations', () => {
  const episode = { reset: { observation: 'conversations' }, steps: [{ action: 'a', observation: 'b', reward: 0 }] };
  expect(isConversationFile(file('c.jsonl', JSON.stringify(episode)))).toBe(false);
  expect(isConversationFile(file('d.json', JSON.stringify([{ lines: ['messages'] }])))).toBe(false);
  expect(isConversationFile(null)).toBe(false);
});

test.each([
  [
    '{"messages": [{"role": "narrator", "content": "x"}]}',
    "line 1: 'role' of message 1 must be one of system, developer, user, assistant, tool, function",
  ],
  ['{"messages": [{"role": "user"}]}', "line 1: 'content' of message 1 must be a string or an array of text parts"],
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

const dialogue = (reply: object, asked: object = {}) => ({
  messages: [
    { role: 'user', content: 'a', ...asked },
    { role: 'assistant', content: 'b', ...reply },
    { role: 'user', content: 'c' },
    { role: 'assistant', content: 'd' },
  ],
});
let files = 0;
const written = (...items: object[]) => file(`w${++files}.jsonl`, items.map((item) => JSON.stringify(item)).join('\n'));

test.each([
  [{ weight: 0 }, false],
  [{ loss: 0 }, false],
  [{ loss: false }, false],
  [{ train: false }, false],
  [{ training: false }, false],
  [{ trainable: 0 }, false],
  [{ loss_weight: 0 }, false],
  [{ weight: 0, loss: false, train: null }, false],
  [{ weight: 1 }, undefined],
  [{ train: true, loss: 1 }, undefined],
  [{ weight: 0.25 }, 0.25],
  [{ weight: null }, undefined],
])('a reply with %j has the loss %j', async (reply, loss) => {
  const [[, first, , second]] = await messagesOf(written(dialogue(reply)));
  expect(first).toEqual({ role: 'assistant', content: 'b', ...(loss !== undefined && { loss }) });
  expect(second).toEqual({ role: 'assistant', content: 'd' });
});

test.each<[reply: object, asked: object, problem: string]>([
  [{ weight: 0, loss: true }, {}, "'loss' and 'weight' of message 2 say different things"],
  [{ weight: '0' }, {}, '\'weight\' of message 2 is the text "0", neither true or false nor a weight of at least 0'],
  [{ weight: 1e308 }, {}, "'weight' of message 2 is 1e+308, more than the largest weight, 1000000"],
  [{ loss: 1000001 }, {}, "'loss' of message 2 is 1000001, more than the largest weight, 1000000"],
  [{ weight: -1 }, {}, "'weight' of message 2 is the number -1, neither true or false"],
  [{}, { train: true }, "'train' of message 1 is true, but only what the assistant says is learned"],
  [{ value: 'x' }, {}, "message 2 has both 'value' and 'content'"],
  [{ content: [{ type: 'image_url', image_url: 'x' }] }, {}, 'reads text only'],
  [
    { tool_calls: [{ function: { name: 'f', arguments: '{' } }] },
    {},
    'the arguments of the call of f in message 2 are a text that is not JSON',
  ],
  [{ tool_calls: [{ id: 'a' }] }, {}, "'tool_calls[0].function.name' of message 2 must be a string"],
  [
    { function_call: { name: 'f', arguments: '{}' }, tool_calls: [{ function: { name: 'f' } }] },
    {},
    "'function_call' of message 2 stands beside tool_calls",
  ],
])('%j after %j is refused', async (reply, asked, problem) => {
  await expect(readConversations(written(dialogue(reply, asked)))).rejects.toThrow(problem);
});

test('messages that are not learned and ignored members are reported once', async () => {
  const items = [
    { ...dialogue({ weight: 0 }), id: 3 },
    { ...dialogue({ loss: 2.5 }), source: 'web', category: null },
  ];
  expect((await readConversations(written(...items))).notes).toEqual([
    '1 of 4 replies are not learned (weight 0)',
    '1 of 4 replies have a weight of their own in the loss',
    'left unread: id, source',
  ]);
  expect((await readConversations(written(dialogue({})))).notes).toEqual([]);
});

test.each(['reward', 'score'])(
  'imitation reports that a %s has no effect on the loss; algorithms that choose by it read it',
  async (key) => {
    const path = written({ ...dialogue({}), [key]: 1 }, dialogue({}));
    expect((await readConversations(path)).notes).toEqual([
      '1 of 2 conversations have a reward, and it has no part in the loss; algorithm=filteredbc chooses by it',
    ]);
    expect((await readConversations(path, { preferences: true })).notes).toEqual([]);
  },
);

test('keys that nothing reads are refused, each once with its first line', async () => {
  const call = { function: { name: 'f', arguments: '{"x": 1}', strict: true } };
  const path = written(
    dialogue({}),
    { ...dialogue({}), weight: 0, picked: 'x' },
    { ...dialogue({ tool_calls: [call], content: [{ type: 'text', text: 'b', mask: true }] }), weight: 1 },
  );
  await expect(readConversations(path)).rejects.toThrow(
    [
      `${path}: it has keys that nothing reads, and their contents would be lost`,
      "  'weight' of an item: line 2 and 1 more",
      "  'picked' of an item: line 2",
      "  'strict' of a tool call: line 3",
      "  'mask' of a part of a message: line 3",
    ].join('\n'),
  );
});

test('ShareGPT: the system beside the messages is the first message', async () => {
  const talk = {
    conversations: [
      { from: 'human', value: 'a' },
      { from: 'gpt', value: 'b' },
    ],
  };
  const path = written({ ...talk, system: 'In French [please]' }, { system: '', ...talk });
  expect(isConversationFile(written({ system: 'In French [please]', ...talk }))).toBe(true);
  const [first, second] = await messagesOf(path);
  expect(first).toEqual([{ role: 'system', content: 'In French [please]' }, ...second]);
  expect(second.map(({ role }) => role)).toEqual(['user', 'assistant']);
  const other = { conversations: [{ from: 'system', value: 'x' }, ...talk.conversations], system: 'y' };
  await expect(readConversations(written(other))).rejects.toThrow('which say different things');
});

test.each(['\n', '\r\n'])('a JSON array over several lines is read, as on one', async (newline) => {
  const items = [openAi, openAi, { ...openAi, messages: [...openAi.messages, { role: 'assistant', content: 'Ho' }] }];
  for (const indent of [0, 1, 4]) {
    const text = JSON.stringify(items, null, indent).replaceAll('\n', newline);
    const { items: read } = await readConversations(file(`over-${indent}.json`, `\uFEFF${text}${newline}`));
    expect(read.map(({ place, value }) => [place, value.messages.length])).toEqual([
      ['item 1', 2],
      ['item 2', 2],
      ['item 3', 3],
    ]);
  }
  await expect(readConversations(file('torn.json', '[\n{"messages": []},\n{"mess'))).rejects.toThrow(
    'torn.json: the array is not JSON',
  );
});

test('numbers of arguments and of tools keep their texts, in lines and in texts within them', async () => {
  const schema = '{"type":"number","minimum":0.0,"maximum":9223372036854775807}';
  const tools = `[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"x":${schema}}}}}]`;
  const talk = (args: string) =>
    `"messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":${args}}}]}]`;
  const path = file(
    'numbers.jsonl',
    [
      `{"tools":${tools},${talk('{"x":1.0,"y":[7318204915520000013]}')}}`,
      `{"tools":${JSON.stringify(tools)},${talk('"{\\"x\\": 1.50}"')}}`,
    ].join('\n'),
  );
  const talks = await talksOf(path);
  for (const { inputs } of talks) expect(jsonAsWritten(inputs!.tools)).toBe(tools);
  const args = talks.map(
    ({ messages }) => (messages[1].tool_calls as { function: { arguments: object } }[])[0].function.arguments,
  );
  expect([jsonAsWritten(args[0]), textAsWritten(args[1])]).toEqual([
    '{"x":1.0,"y":[7318204915520000013]}',
    '{"x": 1.50}',
  ]);
});

test('a broken call that is not learned is kept unchanged', async () => {
  const call = { function: { name: 'f', arguments: '{"x": ' } };
  const [[, reply]] = await messagesOf(written(dialogue({ content: '', tool_calls: [call], weight: 0 })));
  const [{ function: called }] = reply.tool_calls as { function: { arguments: object } }[];
  expect([textAsWritten(called.arguments), reply.loss]).toEqual(['{"x": ', false]);
});

test.each([
  ['{"messages":[],"messages":[{"role":"user","content":"b"}]}', 'messages'],
  ['{"messages":[{"role":"user","content":"a","content":"b"},{"role":"assistant","content":"c"}]}', 'content'],
])('a key that an object has twice is refused: %s', async (line, key) => {
  const problem = `has an object with the key "${key}" twice, of which one would be lost`;
  await expect(readConversations(file('twice.jsonl', `${JSON.stringify(openAi)}\n${line}`))).rejects.toThrow(
    `1 of 2 items cannot be used\n  line 2: ${problem}`,
  );
  await expect(readConversations(file('twice.json', `[\n${line}\n]`))).rejects.toThrow(
    `twice.json: the array ${problem}`,
  );
});

test.each(['line', 'text'])('values that are nested too deeply are refused, in a %s', async (where) => {
  const deep = `${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`;
  const args = where === 'text' ? JSON.stringify(deep) : deep;
  const reply = `{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":${args}}}]}`;
  await expect(
    readConversations(file('deep.jsonl', `${JSON.stringify(openAi)}\n{"messages":[${reply}]}`)),
  ).rejects.toThrow(/1 of 2 items cannot be used\n {2}line 2: .*more than 500 arrays and objects within each other/);
});

test('a file that the system cannot read is reported with the reason in words', async () => {
  const loop = file('first.jsonl', '');
  rmSync(loop);
  symlinkSync(loop, loop);
  const [inside, long] = [join(loop, 'in.jsonl'), join(dirname(loop), 'a'.repeat(300))];
  for (const [path, problem] of [
    [loop, 'its symbolic links lead in a circle'],
    [inside, 'its symbolic links lead in a circle'],
    [long, 'its name is too long'],
  ])
    await expect(readConversations(path)).rejects.toThrow(
      `cannot read '${path}': ${problem}\n  expected: a JSON or JSONL file`,
    );
});
