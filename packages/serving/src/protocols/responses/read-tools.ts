// The tools of a request in the form of Chat Completions, which chat templates take. Those of a namespace are called by the names of
// both; a search that a server would run is left out, since agents offer it wherever they are.
import type { RequestFields } from '../fields/request-fields.js';
import { nestedResponseFields as nested } from './known-fields.js';

/** A tool of a namespace as its client knows it. */
export interface SpacedName {
  namespace: string;
  name: string;
}

export interface ResponseTools {
  tools: Record<string, unknown>[];
  /** By the names that the model calls them by. */
  spaced: ReadonlyMap<string, SpacedName>;
  /** The places of those that are left out. */
  left: readonly string[];
}

/** The name that the model reads and writes. */
export const wholeName = ({ namespace, name }: SpacedName): string => `${namespace}__${name}`;

/** @throws {BadRequestError} */
export function readTools(fields: RequestFields): ResponseTools {
  const value = fields.value('tools');
  const given =
    value === undefined || (Array.isArray(value) && value.length === 0) ? [] : fields.objects('tools', null);
  const spaced = new Map<string, SpacedName>();
  const left: string[] = [];
  const tools = given.flatMap((tool, i) => {
    const type = tool.text('type', '');
    if (type.startsWith('web_search')) {
      left.push(fields.placeOf(`tools[${i}]`));
      return [];
    }
    if (type === 'namespace') return ofNamespace(fields.within(tool.plain(), nested.namespace, `tools[${i}]`), spaced);
    return [functionOf(fields, tool, `tools[${i}]`)];
  });
  checkNames(fields, tools);
  return { tools, spaced, left };
}

function ofNamespace(space: RequestFields, spaced: Map<string, SpacedName>): Record<string, unknown>[] {
  const namespace = nameOf(space);
  const about = space.text('description', '');
  return space.objects('tools', null).map((given, i) => {
    const tool = functionOf(space, given, `tools[${i}]`, about);
    const name = (tool.function as { name: string }).name;
    const whole = wholeName({ namespace, name });
    spaced.set(whole, { namespace, name });
    return { ...tool, function: { ...(tool.function as object), name: whole } };
  });
}

/** @param about the description of the tool's namespace, which stands before its own */
function functionOf(fields: RequestFields, given: RequestFields, place: string, about = ''): Record<string, unknown> {
  const type = given.text('type', '');
  if (type !== 'function')
    throw given.fail(
      'type',
      `is '${type}', a tool that a server runs or reads in its own way; this server serves 'function' and 'namespace'`,
    );
  const tool = fields.within(given.plain(), nested['tools[]'], place);
  const description = [about, tool.text('description', '')].filter((text) => text !== '').join('\n');
  const strict = tool.boolean('strict');
  const parameters = tool.value('parameters') === undefined ? null : tool.object('parameters', null).plain();
  const described = { ...(description !== '' && { description }), ...(parameters && { parameters }) };
  return { type: 'function', function: { name: nameOf(tool), ...described, ...(strict && { strict }) } };
}

function nameOf(tool: RequestFields): string {
  const name = tool.text('name', '');
  if (name === '') throw tool.fail('name', 'must be a string');
  return name;
}

/** A call could mean either of two tools with one name. */
function checkNames(fields: RequestFields, tools: readonly Record<string, unknown>[]): void {
  const names = tools.map((tool) => (tool.function as { name: string }).name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw fields.fail('tools', `has two tools that are called as '${twice}'`);
}
