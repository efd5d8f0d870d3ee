import { HuggingFaceTokenizer, templateSource } from '@bowyer/text';
import { ollamaTemplate } from './ollama-template.js';

const tokenizer = (chat_template?: string) =>
  new HuggingFaceTokenizer(
    { model: { type: 'BPE', vocab: { a: 0 }, merges: [] } },
    chat_template === undefined ? {} : { chat_template },
  );

const MESSAGE = '<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n';
const ASK = '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}';

test('a chat template that only puts text around each message is converted to a template of Go', () => {
  expect(ollamaTemplate(tokenizer(`{% for m in messages %}${MESSAGE}{% endfor %}${ASK}`)).lines).toEqual([
    'TEMPLATE """{{ range .Messages }}' +
      '{{ if eq .Role "user" }}<|im_start|>user\n{{ .Content }}<|im_end|>\n' +
      '{{ else if eq .Role "assistant" }}<|im_start|>assistant\n{{ .Content }}<|im_end|>\n' +
      '{{ else if eq .Role "system" }}<|im_start|>system\n{{ .Content }}<|im_end|>\n' +
      '{{ end }}{{ end }}<|im_start|>assistant\n"""',
  ]);
});

test('a template that writes the last message differently is not converted, and a comment says so', () => {
  const last = '{% for m in messages %}{% if loop.last %}LAST {% endif %}' + `${MESSAGE}{% endfor %}${ASK}`;
  expect(ollamaTemplate(tokenizer(last)).lines[0]).toMatch(
    /^# The chat template of the model is more than a text around each/,
  );
  expect(ollamaTemplate(tokenizer()).lines).toEqual([expect.stringMatching(/^# The model has no chat template/)]);
});

/**
 * A template like that of Qwen: it writes the system's text and the tools in one message, has a default system text, and writes
 * tool results as messages of the user.
 */
const QWEN =
  "{% set told = messages[0].content if messages[0].role == 'system' else 'Be brief.' %}" +
  "{{ '<|im_start|>system\\n' + told }}" +
  "{% if tools %}{{ '\\n\\n# Tools\\n<tools>' }}{% for tool in tools %}{{ '\\n' + (tool | tojson) }}{% endfor %}" +
  "{{ '\\n</tools>' }}{% endif %}{{ '<|im_end|>\\n' }}" +
  "{% for m in messages %}{% if m.role == 'tool' %}" +
  "{{ '<|im_start|>user\\n<tool_response>\\n' + m.content + '\\n</tool_response><|im_end|>\\n' }}" +
  "{% elif m.role != 'system' %}{{ '<|im_start|>' + m.role }}{{ '\\n' + m.content if m.content else '' }}" +
  '{% for c in m.tool_calls or [] %}{{ \'\\n<tool_call>\\n{"name": "\' + c.function.name + \'", "arguments": \' }}' +
  "{{ (c.function.arguments | tojson) + '}\\n</tool_call>' }}{% endfor %}{{ '<|im_end|>\\n' }}{% endif %}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

test('tools, calls and results are written where the template has them in the message of the system', () => {
  const { lines, hasTools } = ollamaTemplate(tokenizer(templateSource('tools', {})!));
  expect(hasTools).toBe(true);
  expect(lines).toEqual([
    expect.stringContaining('{{ range $i, $tool := .Tools }}{{ if $i }}\n{{ end }}{{ $tool }}{{ end }}'),
  ]);
  // Ollama recognises tool calls in answers by the first text after `.ToolCalls` in the template.
  expect(lines[0]).toContain(
    '{{ if .ToolCalls }}{{ range $i, $call := .ToolCalls }}<tool_call>\n{"name": "{{ $call.Function.Name }}", "arguments": ' +
      '{{ $call.Function.Arguments }}}\n</tool_call>',
  );
  expect(lines[0]).toContain(
    '{{ else if eq .Role "tool" }}### tool\n<tool_response>\n{{ .Content }}\n</tool_response>\n{{ end }}',
  );
});

test('the default system message of a template is written too', () => {
  const { lines, hasTools } = ollamaTemplate(tokenizer(QWEN));
  expect(hasTools).toBe(true);
  expect(lines[0]).toContain('{{ else }}<|im_start|>system\nBe brief.\n\n# Tools\n<tools>\n{{ end }}');
  expect(lines[0]).toContain(
    '{{ else }}<|im_start|>system\nBe brief.<|im_end|>\n{{ end }}{{ range $k, $message := .Messages }}',
  );
});

test('the form for Ollama has no tools if the template does not write them in the system message', () => {
  const before = `{% for tool in tools or [] %}{{ tool | tojson }}{% endfor %}{% for m in messages %}${MESSAGE}{% endfor %}${ASK}`;
  const { lines, hasTools } = ollamaTemplate(tokenizer(before));
  expect([hasTools, lines[0]]).toEqual([false, expect.stringContaining('{{ if eq .Role "user" }}<|im_start|>user')]);
});
