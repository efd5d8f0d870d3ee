// Writes a checkpoint in Hugging Face's layout as a GGUF file for timing, so that llama.cpp runs the same weights. Its tokenizer
// only names every id, since prompts and answers are token ids, and models with random weights have no tokenizer that llama.cpp
// knows.
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readPretrainedConfig } from '@bowyer/checkpoints';
import { exportGguf } from '@bowyer/models';

type GgufKind = 'f32' | 'q8_0';

/** Writes the checkpoint in `dir` to `file`; with q8_0 all matrices have 8 bits, and vectors float32. */
export async function writeGguf(dir: string, file: string, kind: GgufKind): Promise<void> {
  const { vocab_size: vocabSize } = await readPretrainedConfig(dir);
  const folder = await mkdtemp(join(tmpdir(), 'write-gguf-'));
  try {
    for (const name of await readdir(dir))
      if (!/token/.test(name)) await symlink(resolve(dir, name), join(folder, name));
    await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(syntheticTokenizer(Number(vocabSize))));
    await exportGguf({ dir: folder, output: file, dtype: kind, name: 'bowyer', merge: false });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Makes a vocabulary: unknown, BOS, EOS, then the 256 bytes that a SentencePiece vocabulary must have, then words. */
function syntheticTokenizer(size: number): object {
  if (size < 259) throw new RangeError(`writeGguf: a vocabulary of ${size} has no room for 3 + 256 tokens`);
  const special = ['<unk>', '<s>', '</s>'];
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  const words = Array.from({ length: size - 259 }, (_, i) => `▁w${259 + i}`);
  const vocab = Object.fromEntries([...special, ...bytes, ...words].map((token, id) => [token, id]));
  return {
    added_tokens: special.map((content, id) => ({ id, content, special: true, normalized: false })),
    normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    model: { type: 'BPE', vocab, merges: [], unk_token: '<unk>', byte_fallback: true },
  };
}
