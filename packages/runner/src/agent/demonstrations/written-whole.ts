// Checks that a chat template writes everything that a file's conversations contain, such as tool calls.
import type { ChatTemplate, Conversation } from '@bowyer/text';
import { DataFileError, type DataFile } from '@bowyer/conversations';

/**
 * Refuses a chat template that leaves out something that the dialogues contain. For example, a template that leaves out tool
 * calls would teach a model to answer without them, and nothing in the losses would show it.
 *
 * @throws {DataFileError} with everything that is left out, and where it occurs first
 */
export function checkWrittenWhole(template: ChatTemplate, { path, items }: DataFile<Conversation>): void {
  const lost = new Map<string, string>();
  for (const { value, place } of items)
    for (const what of template.leavesOut(value)) if (!lost.has(what)) lost.set(what, place);
  if (lost.size === 0) return;
  const lines = [...lost].map(([what, place]) => `  ${what}: ${place}`);
  throw new DataFileError(
    [`${path}: the chat template leaves out parts of the messages, which would not be learned`, ...lines].join('\n'),
    'a template that does, such as chat.template=tools (plain text with tools, calls and thoughts, which needs no special tokens) ' +
      `or that of a model with tools${withoutThem([...lost.keys()])}`,
  );
}

/** Returns the command that removes from a file what the template leaves out; '' for texts that the messages need. */
function withoutThem(parts: readonly string[]): string {
  const paths = parts.map(pathOf);
  if (paths.includes(null)) return '';
  return `; or items without these parts: jq -c 'del(${[...new Set(paths)].join(', ')})' FILE > NEW`;
}

function pathOf(part: string): string | null {
  if (part === 'tools' || part === 'documents') return `.${part}`;
  if (part === 'the parameters of tools') return '.tools[].function.parameters';
  const [, key, role] = /^'(.*)' of (\w+) messages$/.exec(part) ?? [];
  return key === undefined ? null : `(.messages[] | select(.role == "${role}") | .${key})`;
}
