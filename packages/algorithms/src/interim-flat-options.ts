// To be deleted with the flat keys of the runner: algorithms as a program with flat config keys sees them.
import { Type, type TObject, type TProperties, type TSchema } from '@sinclair/typebox';
import { isGroup, nullable, toCamelCase, type ConfigProblem } from '@bowyer/core';
import { findAlgorithm } from './registry.js';
import type { PlayOptions } from './rollout/player.js';
import type { AnyAlgorithm } from './run/algorithm-unit.js';

/** An option with its path and the places that it had, in which a node is one step: the first that is not null counts. */
interface FlatOption {
  path: string[];
  places: string[][];
  schema: TSchema;
  /** The description of its node. */
  group: string;
}

function flatOptions(schema: TObject, path: string[] = [], node: string | null = null): FlatOption[] {
  const group = schema.description ?? '';
  return Object.entries(schema.properties).flatMap(([key, member]): FlatOption[] => {
    const names = [(member as { flat?: string | string[] }).flat ?? []].flat();
    const here = [...path, key];
    if (isGroup(member)) return flatOptions(member, here, names[0] ?? null);
    const places = [...(node === null ? [] : [[node, key]]), ...names.map((name) => [name])];
    return [{ path: here, places: places.length > 0 ? places : [here], schema: member, group }];
  });
}

const textOf = (schema: TObject) => {
  const flat = new Map(flatOptions(schema).map(({ path, places }) => [path.join('.'), places.at(-1)!.join('.')]));
  flat.set('actor.schedule', 'lm_schedule');
  return (text: string) => text.replace(/\balgorithm\.(\w+(?:\.\w+)*)/g, (all, path: string) => flat.get(path) ?? all);
};

/** Returns the flat keys of a schema of options. */
export function flatProperties(schema: TObject): TProperties {
  const text = textOf(schema);
  const properties: Record<string, TSchema> = {};
  for (const { places, schema: option, group } of flatOptions(schema)) {
    const { default: _, flat: __, ...bare } = option as TSchema & { flat?: unknown; default?: unknown };
    const own = { ...bare, description: text(option.description!) } as TSchema;
    places.forEach(([first, second], i) => {
      const isLast = i === places.length - 1;
      const placed = isLast ? own : nullable(own, `${own.description}; null: ${places.at(-1)!.join('.')}`);
      if (second === undefined) properties[first] = placed;
      else {
        const node = (properties[first] as TObject | undefined)?.properties ?? {};
        const members = { ...node, [second]: placed };
        properties[first] = Type.Object(members, { additionalProperties: false, description: text(group) });
      }
    });
  }
  return properties;
}

/** Returns the options of a config with flat camelCase keys, each read from the config when it is read itself. */
export function nestedOptions(schema: TObject, config: object): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const { path, places } of flatOptions(schema)) {
    const names = path.map(toCamelCase);
    let group = options;
    for (const name of names.slice(0, -1)) group = (group[name] ??= {}) as Record<string, unknown>;
    const found = places.filter((place) => valueAt(config, place).isPresent);
    if (found.length > 0)
      Object.defineProperty(group, names.at(-1)!, {
        enumerable: true,
        get: () => found.map((place) => valueAt(config, place).value()).find((value) => value !== null) ?? null,
      });
  }
  for (const name of ['seed', 'slots', 'maxFailureShare', 'sampling'])
    if (name in config)
      Object.defineProperty(options, name, { enumerable: true, get: () => config[name as keyof typeof config] });
  return options;
}

function valueAt(config: object, place: readonly string[]): { isPresent: boolean; value: () => unknown } {
  const [first, second] = place.map(toCamelCase);
  const at = () => (config as Record<string, unknown>)[first];
  if (second === undefined) return { isPresent: first in config, value: at };
  const node = () => at() as Record<string, unknown>;
  return { isPresent: first in config && second in node(), value: () => node()[second] };
}

const flatUnits = new WeakMap<AnyAlgorithm, AnyAlgorithm>();

/** Finds an algorithm whose options are flat keys. */
export function findFlatAlgorithm(name: string): AnyAlgorithm | undefined {
  const unit = findAlgorithm(name);
  if (unit === undefined) return undefined;
  const known = flatUnits.get(unit) ?? flatUnit(unit);
  flatUnits.set(unit, known);
  return known;
}

function flatUnit(unit: AnyAlgorithm): AnyAlgorithm {
  const schema = unit.options as TObject;
  const text = textOf(schema);
  const nested = (config: object) => nestedOptions(schema, config) as Record<string, unknown> & PlayOptions;
  const flatProblem = ({ key, message, remedy, ...rest }: ConfigProblem): ConfigProblem => ({
    ...rest,
    ...(key !== undefined && { key: text(key) }),
    message: text(message),
    remedy: text(remedy),
  });
  const problemsOf = (check: ((options: Record<string, unknown>) => ConfigProblem[]) | undefined) =>
    check && ((config: object) => check(nested(config)).map(flatProblem));
  const { evaluationMetrics, valueFunction, frozenIterations } = unit;
  return {
    ...unit,
    options: Type.Object(flatProperties(schema), { additionalProperties: false }),
    playerOptions: unit.playerOptions.map((path) => text(`algorithm.${path}`)),
    train: (run, config) =>
      unit.train(run, nested(config)).catch((error: unknown) => {
        if (error instanceof Error) error.message = text(error.message);
        throw error;
      }),
    openPlayer: (agent, config) => unit.openPlayer(agent, nested(config)),
    ...(evaluationMetrics && {
      evaluationMetrics: (agent, episodes, config) => evaluationMetrics(agent, episodes, nested(config as object)),
    }),
    ...(valueFunction && { valueFunction: (config) => valueFunction(nested(config as object)) }),
    ...(frozenIterations && { frozenIterations: (config) => frozenIterations(nested(config as object)) }),
    problems: problemsOf(unit.problems),
    choiceProblems: problemsOf(unit.choiceProblems),
    offPolicyRollouts: problemsOf(unit.offPolicyRollouts),
  } satisfies AnyAlgorithm;
}
