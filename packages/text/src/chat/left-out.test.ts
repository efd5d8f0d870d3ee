import { wordLevelTokenizer } from '../tokenizers/word-level-tokenizer.js';
import type { ChatMessage, Conversation } from './chat-message.js';
import { chatTemplate } from './chat-template.js';

const tokenizer = wordLevelTokenizer(['a b'], { wholeTokens: ['<|im_start|>', '<|im_end|>'] });

const tools = [
  { type: 'function', function: { name: 'clock', parameters: { properties: { zone: { type: 'string' } } } } },
];
const calls = [{ type: 'function', id: 'x', function: { name: 'clock', arguments: { zone: 'Paris', hours: 3 } } }];
const messages: ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Time?', name: 'Ann' },
  { role: 'assistant', content: 'I look.', reasoning_content: 'The clock.', tool_calls: calls },
  { role: 'tool', content: '9:00', tool_call_id: 'x' },
  { role: 'assistant', content: [{ type: 'text', text: 'Nine.' }] },
];
const dialogue: Conversation = { messages, inputs: { tools } };

const loop = (body: string, before = '') => `${before}{% for m in messages %}${body}{% endfor %}`;
const call = '{% for c in m.tool_calls or [] %}{{ c.function.name }}{{ c.function.arguments | tojson }}{% endfor %}';
const content =
  '{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}{{ p.text }}{% endfor %}{% endif %}';
const all = '{{ tools | tojson }}';
const thought = '{{ m.reasoning_content }}';

test.each<[template: string, lost: string[]]>([
  [loop(`${thought}${content}${call}`, all), []],
  ['tools', []],
  [
    loop('{{ m.content }}'),
    ['tools', "'reasoning_content' of assistant messages", "'tool_calls' of assistant messages"],
  ],
  [loop(`${thought}${content}${call}`), ['tools']],
  [loop(`${thought}${content}${call}`, '{{ tools | length }} tools'), ['tools']],
  // This template writes how many calls there were, but not which.
  [loop(`${thought}${content}{{ m.tool_calls | length }}`, all), ["'tool_calls' of assistant messages"]],
  [
    loop(`${thought}${content}{% if m.tool_calls %}{{ m.tool_calls[0].function.name }}{% endif %}`, all),
    ["'tool_calls' of assistant messages"],
  ],
  [
    loop(`${thought}{% if m.tool_calls %}${call}{% else %}${content}{% endif %}`, all),
    ['the content of assistant messages'],
  ],
  [loop(`${thought}${call}{% if m.role != "tool" %}${content}{% endif %}`, all), ['the content of tool messages']],
  [loop(`${thought}${call}{% if m.role != "system" %}${content}{% endif %}`, all), ['the content of system messages']],
  [loop(`${thought}${call}{{ m.content if m.content is string }}`, all), ['the content of assistant messages']],
  // This template omits the thoughts of earlier messages, but writes the thoughts of the last message.
  [loop(`{% if loop.last %}${thought}{% endif %}${content}${call}`, all), []],
  [
    'chatml',
    [
      'tools',
      "'reasoning_content' of assistant messages",
      "'tool_calls' of assistant messages",
      'the content of tool messages',
    ],
  ],
])('%s leaves out %j', (template, lost) => {
  expect(chatTemplate(template, tokenizer).leavesOut(dialogue)).toEqual(lost);
});

test('other keys count as written where the text changes with them; names and ids say nothing', () => {
  const flagged: Conversation = { messages: [{ role: 'user', content: 'a', id: 3, name: 'x', shout: true }] };
  expect(chatTemplate(loop('{{ m.content }}{{ "!" if m.shout }}'), tokenizer).leavesOut(flagged)).toEqual([]);
  expect(chatTemplate(loop('{{ m.content }}'), tokenizer).leavesOut(flagged)).toEqual(["'shout' of user messages"]);
  const [document] = [{ title: 'T', text: 'What is there.' }];
  const read: Conversation = { messages: flagged.messages.slice(0, 0), inputs: { documents: [document] } };
  expect(chatTemplate('{{ documents[0].text }}', tokenizer).leavesOut(read)).toEqual([]);
  expect(chatTemplate('{{ documents | length }}', tokenizer).leavesOut(read)).toEqual(['documents']);
});

test('a template that refuses marks is asked whether its text changes', () => {
  const strict = loop(
    '{% if m.tool_calls and m.tool_calls[0].function.name != "clock" %}{{ raise_exception("unknown") }}{% endif %}{{ m.content }}',
  );
  const asked: Conversation = { messages: [{ role: 'assistant', content: 'a', tool_calls: calls }] };
  expect(chatTemplate(strict, tokenizer).leavesOut(asked)).toEqual(["'tool_calls' of assistant messages"]);
  const written = chatTemplate(strict.replace('{{ m.content }}', `{{ m.content }}${call}`), tokenizer);
  expect(written.leavesOut(asked)).toEqual([]);
});

test('dialogues that are alike are looked at once', () => {
  const template = chatTemplate(loop('{{ m.content }}'), tokenizer);
  expect(template.leavesOut({ messages: [messages[2]] })).toHaveLength(2);
  expect(template.leavesOut({ messages: [messages[2]] })).toEqual([]);
});

test('tools: plain text in Hermes’ form; each next prompt continues the last one', () => {
  const config = { eos_token: '<end>' };
  const codes = (text: string) => Array.from(text, (char) => char.codePointAt(0)!);
  const decode = (ids: number[]) => String.fromCodePoint(...ids);
  const named = { ...tokenizer, config, encode: codes, decode } as never;
  const template = chatTemplate('tools', named);
  const text = (some: readonly ChatMessage[]) => String.fromCodePoint(...template.encodePrompt(some, { tools }));
  expect(text(messages)).toBe(`### system
Be brief.

You may call these tools. A call is <tool_call>{"name": ..., "arguments": {...}}</tool_call>.
<tools>
${'{"type": "function", "function": {"name": "clock", "parameters": {"properties": {"zone": {"type": "string"}}}}}'}
</tools>
### user
Time?
### assistant
<think>
The clock.
</think>

I look.
<tool_call>
{"name": "clock", "arguments": {"zone": "Paris", "hours": 3}}
</tool_call><end>
### tool
<tool_response>
9:00
</tool_response>
### assistant
Nine.<end>
### assistant
`);
  for (let i = 2; i < messages.length; i++)
    expect(text(messages).startsWith(text(messages.slice(0, i)).replace(/### assistant\n$/, ''))).toBe(true);
  expect(template.encodeConversation(messages, { tools })).toHaveLength(1);
});

test('the renderings of one check share their steps: a template that takes 300,000 is not rendered ten times', () => {
  const busy = '{% for i in range(3) %}{% for j in range(50000) %}{% endfor %}{% endfor %}{{ messages | length }}';
  const asked: Conversation = {
    messages: [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'a' },
    ],
  };
  const template = chatTemplate(busy, tokenizer);
  expect(template.encodePrompt(asked.messages.slice(0, 1)).length).toBeGreaterThan(0);
  expect(() => template.leavesOut(asked)).toThrow('it takes more than 500000 steps');
});
