// Targets of the fuzz tests: readers of files that users get from others, and servers that get requests from others.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  openSafetensors,
  readLlama2c,
  readPretrainedConfig,
  readPyTorchStateDict,
  CheckpointStore,
} from '@bowyer/checkpoints';
import { compose } from '@bowyer/config';
import { isGzip, Rng } from '@bowyer/core';
import { architectureFor, openAdapterDirectory } from '@bowyer/models';
import { chatTemplate, loadTokenizer, wordLevelTokenizer, type ChatMessage } from '@bowyer/text';
import { readConversations } from '@bowyer/conversations';
import { readEpisodes } from '../../src/agent/demonstrations/read-episodes.js';
import { readTrainingItems } from '../../src/tasks/finetune/training-items.js';
import { repository } from '../command-line.js';
import { dataTargets } from './data-targets.js';
import { damageBytes, damageLines, damageText } from './mutations.js';
import { serverTargets } from './server-targets.js';
import { file, llama, type OpenTarget } from './target.js';

const packages = join(repository, 'packages');
const bytesOf = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const stateDicts = ['gpt2-module-bf16', 'gpt2-old-format', 'old-format', 'parameters', 'state-dict'].map((name) =>
  readFileSync(join(packages, `checkpoints/test/fixtures/pickles/${name}.pt`)),
);

const adapter = join(packages, 'models/test/adapter-fixtures/llama-list');

async function readTensors(folder: string): Promise<void> {
  const source = await openSafetensors(folder);
  try {
    for (const name of source.entries.keys()) await source.read(name, { requireFinite: true });
  } finally {
    await source.close();
  }
}

const safetensors: OpenTarget = (folder) => {
  const whole = readFileSync(join(adapter, 'adapter_model.safetensors'));
  const length = 8 + Number(whole.readBigUInt64LE(0));
  return {
    seeds: [whole],
    // Only the header can mislead a reader.
    damage: (seed, rng) =>
      rng.uniform() < 0.2
        ? damageBytes(seed, rng)
        : withLength(Buffer.from(damageText(seed.subarray(8, length), rng)), seed.subarray(length)),
    read: async (input) => {
      writeFileSync(join(folder, 'model.safetensors'), input);
      await readTensors(folder);
    },
  };
};

function withLength(header: Uint8Array, data: Uint8Array): Uint8Array {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, data]);
}

/** Writes a model with width 8, hidden size 12, one layer with two heads, 10 tokens and 4 positions. */
function smallLlama2c(): Uint8Array {
  const bytes = Buffer.alloc(28 + 4 * 664);
  [8, 12, 1, 2, 2, 10, 4].forEach((size, i) => bytes.writeInt32LE(size, 4 * i));
  return bytes;
}

const gemma = {
  ...llama,
  model_type: 'gemma3_text',
  num_hidden_layers: 4,
  head_dim: 8,
  num_key_value_heads: 1,
  sliding_window: 8,
  layer_types: ['sliding_attention', 'full_attention', 'sliding_attention', 'full_attention'],
  query_pre_attn_scalar: 8,
  rope_parameters: { full_attention: { rope_type: 'default', rope_theta: 1e6 } },
};
const gpt2 = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 64, vocab_size: 40 };

const tokenizers = join(packages, 'text/test/tokenizer-fixtures');
const smallTokenizers = ['gpt2', 'llama2', 't5', 'bert-cased', 'punctuation'].map((name) => {
  const { definition } = JSON.parse(readFileSync(join(tokenizers, `${name}.json`), 'utf8')) as { definition: object };
  return bytesOf(definition);
});

const config = `defaults:\n  - model: small\n  - _self_\n\nrate: 1e-3\nname: \${model.kind}-\${rate}\nlist: [1, two, null]\ntext: |\n  a\n  b\n`;
const yaml: OpenTarget = (folder) => {
  mkdirSync(join(folder, 'model'));
  writeFileSync(join(folder, 'model', 'small.yaml'), '# @package model\nkind: small\nsize: 3\n');
  return {
    seeds: [Buffer.from(config)],
    damage: damageBytes,
    read: async (input) => {
      writeFileSync(join(folder, 'config.yaml'), input);
      compose({ configDirs: [folder], configName: 'config', overrides: [] }).resolve();
    },
  };
};
const overrides: OpenTarget = (folder) => {
  writeFileSync(join(folder, 'config.yaml'), 'rate: 1\nnode: {a: 1, b: [1, 2]}\n');
  const seeds = ['rate=2', '+new.key="a, b"', '~node.a', 'node.b=[1,{x:y}]', "++k='a b'", 'rate=${node.a}', 'rate=1e3'];
  return {
    seeds: seeds.map((text) => Buffer.from(text)),
    damage: damageBytes,
    read: async (input) =>
      compose({ configDirs: [folder], configName: 'config', overrides: [Buffer.from(input).toString()] }).resolve(),
  };
};

const talk = {
  messages: [
    { role: 'user', content: 'is it' },
    { role: 'assistant', content: 'yes' },
  ],
};
const turn = { action: 'is it a dog?', reply: ' No.\n', reward: -1, terminated: false, truncated: false, info: {} };
const episode = { episode: 0, iteration: 0, seed: 1, split: 'test', opening: 'Questions:\n', turns: [turn, turn] };
const lines = (...values: object[]) => Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'));

const checkpoints: OpenTarget = async (folder) => {
  const whole = join(folder, 'whole');
  await new CheckpointStore(whole).save(3, { nextIteration: 3, fileLengths: {}, best: null, state: {} }, async (into) =>
    writeFileSync(join(into, 'policy.safetensors'), 'weights'),
  );
  const copy = join(folder, 'copy');
  const [name] = readdirSync(whole);
  return {
    seeds: ['manifest.json', 'progress.json'].map((file) => readFileSync(join(whole, name, file))),
    damage: damageText,
    read: async (input) => {
      cpSync(whole, copy, { recursive: true });
      const isProgress = Buffer.from(input).includes('nextIteration');
      writeFileSync(join(copy, name, isProgress ? 'progress.json' : 'manifest.json'), input);
      await new CheckpointStore(copy).newest(() => undefined);
    },
  };
};

const call = { type: 'function', id: 'c', function: { name: 'clock', arguments: '{"zone": "Oslo"}' } };
const clock = {
  type: 'function',
  function: { name: 'clock', parameters: { properties: { zone: { type: 'string' } } } },
};
const called = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Time?' }] },
    { role: 'assistant', content: null, reasoning_content: 'I look.', tool_calls: [call], weight: 0 },
    { role: 'tool', content: '9:00', tool_call_id: 'c' },
    { role: 'assistant', content: 'Nine.', weight: 0.5 },
  ],
  tools: [clock],
  id: 3,
};
const shared = {
  conversations: [
    { from: 'human', value: 'a', loss: null },
    { from: 'gpt', value: 'b', loss: true },
  ],
  system: 'In French',
  item_id: 'x_1',
};
const completion = { prompt: 'Capital of France?', completion: ' Paris', source: 'x' };

/** Damages compressed files after the compression, and others before it. */
const damageData = (seed: Uint8Array, rng: Rng) => (isGzip(seed) ? damageBytes(seed, rng) : damageLines(seed, rng));

const recorded = JSON.parse(readFileSync(join(packages, 'text/test/chat-fixtures/recorded.json'), 'utf8')) as {
  templates: Record<string, string>;
};

/** Damages templates with large numbers, and with repetitions of their parts, which once ended a process. */
function damageTemplate(seed: Uint8Array, rng: Rng): Uint8Array {
  const text = Buffer.from(seed).toString();
  const kind = rng.uniform();
  if (kind < 0.5) return damageBytes(seed, rng);
  const large = String(10 ** rng.integer(2, 12));
  if (kind < 0.7) return Buffer.from(text.replaceAll(/\d+/g, (number) => (rng.uniform() < 0.3 ? large : number)));
  const tags = text.split(/(?=\{[{%])/);
  const [from, to, times] = [rng.integer(0, tags.length - 1), rng.integer(0, tags.length), 10 ** rng.integer(1, 3)];
  const part = tags
    .slice(from, Math.max(from + 1, to))
    .join('')
    .slice(0, 2000);
  return Buffer.from(tags.slice(0, from).join('') + part.repeat(times) + tags.slice(from).join(''));
}

const bombs = [
  '{% set ns = namespace(l=[1], t="a") %}{% for i in range(9) %}{% set ns.l = ns.l + ns.l %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}{{ ns.l }}{{ ns.t }}',
  '{% macro f(n) %}{% if n > 0 %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}{{ messages | map(attribute="content") | join(", ") | indent(4) }}',
  '{{ "a" * 12 }}{{ "b" | center(20) }}{{ [1, 2, 3] | batch(2, 0) | list }}{{ "%05d" % 3 }}{{ "x".zfill(9) }}{% for a in range(9) %}{% for b in range(9) %}{{ a * b }}{% endfor %}{% endfor %}',
  '{% for x in [[1], [2, [3]]] recursive %}{{ loop(x) if x is iterable else x }}{% endfor %}{{ messages | tojson(indent=2) | replace("a", "bb") }}{{ messages[0].content.split("a") | length }}',
];

const chatTemplates: OpenTarget = () => {
  const tokenizer = wordLevelTokenizer(['is it a dog ? yes no\n']);
  const { messages, tools } = called as unknown as { messages: ChatMessage[]; tools: Record<string, unknown>[] };
  const written = messages.map((message) => ({ ...message, content: message.content ?? '' }));
  return {
    seeds: [...Object.values(recorded.templates), ...bombs].map((text) => Buffer.from(text)),
    damage: damageTemplate,
    limitMs: 5000, // on a slow processor, a template may take all of its allowed steps several times
    read: async (input) => {
      const template = chatTemplate(`{# #}${Buffer.from(input).toString()}`, tokenizer);
      template.encodePrompt([{ role: 'user', content: 'is it' }]);
      template.leavesOut({ messages: written, inputs: { tools } });
    },
  };
};

/** All targets by name. The valid inputs are fixtures of other tests. */
export const targets: Readonly<Record<string, OpenTarget>> = {
  safetensors,
  'PyTorch pickle': file('model.pt', stateDicts, damageBytes, (path) => readPyTorchStateDict(path)),
  'llama2.c': file('model.bin', [smallLlama2c()], damageBytes, readLlama2c),
  'config.json': (folder) => {
    writeFileSync(join(folder, 'model.safetensors'), '');
    return {
      seeds: [llama, gemma, gpt2].map(bytesOf),
      damage: damageText,
      read: async (input) => {
        writeFileSync(join(folder, 'config.json'), input);
        architectureFor(await readPretrainedConfig(folder));
      },
    };
  },
  'tokenizer.json': (folder) => ({
    seeds: smallTokenizers,
    damage: damageText,
    read: async (input) => {
      writeFileSync(join(folder, 'tokenizer.json'), input);
      (await loadTokenizer(folder)).encode('Is it a dog? Ünïcode \u4e2d 12');
    },
  }),
  'adapter_config.json': (folder) => {
    mkdirSync(join(folder, 'base'));
    const written = JSON.parse(readFileSync(join(adapter, 'adapter_config.json'), 'utf8')) as object;
    return {
      seeds: [bytesOf({ ...written, base_model_name_or_path: 'base' })],
      damage: damageText,
      read: async (input) => {
        writeFileSync(join(folder, 'adapter_config.json'), input);
        await openAdapterDirectory(folder);
      },
    };
  },
  YAML: yaml,
  overrides,
  'conversations.jsonl': file('talks.jsonl', [lines(talk, talk)], damageLines, readConversations),
  'finetune data': file(
    'data.jsonl',
    [
      lines(called, called),
      lines(shared),
      lines(completion, completion),
      gzipSync(lines(called, shared)),
      bytesOf([shared, called]),
    ],
    damageData,
    readTrainingItems,
  ),
  'chat template': chatTemplates,
  'episodes.jsonl': file('episodes.jsonl', [lines(episode, episode)], damageLines, readEpisodes),
  'checkpoint of a run': checkpoints,
  ...dataTargets,
  ...serverTargets,
};
