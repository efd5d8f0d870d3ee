// Validates a composed config against its JSON Schema. All violations are reported at once, each with its file and line, also for
// values that an override or interpolation has set.
import path from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Composition } from './composition.js';
import { ConfigError, placeText, type Violation } from './config-error.js';
import { child, rootFrame, type Frame } from './key-path.js';
import type { JsonSchema } from './json-schema.js';
import { nearest } from './nearest.js';
import {
  Float,
  MapNode,
  ScalarNode,
  isContainer,
  isInterpolation,
  isMissing,
  type ConfigNode,
  type ContainerNode,
  type Origin,
  type PlainValue,
  toPlain,
  type Entry,
} from './node.js';
import { pythonTypeName } from './python-text.js';
import { quickCheck } from './quick-check.js';
import { hugeIntegers, withSafeIntegers, type HugeInteger } from './safe-integers.js';

const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/** Validates a config. @throws {ConfigError} of kind 'validation' that reports every violation; its `violations` lists them */
export async function validate(composition: Composition, schema: JsonSchema): Promise<void> {
  const violations = await findViolations(composition, schema);
  if (violations.length === 0) return;
  const [first] = violations as [Violation];
  const count =
    violations.length === 1
      ? 'The config breaks its schema'
      : `The config breaks its schema in ${violations.length} places`;
  const report = violations.flatMap(({ message }) => ['', ...message.split('\n')]);
  const { keyPath, file, line, column } = first;
  throw new ConfigError('validation', count, report, { keyPath, file, line, column, violations });
}

/** Lists all violations of a config's schema, in the order of the config. */
export async function findViolations(composition: Composition, schema: JsonSchema): Promise<Violation[]> {
  const root = rootFrame(composition.root);
  const failed: Violation[] = [];
  const unresolved = new Set<string>();
  const resolved = composition.resolution().deep(root, {
    keepMissing: true,
    onError: (error, frame) => {
      failed.push(resolutionViolation(error));
      unresolved.add(pointerOf(frame));
      return new ScalarNode('???', frame.node.origin);
    },
  });
  const missing = missingValues(resolved, []).filter((at) => !unresolved.has(pointer(at)));
  const value = validatable(resolved);
  const huge = hugeIntegers(resolved, []);
  const bounded = withSafeIntegers(schema);
  if (failed.length + missing.length + huge.length === 0 && quickCheck(bounded, value)) return [];
  const check = await compile(bounded);
  const errors = check(value) ? [] : relevant(check.errors ?? []);
  const skip = new Set([...unresolved, ...missing.map(pointer)]);
  const found = errors
    .filter(({ instancePath }) => !skip.has(instancePath))
    .map((error) => violationOf(error, root, resolved));
  const bySchema = new Set(errors.map(({ instancePath }) => instancePath));
  const unsafe = huge.filter(({ keys }) => !bySchema.has(pointer(keys))).map((each) => hugeViolation(each, root));
  const all = [...failed, ...missing.map((at) => missingViolation(at, root)), ...found, ...unsafe];
  return unique(all).sort((a, b) => order(resolved, a.keyPath) - order(resolved, b.keyPath));
}

function hugeViolation({ keys, value }: HugeInteger, root: Frame<MapNode>): Violation {
  const keyPath = pathText(keys);
  const expected = value > 0n ? `at most ${Number.MAX_SAFE_INTEGER}` : `at least ${Number.MIN_SAFE_INTEGER}`;
  const { lines, origin } = provenance(root, keys);
  lines.push(`to change it, write '${keys.join('.')}=…'`);
  const found = String(value);
  return violation(
    `Config key '${keyPath}' must be ${expected}, not ${found}`,
    lines,
    { keyPath, expected, found },
    origin,
  );
}

async function compile(schema: JsonSchema): Promise<ValidateFunction> {
  const known = compiled.get(schema);
  if (known) return known;
  const { Ajv } = (await import('ajv')).default; // bundlers expose a CommonJS module only as the default export
  // One config per process is checked, so it does not pay to validate the schema or to optimize the generated code.
  const once = { meta: false, validateSchema: false, code: { optimize: false } };
  const check = new Ajv({ allErrors: true, verbose: true, strict: false, validateFormats: false, ...once }).compile(
    schema,
  );
  compiled.set(schema, check);
  return check;
}

/** Converts nodes to plain values for ajv; integers of any size become numbers. */
function validatable(node: ConfigNode): unknown {
  if (node.kind === 'list') return node.items.map(validatable);
  if (node.kind === 'map')
    return Object.fromEntries(
      [...node.entries.values()].map(({ key, node: value }) => [String(key), validatable(value)]),
    );
  if (typeof node.value === 'bigint') return Number(node.value);
  return node.value instanceof Float ? node.value.value : toPlain(node);
}

const pointer = (keys: readonly string[]) =>
  keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
const keysOf = (instancePath: string) =>
  instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

function pointerOf(frame: Frame): string {
  const keys: string[] = [];
  for (let at: Frame = frame; at.parent; at = at.parent) keys.unshift(at.key!);
  return pointer(keys);
}

function missingValues(node: ConfigNode, keys: readonly string[]): string[][] {
  if (node.kind === 'list') return node.items.flatMap((item, index) => missingValues(item, [...keys, String(index)]));
  if (node.kind === 'map')
    return [...node.entries.values()].flatMap(({ key, node: value }) => missingValues(value, [...keys, String(key)]));
  return isMissing(node) ? [[...keys]] : [];
}

/** Reduces ajv's errors about `anyOf` to those of the branch that was meant, if it can be determined, or else to one error. */
function relevant(errors: readonly ErrorObject[]): ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  let kept = errors.filter(({ keyword }) => keyword !== 'if');
  for (const choice of choices) {
    const inside = kept.filter((error) => error !== choice && error.schemaPath.startsWith(`${choice.schemaPath}/`));
    const branches = new Map<string, ErrorObject[]>();
    for (const error of inside) {
      const branch = error.schemaPath.slice(choice.schemaPath.length + 1).split('/')[0]!;
      branches.set(branch, [...(branches.get(branch) ?? []), error]);
    }
    // The branch of an `anyOf` or `oneOf` that the user has meant is the one whose constants all fit.
    const meant = [...branches.values()].filter((list) =>
      list.every(
        (error) =>
          (error.keyword !== 'const' && error.instancePath !== choice.instancePath) ||
          error.keyword === 'additionalProperties' ||
          error.keyword === 'required',
      ),
    );
    const chosen = meant.length === 1 && branches.size > 1 ? new Set(meant[0]) : undefined;
    kept = kept.filter((error) =>
      chosen ? error !== choice && (!inside.includes(error) || chosen.has(error)) : !inside.includes(error),
    );
  }
  return kept;
}

function violationOf(error: ErrorObject, root: Frame<MapNode>, resolved: ConfigNode): Violation {
  const keys = keysOf(error.instancePath);
  if (error.keyword === 'additionalProperties' || error.keyword === 'unevaluatedProperties')
    return unknownKey(error, keys, root);
  if (error.keyword === 'required') return requiredKey(error, keys, root, resolved);
  const keyPath = pathText(keys);
  const expected = expectation(error);
  const found = show(nodeAtKeys(resolved, keys));
  const { lines, origin } = provenance(root, keys);
  const options = optionsOf(error.parentSchema);
  const near = typeof error.data === 'string' ? nearest(error.data, options) : undefined;
  if (near) lines.push(`did you mean '${near}'?`);
  lines.push(`to change it, write '${keys.join('.')}=${near ?? example(error.parentSchema)}'`);
  return violation(
    `Config key '${keyPath}' must be ${expected}, not ${found}`,
    lines,
    { keyPath, expected, found, nearest: near },
    origin,
  );
}

function unknownKey(error: ErrorObject, keys: readonly string[], root: Frame<MapNode>): Violation {
  const params = error.params as { additionalProperty?: string; unevaluatedProperty?: string };
  const key = params.additionalProperty ?? params.unevaluatedProperty!;
  const keyPath = pathText([...keys, key]);
  const prefix = keys.length === 0 ? '' : `${pathText(keys)}.`;
  const known = Object.keys((error.parentSchema?.properties as object | undefined) ?? {});
  const near = nearest(key, known);
  const parent = frameAt(root, keys);
  const entry =
    parent?.node.kind === 'map'
      ? [...parent.node.entries.values()].find((candidate) => String(candidate.key) === key)
      : undefined;
  const origin = placeOf(entry) ?? parent?.node.origin;
  const lines = origin ? [`in ${shown(origin)}`] : [];
  lines.push(
    near
      ? `did you mean '${prefix}${near}'?`
      : `known keys ${prefix === '' ? 'here' : `in '${pathText(keys)}'`}: ${known.join(', ') || 'none'}`,
  );
  lines.push(`to remove it, write '~${[...keys, key].join('.')}'`);
  return violation(
    `Unknown config key '${keyPath}'`,
    lines,
    { keyPath, expected: 'a known key', found: key, nearest: near && prefix + near },
    origin,
  );
}

function placeOf(entry: Entry | undefined): Origin | undefined {
  const set = entry?.node.origin;
  return set?.source === entry?.keyOrigin.source ? entry?.keyOrigin : set;
}

function requiredKey(
  error: ErrorObject,
  keys: readonly string[],
  root: Frame<MapNode>,
  resolved: ConfigNode,
): Violation {
  const key = (error.params as { missingProperty: string }).missingProperty;
  const keyPath = pathText([...keys, key]);
  const properties = (error.parentSchema?.properties ?? {}) as Record<string, JsonSchema>;
  const there = nodeAtKeys(resolved, keys);
  const near =
    there?.kind === 'map'
      ? nearest(
          key,
          [...there.entries.values()].map((entry) => String(entry.key)),
        )
      : undefined;
  const origin = frameAt(root, keys)?.node.origin;
  const lines = origin?.line === undefined ? [] : [`needed in ${shown(origin)}`];
  if (near) lines.push(`'${pathText([...keys, near])}' exists; did you mean that?`);
  lines.push(`to give it, write '+${[...keys, key].join('.')}=${example(properties[key])}'`);
  return violation(
    `Missing config key '${keyPath}'`,
    lines,
    { keyPath, expected: expectedOf(properties[key] ?? {}), found: 'nothing', nearest: near },
    origin,
  );
}

function missingViolation(keys: readonly string[], root: Frame<MapNode>): Violation {
  const keyPath = pathText(keys);
  const { lines, origin } = provenance(root, keys);
  lines.push(`to give it, write '${keys.join('.')}=…'`);
  return violation(
    `Config key '${keyPath}' must be given (it is ???)`,
    lines,
    { keyPath, expected: 'a value', found: '???' },
    origin,
  );
}

function resolutionViolation({ message, keyPath = '', file, line, column }: ConfigError): Violation {
  return {
    keyPath,
    expected: 'a value that can be computed',
    found: 'an interpolation that cannot',
    file,
    line,
    column,
    message,
  };
}

function violation(
  summary: string,
  lines: readonly string[],
  parts: Omit<Violation, 'message' | 'file' | 'line' | 'column'>,
  origin: Origin | undefined,
): Violation {
  const message = [summary, ...lines.map((line) => `  ${line}`)].join('\n');
  return { ...parts, file: origin?.source, line: origin?.line, column: origin?.column, message };
}

/** Lists where the value at a path was written, including the interpolations that refer to it, and the values that it replaced. */
function provenance(root: Frame<MapNode>, keys: readonly string[]): { lines: string[]; origin?: Origin } {
  const frame = frameAt(root, keys) ?? nearestAncestor(root, keys);
  if (!frame) return { lines: [] };
  const { node } = frame;
  const lines = [`in ${shown(node.origin)}${isInterpolation(node) ? `, computed from '${node.value}'` : ''}`];
  const { previous } = node;
  if (previous) lines.push(`where it replaces ${show(previous)} of ${shown(previous.origin)}`);
  return { lines, origin: node.origin };
}

/** Finds the nearest ancestor that exists in the config: for a value inside an interpolated container, that is the container. */
function nearestAncestor(root: Frame<MapNode>, keys: readonly string[]): Frame | undefined {
  for (let length = keys.length - 1; length >= 0; length--) {
    const frame = frameAt(root, keys.slice(0, length));
    if (frame) return frame;
  }
  return undefined;
}

function frameAt(root: Frame<MapNode>, keys: readonly string[]): Frame | undefined {
  let at: Frame | undefined = root;
  for (const key of keys) at = at && isContainer(at.node) ? child(at as Frame<ContainerNode>, key) : undefined;
  return at;
}

function nodeAtKeys(node: ConfigNode | undefined, keys: readonly string[]): ConfigNode | undefined {
  return node?.kind === 'map' || node?.kind === 'list'
    ? keys.length === 0
      ? node
      : frameAt({ node } as Frame<MapNode>, keys)?.node
    : node;
}

const pathText = (keys: readonly string[]) =>
  keys.map((key, index) => (/^\d+$/.test(key) ? `[${key}]` : index === 0 ? key : `.${key}`)).join('') || 'the config';

/** Writes file and line; the file is relative to the working directory if it is inside it. */
export function shown(origin: Origin): string {
  const relative = path.relative(process.cwd(), origin.source);
  const isBelow = path.isAbsolute(origin.source) && !relative.startsWith('..') && relative !== '';
  return placeText({ source: isBelow ? relative : origin.source, line: origin.line });
}

function show(node: ConfigNode | undefined): string {
  if (!node) return 'nothing';
  if (node.kind !== 'scalar') return node.kind === 'map' ? 'a dict' : `a list of ${node.items.length}`;
  const { value } = node;
  if (typeof value === 'string') return `the text '${value.length > 60 ? `${value.slice(0, 60)}…` : value}'`;
  return value instanceof Float
    ? String(toPlain(node))
    : value === null
      ? 'null'
      : `${pythonTypeName(node) === 'bytes' ? 'bytes' : String(value)}`;
}

const typeNames: Record<string, string> = {
  integer: 'an integer',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  object: 'a dict',
  array: 'a list',
  null: 'null',
};

function expectation({ keyword, params, schema, parentSchema, message }: ErrorObject): string {
  const limit = (params as { limit?: number }).limit;
  switch (keyword) {
    case 'type':
    case 'enum':
    case 'const':
      return expectedOf(parentSchema as JsonSchema);
    case 'minimum':
      return `at least ${limit}`;
    case 'maximum':
      return `at most ${limit}`;
    case 'exclusiveMinimum':
      return `more than ${limit}`;
    case 'exclusiveMaximum':
      return `less than ${limit}`;
    case 'minItems':
      return `a list of at least ${limit}`;
    case 'maxItems':
      return `a list of at most ${limit}`;
    case 'minLength':
      return `text of at least ${limit} characters`;
    case 'maxLength':
      return `text of at most ${limit} characters`;
    case 'multipleOf':
      return `a multiple of ${String(schema)}`;
    case 'pattern':
      return `text that fits ${String(schema)}`;
    case 'anyOf':
    case 'oneOf':
      return (schema as JsonSchema[]).map(expectedOf).join(', or ');
    default:
      return (message ?? keyword).replace(/^must (be )?/, '');
  }
}

function expectedOf(schema: JsonSchema): string {
  if (Array.isArray(schema.enum))
    return `one of ${schema.enum
      .map((option) => JSON.stringify(option))
      .join(', ')
      .replaceAll('"', "'")}`;
  if ('const' in schema) return JSON.stringify(schema.const).replaceAll('"', "'");
  const alternatives = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (alternatives) return alternatives.map(expectedOf).join(', or ');
  const types = ([] as string[]).concat((schema.type as string | string[] | undefined) ?? []);
  return types.map((type) => typeNames[type] ?? type).join(' or ') || 'a value that the schema allows';
}

function optionsOf(schema: unknown): string[] {
  const {
    enum: options,
    anyOf,
    oneOf,
  } = (schema ?? {}) as { enum?: unknown[]; anyOf?: JsonSchema[]; oneOf?: JsonSchema[] };
  const constants = [...(anyOf ?? []), ...(oneOf ?? [])].flatMap((branch) => ('const' in branch ? [branch.const] : []));
  return [...(options ?? []), ...constants].filter((option): option is string => typeof option === 'string');
}

/** Returns an example value: the schema's default or first option, else a placeholder. */
function example(schema: unknown): string {
  const {
    default: fallback,
    examples,
    enum: options,
  } = (schema ?? {}) as { default?: PlainValue; examples?: unknown[]; enum?: unknown[] };
  const value = fallback ?? examples?.[0] ?? options?.[0];
  return value === undefined || typeof value === 'object' ? '…' : String(value);
}

function unique(violations: readonly Violation[]): Violation[] {
  const seen = new Set<string>();
  return violations.filter(({ message }) => !seen.has(message) && seen.add(message));
}

/** Returns a number by which keys are sorted as in the printed config. */
function order(root: ConfigNode, keyPath: string): number {
  const keys = keyPath.replace(/\[(\d+)\]/g, '.$1').split('.');
  let node: ConfigNode | undefined = root;
  let place = 0;
  let weight = 1;
  for (const key of keys) {
    weight /= 1000;
    const names: string[] =
      node?.kind === 'map'
        ? [...node.entries.values()].map((entry) => String(entry.key))
        : node?.kind === 'list'
          ? node.items.map((_, index) => String(index))
          : [];
    const index = names.indexOf(key);
    place += (index < 0 ? names.length : index) * weight;
    node = index < 0 ? undefined : nodeAtKeys(node, [key]);
  }
  return place;
}
