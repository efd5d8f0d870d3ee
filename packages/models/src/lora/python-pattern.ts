// Translates Python's regular expressions, which adapter_config.json contains, to Oniguruma's syntax. Constructs that the two
// interpret differently are refused.
import { compileRegex, PatternError } from '@bowyer/text';

/** Makes a predicate that matches a pattern as Python's `re.fullmatch` does. @param place names the pattern in error messages */
export const fullMatcher = (pattern: string, place: string) =>
  matcher(pattern, place, `(?:${translated(pattern, place)})\\z`);

/** Makes a predicate that matches a key of rank_pattern or alpha_pattern as PEFT does, to a module's path or the end of it. */
export const endMatcher = (pattern: string, place: string) =>
  matcher(pattern, place, `(?:.*\\.)?(?:${translated(pattern, place)})\\z`);

/** Makes a function that finds the layer's index in a module's path as PEFT does: the number after the name of a module list. */
export function layerIndexFinder(pattern: string, place: string): (path: string) => number | undefined {
  const matches = compileRegex(`\\A.*?\\.${translated(pattern, place)}\\.\\d+\\.`, place, pattern);
  return (path) => {
    const span = [...matches(path)].at(0);
    return span && Number(/(\d+)\.$/.exec(path.slice(0, span[1]))![1]);
  };
}

function matcher(shown: string, place: string, pattern: string): (text: string) => boolean {
  const matches = compileRegex(`\\A${pattern}`, place, shown);
  return (text) => [...matches(text)].length > 0;
}

/** Matches one token of an expression: an escape, a character class, the beginning of a group, or a character. */
const PART = /\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\(\?(?:P[<=]|<[=!]|[:=!]|i:)?|\}\+|[^]/gu;

/** The letters whose escapes mean the same in both syntaxes. */
const ESCAPES = 'AbBdDsSwWafnrtvxu';

/** Translates a Python regular expression to Oniguruma's syntax. @throws for a construct that the two interpret differently */
function translated(pattern: string, place: string): string {
  const refuse = (problem: string): never => {
    throw new PatternError(place, `cannot be used (${problem})`, pattern);
  };
  const names = [...pattern.matchAll(/\(\?P<(\w+)>/g)].map(([, name]) => name);
  const named = pattern.replaceAll(/\(\?P=(\w+)\)/g, (_, name: string) =>
    names.includes(name) ? `\\k<${name}>` : refuse(`it refers to the group ${name}, which it does not have`),
  );
  const escape = (part: string) => {
    if (part === '\\Z') return '\\z';
    if (/\d/.test(part) && names.length > 0)
      refuse(`it refers to the group ${part.slice(1)}, and has groups with names`);
    if (/[a-z]/i.test(part[1]) && !ESCAPES.includes(part[1]) && part !== '\\k')
      refuse(`it has the escape ${part}, which Python does not have`);
    return part;
  };
  return named.replaceAll(PART, (part) => {
    if (part.startsWith('\\')) return escape(part);
    if (part.startsWith('[')) return classOf(part, escape);
    if (part === '(?P<') return '(?<';
    if (part === '(?') return refuse('it has a group with (?, which is not translated');
    if (part === '}+') return refuse('it has a possessive repetition, which is not translated');
    return part === '$' ? '\\z' : part;
  });
}

/** Translates a character class; `[`, `&` and a first `]` are escaped, since Python reads them as ordinary characters there. */
function classOf(part: string, escape: (part: string) => string): string {
  const begin = part.startsWith('[^') ? '[^' : '[';
  const content = part.slice(begin.length, -1);
  return `${begin}${content.replaceAll(/\\[^]|^\]|[[&]/g, (found) => (found.startsWith('\\') ? escape(found) : `\\${found}`))}]`;
}
