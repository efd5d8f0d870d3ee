// A byte-level BPE tokenizer for a few texts, in the files of Hugging Face. Source: Sennrich et al. 2016 (arXiv:1508.07909), algorithm 1,
// over the bytes of GPT-2's words.

const WORDS = /'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

/** GPT-2's letter for each byte. */
const letters: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const shown = (b: number) => (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  if (shown(byte)) return String.fromCharCode(byte);
  return String.fromCharCode(256 + Array.from({ length: byte }, (__, b) => b).filter((b) => !shown(b)).length);
});

/** @param specials tokens that stand for themselves wherever they are */
export function bytePairTokenizer(texts: readonly string[], specials: readonly string[], merges: number): object {
  const words = wordsOf(texts);
  const pairs: [string, string][] = [];
  while (pairs.length < merges) {
    const pair = mostFrequent(words);
    if (pair === null) break;
    pairs.push(pair);
    for (const word of words) merge(word.tokens, pair);
  }
  const tokens = [...specials, ...letters, ...pairs.map((pair) => pair.join(''))];
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  return {
    version: '1.0',
    added_tokens: specials.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: id < 3,
    })),
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      vocab: Object.fromEntries([...new Set(tokens)].map((token, id) => [token, id])),
      merges: pairs,
    },
  };
}

interface Word {
  tokens: string[];
  count: number;
}

function wordsOf(texts: readonly string[]): Word[] {
  const counts = new Map<string, number>();
  for (const text of texts) for (const [word] of text.matchAll(WORDS)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => ({ tokens: [...Buffer.from(word)].map((byte) => letters[byte]), count }));
}

/** Null where no pair occurs twice. Among equals the first one. */
function mostFrequent(words: readonly Word[]): [string, string] | null {
  const counts = new Map<string, number>();
  for (const { tokens, count } of words)
    for (let i = 1; i < tokens.length; i++) {
      const pair = `${tokens[i - 1]} ${tokens[i]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + count);
    }
  let best: [string, number] = ['', 1];
  for (const [pair, count] of counts) if (count > best[1]) best = [pair, count];
  return best[0] === '' ? null : (best[0].split(' ') as [string, string]);
}

function merge(tokens: string[], [first, second]: readonly [string, string]): void {
  for (let i = tokens.length - 2; i >= 0; i--)
    if (tokens[i] === first && tokens[i + 1] === second) tokens.splice(i, 2, first + second);
}
