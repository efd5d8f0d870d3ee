// How a chat template writes calls of tools: seen in what it makes of a dialogue with one.
import type { ChatTemplate, Tokenizer } from '@bowyer/text';
import { partMarks, type CallFormat } from './message-parts.js';

const NAME = 'probe_tool';

const signs: readonly (readonly [CallFormat, RegExp])[] = [
  ['hermes', /<tool_call>\s*\{\s*"name":\s*"probe_tool",\s*"arguments"/],
  ['qwen-xml', /<tool_call>\s*<function=probe_tool>/],
  ['mistral', /\[TOOL_CALLS\]\s*(\[\s*\{[^[]*"probe_tool"|probe_tool(\[ARGS\])?\s*\{)/],
  ['llama3', /(?<!>\s*)\{\s*"name":\s*"probe_tool",\s*"parameters"/],
];

/** Null where the template has no calls, or writes them in another way. */
export function callFormat(template: ChatTemplate, tokenizer: Tokenizer): CallFormat | null {
  const parameters = { type: 'object', properties: { x: { type: 'integer', description: 'x' } }, required: ['x'] };
  const tool = { type: 'function', function: { name: NAME, description: 'A tool.', parameters } };
  const call = { type: 'function', id: 'abcdef012', function: { name: NAME, arguments: { x: 1 } } };
  try {
    const ids = template.encodePrompt(
      [
        { role: 'user', content: 'Call it.' },
        { role: 'assistant', content: '', tool_calls: [call] },
        { role: 'tool', content: '1', name: NAME, tool_call_id: call.id },
      ],
      { tools: [tool] },
    );
    const text = tokenizer.decode(ids, { keepSpecialTokens: true });
    return signs.find(([, sign]) => sign.test(text))?.[0] ?? null;
  } catch {
    return null; // the template refuses such dialogues
  }
}

/** Decodes answers so that the marks of their parts stay, also those that are special tokens. */
export function decoderWithMarks(tokenizer: Tokenizer): (ids: readonly number[]) => string {
  const kept = new Map(
    partMarks.flatMap((mark): [number, string][] => {
      const id = tokenizer.tokenToId(mark);
      return id !== undefined && tokenizer.decode([id]) === '' ? [[id, mark]] : [];
    }),
  );
  return (ids) => {
    if (!ids.some((id) => kept.has(id))) return tokenizer.decode(ids);
    const pieces: string[] = [];
    let from = 0;
    ids.forEach((id, i) => {
      if (!kept.has(id)) return;
      pieces.push(tokenizer.decode(ids.slice(from, i)), kept.get(id)!);
      from = i + 1;
    });
    return pieces.join('') + tokenizer.decode(ids.slice(from));
  };
}
