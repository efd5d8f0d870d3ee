import { choice, integer, option, text } from '@bowyer/core';
import { options, type OptionsOf } from '../option.js';

/** The formats in which a reply contains tool calls; see replies.ts. */
export const callFormats = ['json', 'hermes'] as const;
export type CallFormat = (typeof callFormats)[number];

const words = (description: string) =>
  option<readonly string[]>({ description, type: 'array', items: { type: 'string' }, default: [] });

/** The longest timeout in milliseconds that Node's timers accept. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;
const milliseconds = { maximum: LONGEST_WAIT_MS };

export const mcpSchema = options({
  command: option<string | readonly string[] | null>({
    description:
      "Command that starts the server, which speaks MCP over stdin and stdout: 'npx -y some-server', or a list of words. It is run without a shell; {folder} is the path of the episode's folder.",
    type: ['string', 'array', 'null'],
    items: { type: 'string' },
    minItems: 1,
    default: null,
  }),
  args: words('Further arguments of the command, passed on unchanged except for {folder}.'),
  environment: words(
    'Names of environment variables that are passed to the server, in addition to HOME, LOGNAME, PATH, SHELL, TERM and USER.',
  ),
  url: text(
    null,
    'Address of a server over Streamable HTTP, such as http://127.0.0.1:3000/mcp, instead of a command; null: `command` starts the server.',
  ),
  tokenVariable: text(
    null,
    'Name of an environment variable whose value is sent to the address as a bearer token; null: none.',
  ),
  tasks: text(null, 'File of tasks, .jsonl or .csv, with id and prompt, which must be given; see mcp.md.'),
  checker: text(
    null,
    'Module whose default export computes the reward of an episode (.js, .mjs or .ts); null: 1 if the answer equals that of the task, else 0.',
  ),
  tools: option<readonly string[] | null>({
    description: 'Names of the tools that the agent may call; null: all of the server.',
    type: ['array', 'null'],
    items: { type: 'string' },
    minItems: 1,
    default: null,
  }),
  showTools: choice(
    ['schemas', 'names', 'none'],
    'schemas',
    'Description of the tools in the first observation: their JSON schemas and the form of a call, only the names of tools and arguments, or nothing.',
  ),
  callFormat: choice(
    callFormats,
    'json',
    'json: a reply is one JSON object, {"name", "arguments"} or {"answer"}; hermes: calls stand between <tool_call> and </tool_call>, and a reply without one is the answer.',
  ),
  isolate: choice(
    ['episode', 'shared'],
    'episode',
    'episode: every episode starts its own server (or its own session at the address); shared: all episodes of a process use one server.',
  ),
  folder: option<string | null>({
    description:
      'Name of the episode’s folder in tasks and for the agent, such as /workspace. Every episode has a new folder, which replaces {folder} in the command and is removed afterwards; null: no folder.',
    type: ['string', 'null'],
    pattern: '^/[A-Za-z0-9_-]+$',
    default: null,
  }),
  maxTurns: integer(20, 'Turns after which the episode is truncated.'),
  resultChars: integer(
    8_000,
    'Longest result of a tool that the agent reads, in characters; of a longer result the middle is omitted.',
    { minimum: 100 },
  ),
  startMs: integer(
    60_000,
    'Longest wait for the server to start and to list its tools, in milliseconds.',
    milliseconds,
  ),
  timeoutMs: integer(
    60_000,
    'Longest wait for the result of a call, in milliseconds; after it the server is ended.',
    milliseconds,
  ),
});

export type McpOptions = OptionsOf<typeof mcpSchema>;
