// The answers of a server as text: other media are named in words.
import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/client';

type ContentBlock = CallToolResult['content'][number];
type ResourceContents = ReadResourceResult['contents'][number];

/** The content of a result; its structured content, as JSON, where it has no other. */
export function resultText({ content = [], structuredContent }: CallToolResult): string {
  if (content.length > 0) return content.map(blockText).join('\n');
  return structuredContent === undefined ? '(no content)' : JSON.stringify(structuredContent);
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

/** A resource's text; what is not text is named. */
export const contentsText = (contents: ResourceContents): string =>
  'text' in contents
    ? contents.text
    : `(${contents.mimeType ?? 'data of an unknown type'}, ${bytesOf(contents.blob)} bytes)`;

const bytesOf = (base64: string): number => Buffer.byteLength(base64, 'base64');
