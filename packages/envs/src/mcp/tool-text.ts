import type { Tool } from '@modelcontextprotocol/client';
import type { McpOptions } from './options.js';
import { spaced } from './replies.js';

/** The members of a tool that the description for the agent shows. */
export type DescribedTool = Pick<Tool, 'name' | 'description' | 'inputSchema'>;

/**
 * Writes the description of the tools that the agent reads; empty if there is none. @param instructions the server's instructions
 * to its users @param answer the text that says how the agent must write its final answer
 */
export function toolsText(
  tools: readonly DescribedTool[],
  instructions: string | undefined,
  { showTools, callFormat }: Pick<McpOptions, 'showTools' | 'callFormat'>,
  answer = 'the answer and ends the task',
): string {
  if (showTools === 'none') return '';
  if (showTools === 'names') return `Tools: ${tools.map(signature).join(', ')}`;
  const shown = instructions === undefined ? [] : [instructions.trim(), ''];
  return [...shown, ...(callFormat === 'json' ? jsonLines(tools, answer) : hermesLines(tools, answer))].join('\n');
}

const signature = ({ name, inputSchema }: DescribedTool): string =>
  `${name}(${Object.keys(inputSchema.properties ?? {}).join(', ')})`;

const jsonLines = (tools: readonly DescribedTool[], answer: string): string[] => [
  'You may call these tools:',
  ...tools.map((tool) => spaced(functionOf(tool))),
  `Every reply is one JSON object and nothing else: {"name": TOOL, "arguments": {…}} calls a tool, {"answer": TEXT} is ${answer}.`,
];

const hermesLines = (tools: readonly DescribedTool[], answer: string): string[] => [
  'You may call these tools. A call is <tool_call>{"name": ..., "arguments": {...}}</tool_call>.',
  '<tools>',
  ...tools.map((tool) => spaced({ type: 'function', function: functionOf(tool) })),
  '</tools>',
  `A reply without a call is ${answer}.`,
];

/** Returns a tool as a function in the form that chat templates accept. */
function functionOf({ name, description, inputSchema }: DescribedTool): Record<string, unknown> {
  const { $schema: _, ...parameters } = inputSchema;
  return { name, ...(description !== undefined && { description }), parameters };
}
