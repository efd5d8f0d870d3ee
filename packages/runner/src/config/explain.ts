// Makes clearer errors for configs that cannot be composed. Unknown keys are reported all at once, each with the right key; for a
// primary config that does not exist, the error shows the command line that composes it.
import { ConfigError, type Composition, type PlainObject, type TranslateContext } from '@bowyer/config';
import type { Choices } from '../agent/keys/choices.js';
import { configWithoutFlag, missingConfig } from './missing-config.js';

type Context = TranslateContext & { overrides: readonly string[] };

/** Returns undefined if no clearer error can be made. @param configs the folder of Bowyer's config files */
export async function explain(error: ConfigError, context: Context, configs: string): Promise<ConfigError | undefined> {
  const missing = missingConfig(error, configs) ?? configWithoutFlag(error, configs);
  if (missing !== undefined) return missing;
  if (unknownKey(error) === undefined) return undefined;
  const { unknown, composition } = withoutUnknown(error, context);
  if (unknown.length === 0) return undefined; // the key is a member of a node that is given by a flat name
  const options = composition ? leavesOf(composition.config) : [];
  const said = await Promise.all(unknown.map(async ({ key, error: own }) => explanation(key, own, options)));
  if (said.length === 1) return said[0];
  const errors = said.map((better, i) => better ?? unknown[i].error);
  const lines = errors.flatMap(({ summary, details }, i) => [
    ...(i === 0 ? [] : ['']),
    summary,
    ...details.filter((detail) => detail !== 'in the command line').map((detail) => `  ${detail}`),
  ]);
  return new ConfigError('composition', `${errors.length} keys of the command line are not read by this run`, lines, {
    keyPath: unknown[0].key,
    file: error.file,
  });
}

const unknownKey = ({ summary }: ConfigError): string | undefined =>
  /^Could not override '([\w.]+)': (?:no such key|key '[\w.]+' does not exist)$/.exec(summary)?.[1];

interface Unknown {
  key: string;
  error: ConfigError;
}

/** Collects all unknown keys. There is no composition if the config has another error too. */
function withoutUnknown(
  first: ConfigError,
  { compose, overrides }: Context,
): { unknown: Unknown[]; composition?: Composition } {
  const unknown: Unknown[] = [];
  let [words, error] = [[...overrides], first];
  for (;;) {
    const key = unknownKey(error);
    const rest = words.filter((word) => key === undefined || !word.startsWith(`${key}=`));
    if (key === undefined || rest.length === words.length) return { unknown };
    unknown.push({ key, error });
    words = rest;
    try {
      return { unknown, composition: compose(words) };
    } catch (next) {
      if (!(next instanceof ConfigError)) throw next;
      error = next;
    }
  }
}

const leavesOf = (node: PlainObject, prefix = ''): string[] =>
  Object.entries(node).flatMap(([key, value]) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? leavesOf(value as PlainObject, `${prefix}${key}.`)
      : [`${prefix}${key}`],
  );

/** The rank of suggested paths: options of the algorithm come first, and paths with fewer parts before longer ones. */
const rank = (path: string) => path.split('.').length + (path.startsWith('algorithm.') ? 0 : 10);

const NO_CHOICES: Choices = { algorithm: null, env: null, setting: () => undefined };

async function explanation(
  key: string,
  error: ConfigError,
  options: readonly string[],
): Promise<ConfigError | undefined> {
  const { conditionOf } = await import('./conditions.js');
  const place = { keyPath: key, file: error.file };
  const named = options
    .filter((path) => path.endsWith(`.${key.split('.').at(-1)}`))
    .sort()
    .sort((a, b) => rank(a) - rank(b));
  const hint = named.length > 0 ? [`in this run it is ${named.slice(0, 3).join(' or ')}`] : [];
  const logger = /^logger\.(\w+)\b/.exec(key)?.[1];
  const condition = key.startsWith('launcher.')
    ? 'it belongs to a launcher: add launcher=local'
    : logger !== undefined
      ? `it belongs to a logger: add logger=${logger}`
      : conditionOf(key, NO_CHOICES);
  const why = condition === undefined ? [] : [condition];
  if (why.length === 0 && hint.length === 0) return undefined;
  const summary = why.length === 0 ? error.summary : `'${key}' is not read by this run`;
  return new ConfigError('composition', summary, ['in the command line', ...hint, ...why], place);
}
