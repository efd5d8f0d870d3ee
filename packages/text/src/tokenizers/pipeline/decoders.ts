// Makes the decoders of tokenizer.json, which convert tokens to text. Their results equal those of the Rust library `tokenizers`.
import { textAsBytes } from './byte-level.js';
import { DefinitionError, parts, textField, unknownType, type Component } from './definition.js';
import { escapedBytes } from './escaped-bytes.js';
import { compilePattern, replaced } from './patterns.js';

/** How byte tokens are written: as the characters that they encode, or each as an escape (see escaped-bytes.ts). */
export type BytesAs = 'characters' | 'escapes';

/** A decoder: converts tokens to texts whose concatenation is the decoded text. */
type Decoder = (tokens: readonly string[], bytesAs: BytesAs) => readonly string[];

const factories: Record<string, (component: Component) => Decoder> = {
  Sequence: (component) => {
    const all = parts(component, 'decoders').map(decoderOf);
    return (tokens, bytesAs) => all.reduce((result, each) => each(result, bytesAs), tokens);
  },
  ByteLevel: () => byteLevel,
  ByteFallback: () => byteFallback,
  Fuse: () => (tokens) => [tokens.join('')],
  WordPiece: (component) => wordPiece(textField(component, 'prefix', '##'), component.cleanup !== false),
  Metaspace: ({ replacement = '▁', prepend_scheme = 'always', add_prefix_space }) => {
    const symbol = String(replacement);
    const keepsFirst = prepend_scheme === 'never' || add_prefix_space === false;
    return (tokens) => tokens.map((token, i) => token.replaceAll(symbol, i > 0 || keepsFirst ? ' ' : ''));
  },
  BPEDecoder: (component) => {
    const suffix = textField(component, 'suffix', '</w>');
    return (tokens) => tokens.map((token, i) => token.replaceAll(suffix, i === tokens.length - 1 ? '' : ' '));
  },
  Replace: (component) => {
    const pattern = compilePattern(component);
    const content = textField(component, 'content');
    return (tokens) => tokens.map((token) => replaced(token, pattern, content));
  },
  Strip: strip,
  CTC: ctc,
};

/** Makes one decoder from its component of tokenizer.json. @throws {DefinitionError} for an unknown type */
function decoderOf(component: Component): Decoder {
  if (!Object.hasOwn(factories, component.type)) throw unknownType('decoder', component);
  return factories[component.type](component);
}

/** Makes a tokenizer's decoder; without one, tokens are joined by spaces. */
export function decoder(
  component: Component | null | undefined,
): (tokens: readonly string[], bytesAs?: BytesAs) => string {
  if (component === null || component === undefined) return (tokens) => tokens.join(' ');
  const decode = decoderOf(component);
  return (tokens, bytesAs = 'characters') => decode(tokens, bytesAs).join('');
}

const lossy = new TextDecoder('utf-8', { ignoreBOM: true });
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

const byteLevel: Decoder = (tokens, bytesAs) => {
  const bytes = Buffer.concat(tokens.map(textAsBytes));
  return [bytesAs === 'escapes' ? escapedBytes(bytes) : lossy.decode(bytes)];
};

/** Decodes adjacent tokens `<0x…>` together as bytes; if these are not valid UTF-8, each becomes a replacement character. */
const byteFallback: Decoder = (tokens, bytesAs) => {
  const result: string[] = [];
  let bytes: number[] = [];
  const flush = () => {
    if (bytes.length > 0)
      for (const text of bytesAs === 'escapes' ? [escapedBytes(bytes)] : textOf(bytes)) result.push(text);
    bytes = [];
  };
  for (const token of tokens) {
    const byte = /^<0x[+0-9A-Fa-f][0-9A-Fa-f]>$/.test(token) ? parseInt(token.slice(3, 5), 16) : null;
    if (byte === null) {
      flush();
      result.push(token);
    } else bytes.push(byte);
  }
  flush();
  return result;
};

function textOf(bytes: readonly number[]): string[] {
  try {
    return [strict.decode(Uint8Array.from(bytes))];
  } catch {
    return bytes.map(() => '\uFFFD');
  }
}

const wordPiece =
  (prefix: string, cleansUp: boolean): Decoder =>
  (tokens) =>
    tokens.map((token, i) => {
      const continues = token.startsWith(prefix);
      const text = i === 0 ? token : continues ? token.slice(prefix.length) : ` ${token}`;
      return cleansUp ? withoutSpaces(text) : text;
    });

/** Applies BERT's rules for spaces before punctuation and English contractions, including the one that turns " do not" into " don't". */
const withoutSpaces = (text: string): string =>
  text
    .replaceAll(' .', '.')
    .replaceAll(' ?', '?')
    .replaceAll(' !', '!')
    .replaceAll(' ,', ',')
    .replaceAll(" ' ", "'")
    .replaceAll(" n't", "n't")
    .replaceAll(" 'm", "'m")
    .replaceAll(' do not', " don't")
    .replaceAll(" 's", "'s")
    .replaceAll(" 've", "'ve")
    .replaceAll(" 're", "'re");

/** Removes up to `start` times from the beginning and `stop` times from the end of each token. */
function strip({ content, start = 0, stop = 0 }: Component): Decoder {
  if (typeof content !== 'string') throw new DefinitionError("the decoder Strip needs a character as 'content'");
  return (tokens) =>
    tokens.map((token) => {
      const characters = [...token];
      let [from, to] = [0, characters.length];
      while (from < Number(start) && characters[from] === content) from++;
      while (characters.length - to < Number(stop) && to > from && characters[to - 1] === content) to--;
      return characters.slice(from, to).join('');
    });
}

/** Makes the decoder of models trained by connectionist temporal classification: repeated tokens count once. */
function ctc(component: Component): Decoder {
  const pad = textField(component, 'pad_token', '<pad>');
  const delimiter = textField(component, 'word_delimiter_token', '|');
  return (tokens) =>
    tokens
      .filter((token, i) => token !== tokens[i - 1])
      .map((token) => token.replaceAll(pad, ''))
      .map((token) => (component.cleanup === false ? token : withoutSpaces(token).replaceAll(delimiter, ' ')));
}
