// Makes the normalizers of tokenizer.json, which change the text before it is split. Their results equal those of the Rust
// library `tokenizers`.
import { bytesAsText } from './byte-level.js';
import { parts, textField, unknownType, type Component } from './definition.js';
import { compilePattern, replaced, SPACE } from './patterns.js';
import { PrecompiledCharsmap } from './precompiled-charsmap.js';

export interface Normalizer {
  (text: string): string;
  /** Returns whether the normalizer removes the first characters of a text. A normalizer without this function never does. */
  removesStart?(text: string): boolean;
}

const identity: Normalizer = (text) => text;

const removing = (removed: RegExp, normalize: Normalizer): Normalizer =>
  Object.assign((text: string) => normalize(text), { removesStart: (text: string) => text.search(removed) === 0 });

const factories: Record<string, (component: Component) => Normalizer> = {
  Sequence: (component) => {
    const all = parts(component, 'normalizers').map(normalizer);
    const removesStart = (text: string) => {
      let current = text;
      return all.some((each) => {
        const removes = each.removesStart?.(current) ?? false;
        current = each(current);
        return removes;
      });
    };
    const normalize = (text: string) => all.reduce((result, each) => each(result), text);
    return all.some((each) => each.removesStart) ? Object.assign(normalize, { removesStart }) : normalize;
  },
  NFC: () => (text) => text.normalize('NFC'),
  NFD: () => (text) => text.normalize('NFD'),
  NFKC: () => (text) => text.normalize('NFKC'),
  NFKD: () => (text) => text.normalize('NFKD'),
  Lowercase: () => lowercase,
  StripAccents: () => (text) => text.replace(/\p{M}/gu, ''),
  Strip: ({ strip_left, strip_right }) => {
    const right = strip_right === true ? trimEnd : identity;
    if (strip_left !== true) return right;
    const left = new RegExp(`^[${SPACE}]+`, 'u');
    return removing(left, (text) => right(text.replace(left, '')));
  },
  Prepend: (component) => {
    const prefix = textField(component, 'prepend');
    return (text) => (text === '' ? text : prefix + text);
  },
  Replace: (component) => {
    const pattern = compilePattern(component);
    const content = textField(component, 'content');
    return (text) => replaced(text, pattern, content);
  },
  ByteLevel: () => bytesAsText,
  Nmt: () => nmt,
  Precompiled: (component) => {
    const charsmap = component.precompiled_charsmap;
    if (charsmap === null || charsmap === undefined || charsmap === '') return identity;
    const table = new PrecompiledCharsmap(textField(component, 'precompiled_charsmap'));
    return (text) => table.normalize(text);
  },
  BertNormalizer: bertNormalizer,
};

/** Without a component, texts are not changed. @throws {DefinitionError} for an unknown type */
export function normalizer(component: Component | null | undefined): Normalizer {
  if (component === null || component === undefined) return identity;
  if (!Object.hasOwn(factories, component.type)) throw unknownType('normalizer', component);
  return factories[component.type](component);
}

/** One character at a time: unlike in JavaScript, a sigma at the end of a word is not special. */
function lowercase(text: string): string {
  if (!text.includes('Σ')) return text.toLowerCase();
  return text
    .split('Σ')
    .map((part) => part.toLowerCase())
    .join('σ');
}

const IS_SPACE = new RegExp(SPACE, 'u');

/** In linear time; a regular expression that is anchored at the end may take longer. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && IS_SPACE.test(text[end - 1])) end--;
  return text.slice(0, end);
}

const NMT_REMOVED = /[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]/g;

/** Applies SentencePiece's rules for machine translation: control characters are removed, and various spaces become plain spaces. */
const nmt = removing(NMT_REMOVED, (text) =>
  text.replace(NMT_REMOVED, '').replace(/[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]/g, ' '),
);

function bertNormalizer(component: Component): Normalizer {
  const { clean_text = true, handle_chinese_chars = true, lowercase: lowers = true } = component;
  const stripsAccents = component.strip_accents ?? lowers;
  const normalize = (text: string) => {
    let result = text;
    if (clean_text === true) result = cleaned(result);
    if (handle_chinese_chars === true) result = result.replace(CHINESE, ' $& ');
    if (stripsAccents === true) result = result.normalize('NFD').replace(/\p{Mn}/gu, '');
    return lowers === true ? lowercase(result) : result;
  };
  return clean_text === true ? removing(CONTROL, normalize) : normalize;
}

/** Matches invisible characters other than white space, which BERT's normalizer removes. */
const CONTROL = /[\0\ufffd]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}]/gu;

const cleaned: Normalizer = (text) =>
  /^[ -~]*$/.test(text) ? text : text.replace(CONTROL, '').replace(new RegExp(SPACE, 'gu'), ' ');

/** Matches the Chinese characters, by the Unicode blocks in BERT's code. */
const CHINESE =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;
