// Makes a Llama with hand-made weights, so that no training is needed: the next token depends only on the last one.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeSafetensors } from '@bowyer/checkpoints';
import { bytePairTokenizer, wordLevelTokenizer } from '@bowyer/text';

/** A prompt and the answer that the model gives to it. */
export interface Line {
  /** A text that the answered message contains. */
  readonly to: string;
  /** The role of that message (default: user). */
  readonly role?: 'user' | 'tool';
  /** The answer: a text, or tool calls, which are made if the request has the tool of the first one. */
  readonly says: string | readonly (readonly [tool: string, given: object])[];
}

const END = '<|im_end|>';
const START = '<|im_start|>';
const UNLIKELY = -30;

const called = ([name, given]: readonly [string, object]): string =>
  `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${JSON.stringify(given)}}\n</tool_call>`;
const written = (says: Line['says']): string => (typeof says === 'string' ? says : says.map(called).join('\n'));

/** Splits an answer into its three tokens, so that a stream has several pieces. */
function inParts(text: string): string[] {
  const size = Math.ceil(text.length / 3);
  return [text.slice(0, size), text.slice(size, 2 * size), text.slice(2 * size)];
}

/** Writes everything in a request, and ends the prompt of a message with a known answer with that answer's mark. */
const templateOf = (lines: readonly Line[]): string => `
{%- if tools %}{{ '${START}system\\n' }}{% for tool in tools %}{{ (tool | tojson) + '\\n' }}{% endfor %}{{ '${END}\\n' }}{% endif %}
{%- for message in messages %}{{ '${START}' + message.role + '\\n' }}
{%- if message.reasoning_content %}{{ '<think>\\n' + message.reasoning_content + '\\n</think>\\n' }}{% endif %}{{ message.content or '' }}
{%- for call in message.tool_calls or [] %}{{ '\\n<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
{{- (call.function.arguments | tojson) + '}\\n</tool_call>' }}{% endfor %}{{ '${END}\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '${START}assistant\\n' }}{% set last = messages[-1] %}
{%- ${lines
  .map(
    ({ to, role = 'user', says }, i) =>
      `if last.role == '${role}' and ${JSON.stringify(to)} in (last.content or '')` +
      `${typeof says === 'string' ? '' : ` and '"${says[0][0]}"' in (tools or []) | tojson`} %}{{ '<|line ${i}|>' }}{% el`,
  )
  .join('')}if true %}{% endif %}{% endif %}`;

/**
 * The likelihood of tokens without a known answer: after letters mostly letters, after other characters the punctuation of JSON,
 * so that numbers and lists end. No text, string or list is empty.
 */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz123456789';
const WITHIN: Readonly<Record<string, number>> = { '"': 1.5, [END]: 0.7, '}': -6, ']': -7, ',': -6, '{': -6, '[': -6 };
const BEHIND: Readonly<Record<string, number>> = { '"': 1.5, [END]: 0.7, '}': 4, ']': 1.5, ',': 3, '{': 0, '[': 0 };
const NEVER = [
  ['"', '"'],
  ['[', ']'],
  [' ', ']'],
  ['\n', END],
] as const;

/**
 * Writes the model's folder. Its embeddings are unit vectors and its layer adds nothing, so that the head is the table of
 * transitions between tokens.
 */
export async function writeScriptedModel(folder: string, lines: readonly Line[] = []): Promise<string> {
  const answers = lines.map(({ says }) => inParts(written(says)));
  const parts = answers.flat();
  const twice = parts.find((part, i) => parts.indexOf(part) !== i);
  if (twice !== undefined) throw new Error(`two answers have the part ${JSON.stringify(twice)}`);
  const marks = lines.map((_, i) => `<|line ${i}|>`);
  const context = 8192;
  const tokenizer = bytePairTokenizer([], {
    size: 0,
    endToken: END,
    wholeTokens: [START, '<think>', '</think>', '<tool_call>', '</tool_call>', ...marks, ...parts],
    chatTemplate: templateOf(lines),
    contextLength: context,
  });
  const count = tokenizer.vocabSize;
  const width = count + (count % 2);
  const id = (token: string): number => {
    const found = tokenizer.tokenToId(token);
    if (found === undefined) throw new Error(`the tokenizer lacks ${JSON.stringify(token)}`);
    return found;
  };
  const byte = (sign: string): number => tokenizer.encode(sign)[0];
  const follows = new Float32Array(count * width);
  const set = (last: number, next: number, value: number): void => {
    follows[next * width + last] = value / Math.sqrt(width); // the norm before the head scales a unit vector by this root
  };
  for (let last = 0; last < count; last++) {
    for (let next = 0; next < count; next++) set(last, next, UNLIKELY);
    for (const letter of `${LETTERS} :`) set(last, byte(letter), 0);
    for (const [next, value] of Object.entries(BEHIND)) set(last, byte(next), value);
  }
  for (const last of LETTERS.slice(0, 26))
    for (const [next, value] of Object.entries(WITHIN)) set(byte(last), byte(next), value);
  for (const [last, next] of NEVER) set(byte(last), byte(next), 2 * UNLIKELY);
  const then = (last: string, next: string): void => {
    for (let token = 0; token < count; token++) set(id(last), token, 2 * UNLIKELY);
    set(id(last), id(next), 0);
  };
  answers.forEach((pieces, i) => [marks[i], ...pieces].forEach((piece, j, all) => then(piece, all[j + 1] ?? END)));
  const zeros = (...shape: number[]) => ({ shape, data: new Float32Array(shape.reduce((a, b) => a * b)) });
  const ones = { shape: [width], data: new Float32Array(width).fill(1) };
  const embeddings = zeros(count, width);
  for (let token = 0; token < count; token++) embeddings.data[token * width + token] = 1;
  const layer = 'model.layers.0';
  mkdirSync(folder, { recursive: true });
  await writeSafetensors(join(folder, 'model.safetensors'), {
    'model.embed_tokens.weight': embeddings,
    [`${layer}.input_layernorm.weight`]: ones,
    [`${layer}.post_attention_layernorm.weight`]: ones,
    ...Object.fromEntries(['q', 'k', 'v'].map((name) => [`${layer}.self_attn.${name}_proj.weight`, zeros(8, width)])),
    [`${layer}.self_attn.o_proj.weight`]: zeros(width, 8),
    ...Object.fromEntries(['gate', 'up'].map((name) => [`${layer}.mlp.${name}_proj.weight`, zeros(8, width)])),
    [`${layer}.mlp.down_proj.weight`]: zeros(width, 8),
    'model.norm.weight': ones,
    'lm_head.weight': { shape: [count, width], data: follows },
  });
  const config = {
    model_type: 'llama',
    architectures: ['LlamaForCausalLM'],
    vocab_size: count,
    hidden_size: width,
    intermediate_size: 8,
    num_hidden_layers: 1,
    num_attention_heads: 1,
    num_key_value_heads: 1,
    head_dim: 8,
    hidden_act: 'silu',
    rms_norm_eps: 1e-6,
    rope_theta: 10_000,
    max_position_embeddings: context,
    tie_word_embeddings: false,
    bos_token_id: null,
    eos_token_id: tokenizer.eosTokenId,
    pad_token_id: tokenizer.padTokenId,
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  await tokenizer.save(folder);
  return folder;
}

/** Writes the folder of an encoder: the tests' small BERT with a tokenizer of ten words, and normalized vectors. */
export async function writeEncoder(folder: string): Promise<string> {
  cpSync(join(import.meta.dirname, '../packages/models/test/encoder-fixtures/bert'), folder, { recursive: true });
  const modules = ['Transformer', 'Pooling', 'Normalize'].map((name, idx) => ({
    idx,
    name,
    path: name === 'Pooling' ? '1_Pooling' : '',
    type: `sentence_transformers.models.${name}`,
  }));
  writeFileSync(join(folder, 'modules.json'), JSON.stringify(modules));
  mkdirSync(join(folder, '1_Pooling'), { recursive: true });
  writeFileSync(join(folder, '1_Pooling/config.json'), JSON.stringify({ pooling_mode_mean_tokens: true }));
  await wordLevelTokenizer(['this is a test sentence or three .']).save(folder);
  return folder;
}
