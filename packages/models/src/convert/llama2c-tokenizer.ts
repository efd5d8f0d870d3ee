// Converts llama2.c's tokenizer file (`tokenizer.bin`, `tok512.bin`), a SentencePiece BPE with scores, to a Hugging Face
// tokenizer. The file contains an int32 with the length of the longest piece (token), then for each piece a float32 score, an
// int32 length and the bytes.
// Source: llama2.c, tokenizer.py.
import { readFile } from 'node:fs/promises';
import { WeightsFileError } from '@bowyer/checkpoints';
import { HuggingFaceTokenizer } from '@bowyer/text';
import {
  addedToken,
  aroundTexts,
  sentencePieceDefinition,
  SPACE_SYMBOL,
  type ScoredPiece,
} from './sentencepiece-definition.js';

/** The id after the last byte token: vocabularies with byte fallback have the 256 bytes as pieces with the ids 3 to 258. */
const BYTES_END = 259;

export async function readLlama2cTokenizer(path: string): Promise<HuggingFaceTokenizer> {
  const pieces = parsePieces(path, await readFile(path));
  const ids = new Map(pieces.map(({ text }, id) => [text, id]));
  const hasBytes = ids.has('<0x00>');
  const definition = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: ['<unk>', '<s>', '</s>'].map((content, id) => addedToken(id, content, true)),
    post_processor: aroundTexts(['<s>', 1], null),
    ...sentencePieceDefinition(ids, pieces.slice(hasBytes ? BYTES_END : 3), {
      unknown: '<unk>',
      addsPrefix: true,
      hasBytes,
    }),
  };
  const config = {
    add_bos_token: true,
    add_eos_token: false,
    bos_token: '<s>',
    eos_token: '</s>',
    unk_token: '<unk>',
    clean_up_tokenization_spaces: false,
    tokenizer_class: 'LlamaTokenizer',
  };
  return new HuggingFaceTokenizer(definition, config);
}

function parsePieces(path: string, bytes: Buffer): ScoredPiece[] {
  const pieces: ScoredPiece[] = [];
  for (let at = 4; at < bytes.length;) {
    const length = at + 8 <= bytes.length ? bytes.readInt32LE(at + 4) : -1;
    if (length < 0 || at + 8 + length > bytes.length)
      throw new WeightsFileError(
        path,
        `piece ${pieces.length} at byte ${at} extends beyond the file's ${bytes.length} bytes`,
      );
    const text = bytes.toString('utf8', at + 8, at + 8 + length);
    // The first three pieces are special tokens. Two of them have line ends around them in the file, which are removed.
    pieces.push({
      text: pieces.length < 3 ? text.trim() : text.replaceAll(' ', SPACE_SYMBOL),
      score: bytes.readFloatLE(at),
    });
    at += 8 + length;
  }
  if (pieces[1]?.text !== '<s>' || pieces[2]?.text !== '</s>')
    throw new WeightsFileError(path, 'its pieces 1 and 2 are not <s> and </s>', 'is it a tokenizer file of llama2.c?');
  // Some files contain the bytes themselves as pieces, which are renamed to SentencePiece's names such as `<0x0A>`.
  if (pieces[3]?.text === '\0' && pieces.length >= BYTES_END)
    for (let byte = 0; byte < 256; byte++)
      pieces[3 + byte].text = `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
  return pieces;
}
