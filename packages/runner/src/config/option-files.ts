// Writes the files that are generated from the schemas of the registered tasks, algorithms and environments: the YAML files in
// configs/task, configs/algorithm, configs/env and configs/demonstrations, and the tables of flat names, algorithms and
// environments. `npm run option-files` calls it.
import { Type, type TObject, type TProperties, type TSchema } from '@sinclair/typebox';
import { algorithmNames, findAlgorithm } from '@bowyer/algorithms';
import type { FlatNames, FlatPath } from '@bowyer/config';
import { group, isGroup, toSnakeCase } from '@bowyer/core';
import { environmentInfo, environmentNames, type OptionsSchema } from '@bowyer/envs';
import { reasonAgainstAgents } from '../tasks/train-agent/unit.js';
import { findTask, taskNames } from '../tasks/registry.js';
import type { TaskUnit } from '../tasks/task.js';
import { allChoices, merged, schemaLine, type Schema } from './editor-schemas.js';
import { FLAT_NAMES } from '../keys/flat-names.js';
import { flatNamesOfUnits } from './flat-names-of-units.js';
import { optionsOf } from './units.js';

const WIDTH = 120;

const WRITTEN = '# Written by `npm run option-files` from the schema of the';

/**
 * Returns the text of each generated file, by its path in the repository.
 *
 * @param pageOf returns the page of an environment or algorithm, as a path in the repository
 * @param environmentsPage the text of docs/environments/README.md, whose table is written again
 */
export function optionFiles(pageOf: (name: string) => string, environmentsPage: string): Record<string, string> {
  const names = flatNamesOfUnits();
  const files: Record<string, string> = {
    [`configs/${FLAT_NAMES}`]: flatNamesFile(names),
    'docs/flat-names.md': flatNamesPage(names),
    'docs/algorithms/README.md': algorithmsPage(pageOf),
    'docs/environments/README.md': environmentsPage.replace(
      /\| name \| task \|\n(?:\|.*\n)+/,
      () => `${environmentsTable(pageOf).join('\n')}\n`,
    ),
  };
  const add = (config: string, lines: readonly string[], node = config.split('/')[0]): void => {
    const file = `configs/${config}.yaml`;
    files[file] = `${[`# @package ${node}`, schemaLine(file, config), ...lines].join('\n')}\n`;
  };
  for (const name of taskNames()) {
    const task = findTask(name)!;
    const about = [...comment(sentence(task.description)), `${WRITTEN} task.`];
    add(`task/${name}`, [...about, ...optionLines(optionsOfTask(task))], '_global_');
  }
  for (const name of algorithmNames()) {
    const { description, options } = findAlgorithm(name)!;
    const about = [...comment(`${description}: ${pageOf(name)}`), `${WRITTEN} algorithm.`, `name: ${name}`];
    add(`algorithm/${name}`, [...about, ...optionLines(options as TObject)]);
  }
  for (const name of environmentNames()) {
    const { description, schema, demonstrations } = environmentInfo(name);
    const about = [...comment(`${description} ${pageOf(name)}`), `${WRITTEN} environment.`, `name: ${name}`];
    add(`env/${name}`, [...about, ...optionLines(schema)]);
    if (!demonstrations || Object.keys(demonstrations.schema.properties).length === 0) continue;
    const ofExpert = [
      `# The options of the expert: ${pageOf(name)}`,
      `${WRITTEN} environment.`,
      ...optionLines(demonstrations.schema),
    ];
    add(`demonstrations/${name}`, ofExpert);
  }
  return files;
}

const sentence = (text: string): string => `${text[0].toUpperCase()}${text.slice(1)}.`;

/**
 * Collects the options with a default for the YAML file of a task. Options of algorithms and environments are in their own files.
 */
function optionsOfTask(unit: TaskUnit): TObject {
  const [first] = environmentNames();
  const known = allChoices().filter(({ env }) => env === first);
  const schemas = known.map(({ setting, algorithm }) => {
    const { algorithm: _, ...options } = optionsOf(unit, { setting, algorithm, env: null });
    return { properties: options };
  });
  const withoutAlgorithm = optionsOf(unit, { ...known[0], algorithm: null, env: null });
  const { properties } = [...schemas, { properties: withoutAlgorithm }].reduce<Schema>(
    (all, schema) => merged(all, schema),
    { properties: {} },
  );
  const { task: own, ...others } = withValues(Type.Object(properties as TProperties)).properties;
  const name = Type.Literal(unit.name, { default: unit.name, description: 'what is chosen' });
  const task = group({ name, ...(own as TObject | undefined)?.properties }, 'what the run does');
  return Type.Object({ task, ...others });
}

function withValues(schema: TObject): TObject {
  const members = Object.entries(schema.properties as TProperties).flatMap(([key, member]): [string, TSchema][] => {
    if (!isGroup(member)) return member.default === undefined ? [] : [[key, member]];
    const inner = withValues(member);
    return Object.keys(inner.properties).length === 0 ? [] : [[key, inner]];
  });
  return { ...schema, properties: Object.fromEntries(members) };
}

/** Writes the table of flat names as JSON, with one name per line. */
const flatNamesFile = (names: FlatNames): string => {
  const lines = Object.entries(names).map(([name, paths]) => {
    const texts = paths.map((path) => JSON.stringify(path));
    return `  ${JSON.stringify(name)}: [${texts.join(', ')}]`;
  });
  return `{\n${lines.join(',\n')}\n}\n`;
};

const flatNamesPage = (names: FlatNames): string =>
  [
    '# Flat names of options',
    '',
    'Options may also be given by short names without their node; the names of version 0.2, ArCHer and AgentGym are among them.',
    'Command lines, sweeps and files accept them ([configs](configs.md)). `npm run option-files` writes this page.',
    '',
    '- A path followed by “of …” is valid only for the algorithms listed there.',
    '- If a name has paths in several nodes, it stands for the first path that the config has. If the config has several of its',
    '  paths in one node, the name is refused, and the message lists them.',
    '- The last row, `*`, lists the nodes in which a name without a row of its own is looked up, such as an option of a plugin.',
    '',
    '| name | path |',
    '|---|---|',
    ...Object.entries(names).map(([name, paths]) => `| \`${name}\` | ${paths.map(pathText).join('; ')} |`),
    '',
  ].join('\n');

const pathText = (given: FlatPath): string =>
  typeof given === 'string' ? `\`${given}\`` : `\`${given.path}\` of ${given.units.join(', ')}`;

const link = (name: string, page: string) => `[\`${name}\`](../../${page})`;

const environmentsTable = (pageOf: (name: string) => string): string[] => [
  '| name | task |',
  '|---|---|',
  ...environmentNames().map((name) => `| ${link(name, pageOf(name))} | ${environmentInfo(name).description} |`),
];

function algorithmsPage(pageOf: (name: string) => string): string {
  const rows = algorithmNames().map((name) => {
    const unit = findAlgorithm(name)!;
    const { needs, description, trainsWithChoices = [], offPolicyRollouts } = unit;
    const source = needs.source === 'dataset' ? 'a dataset' : needs.dataset ? 'both' : 'episodes';
    const choices = trainsWithChoices.map((choice) => `\`${choice}\``).join(', ');
    const cells = [choices, offPolicyRollouts ? 'yes' : '', reasonAgainstAgents(unit) === null ? 'yes' : ''];
    return `| ${[link(name, pageOf(name)), description, source, needs.critic ? 'yes' : '', ...cells].join(' | ')} |`;
  });
  return [
    '# Algorithms',
    '',
    '`algorithm=NAME` chooses one. Each has a page with equations, commands, logged metrics, departures from the paper and results.',
    'Their options stand below `algorithm`: `actor.lr` of a page is `algorithm.actor.lr`. `npm run option-files` writes this page from',
    'the registry.',
    '',
    '- **learns from**: episodes that it plays, a dataset, or both.',
    '- **critic**: a critic of utterances, trained on its own network.',
    '- **trains with**: values of `play.action_choice` besides `free` with which it may train ([context](../context.md)).',
    '- **other policies**: its rollouts may be those of another policy, of a [server](../remote-policy.md) or of an earlier',
    '  [iteration](../asynchronous.md).',
    '- **agents**: it may train an [agent of yours](../agents/train.md).',
    '',
    '| algorithm | what it is | learns from | critic | trains with | other policies | agents |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/**
 * Writes the YAML lines of options, each below a comment with its description; options of a group are below the description of
 * the group.
 */
const optionLines = ({ properties }: OptionsSchema | TObject): string[] =>
  Object.entries(properties as TProperties).flatMap(([key, option]) => {
    const about = ['', ...comment(option.description!)];
    if (!isGroup(option)) return [...about, ...entry(toSnakeCase(key), option.default, option.type === 'number')];
    return [...about, `${key}:`, ...optionLines(option).map((line) => (line === '' ? '' : `  ${line}`))];
  });

function comment(text: string): string[] {
  const lines = ['#'];
  for (const word of text.split(' ')) {
    if (lines.at(-1)!.length + 1 + word.length > WIDTH) lines.push('#');
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines;
}

const entry = (key: string, value: unknown, isFloat: boolean): string[] =>
  Array.isArray(value) && value.length > 0
    ? [`${key}:`, ...value.map((item) => `  - ${inline(item)}`)]
    : [`${key}: ${inline(value, isFloat)}`];

function inline(value: unknown, isFloat = false): string {
  if (typeof value === 'string' && value.includes('\n')) return JSON.stringify(value);
  if (typeof value === 'string') return isPlain(value) ? value : `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'number') return isFloat && Number.isInteger(value) ? value.toFixed(1) : String(value);
  if (Array.isArray(value)) return `[${value.map((item) => inline(item)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(([key, item]) => `${toSnakeCase(key)}: ${inline(item)}`);
  return `{${entries.join(', ')}}`;
}

const isPlain = (text: string): boolean =>
  /^[A-Za-z][\w-]*$/.test(text) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(text);
