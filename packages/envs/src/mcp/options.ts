import { choice, integer, option, text } from '@bowyer/core';
import { options, type OptionsOf } from '../option.js';

/** The formats of calls in a reply; see replies.ts. */
export const callFormats = ['json', 'hermes'] as const;
export type CallFormat = (typeof callFormats)[number];

const words = (description: string) =>
  option<readonly string[]>({ description, type: 'array', items: { type: 'string' }, default: [] });

/** The longest timeout of Node's timers in milliseconds. */
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
  args: words('Further words of the command, taken as they are but for {folder}.'),
  environment: words(
    'Names of environment variables that the server is given, beside HOME, LOGNAME, PATH, SHELL, TERM and USER.',
  ),
  url: text(null, 'Address of a server over Streamable HTTP, such as http://127.0.0.1:3000/mcp, instead of a command.'),
  tokenVariable: text(
    null,
    'Name of an environment variable whose value is sent to the address as a bearer token; null: none.',
  ),
  tasks: text(null, 'File of tasks, .jsonl or .csv, with id and prompt; see mcp.md.'),
  checker: text(
    null,
    'Module whose default export computes the reward of an episode (.js, .mjs or .ts); null: 1 where the answer is equal to that of the task, else 0.',
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
    'The part about tools in the first observation: their JSON schemas and how a call is written, their names with those of their arguments, or nothing.',
  ),
  callFormat: choice(
    callFormats,
    'json',
    'json: a reply is one JSON object, {"name", "arguments"} or {"answer"}; hermes: calls stand between <tool_call> and </tool_call>, and a reply without one is the answer.',
  ),
  isolate: choice(
    ['episode', 'shared'],
    'episode',
    'episode: every episode starts a server (or a session at the address) of its own; shared: all of a process use one.',
  ),
  folder: option<string | null>({
    description:
      'Path under which the agent and the tasks know the folder of the episode, such as /workspace: a new one for every episode, in the place of {folder}, removed afterwards; null: none.',
    type: ['string', 'null'],
    pattern: '^/[A-Za-z0-9_-]+$',
    default: null,
  }),
  maxTurns: integer(20, 'Turns after which the episode is truncated.'),
  resultChars: integer(
    8_000,
    'Longest result of a tool that the agent reads, in characters; the middle of a longer one is left out.',
    { minimum: 100 },
  ),
  startMs: integer(
    60_000,
    'Longest wait for the server to start and to list its tools, in milliseconds.',
    milliseconds,
  ),
  timeoutMs: integer(
    60_000,
    'Longest wait for the result of a call, in milliseconds; the server is given up after it.',
    milliseconds,
  ),
});

export type McpOptions = OptionsOf<typeof mcpSchema>;
