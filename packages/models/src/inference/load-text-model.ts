// Loads the language model in a directory, which is a decoder or an encoder-decoder according to its config.json.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConfigJson, PretrainedDirectoryError } from '@bowyer/checkpoints';
import { LanguageModel } from '../language-model/language-model.js';
import type { LanguageModelOptions, LoadOptions } from '../language-model/model-options.js';
import { isEncoderDecoder } from '../seq2seq/seq2seq-architectures.js';
import { Seq2SeqModel } from '../seq2seq/seq2seq-model.js';

/** Options for masked tokens and context length apply to decoders only; an encoder-decoder cannot be quantised. */
export async function loadTextModel(
  options: LanguageModelOptions & Pick<LoadOptions, 'dir' | 'adapterBank'>,
): Promise<LanguageModel | Seq2SeqModel> {
  const text = await readFile(join(options.dir, 'config.json'), 'utf8').catch(() => null); // the loader below reports the error
  if (text === null || !isEncoderDecoder(parsed(text) ?? {})) return LanguageModel.load(options);
  const { dir, quantization = 'none', packedDecoding } = options;
  if (packedDecoding !== undefined)
    throw new PretrainedDirectoryError(
      dir,
      'it is an encoder-decoder, whose decoding has no second copy of the weights',
      'task.packed_decoding=null loads it as it is',
    );
  if (quantization !== 'none')
    throw new PretrainedDirectoryError(
      dir,
      `it is an encoder-decoder, which cannot be loaded in ${quantization}`,
      'load it without quantization',
    );
  return Seq2SeqModel.load(options);
}

function parsed(text: string): ConfigJson | null {
  try {
    return JSON.parse(text) as ConfigJson | null;
  } catch {
    return {};
  }
}
