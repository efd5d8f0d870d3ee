import { existsSync } from 'node:fs';
import { defineEnvironment } from '../define-environment.js';
import { taskMembers } from '../task-units.js';
import { resetSchemaWith, type EnvProblem } from '../unit.js';
import { commandWords } from './command-line.js';
import { McpEnv } from './mcp-env.js';
import { mcpSchema, type McpOptions } from './options.js';
import { writeReply } from './replies.js';
import { mcpTasks, type McpTask } from './task-file.js';

const task = { description: 'Id of the task, instead of one drawn by the seed.', type: 'string' } as const;

const tasksOf = ({ tasks, checker }: Pick<McpOptions, 'tasks' | 'checker'>): readonly McpTask[] =>
  tasks === null ? [] : mcpTasks(tasks, checker !== null);

const make = (options: McpOptions) => new McpEnv(options);

export const mcpUnit = defineEnvironment<McpOptions>({
  name: 'mcp',
  description: 'Tasks of a file, solved by the tools of an MCP server.',
  schema: mcpSchema,
  resetSchema: resetSchemaWith({ task }),
  make,
  ...taskMembers({
    tasks: tasksOf,
    reset: ({ id }) => ({ task: id }),
    isShown: ({ expert }) => expert !== null,
    make,
    unshown: ({ tasks }) => `no training task of ${tasks ?? 'env.tasks'} has an expert`,
    source: { independentOf: ['startMs', 'timeoutMs', 'isolate'] },
  }),
  evaluation: { taskType: ({ kind }) => (kind as string | null | undefined) ?? null },
  context: () => ({ observation: 'turn', kind: 'dialogue', parts: ['taskDescription'] }),
  sampleActions: ['{"answer": "1"}', '{"name": "tool", "arguments": {}}', 'yes', ''],
  tokens: {
    vocabulary: (options) =>
      tasksOf(options).flatMap(({ prompt, answer, expert }) => [
        prompt,
        answer ?? '',
        ...(expert ?? []).map((step) => writeReply(step, options.callFormat)),
      ]),
  },
  // The reward of a solved task is 1.
  critic: { typicalReturn: () => 0.3 },
  config: {
    readWith: {
      args: { url: [null] },
      environment: { url: [null] },
      tokenVariable: { command: [null] },
      folder: { url: [null], isolate: ['episode'] },
    },
    problems: (options) => [...serverProblems(options), ...folderProblems(options), ...fileProblems(options)],
  },
});

function serverProblems({ command, url, environment, tokenVariable }: McpOptions): EnvProblem[] {
  if ((command === null) === (url === null))
    return [
      {
        key: 'env.command',
        message:
          command === null
            ? 'env.command and env.url are null: no server is named'
            : 'env.command and env.url name a server each',
        remedy: "write env.command='npx -y some-server', or env.url=http://HOST:PORT/mcp",
      },
    ];
  if (url !== null && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    return [
      { key: 'env.url', message: `env.url: '${url}' is not an address of HTTP`, remedy: 'write http://HOST:PORT/mcp' },
    ];
  const names = [...environment, ...(tokenVariable === null ? [] : [tokenVariable])];
  return [...wordProblems(command), ...names.flatMap(variableProblem)];
}

function wordProblems(command: McpOptions['command']): EnvProblem[] {
  try {
    if (command !== null) commandWords(command);
    return [];
  } catch (error) {
    return [
      {
        key: 'env.command',
        message: `env.command: ${(error as Error).message}`,
        remedy: 'write it as a list of words',
      },
    ];
  }
}

const variableProblem = (name: string): EnvProblem[] =>
  process.env[name] === undefined
    ? [
        {
          key: 'env.environment',
          message: `the environment variable ${name}, which the server is to be given, is not set`,
          remedy: `set it (export ${name}=…), or leave it out`,
        },
      ]
    : [];

function folderProblems(options: McpOptions): EnvProblem[] {
  if (options.folder !== null) return [];
  const isNamed = [options.command ?? [], options.args].flat().some((word) => word.includes('{folder}'));
  const task = tasksOf(options).find(({ files }) => Object.keys(files).length > 0);
  if (!isNamed && task === undefined) return [];
  const place = isNamed ? 'the command has {folder}' : `the task '${task!.id}' has files`;
  return [
    {
      key: 'env.folder',
      message: `env.folder is null, and ${place}`,
      remedy: 'write the path under which the agent knows the folder: env.folder=/workspace (with env.isolate=episode)',
    },
  ];
}

const fileProblems = ({ tasks, checker }: McpOptions): EnvProblem[] => [
  ...(tasks === null
    ? [{ key: 'env.tasks', message: 'env.tasks is null: there is no task', remedy: 'write env.tasks=FILE.jsonl' }]
    : []),
  ...(checker !== null && !existsSync(checker)
    ? [
        {
          key: 'env.checker',
          message: `env.checker: there is no file '${checker}'`,
          remedy: 'name a module (.js, .mjs or .ts)',
        },
      ]
    : []),
];
