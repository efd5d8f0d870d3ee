// Regular expressions of tokenizer.json, written for Oniguruma, as JavaScript's; and Unicode classes as Rust has them.
// JavaScript's `\s` contains U+FEFF and lacks U+0085, its `\w` and `\d` are ASCII alone: the classes below are used instead.
import * as tokenizersJs from '@huggingface/tokenizers';
import { DefinitionError, type Component } from './definition.js';

/** Its translation of patterns is all that is used; its declarations name files without an ending, which Node's resolution refuses. */
const { SplitPreTokenizer } = tokenizersJs as unknown as {
  SplitPreTokenizer: new (component: object) => { pattern: RegExp | null };
};

/** Rust's `char::is_whitespace`. */
export const SPACE = '\\p{White_Space}';

/** ASCII's punctuation marks and symbols, and Unicode's punctuation. */
export const PUNCTUATION = '\\p{P}!-\\/:-@\\[-`{-~';

/** `\w` of Rust's regular expressions. */
export const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';

export const escapeForRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** The pattern of a Split or Replace component: `{"String": …}` or `{"Regex": …}`. */
export function compilePattern({ type, pattern }: Component): RegExp {
  const given = (typeof pattern === 'object' && pattern !== null ? pattern : {}) as {
    String?: unknown;
    Regex?: unknown;
  };
  if (typeof given.String === 'string') return new RegExp(escapeForRegex(given.String), 'gu');
  if (typeof given.Regex !== 'string') throw new DefinitionError(`${type} has no pattern`);
  const { pattern: compiled } = new SplitPreTokenizer({ type: 'Split', pattern: { Regex: given.Regex } });
  if (compiled === null) throw new DefinitionError(`the pattern of ${type} cannot be read: ${given.Regex}`);
  return compiled;
}
