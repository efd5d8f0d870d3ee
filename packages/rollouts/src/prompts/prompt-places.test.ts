import { commonPrompts, promptTexts, withPrompts } from './prompt-places.js';

const chat = {
  model: 'm',
  messages: [
    { role: 'system', content: 'You count.' },
    { role: 'user', content: 'You count.' },
  ],
  tools: [{ type: 'function', function: { name: 'add', description: 'Adds.', parameters: { description: 'Adds.' } } }],
};
const responses = {
  instructions: 'You count.',
  input: [{ role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] }],
  tools: [{ type: 'function', name: 'add', description: 'Adds.' }],
};
const messages = {
  system: [{ type: 'text', text: 'You count.', cache_control: { type: 'ephemeral' } }],
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ name: 'add', description: 'Adds.', input_schema: {} }],
};

test.each([
  ['Chat Completions', chat, ['You count.', 'Adds.']],
  ['Responses', responses, ['You count.', 'Be brief.', 'Adds.']],
  ['Messages', messages, ['You count.', 'Adds.']],
])('%s: system messages and descriptions of tools are found, and nothing else', (_, body, texts) => {
  expect(promptTexts(body).map(({ text }) => text)).toEqual(texts);
});

const own = { system: 'You count.', 'tool add': 'Adds.' };

test('the prompts of a request are replaced in a copy of it', () => {
  const before = structuredClone(chat);
  const changed = withPrompts(chat, own, { system: 'Count well.', 'tool add': 'Adds two.' }) as typeof chat;
  expect(changed.messages.map(({ content }) => content)).toEqual(['Count well.', 'You count.']);
  expect(changed.tools[0].function).toEqual({ ...chat.tools[0].function, description: 'Adds two.' });
  expect(chat).toEqual(before);
  const typed = withPrompts(messages, own, { ...own, system: '$& stays' }) as typeof messages;
  expect(typed.system[0]).toEqual({ ...messages.system[0], text: '$& stays' });
});

test('what an agent adds to its prompt for a task stays', () => {
  const body = { instructions: 'You count.\nThe task is 7.' };
  expect(withPrompts(body, own, { ...own, system: 'Count.' })).toEqual({ instructions: 'Count.\nThe task is 7.' });
});

test('each of several prompts in one message is replaced, and what was put in is not read again', () => {
  const texts = { role: 'You sell tea.', rules: 'One sentence.', 'tool add': 'One sentence.' };
  const changed = { role: 'One sentence. You sell tea.', rules: 'Two sentences.', 'tool add': 'Three.' };
  const body = { system: 'You sell tea.\nOne sentence.\nOpen until 18. You sell tea.' };
  expect(withPrompts(body, texts, changed)).toEqual({
    system: 'One sentence. You sell tea.\nTwo sentences.\nOpen until 18. One sentence. You sell tea.',
  });
});

test('a prompt that another one contains is replaced only outside of that other prompt', () => {
  const texts = { short: 'Be brief.', long: 'You count. Be brief.' };
  const body = { system: [{ text: 'You count. Be brief.' }, { text: 'Be brief.' }] };
  expect(withPrompts(body, texts, { ...texts, short: 'Be kind.' })).toEqual({
    system: [{ text: 'You count. Be brief.' }, { text: 'Be kind.' }],
  });
});

test('the same prompts change nothing', () => {
  expect(withPrompts(chat, own, { ...own })).toBe(chat);
});

test('the texts that rollouts have in common have names; those of one task alone have none', () => {
  const first = [{ ...chat }, { ...responses, instructions: 'The task is 1.' }];
  const second = [chat, { ...responses, instructions: 'The task is 2.' }];
  expect(commonPrompts([first, second])).toEqual({
    system: 'You count.',
    'tool add': 'Adds.',
    'system 2': 'Be brief.',
  });
});

test('an agent without a common prompt is refused with what helps', () => {
  expect(() => commonPrompts([[{ instructions: 'a' }], [{ instructions: 'b' }]])).toThrow('prompts=FILE');
});
