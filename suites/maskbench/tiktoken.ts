// Reads tiktoken's files, such as gpt-tokenizer's data/o200k_base.tiktoken with 199,998 tokens.
import { readFileSync } from 'node:fs';
import type { Tokenizer } from '@bowyer/text';

/**
 * Reads the part of a tokenizer that constraints need: lines with a token's bytes in base 64 and its id; the next id is the end
 * of text.
 */
export function tiktoken(path: string): Tokenizer {
  const bytes = tiktokenBytes(path);
  const eosTokenId = bytes.length - 1;
  const decodeBytes = (ids: ArrayLike<number>) => Buffer.concat(Array.from(ids, (id) => bytes[id]));
  const decode = (ids: ArrayLike<number>) => decodeBytes(Array.from(ids).filter((id) => id !== eosTokenId)).toString();
  const definition = { decoder: { type: 'ByteLevel' }, added_tokens: [] };
  const known = { vocabSize: bytes.length, eosTokenId, decodeBytes, decode, definition };
  return known as typeof known & Tokenizer;
}

/** Reads the bytes of each id; the last id is the end of text. */
export function tiktokenBytes(path: string): Uint8Array[] {
  const bytes: Uint8Array[] = [];
  for (const line of readFileSync(path, 'utf8').trim().split('\n')) {
    const [text, id] = line.split(' ');
    bytes[Number(id)] = Buffer.from(text, 'base64');
  }
  bytes.push(Buffer.from('<|endoftext|>'));
  return bytes;
}
