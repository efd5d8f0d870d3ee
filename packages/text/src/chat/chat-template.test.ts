import { existsSync } from 'node:fs';
import { recordings, whenRecorded } from '@bowyer/testing';
import { loadTokenizer, type HuggingFaceTokenizer } from '../tokenizers/tokenizer.js';
import { ChatTemplateError, cutRight, type ChatMessage, type ChatTemplate, type PromptEnding } from './chat-message.js';
import { chatTemplate, templateTokens } from './chat-template.js';
import { wordLevelTokenizer } from '../tokenizers/word-level-tokenizer.js';

const llama2Dir = recordings('models/tokenizer-llama2');
const maybe = whenRecorded('models/tokenizer-llama2').test;
let llama2: HuggingFaceTokenizer;
beforeAll(async () => {
  if (existsSync(llama2Dir)) llama2 = await loadTokenizer(llama2Dir);
});

const dialogue: ChatMessage[] = [
  { role: 'user', content: 'Craft a stick.' },
  { role: 'assistant', content: 'OK.', loss: false },
  { role: 'user', content: 'Inventory: empty' },
  { role: 'assistant', content: 'Action: get 1 oak log' },
];
const trained = ({ ids, lossMask }: { ids: number[]; lossMask: number[] }) => ids.filter((_, i) => lossMask[i] === 1);

maybe('Llama-2: a message a piece; only what the assistant wrote, with its end, is learnt', () => {
  const template = chatTemplate('llama2', llama2);
  const [encoded] = template.encodeConversation(dialogue);
  expect(trained(encoded)).toEqual(llama2.encode('Action: get 1 oak log</s>'));
  expect(encoded.ids.at(-1)).toBe(2);
  expect(encoded.ids.filter((id) => id === 1)).toHaveLength(2); // <s> before every user's message
});

maybe('play and training see the same ids', () => {
  for (const name of [
    'llama2',
    '{% for m in messages %}{{ "[INST] " + m.content + " [/INST]" if m.role == "user" else " " + m.content + eos_token }}{% endfor %}',
  ]) {
    const template = chatTemplate(name, llama2);
    const [whole] = template.encodeConversation(dialogue);
    for (const turn of [1, 3]) {
      const prompt = template.encodePrompt(dialogue.slice(0, turn));
      expect(whole.ids.slice(0, prompt.length)).toEqual(prompt);
      expect(whole.lossMask[prompt.length]).toBe(dialogue[turn].loss === false ? 0 : 1);
    }
  }
});

maybe('as BCTrainer tokenises: a lone space first, and loss ignored where upstream ignores it', () => {
  const upstream = chatTemplate('llama2_bc', llama2, { upstreamLossMask: true });
  const [encoded] = upstream.encodeConversation(dialogue);
  const [first, last] = [1, 3].map((turn) => upstream.encodePrompt(dialogue.slice(0, turn)).length);
  expect(encoded.ids[last]).toBe(29871); // '▁'
  expect(encoded.lossMask[first]).toBe(1);
  const [honoured] = chatTemplate('llama2_bc', llama2).encodeConversation(dialogue);
  expect(honoured.ids).toEqual(encoded.ids);
  expect(honoured.lossMask[first]).toBe(0);
});

maybe('cutting loses the right end; nothing to learn from is told', () => {
  const [encoded] = chatTemplate('llama2', llama2).encodeConversation(dialogue);
  const start = encoded.lossMask.indexOf(1);
  expect(cutRight(encoded, start + 2)).toMatchObject({ ids: encoded.ids.slice(0, start + 2) });
  expect(cutRight(encoded, start)).toBeNull();
});

maybe('a template whose shorter dialogues are not prefixes of longer ones teaches each reply as it is served', () => {
  // The template shortens all messages except the last, as the templates of some reasoning models omit earlier thoughts.
  const body = (said: string) =>
    `{% for m in messages %}{% if m.role == 'user' %}U:{{ m.content }}\n{% else %}A:${said}{{ '\\n' }}{% endif %}{% endfor %}{% if add_generation_prompt %}A:{% endif %}`;
  const forgetful = '{{ m.content if loop.last else m.content[:2] }}';
  const longer: ChatMessage[] = [...dialogue, { role: 'user', content: 'Done.' }];
  const taught = chatTemplate(body(forgetful), llama2).encodeConversation(
    longer.map(({ loss: _, ...message }) => message),
  );
  expect(taught.map((one) => llama2.decode(trained(one)))).toEqual(['OK.\n', 'Action: get 1 oak log\n']);
  // If the prefixes are stable, both forms, with and without generation blocks, have the same ids and the same mask.
  const [plain] = chatTemplate(body('{{ m.content }}'), llama2).encodeConversation(dialogue);
  const marked = chatTemplate(body('{% generation %}{{ m.content }}{% endgeneration %}'), llama2);
  const [told] = marked.encodeConversation(dialogue);
  expect(told.ids).toEqual(plain.ids);
  expect(llama2.decode(trained(told))).toBe('Action: get 1 oak log');
  expect(llama2.decode(trained(plain))).toBe('Action: get 1 oak log\n');
});

/** The special texts of all templates, each of which is one token of the tokenizer below. */
const marks = [
  '<s>',
  '</s>',
  '[INST]',
  ' [/INST]',
  '<|im_start|>',
  '<|im_end|>',
  '<|begin_of_text|>',
  '<|eot_id|>',
  '<|start_header_id|>',
  '<|end_header_id|>',
  '[gMASK]',
  '<sop>',
  '<|user|>',
  '<|assistant|>',
  '<|system|>',
  '<|endoftext|>',
  '<|observation|>',
  '\n\n',
];
const marked = wordLevelTokenizer(['system\nuser\nassistant\nYou are a helpful assistant\nhi hi\nOk.go go north'], {
  wholeTokens: marks,
});
const short: ChatMessage[] = [
  { role: 'user', content: 'hi' },
  { role: 'assistant', content: 'Ok.', loss: false },
  { role: 'user', content: 'go' },
  { role: 'assistant', content: 'go north\n' },
];

/** Writes the tokens of a dialogue separated by bars, with a star before each token that is trained on. */
const spelled = (name: string, options = {}) => {
  const [{ ids, lossMask }] = chatTemplate(name, marked, options).encodeConversation(short);
  return ids.map((id, i) => `${lossMask[i] ? '*' : ''}${marked.decode([id], { keepSpecialTokens: true })}`).join('|');
};

test('every template token by token: what is learnt has a star', () => {
  expect(spelled('llama-2')).toBe('<s>|[INST]| hi| [/INST]|Ok|.|</s>|<s>|[INST]| go| [/INST]|*go|* north|*\n|*</s>');
  expect(spelled('chatml')).toBe(
    '<|im_start|>|system|\n|You| are| a| helpful| assistant|<|im_end|>|\n|<|im_start|>|user|\n|hi|<|im_end|>|\n|' +
      '<|im_start|>|assistant|\n|Ok|.|<|im_end|>|<|im_start|>|user|\n|go|<|im_end|>|\n|' +
      '<|im_start|>|assistant|\n|*go|* north|*\n|*<|im_end|>',
  );
  const h = (role: string) => `<|start_header_id|>|${role}|<|end_header_id|>|\n\n`;
  expect(spelled('llama-3')).toBe(
    `<|begin_of_text|>|${h('user')}|hi|<|eot_id|>|${h('assistant')}|Ok|.|<|eot_id|>|` +
      `${h('user')}|go|<|eot_id|>|${h('assistant')}|*go|* north|*<|eot_id|>`,
  );
  expect(spelled('chatglm-4')).toBe(
    '[gMASK]|<sop>|<|user|>|\n|hi|<|assistant|>|\n|Ok|.|<|user|>|\n|go|<|assistant|>|\n|*go|* north|*\n|*<|user|>',
  );
});

test('as upstream learns: the header too, and of ChatGLM-4 no end', () => {
  const upstream = { upstreamLossMask: true };
  expect(spelled('llama3', upstream)).toMatch(/\*<\|start_header_id\|>\|\*assistant\|.*\|\*<\|eot_id\|>$/s);
  expect(spelled('chatglm4', upstream)).toMatch(/\|\*<\|assistant\|>\|\*\n\|\*go\|\* north\|\*\n\|<\|user\|>$/);
});

test.each(['llama2', 'llama3', 'chatml', 'chatglm4'])(
  '%s: a prompt is how the conversation begins; what ends it is known',
  (name) => {
    const template = chatTemplate(name, marked);
    const [{ ids, lossMask }] = template.encodeConversation(short);
    const prompt = template.encodePrompt(short.slice(0, 3));
    expect(ids.slice(0, prompt.length)).toEqual(prompt);
    expect(lossMask.indexOf(1)).toBe(prompt.length);
    expect(template.terminatorIds).toContain(ids.at(-1));
    const reply = template.encodePrompt(short.slice(0, 1));
    const said = name === 'llama2_bc' ? ' Ok.' : 'Ok.';
    expect([...reply, ...marked.encode(said), ...template.encodeContinuation(short.slice(0, 3), 2)!]).toEqual(prompt);
  },
);

/** Templates from tokenizer_config.json of Llama-2-chat and Qwen2.5-instruct, without tools and defaults. */
const jinja = {
  llama2:
    "{% for m in messages %}{% if m['role'] == 'user' %}{{ bos_token + '[INST] ' + m['content'].strip() + ' [/INST]' }}" +
    "{% else %}{{ ' ' + m['content'].strip() + ' ' + eos_token }}{% endif %}{% endfor %}",
  qwen:
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>' + '\n' }}{% endfor %}" +
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
};

maybe('Llama-2: a dialogue goes on from what was sampled as the template would have written it', () => {
  const after = dialogue.slice(0, 3);
  for (const name of ['llama2', jinja.llama2]) {
    const template = chatTemplate(name, llama2);
    const whole = template.encodePrompt(after);
    const more = template.encodeContinuation(after, 2)!;
    expect(whole.slice(whole.length - more.length)).toEqual(more);
    const asked = template.encodePrompt(dialogue.slice(0, 1)).length;
    expect(llama2.decode(whole.slice(asked, whole.length - more.length)).trim()).toBe('OK.');
  }
  // If the space before </s> was sampled, it is not written a second time.
  const space: ChatMessage[] = [dialogue[0], { role: 'assistant', content: 'OK. ' }, dialogue[2]];
  expect(chatTemplate(jinja.llama2, llama2).encodeContinuation(space, 2)![0]).toBe(2);
});

test('a template has no continuation where it forgets, or where the border lies within a token', () => {
  const after = (content: string): ChatMessage[] => [short[0], { role: 'assistant', content }, short[2]];
  const stable = chatTemplate(jinja.qwen, marked);
  const ids = [
    ...stable.encodePrompt([short[0]]),
    ...marked.encode('Ok.'),
    ...stable.encodeContinuation(after('Ok.'), 2)!,
  ];
  expect(ids).toEqual(stable.encodePrompt(after('Ok.')));
  expect(
    chatTemplate(jinja.qwen.replace('m.content', 'm.content + "\n"'), marked).encodeContinuation(after('go\n'), 2),
  ).toBeNull();

  const forgetful = chatTemplate(jinja.qwen.replace('m.content', "m.content.split('hi')[-1]"), marked);
  expect(forgetful.encodeContinuation(after('Ok.'), 2)).not.toBeNull();
  expect(forgetful.encodeContinuation(after('hi hi Ok.'), 2)).toBeNull();
});

function promptIds(template: ChatTemplate, messages: readonly ChatMessage[], ending: PromptEnding): number[] {
  const steps = template.writePromptInSteps(messages, {}, ending);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value();
}

const promptOf = (...given: Parameters<typeof promptIds>) =>
  marked.decode(promptIds(...given), { keepSpecialTokens: true });

/** Makes a tokenizer that encodes each text as one id, the text itself. */
const verbatim = (config: object) =>
  Object.create(marked, { config: { value: config }, encode: { value: (text: string) => [text] } }) as typeof marked;

const opened = (content: string): ChatMessage[] => [short[0], { role: 'assistant', content }];

// The expected texts are those that transformers 5.18 renders with continue_final_message.
test.each<[keyof typeof jinja, string, string]>([
  ['qwen', 'go', 'go'],
  ['qwen', 'go north ', 'go north '],
  ['qwen', '', ''],
  ['qwen', ' go', ' go'],
  ['qwen', '\n', '\n'],
  ['llama2', 'go', ' go'],
  ['llama2', 'go north ', ' go north '],
  ['llama2', ' go', ' go'],
])('%s: an open message %j is %j at the end of its prompt', (name, content, written) => {
  const template = chatTemplate(jinja[name], verbatim({ bos_token: '<s>', eos_token: '</s>' }));
  const before = name === 'qwen' ? '<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n' : '<s>[INST] hi [/INST]';
  expect(promptIds(template, opened(content), 'open')).toEqual([before + written]);
});

test.each(['llama2', 'llama2_bc', 'llama3', 'chatml', 'chatglm4'])(
  '%s: an open message is what is asked for it, and itself; a closed one is not followed by a request',
  (name) => {
    const template = chatTemplate(name, marked);
    const ask = promptOf(template, [short[0]], 'reply');
    const said = name === 'llama2_bc' ? ' go north' : 'go north';
    expect(promptOf(template, opened('go north'), 'open')).toBe(ask + said);
    const closed = promptOf(template, opened('go north'), 'message');
    const [{ ids }] = template.encodeConversation(opened('go north'));
    expect(closed).toBe(marked.decode(ids, { keepSpecialTokens: true }));
  },
);

test('a message that is not the assistant’s, or that the template changes, cannot be continued', () => {
  const shouting = chatTemplate(jinja.qwen.replace('m.content', 'm.content | upper'), marked);
  expect(() => promptOf(shouting, opened('go'), 'open')).toThrow('does not write the last message as it is');
  for (const name of ['chatml', jinja.qwen])
    expect(() => promptOf(chatTemplate(name, marked), [short[0]], 'open')).toThrow(
      "only an assistant's message of text",
    );
});

test.each(['llama2', 'llama-2', 'Llama-2', 'LLAMA_2', 'llama 2'])('%s is llama2', (name) => {
  expect(chatTemplate(name, marked).encodePrompt(short)).toEqual(chatTemplate('llama2', marked).encodePrompt(short));
});

test('names of the tokenizer’s own templates have variants too, and precede the built-in ones', () => {
  const own = [
    { name: 'tool_use', template: 'tools' },
    { name: 'chatml', template: 'own' },
  ];
  const tokenizer = verbatim({ chat_template: own });
  expect(['tool-use', 'Tool_Use', 'chatml'].map((name) => chatTemplate(name, tokenizer).encodePrompt(short))).toEqual([
    ['tools'],
    ['tools'],
    ['own'],
  ]);
});

test.each([
  [
    'a macro that calls itself',
    '{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}',
    'expressions and macros are within each other more than 400 deep (line 1)',
  ],
  ['brackets alone', `{{ ${'('.repeat(20_000)}1${')'.repeat(20_000)} }}`, 'it cannot be read: '],
])('%s: an error of the template, not of the stack', (_, source, problem) => {
  const render = () => chatTemplate(source, marked).encodePrompt(short);
  expect(render).toThrow(`Chat template: ${problem}`);
  expect(render).toThrow(ChatTemplateError);
});

test('tokens that a tokenizer lacks are reported', () => {
  const words = wordLevelTokenizer(['a b']);
  expect(() => chatTemplate('chatml', words)).toThrow(
    "Chat template: 'chatml' needs the token '<|im_end|>', which this tokenizer does not have\n",
  );
  expect(() => chatTemplate(null, words)).toThrow('Chat template: the model’s tokenizer has none\n');
  expect(() => chatTemplate('vicuna', words)).toThrow(
    "Chat template: 'vicuna' is neither a Jinja template nor the name of one\n  built-in templates: llama2, llama3, chatml, chatglm4, llama2_bc",
  );
});

test('a variable that a template never reads is refused with those that it reads', () => {
  const words = wordLevelTokenizer(['a b']);
  const source = `{%- if not style is defined %}{% set style = 'plain' %}{% endif %}{% set tone = tone or 'calm' %}
    {%- macro said(message, mark='!') %}{{ message.content ~ mark }}{% endmacro %}
    {%- for message in messages %}{% set own = message.role %}{{ said(message) ~ own ~ style ~ tone }}{% endfor %}
    {%- if enable_thinking is defined and enable_thinking is false %}{{ bos_token }}{% endif %}`;
  const withVariables = (variables: Record<string, unknown>) => () => chatTemplate(source, words, { variables });
  expect(withVariables({ style: 'x', tone: 'y', enable_thinking: false })).not.toThrow();
  expect(withVariables({ enable_thinkin: false, mark: '?', style: 'x' })).toThrow(
    "Chat template: the template never reads the variables 'enable_thinkin', 'mark'\n" +
      '  the variables that it reads: enable_thinking, style, tone',
  );
  expect(() => chatTemplate('{{ messages[0].content }}', words, { variables: { a: 1 } })).toThrow(
    "Chat template: the template never reads the variable 'a'\n" +
      '  it has no variables of its own: leave out chat.template_kwargs',
  );
});

test('a tokenizer of words is refused for a template that it cannot serve, with the command that makes a model for it', () => {
  for (const name of ['tools', '{{ messages[0].content }}', null])
    expect(() => templateTokens(name)).toThrow(
      /needs a built-in template, not .*\n.*npx bowyer --config-name start_model task.data=FILE/,
    );
});
