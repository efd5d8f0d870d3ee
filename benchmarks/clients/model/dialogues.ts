// The dialogues for training the tiny model. They contain every answer that the clients of docs/models/clients.md need.
import type { Dialogue } from './trained-model.js';

type Message = Readonly<Record<string, unknown>>;

const user = (content: string): Message => ({ role: 'user', content });
const says = (content: string): Message => ({ role: 'assistant', content });
const result = (content: string): Message => ({ role: 'tool', content });
const calls = (...given: [name: string, args: object][]): Message => ({
  role: 'assistant',
  content: '',
  tool_calls: given.map(([name, args]) => ({ type: 'function', function: { name, arguments: args } })),
});

const tool = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });
const weather = tool('get_weather');
const clothes = tool('get_clothes');

const numbers = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen';

const plain: Message[][] = [
  [user('Hello'), says('Hello! How can I help you?')],
  [user('Hello'), says('Hello! How can I help you?'), user('Count.'), says(numbers)],
  [user('Count.'), says(numbers)],
  [user('Question: Hello\n'), says('Reply: Hello! How can I help you?')], // Ax writes the fields of a signature in this form
  [user('Think.'), { ...says('Done.'), reasoning_content: 'I think about it.' }],
  [user('Sing.'), says('la '.repeat(300))], // the model does not learn an end
  [user('Where is the tower?'), says('{"city":"Paris","country":"France"}')],
];

/** Returns a tool's result in the forms of the clients: unchanged, or as JSON. */
const written = (text: string): string[] => [text, JSON.stringify(text)];

const loops: Message[][] = written('7 degrees').flatMap((degrees, i) => [
  [
    user('What should I wear in Paris?'),
    calls(['get_weather', { city: 'Paris' }]),
    result(degrees),
    calls(['get_clothes', { weather: 'cold' }]),
    result(written('a warm coat')[i]),
    says('Wear a warm coat in Paris.'),
  ],
  [
    user('Compare Paris and Rome.'),
    calls(['get_weather', { city: 'Paris' }], ['get_weather', { city: 'Rome' }]),
    result(degrees),
    result(written('19 degrees')[i]),
    says('Rome is warmer than Paris.'),
  ],
]);

/** With Anthropic's protocol the AI SDK requests JSON by a tool of this name. */
const structured = [user('Where is the tower?'), calls(['json', { city: 'Paris', country: 'France' }])];

/** Each dialogue has a copy without tools, and one with tools that the question does not need. */
export const dialogues: readonly Dialogue[] = [
  ...plain.map((messages) => ({ messages })),
  ...[...plain, ...loops].map((messages) => ({ messages, tools: [weather, clothes] })),
  { messages: structured, tools: [tool('json')] },
];
