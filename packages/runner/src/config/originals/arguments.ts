// Rewrites arguments of other programs' scripts, such as `--learning_rate 1e-5`, as Hydra overrides: `learning_rate=1e-5`.
import { isFlag, overrideText } from '@bowyer/config';
import { isOriginalKey } from './names.js';

/** Keys of Bowyer that are also arguments of other programs' scripts. */
const SHARED = [
  'seed',
  'temperature',
  'processes',
  'gamma',
  'tau',
  'epochs',
  'iterations',
  'capacity',
  'env',
  'lr',
  'data',
  'output',
  'algorithm',
];

/**
 * Rewrites the arguments of a command line as overrides. Bowyer's own flags are kept, and everything else is kept for the command
 * line's parser to refuse.
 */
export function withArguments(argv: readonly string[]): string[] {
  const words: string[] = [];
  const rest = [...argv];
  while (rest.length > 0) {
    const word = rest.shift()!;
    if (word === '--') return [...words, word, ...rest];
    // `--config` is an argument of ArCHer's fork that Hydra calls ambiguous; it is read as `--config-name`.
    const argument = word === '--config' ? undefined : argumentOf(word);
    if (argument === undefined) words.push(word.replace(/^--config(?==|$)/, '--config-name'));
    else words.push(`${argument.key}=${valueText(argument.value ?? takeValue(rest))}`);
  }
  return words;
}

function argumentOf(word: string): { key: string; value?: string } | undefined {
  const [, name, , value] = /^--([a-zA-Z][\w-]*)(=(.*))?$/s.exec(word) ?? [];
  if (name === undefined || isFlag(`--${name}`)) return undefined;
  const key = name.replaceAll('-', '_');
  // An argument is recognised by an underscore, which no flag of Bowyer's command line has and nearly every key has, or by its
  // name.
  return key.includes('_') || isOriginalKey(key) || SHARED.includes(key) ? { key, value } : undefined;
}

/**
 * Takes the value of an argument from the words that follow it; an argument without a value is a switch, and has the value true.
 */
function takeValue(rest: string[]): string {
  const [next] = rest;
  const isValue =
    next !== undefined && (!next.startsWith('-') || /^-[\d.]/.test(next)) && !/^[+~]?[a-z][\w.]*=/.test(next);
  return isValue ? rest.shift()! : 'true';
}

/** Quotes the value of an override, unless Hydra's grammar reads it as one value without quotes. */
const valueText = (value: string): string =>
  /^[\w./:+@-]+$/.test(value) || /^[[{'"]/.test(value) ? value : overrideText('', value).slice(1);
