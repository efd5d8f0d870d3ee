// A tokenizer with the 256 bytes and an end-of-text token.
import { HuggingFaceTokenizer } from '@bowyer/text';

/** Lists the characters with which byte-level tokenizers write bytes: visible characters represent themselves. */
function byteCharacters(): string[] {
  const seen = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(seen(byte) ? byte : next++));
}

export function byteTokenizer(): HuggingFaceTokenizer {
  const end = '<|endoftext|>';
  const vocab = Object.fromEntries([...byteCharacters(), end].map((token, id) => [token, id]));
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  return new HuggingFaceTokenizer(
    {
      added_tokens: [{ id: 256, content: end, special: true }],
      pre_tokenizer: byteLevel,
      decoder: byteLevel,
      model: { type: 'BPE', vocab, merges: [] },
    },
    { eos_token: end, bos_token: end },
  );
}
