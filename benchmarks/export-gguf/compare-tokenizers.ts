// Compares real tokenizers here and in llama.cpp, which reads them from the GGUF file of a tiny random model: the ids of texts,
// and a dialogue in the file's chat template.
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { exportGguf, LanguageModel } from '@bowyer/models';
import { loadTokenizer, Template, type HuggingFaceTokenizer } from '@bowyer/text';
import { generateThere, type Sides } from './compare-models.js';
import { openJinja, type PeerModel } from '../llama-cpp.js';
import { equalIds, generateHere, NEW_TOKENS } from './random-model.js';

const tiny = {
  model_type: 'llama',
  hidden_size: 8,
  intermediate_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 1,
  max_position_embeddings: 128,
  initializer_range: 0.4,
};

export async function compareTokenizers(sides: Sides, folders: readonly string[], count: number): Promise<void> {
  const texts = await manyTexts(count);
  for (const folder of folders) {
    const tokenizer = await loadTokenizer(folder);
    const { folder: random, file, model, notes } = await opened(sides, tokenizer);
    const name = basename(folder) === 'models' ? basename(dirname(folder)) : basename(folder);
    const tokens = tokenizer.encode('Once upon a time, there was a table.').slice(0, 32);
    const [ours, theirs] = [
      await generateHere(sides.device, random, { tokens }),
      await generateThere(sides, file, { tokens }),
    ];
    const greedy = `${equalIds(ours.ids, theirs.ids)} of ${NEW_TOKENS} greedy tokens equal`;
    const template = `chat template ${await templateText(tokenizer, model)}`;
    console.log(`${name}: ${tokensText(tokenizer, model, texts)}; ${greedy}; ${template}`);
    for (const note of notes) console.log(`  ${note}`);
    await model.dispose();
  }
}

async function opened({ dir, device, peer }: Sides, tokenizer: HuggingFaceTokenizer) {
  const config = { ...tiny, vocab_size: tokenizer.vocabSize };
  const random = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1), masksPadding: false });
  const [folder, file] = [join(dir, 'tokenizer'), join(dir, 'tokenizer.gguf')];
  await random.save(folder);
  await random.release();
  const { notes } = await exportGguf({ dir: folder, output: file, dtype: 'f32', merge: false, name: 'tokenizer' });
  return { folder, file, model: await peer.loadModel({ modelPath: file, gpuLayers: 0, vocabOnly: true }), notes };
}

function tokensText(tokenizer: HuggingFaceTokenizer, model: PeerModel, texts: readonly string[]): string {
  const different = texts.filter((text) => tokenizer.encode(text).join() !== model.tokenize(text, true).join());
  const composed = different.filter((text) => text === text.normalize('NFC'));
  const spaced = different.filter((text) => text.startsWith(' '));
  const shown = composed.slice(0, 3).map((text) => JSON.stringify(text.slice(0, 60)));
  return (
    `${texts.length - different.length} of ${texts.length} texts have equal tokens, ${composed.length} of the others are in NFC, ${spaced.length} begin with a space` +
    (shown.length > 0 ? ` (${shown.join(', ')})` : '')
  );
}

const messages = [
  { role: 'user', content: 'What is 2 + 2?\n"Quick"' },
  { role: 'assistant', content: 'It is 4.' },
  { role: 'user', content: 'And {{ 3 }} times that — ok?' },
];

/** Renders the file's template with the peer's Jinja, and the folder's with ours. */
async function templateText({ config }: HuggingFaceTokenizer, model: PeerModel): Promise<string> {
  const [ours, theirs] = [config.chat_template, model.fileInfo.metadata.tokenizer.chat_template];
  if (typeof ours !== 'string' || theirs === undefined) return 'none';
  const spelled = (entry: unknown) =>
    (typeof entry === 'string' ? entry : (entry as { content?: string } | null)?.content) ?? '';
  const roles = { bos_token: spelled(config.bos_token), eos_token: spelled(config.eos_token) };
  const variables = { messages, add_generation_prompt: true, ...roles };
  const [here, there] = [new Template(ours).render(variables).text, (await openJinja())(theirs, variables)];
  return here === there ? 'rendered equal' : `differs: ${JSON.stringify(here)} and ${JSON.stringify(there)}`;
}

/** Makes texts of lines from the repository's files, and random texts of many scripts with white space and punctuation. */
async function manyTexts(count: number): Promise<string[]> {
  const rng = new Rng(7);
  const lines = await linesOfRepository();
  const fromFiles = Array.from({ length: Math.round(0.8 * count) }, () => piece(lines, rng));
  return [...fromFiles, ...Array.from({ length: count - fromFiles.length }, () => randomText(rng))];
}

async function linesOfRepository(): Promise<string[]> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const lines: string[] = [];
  for (const folder of ['docs', 'configs', 'packages/models/src', 'packages/envs/src'])
    for (const file of (await readdir(join(root, folder), { recursive: true })).sort())
      if (/\.(md|ts|yaml)$/.test(file))
        lines.push(...(await readFile(join(root, folder, file), 'utf8')).split(/(?<=\n)/));
  return lines;
}

/** Draws one to six consecutive lines. */
function piece(lines: readonly string[], rng: Rng): string {
  const from = rng.integer(0, lines.length - 1);
  return lines.slice(from, from + rng.integer(1, 6)).join('');
}

/** First and last letters of alphabets, signs, digits and emoji. */
const RANGES = [
  [0x20, 0x7e],
  [0x61, 0x7a],
  [0xa1, 0x24f],
  [0x370, 0x3ff],
  [0x400, 0x4ff],
  [0x5d0, 0x5ea],
  [0x620, 0x64a],
  [0x905, 0x939],
  [0xe01, 0xe2e],
  [0x3041, 0x30ff],
  [0x4e00, 0x9fa5],
  [0xac00, 0xd7a3],
  [0x1f300, 0x1f64f],
  [0x30, 0x39],
];
const SPACES = [' ', ' ', ' ', '  ', '\n', '\n\n', '\t', '   ', '\r\n', "'s ", "'LL "];

function randomText(rng: Rng): string {
  const words = Array.from({ length: rng.integer(1, 12) }, () => {
    const [first, last] = rng.choice(RANGES);
    const letters = Array.from({ length: rng.integer(1, 9) }, () => String.fromCodePoint(rng.integer(first, last)));
    return letters.join('') + rng.choice(SPACES);
  });
  return words.join('');
}
