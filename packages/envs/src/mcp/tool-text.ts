// Describes the tools of a server for the first observation.
import type { Tool } from '@modelcontextprotocol/client';
import type { McpOptions } from './options.js';
import { spaced } from './replies.js';

/** Writes the description; '' where there is nothing to describe. @param instructions the server's own instructions */
export function toolsText(
  tools: readonly Tool[],
  instructions: string | undefined,
  { showTools, callFormat }: Pick<McpOptions, 'showTools' | 'callFormat'>,
): string {
  if (showTools === 'none') return '';
  if (showTools === 'names') return `Tools: ${tools.map(signature).join(', ')}`;
  const shown = instructions === undefined ? [] : [instructions.trim(), ''];
  return [...shown, ...(callFormat === 'json' ? jsonLines(tools) : hermesLines(tools))].join('\n');
}

const signature = ({ name, inputSchema }: Tool): string =>
  `${name}(${Object.keys(inputSchema.properties ?? {}).join(', ')})`;

const jsonLines = (tools: readonly Tool[]): string[] => [
  'You may call these tools:',
  ...tools.map((tool) => spaced(functionOf(tool))),
  'Every reply is one JSON object and nothing else: {"name": TOOL, "arguments": {…}} calls a tool, {"answer": TEXT} is the answer and ends the task.',
];

const hermesLines = (tools: readonly Tool[]): string[] => [
  'You may call these tools. A call is <tool_call>{"name": ..., "arguments": {...}}</tool_call>.',
  '<tools>',
  ...tools.map((tool) => spaced({ type: 'function', function: functionOf(tool) })),
  '</tools>',
  'A reply without a call is the answer and ends the task.',
];

/** Returns the function of a tool in the form that chat templates take. */
function functionOf({ name, description, inputSchema }: Tool): Record<string, unknown> {
  const { $schema: _, ...parameters } = inputSchema;
  return { name, ...(description !== undefined && { description }), parameters };
}
