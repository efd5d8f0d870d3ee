// Converts results of an MCP server (tool calls, resources) to text; for images, sound and other media, only their kind.
import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/client';

type ContentBlock = CallToolResult['content'][number];
type ResourceContents = ReadResourceResult['contents'][number];

/** Returns the text of a tool's result, followed by its structured content as JSON unless the text contains that already. */
export function resultText({ content = [], structuredContent }: CallToolResult): string {
  const texts = content.map(blockText);
  if (structuredContent !== undefined && !isSaid(structuredContent, content))
    texts.push(structuredText(structuredContent));
  return texts.length > 0 ? texts.join('\n') : '(no content)';
}

/** Returns whether the texts have the structured content as JSON, or its member `result`, in which some servers wrap values. */
function isSaid(structured: unknown, content: readonly ContentBlock[]): boolean {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const says = (text: string, value: unknown) => text === value || isDeepStrictEqual(parsed(text), value);
  if (texts.some((text) => says(text, structured))) return true;
  if (Object.keys(structured ?? {}).join() !== 'result') return false;
  const { result } = structured as { result: unknown };
  if (texts.some((text) => says(text, result))) return true;
  return Array.isArray(result) && result.length === texts.length && texts.every((text, i) => says(text, result[i]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The SDK has already parsed the JSON, so that a note is added to integers which a float64 cannot represent. */
function structuredText(structured: unknown): string {
  const json = JSON.stringify(structured);
  const large = /(?<![\d.eE"])-?\d{16,}(?![\d.eE])/.exec(json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'))?.[0];
  if (large === undefined || Number.isSafeInteger(Number(large))) return json;
  return `${json}\n(integers above ${Number.MAX_SAFE_INTEGER} may have lost their last digits)`;
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `(${block.type} ${block.mimeType}, ${bytesOf(block.data)} bytes)`;
    case 'resource_link':
      return `(link to the resource ${block.uri}: ${block.title ?? block.name})`;
    case 'resource':
      return `(resource ${block.resource.uri})\n${contentsText(block.resource)}`;
  }
}

/** Returns the text of a resource; for other media, only their kind. */
export const contentsText = (contents: ResourceContents): string =>
  'text' in contents
    ? contents.text
    : `(${contents.mimeType ?? 'data of an unknown type'}, ${bytesOf(contents.blob)} bytes)`;

const bytesOf = (base64: string): number => Buffer.byteLength(base64, 'base64');
