// Parses the parameters of a TextWorldExpress world, such as its number of rooms, from a text "name=value,name=value". Names,
// ranges and defaults are those of TextWorldExpress's program.
import { nearestName } from '../contract/unknown-name-error.js';

export const folds = ['train', 'dev', 'test'] as const;
/** A fold: the content for training, development or test. Folds share no preparations of foods, objects, nouns or problems. */
export type Fold = (typeof folds)[number];

/** The first of the fold's thousand seeds in TextWorldExpress; other 32-bit seeds can be used with any fold too. */
export const foldSeeds: Readonly<Record<Fold, number>> = { train: 0, dev: 10_000, test: 20_000 };

export interface ParameterSpec {
  name: string;
  default: number;
  /** The range of allowed integers. A 'flag' takes any number: 1 is true, all others are false. */
  range: readonly [least: number, most: number] | 'flag';
  meaning: string;
}

export type ParameterValues = Readonly<Record<string, number>>;

class GameParameterError extends Error {
  override readonly name = 'GameParameterError';

  constructor(
    readonly game: string,
    readonly parameters: string,
    complaint: string,
    remedy: string,
  ) {
    super(`${game}: ${complaint}\n  in params '${parameters}'\n  ${remedy}`);
  }
}

/** Returns the value of every parameter: the value in the text, else the default. Spaces around names and values are ignored. */
export function parseParameters(game: string, specs: readonly ParameterSpec[], text: string): ParameterValues {
  const values: Record<string, number> = Object.fromEntries(specs.map((spec) => [spec.name, spec.default]));
  const names = specs.map((spec) => spec.name);
  const known = names.length === 0 ? 'this game has no parameters' : `known: ${names.join(', ')}`;
  const fail = (complaint: string, remedy: string): never => {
    throw new GameParameterError(game, text, complaint, remedy);
  };
  for (const item of text.split(',').map((part) => part.trim())) {
    if (item === '') continue;
    const [name, value, ...rest] = item.split('=').map((part) => part.trim());
    if (value === undefined || value === '' || rest.length > 0) {
      return fail(`'${item}' is not of the form name=value`, 'write for example numLocations=3,includeDoors=1');
    }
    const spec = specs.find((candidate) => candidate.name === name);
    if (spec === undefined) {
      const nearest = nearestName(name, names);
      return fail(`unknown parameter '${name}'`, nearest === null ? known : `did you mean '${nearest}'? ${known}`);
    }
    if (!/^[+-]?\d+$/.test(value)) return fail(`${name} is '${value}'`, 'give an integer');
    values[name] = spec.range === 'flag' ? Number(Number(value) === 1) : Number(value);
    if (spec.range !== 'flag' && (values[name] < spec.range[0] || values[name] > spec.range[1])) {
      return fail(`${name} is ${value}`, `give an integer from ${spec.range[0]} to ${spec.range[1]}: ${spec.meaning}`);
    }
  }
  return values;
}

export const isOn = (value: number) => value === 1;

/** Returns the number by which recordings of TextWorldExpress name a fold. */
export const gameSetNumber = (fold: Fold) => folds.indexOf(fold) + 1;
