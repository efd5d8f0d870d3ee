// Makes the tokenizer of suites that are given no model.
import { HuggingFaceTokenizer } from '@bowyer/text';

/** Makes a tokenizer whose tokens are the 256 bytes, each under its own number, and an end token. */
export function tokenizerOfBytes(): HuggingFaceTokenizer {
  // The letters that stand for bytes in a ByteLevel vocabulary.
  const isPrinted = (byte: number) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
  let further = 0x100;
  const letters = Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrinted(byte) ? byte : further++));
  const end = { id: 256, content: '<|end|>', special: true, normalized: false };
  return new HuggingFaceTokenizer(
    {
      model: { type: 'BPE', vocab: Object.fromEntries(letters.map((letter, id) => [letter, id])), merges: [] },
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false },
      decoder: { type: 'ByteLevel' },
      added_tokens: [end],
    },
    { bos_token: '<s>', eos_token: end.content },
  );
}
