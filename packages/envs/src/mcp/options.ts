// Options of the environment `mcp`.

/** The formats of calls in a reply; see replies.ts. */
export const callFormats = ['json', 'hermes'] as const;
export type CallFormat = (typeof callFormats)[number];

export interface McpOptions {
  command: string | readonly string[] | null;
  args: readonly string[];
  environment: readonly string[];
  url: string | null;
  tokenVariable: string | null;
  tasks: string | null;
  checker: string | null;
  tools: readonly string[] | null;
  showTools: 'schemas' | 'names' | 'none';
  callFormat: CallFormat;
  isolate: 'episode' | 'shared';
  folder: string | null;
  maxTurns: number;
  resultChars: number;
  startMs: number;
  timeoutMs: number;
}

const texts = { type: 'array', items: { type: 'string' }, default: [] } as const;
const textOrNull = { type: ['string', 'null'], default: null } as const;

/** The longest deadline in milliseconds: Node's timers take no more. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;
const milliseconds = { type: 'integer', minimum: 1, maximum: LONGEST_WAIT_MS } as const;

export const mcpSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    command: {
      description:
        "Command that starts the server, which speaks MCP over stdin and stdout: 'npx -y some-server', or a list of words. It is run without a shell; {folder} is the path of the episode's folder.",
      type: ['string', 'array', 'null'],
      items: { type: 'string' },
      minItems: 1,
      default: null,
    },
    args: { description: 'Further words of the command, taken as they are but for {folder}.', ...texts },
    environment: {
      description:
        'Names of environment variables that the server is given, beside HOME, LOGNAME, PATH, SHELL, TERM and USER.',
      ...texts,
    },
    url: {
      description: 'Address of a server over Streamable HTTP, such as http://127.0.0.1:3000/mcp, instead of a command.',
      ...textOrNull,
    },
    tokenVariable: {
      description: 'Name of an environment variable whose value is sent to the address as a bearer token; null: none.',
      ...textOrNull,
    },
    tasks: { description: 'File of tasks, .jsonl or .csv, with id and prompt; see mcp.md.', ...textOrNull },
    checker: {
      description:
        'Module whose default export computes the reward of an episode (.js, .mjs or .ts); null: 1 where the answer is equal to that of the task, else 0.',
      ...textOrNull,
    },
    tools: {
      description: 'Names of the tools that the agent may call; null: all of the server.',
      type: ['array', 'null'],
      items: { type: 'string' },
      minItems: 1,
      default: null,
    },
    showTools: {
      description:
        'The part about tools in the first observation: their JSON schemas and how a call is written, their names with those of their arguments, or nothing.',
      type: 'string',
      enum: ['schemas', 'names', 'none'],
      default: 'schemas',
    },
    callFormat: {
      description:
        'json: a reply is one JSON object, {"name", "arguments"} or {"answer"}; hermes: calls stand between <tool_call> and </tool_call>, and a reply without one is the answer.',
      type: 'string',
      enum: callFormats,
      default: 'json',
    },
    isolate: {
      description:
        'episode: every episode starts a server (or a session at the address) of its own; shared: all of a process use one.',
      type: 'string',
      enum: ['episode', 'shared'],
      default: 'episode',
    },
    folder: {
      description:
        'Path under which the agent and the tasks know the folder of the episode, such as /workspace: a new one for every episode, in the place of {folder}, removed afterwards; null: none.',
      type: ['string', 'null'],
      pattern: '^/[A-Za-z0-9_-]+$',
      default: null,
    },
    maxTurns: { description: 'Turns after which the episode is truncated.', type: 'integer', minimum: 1, default: 20 },
    resultChars: {
      description: 'Characters of a result that the agent reads; the middle of a longer one is left out.',
      type: 'integer',
      minimum: 100,
      default: 8_000,
    },
    startMs: {
      description: 'Longest wait for the server to start and to list its tools, in milliseconds.',
      ...milliseconds,
      default: 60_000,
    },
    timeoutMs: {
      description: 'Longest wait for the result of a call, in milliseconds; the server is given up after it.',
      ...milliseconds,
      default: 60_000,
    },
  },
} as const;
