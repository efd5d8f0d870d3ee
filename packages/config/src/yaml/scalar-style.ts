// Decides how a text is written in YAML: plain, in single quotes, or in double quotes.
// The rules are those of PyYAML's emitter, so that files equal Hydra's byte for byte.
import { implicitTag } from './implicit-type.js';

export type ScalarStyle = 'plain' | 'single' | 'double';

interface ScalarShape {
  readonly multiline: boolean;
  readonly allowPlain: boolean;
  readonly allowSingle: boolean;
}

const isBreak = (char: string) => char === '\n' || char === '\x85' || char === '\u2028' || char === '\u2029';
const isBlankOrEnd = (char: string | undefined) => char === undefined || '\0 \t\r\n\x85\u2028\u2029'.includes(char);

/** Texts whose characters never require quotes; this fast check decides the form of most texts. */
const surelyPlain = /^[A-Za-z0-9_./$][A-Za-z0-9_./$\-+]*$/;

export function scalarShape(text: string): ScalarShape {
  if (text === '') return { multiline: false, allowPlain: true, allowSingle: true };
  if (surelyPlain.test(text) && !text.startsWith('...'))
    return { multiline: false, allowPlain: true, allowSingle: true };
  const chars = Array.from(text);
  let indicators = text.startsWith('---') || text.startsWith('...');
  let breaks = false;
  let special = false;
  let spaceAfterBreak = false;
  let breakAfterSpace = false;
  for (const [index, char] of chars.entries()) {
    const before = index === 0 ? ' ' : chars[index - 1]!;
    if (isIndicator(char, index === 0, isBlankOrEnd(before), isBlankOrEnd(chars[index + 1]))) indicators = true;
    if (isBreak(char)) breaks = true;
    if (!isPrintable(char)) special = true;
    if (char === ' ' && index > 0 && isBreak(before)) spaceAfterBreak = true;
    if (isBreak(char) && index > 0 && before === ' ') breakAfterSpace = true;
  }
  const outer = [chars[0]!, chars.at(-1)!];
  const outerBlank = outer.some((char) => char === ' ' || isBreak(char));
  return {
    multiline: breaks,
    allowPlain: !(indicators || breaks || special || spaceAfterBreak || breakAfterSpace || outerBlank),
    allowSingle: !(special || spaceAfterBreak || breakAfterSpace),
  };
}

function isIndicator(char: string, first: boolean, blankBefore: boolean, blankAfter: boolean): boolean {
  if (first) return '#,[]{}&*!|>\'"%@`'.includes(char) || ('?:-'.includes(char) && blankAfter);
  return (char === ':' && blankAfter) || (char === '#' && blankBefore);
}

function isPrintable(char: string): boolean {
  if (char === '\n' || (char >= ' ' && char <= '~')) return true;
  const code = char.codePointAt(0)!;
  if (code === 0xfeff) return false;
  return (
    code === 0x85 ||
    (code >= 0xa0 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code < 0x10ffff)
  );
}

const booleanLike = /^(?:y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;
const dumperFloat =
  /^(?:[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const timestamp =
  /^(?:\d\d\d\d-\d\d-\d\d|\d\d\d\d-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$/;

/** Returns whether a text must be quoted, because it would be read as another type, or because Python could take it for one. */
export function needsQuotes(text: string): boolean {
  return looksTyped(text) || readsAsOtherType(text);
}

/** Words that YAML 1.1 reads as booleans, and texts that Python's int() or float() accepts. */
export function looksTyped(text: string): boolean {
  if (booleanLike.test(text)) return true;
  if (!/^[\s+\-.\p{Nd}iInN\x1c-\x1f\x85]/u.test(text)) return false;
  const trimmed = text.replace(/^[\s\x1c-\x1f\x85]+|[\s\x1c-\x1f\x85]+$/g, '').replace(/\p{Nd}/gu, '0');
  return (
    /^[-+]?0+(?:_0+)*$/.test(trimmed) ||
    /^[-+]?(?:0+(?:_0+)*\.?(?:0+(?:_0+)*)?|\.0+(?:_0+)*)(?:e[-+]?0+(?:_0+)*)?$/i.test(trimmed) ||
    /^[-+]?(?:inf|infinity|nan)$/i.test(trimmed)
  );
}

function readsAsOtherType(text: string): boolean {
  const tag = implicitTag(text);
  if (tag === 'float') return dumperFloat.test(text);
  return tag !== 'str' || (/^\d/.test(text) && timestamp.test(text));
}
