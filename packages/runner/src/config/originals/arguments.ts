// Rewrites arguments of other programs' scripts, such as `--learning_rate 1e-5`, as overrides: `learning_rate=1e-5`.
import { isFlag, overrideText } from '@bowyer/config';
import { isOriginalKey } from './names.js';

/** Keys here that are arguments of other programs' scripts too. */
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

/** Rewrites the arguments of a command line as overrides. Flags are kept, and the command line refuses all other words. */
export function withArguments(argv: readonly string[]): string[] {
  const words: string[] = [];
  const rest = [...argv];
  while (rest.length > 0) {
    const word = rest.shift()!;
    if (word === '--') return [...words, word, ...rest];
    // Hydra calls `--config` ambiguous; ArCHer's fork uses it.
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
  // No flag of the command line has an underscore, and nearly every argument and key has one.
  return key.includes('_') || isOriginalKey(key) || SHARED.includes(key) ? { key, value } : undefined;
}

/** Takes the value of an argument from the following words; an argument without a value is a switch that is on. */
function takeValue(rest: string[]): string {
  const [next] = rest;
  const isValue =
    next !== undefined && (!next.startsWith('-') || /^-[\d.]/.test(next)) && !/^[+~]?[a-z][\w.]*=/.test(next);
  return isValue ? rest.shift()! : 'true';
}

/** Quotes a value, unless the grammar of overrides reads it as one value without quotes. */
const valueText = (value: string): string =>
  /^[\w./:+@-]+$/.test(value) || /^[[{'"]/.test(value) ? value : overrideText('', value).slice(1);
