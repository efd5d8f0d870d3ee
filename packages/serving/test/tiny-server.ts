// The settings of a server of a tiny model.
import { wordLevelTokenizer } from '@bowyer/text';

const characters = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter((c) => c !== ' ');
const marks = ['[start]', '[end]', '<tool_call>', '</tool_call>', '\n', ' '];

/** A tokenizer with a token for each ASCII character, and marks of messages and calls. */
export const characterTokenizer = wordLevelTokenizer([characters.join('\n')], {
  wholeTokens: [...marks, ...characters],
});

const call =
  '<tool_call>\n{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>';

/** A chat template of these marks. */
export const characterTemplate =
  `{% for m in messages %}[start]{{ m.content }}{% for c in m.tool_calls or [] %}${call}{% endfor %}[end]{% endfor %}` +
  '{% if add_generation_prompt %}[start]{% endif %}';

/** The options that most tests leave as they are; the server has any free port. */
export const usual = {
  name: 'tiny',
  template: null,
  host: '127.0.0.1',
  port: 0,
  apiKey: null,
  seed: 1,
  slots: 4,
  maxQueued: 64,
  defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 12 },
};
