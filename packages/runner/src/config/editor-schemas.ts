// Makes JSON Schemas with which editors check and complete the YAML config files of this repository. They are derived from the
// schemas that validate a run, but no key is required, since a file contains only differences from its defaults, and
// interpolations are allowed everywhere.
import type { TProperties } from '@sinclair/typebox';
import { algorithmNames, findAlgorithm } from '@bowyer/algorithms';
import { environmentInfo, environmentNames } from '@bowyer/envs';
import { findLogger, loggerNames } from '@bowyer/logging';
import { findTask, taskNames } from '../tasks/registry.js';
import { contextNode } from '../agent/context/context-keys.js';
import { endpointNode } from '../agent/keys/play-keys.js';
import { envNodeSchema } from '../agent/environment/environment-keys.js';
import { memoryNode } from '../agent/memory/memory-keys.js';
import type { Choices } from '../agent/keys/choices.js';
import { algorithmNode } from '../keys/algorithm-node.js';
import { optionsOf } from './units.js';

export type Schema = { [key: string]: unknown };

/** Text that may stand in place of any value: an interpolation `${…}`, or `???` for a value that the user must give. */
const placeholder: Schema = { type: 'string', pattern: '\\$\\{|^\\?\\?\\?$' };

function editable(schema: Schema): Schema {
  if (schema.properties === undefined) return { anyOf: [schema, placeholder], description: schema.description };
  const properties = Object.entries(schema.properties as Record<string, Schema>);
  const { required: _, ...rest } = schema;
  return { ...rest, properties: Object.fromEntries(properties.map(([key, value]) => [key, editable(value)])) };
}

/** Adds the key `defaults`, the list that the composition of configs reads, to the schema of a config file. */
function configFile(schema: Schema): Schema {
  const own = {
    defaults: { type: 'array', description: 'the defaults list, as in Hydra: the configs that are composed, in order' },
  };
  return { ...schema, properties: { ...own, ...(schema.properties as Schema) } };
}

/** Lists every combination of an algorithm, an environment and other settings on which it depends which config keys exist. */
export function allChoices(): Choices[] {
  const settings: Record<string, unknown>[] = [
    {},
    { 'optimizer.kind': 'muon' },
    {
      'optimizer.kind': 'sgd',
      'critic.kind': 'transformer',
      'lora.enabled': true,
      'play.as_chat': true,
      'rollout.mode': 'lock_step',
    },
    { 'task.protocol': 'mcp', 'task.item_list': 'list.json', 'task.agent': 'node agent.js' },
  ].map((given) => ({
    'policy.checkpoint': null,
    'policy.model': null,
    'critic.model': null,
    ...given,
  }));
  const variants = [...algorithmNames().flatMap((name) => environmentNames().map((env) => ({ name, env })))];
  return settings.flatMap((given) =>
    variants.map(({ name, env }) => ({ algorithm: findAlgorithm(name)!, env, setting: (key) => given[key] })),
  );
}

/** The result has the keys of both schemas. If the second has no further keys, the first is returned. */
export function merged(a: Schema | undefined, b: Schema): Schema {
  if (a === b || a?.properties === undefined || b.properties === undefined) return a ?? b;
  const [left, right] = [a.properties, b.properties] as Record<string, Schema>[];
  const added = Object.entries(right)
    .map(([key, node]) => [key, merged(left[key], node)] as const)
    .filter(([key, node]) => node !== left[key]);
  return added.length === 0 ? a : { ...a, properties: { ...left, ...Object.fromEntries(added) } };
}

/**
 * Makes a schema of every option that any task reads. The nodes `env` and `algorithm` accept any option, since their options
 * depend on their names.
 */
function runSchema(): Schema {
  let properties: Schema = { properties: {} };
  const tasks = taskNames().map((name) => findTask(name)!);
  const [first] = environmentNames();
  for (const choices of allChoices())
    // The options of a task that plays no episodes do not depend on the environment, so that one environment is enough.
    for (const task of tasks.filter(({ plays }) => plays || choices.env === first)) {
      const { env: _, algorithm: __, ...options } = optionsOf(task, choices) as TProperties;
      properties = merged(properties, { properties: options });
    }
  const nodes = properties.properties as Record<string, Schema>;
  nodes.context = contextNode as Schema;
  nodes.memory = memoryNode as Schema;
  nodes.policy = merged(nodes.policy, { properties: { endpoint: endpointNode } });
  nodes.algorithm = { type: 'object', required: ['name'], properties: { name: { enum: algorithmNames() } } };
  return { type: 'object', additionalProperties: false, properties: { ...nodes, env: envNodeSchema(null) } };
}

function runFile(run: Schema): Schema {
  const schema = editable(run);
  const hydra = { type: 'object', description: 'settings of the command line and of sweeps' };
  return { ...schema, properties: { ...(schema.properties as Schema), hydra } };
}

const groupNodes = [
  'context',
  'memory',
  'critic',
  'optimizer',
  'policy',
  'launcher',
  'sweeper',
  'demonstrations',
] as const;

/** Makes the schemas of all config files; the keys are the names of the schema files without `.json`. */
export function editorSchemas(): Record<string, Schema> {
  const run = runSchema();
  const nodes = run.properties as Record<string, Schema>;
  const plain = (schema: Schema) => JSON.parse(JSON.stringify(configFile(schema))) as Schema;
  return {
    run: plain(runFile(run)),
    ...Object.fromEntries(groupNodes.map((group) => [group, plain(editable(nodes[group]))])),
    ...Object.fromEntries(
      environmentNames().map((name) => [`env-${name}`, plain(editable(envNodeSchema(environmentInfo(name).name)))]),
    ),
    ...Object.fromEntries(
      algorithmNames().map((name) => [
        `algorithm-${name}`,
        plain(editable(algorithmNode(findAlgorithm(name)!) as Schema)),
      ]),
    ),
    ...Object.fromEntries(
      loggerNames().map((name) => [`logger-${name}`, plain(editable(findLogger(name)!.options as Schema))]),
    ),
  };
}

/** @param config such as `env/maze` or `archer_20q` */
export function schemaNameOf(config: string): string {
  const [group, name] = config.split('/');
  if (name === undefined) return 'run';
  if (group === 'env' || (group === 'algorithm' && algorithmNames().includes(name))) return `${group}-${name}`;
  if (group === 'logger' && findLogger(name)) return `logger-${name}`;
  return groupNodes.find((node) => node === group) ?? 'run';
}

/**
 * The comment line in a config file that names its schema.
 *
 * @param file the path of the config file, relative to the repository
 */
export function schemaLine(file: string, config: string): string {
  const up = '../'.repeat(file.split('/').length - 1);
  return `# yaml-language-server: $schema=${up}schemas/${schemaNameOf(config)}.json`;
}
