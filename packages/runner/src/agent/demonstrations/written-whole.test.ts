import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chatTemplate, HuggingFaceTokenizer, type ChatMessage, type Conversation } from '@bowyer/text';
import { fitted } from './imitation-data.js';
import { checkWrittenWhole } from './written-whole.js';

const path = fileURLToPath(new URL('../../../../text/test/tokenizer-fixtures/gpt2.json', import.meta.url));
const { definition } = JSON.parse(readFileSync(path, 'utf8')) as { definition: Record<string, unknown> };
const tokenizer = new HuggingFaceTokenizer(definition, {});

const parameters = { type: 'object', properties: { zone: { type: 'string' } } };
const tools = [{ type: 'function', function: { name: 'clock', description: 'The time', parameters } }];
const messages: ChatMessage[] = [
  { role: 'user', content: 'Time?' },
  { role: 'assistant', content: 'Nine.', reasoning_content: 'I know.' },
];

function problem(head: string, inputs: Conversation['inputs'], said = messages): string | null {
  const source = `${head}{% for m in messages %}{{ m.content }}{{ m.reasoning_content }}{% endfor %}`;
  const items = [{ place: 'line 1', value: { messages: said, inputs } }];
  try {
    checkWrittenWhole(chatTemplate(source, tokenizer), { path: 'data.jsonl', expected: '', items });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const NAMES = '{% for t in tools or [] %}{{ t.function.name }}: {{ t.function.description }}{% endfor %}';

test('a template that writes only the names of tools is refused with a command that removes the rest', () => {
  const message = problem(NAMES, { tools })!;
  expect(message).toContain('  the parameters of tools: line 1');
  expect(message).toContain("jq -c 'del(.tools[].function.parameters)' FILE > NEW");
  const [{ function: called, ...tool }] = tools;
  const { parameters: _, ...left } = called;
  expect(problem(NAMES, { tools: [{ ...tool, function: left }] })).toBeNull();
  expect(problem('{{ tools | tojson if tools }}', { tools })).toBeNull();
});

test('the command removes each unwritten member by its path; unwritten contents cannot be removed', () => {
  const call = { type: 'function', id: 'a', function: { name: 'clock', arguments: {} } };
  const called: ChatMessage[] = [
    ...messages,
    { role: 'user', content: 'x' },
    { role: 'assistant', content: 'y', tool_calls: [call] },
  ];
  const message = problem('', { tools, documents: [{ title: 'a', text: 'b' }] }, called)!;
  expect(message).toContain(
    `jq -c 'del(.tools, .documents, (.messages[] | select(.role == "assistant") | .tool_calls))' FILE > NEW`,
  );
  const silent = `{% for m in messages %}{{ m.content if m.role != 'tool' }}{% endfor %}`;
  const items = [
    { place: 'line 1', value: { messages: [...messages.slice(0, 1), { role: 'tool', content: 'z' } as const] } },
  ];
  expect(() => checkWrittenWhole(chatTemplate(silent, tokenizer), { path: 'd', expected: '', items })).toThrow(
    /the content of tool messages: line 1\n.*that of a model with tools$/s,
  );
});

const example = (length: number) => ({
  ids: Array<number>(length).fill(1),
  lossMask: [0, ...Array<number>(length - 1).fill(1)],
});

test('the share of items that are cut is reported with the context that they need; if all are cut, it is an error', () => {
  const logs: string[] = [];
  const some = [...Array.from({ length: 19 }, () => example(8)), example(31)];
  expect(fitted(some, 10, 'items', (line) => logs.push(line)).map((each) => each?.ids.length)).toEqual([
    ...Array<number>(19).fill(8),
    10,
  ]);
  expect(logs).toEqual([
    '1 of 20 items (5 %) are longer than 10 tokens and lost their end; the longest needs a context of 31',
  ]);
  expect(() => fitted([example(11), example(31)], 10, 'items', () => undefined)).toThrow(
    'all 2 items are longer than 10 tokens: none would keep its end, and the longest needs a context of 31',
  );
});
