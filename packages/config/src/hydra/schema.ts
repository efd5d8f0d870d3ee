// Checks the types of the settings under `hydra`: values are converted where Hydra converts them ('3' to 3); others are errors.
import { framePath, type Frame } from '../key-path.js';
import {
  Bytes,
  ScalarNode,
  isContainer,
  isInterpolation,
  isMissing,
  type ConfigNode,
  type MapNode,
  type Scalar,
} from '../node.js';
import { nodeStr, pythonStr, pythonTypeName, toInteger } from '../python-text.js';

type Schema =
  | { readonly type: 'any' }
  | { readonly type: 'text' | 'integer' | 'boolean' | 'mode'; readonly optional?: boolean }
  | { readonly type: 'dict'; readonly values: Schema; readonly optional?: boolean }
  | { readonly type: 'list'; readonly items: Schema }
  | { readonly type: 'struct'; readonly fields: Readonly<Record<string, Schema>> };

const any: Schema = { type: 'any' };
const text: Schema = { type: 'text' };
const optionalText: Schema = { type: 'text', optional: true };
const texts: Schema = { type: 'list', items: text };
const struct = (fields: Record<string, Schema>): Schema => ({ type: 'struct', fields });
const dict = (values: Schema): Schema => ({ type: 'dict', values });

const basicSweeper = struct({
  _target_: text,
  max_batch_size: { type: 'integer', optional: true },
  params: { type: 'dict', values: text, optional: true },
});

const basicLauncher = struct({ _target_: text });

const hydraSchema = struct({
  mode: { type: 'mode', optional: true },
  searchpath: texts,
  run: struct({ dir: text }),
  sweep: struct({ dir: text, subdir: text }),
  hydra_logging: dict(any),
  job_logging: dict(any),
  sweeper: any,
  launcher: any,
  callbacks: dict(any),
  help: struct({ app_name: text, header: text, footer: text, template: text }),
  hydra_help: struct({ hydra_help: text, template: text }),
  output_subdir: optionalText,
  overrides: struct({ hydra: texts, task: texts }),
  job: struct({
    name: text,
    chdir: { type: 'boolean', optional: true },
    override_dirname: text,
    id: text,
    num: { type: 'integer' },
    config_name: optionalText,
    env_set: dict(text),
    env_copy: texts,
    config: struct({ override_dirname: struct({ kv_sep: text, item_sep: text, exclude_keys: texts }) }),
  }),
  runtime: struct({
    version: text,
    version_base: text,
    cwd: text,
    config_sources: { type: 'list', items: struct({ path: text, schema: text, provider: text }) },
    output_dir: text,
    choices: dict(any),
  }),
  verbose: any,
  env: any,
});

export class HydraTypeError extends Error {
  constructor(
    message: string,
    readonly keyPath: string,
    readonly node: ConfigNode,
    /** If the setting does not exist: the keys that exist at its place. */
    readonly known?: readonly string[],
  ) {
    super(message);
  }
}

/** Checks and converts all settings of `hydra`. `allowUnknown`: as after `+hydra.…` on the command line. */
export function checkHydraTypes(hydra: Frame<MapNode>, allowUnknown: boolean): void {
  check(hydra, hydraSchema, allowUnknown);
  for (const [key, schema] of [
    ['sweeper', basicSweeper],
    ['launcher', basicLauncher],
  ] as const) {
    const node = hydra.node.get(key);
    if (isBasic(node)) check({ node, parent: hydra, key }, schema, allowUnknown);
  }
}

/** The types of other launchers' and sweepers' settings are not known, so these are not checked. */
function isBasic(node: ConfigNode | undefined): node is MapNode {
  const target = node?.kind === 'map' ? node.get('_target_') : undefined;
  return (
    target?.kind === 'scalar' && typeof target.value === 'string' && /\.Basic(Sweeper|Launcher)$/.test(target.value)
  );
}

function schemaAt(path: readonly string[]): Schema | undefined {
  let schema: Schema | undefined = hydraSchema;
  for (const key of path) {
    if (schema?.type === 'dict') schema = schema.values;
    else if (schema?.type === 'list') schema = schema.items;
    else schema = schema?.type === 'struct' && Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined;
  }
  return schema;
}

/** Returns whether a setting always exists, such as `hydra.verbose`. `path`: keys below `hydra`. */
export function isFixedSetting(path: readonly string[]): boolean {
  return schemaAt(path.slice(0, -1))?.type === 'struct' && schemaAt(path) !== undefined;
}

/** Converts a setting that an interpolation computed to its type. `path`: keys below `hydra`. */
export function convertSetting(path: readonly string[], frame: Frame): ConfigNode {
  const schema = schemaAt(path);
  const isSingle = schema && schema.type !== 'struct' && schema.type !== 'dict' && schema.type !== 'list';
  return isSingle ? check(frame, schema, true) : frame.node;
}

function check(frame: Frame, schema: Schema, allowUnknown: boolean): ConfigNode {
  const { node } = frame;
  if (schema.type === 'struct' && isInterpolation(node) && !allowUnknown)
    throw fail(frame, 'must be a dict that is written out, not an interpolation');
  if (schema.type === 'any' || isMissing(node) || isInterpolation(node)) return node;
  if (node.kind === 'scalar' && node.value === null) {
    if ('optional' in schema && schema.optional) return node;
    throw fail(frame, `must not be null`);
  }
  if (schema.type === 'struct' || schema.type === 'dict') {
    if (node.kind !== 'map') throw fail(frame, `must be a dict, not ${pythonTypeName(node)} '${nodeStr(node)}'`);
    for (const entry of node.entries.values()) {
      const key = String(entry.key);
      const field =
        schema.type === 'dict' ? schema.values : Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined;
      const child: Frame = { node: entry.node, parent: frame as Frame<MapNode>, key };
      if (field) entry.node = check(child, field, allowUnknown);
      else if (!allowUnknown && schema.type === 'struct') {
        throw new HydraTypeError(
          `Key '${key}' does not exist in '${framePath(frame)}'`,
          framePath(child),
          entry.node,
          Object.keys(schema.fields),
        );
      }
    }
    return node;
  }
  if (schema.type === 'list') {
    if (node.kind !== 'list') throw fail(frame, `must be a list, not ${pythonTypeName(node)} '${nodeStr(node)}'`);
    node.items.forEach(
      (item, index) =>
        (node.items[index] = check(
          { node: item, parent: frame as Frame<typeof node>, key: String(index) },
          schema.items,
          allowUnknown,
        )),
    );
    return node;
  }
  if (isContainer(node)) throw fail(frame, `must be ${schema.type}, not a ${node.kind === 'map' ? 'dict' : 'list'}`);
  const value = convert(node.value, schema.type);
  if (value === undefined) throw fail(frame, expectation(node, schema.type));
  return value === node.value ? node : Object.assign(new ScalarNode(value, node.origin), { previous: node.previous });
}

function expectation(node: ScalarNode, type: 'text' | 'integer' | 'boolean' | 'mode'): string {
  if (type === 'mode') return `must be RUN or MULTIRUN, not '${nodeStr(node)}'`;
  return `must be ${type === 'integer' ? 'an integer' : type === 'text' ? 'text' : 'true or false'}, not '${nodeStr(node)}' (${pythonTypeName(node)})`;
}

function fail(frame: Frame, message: string): HydraTypeError {
  return new HydraTypeError(`'${framePath(frame)}' ${message}`, framePath(frame), frame.node);
}

function convert(value: Scalar, type: 'text' | 'integer' | 'boolean' | 'mode'): Scalar | undefined {
  if (type === 'text') return value instanceof Bytes ? undefined : pythonStr(value);
  if (type === 'integer') {
    if (typeof value === 'number' || typeof value === 'bigint') return value;
    return typeof value === 'string' && /^\s*[-+]?\d+(_\d+)*\s*$/.test(value)
      ? toInteger(value.trim().replaceAll('_', ''))
      : undefined;
  }
  if (type === 'mode') return convertMode(value);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return value != 0; // oxlint-disable-line eqeqeq -- bigint and number alike
  if (typeof value !== 'string') return undefined;
  const word = value.toLowerCase();
  if (['yes', 'y', 'on', 'true', '1'].includes(word)) return true;
  return ['no', 'n', 'off', 'false', '0'].includes(word) ? false : undefined;
}

function convertMode(value: Scalar): Scalar | undefined {
  const name = typeof value === 'string' ? value.replace(/^RunMode\./, '') : value;
  if (name === 'RUN' || name === 1) return 'RUN';
  return name === 'MULTIRUN' || name === 2 ? 'MULTIRUN' : undefined;
}
