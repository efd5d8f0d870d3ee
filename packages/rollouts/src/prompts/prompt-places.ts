// Finds the instructions (system messages, descriptions of tools) in requests, and replaces them by evolved prompts.
import { isRecord } from '@bowyer/core';
import type { Prompts } from './candidates.js';

type Json = Record<string, unknown>;

/** Receives every instruction of a request's body, and returns the text that replaces it. */
type Visit = (text: string, kind: PlaceKind) => string;

/** The kind of an instruction: a system message, or the description of the named tool. */
type PlaceKind = { kind: 'system' } | { kind: 'tool'; name: string };

/** Returns a copy of a request's body in which `visit` has replaced each instruction. All other fields are unchanged. */
function mapped(body: unknown, visit: Visit): unknown {
  if (!isRecord(body)) return body;
  const changed: Json = { ...body };
  const system: PlaceKind = { kind: 'system' };
  for (const field of ['instructions', 'system'])
    if (field in body) changed[field] = mappedText(body[field], system, visit);
  for (const field of ['messages', 'input'])
    if (Array.isArray(body[field])) changed[field] = body[field].map((message) => mappedMessage(message, visit));
  if (Array.isArray(body.tools)) changed.tools = body.tools.map((tool) => mappedTool(tool, visit));
  return changed;
}

function mappedMessage(message: unknown, visit: Visit): unknown {
  if (!isRecord(message) || (message.role !== 'system' && message.role !== 'developer')) return message;
  return { ...message, content: mappedText(message.content, { kind: 'system' }, visit) };
}

function mappedText(content: unknown, place: PlaceKind, visit: Visit): unknown {
  if (typeof content === 'string') return visit(content, place);
  if (!Array.isArray(content)) return content;
  return content.map((part) =>
    isRecord(part) && typeof part.text === 'string' ? { ...part, text: visit(part.text, place) } : part,
  );
}

/** Applies `visit` to a tool's description, which Chat Completions has in `function`, Responses and Messages in the tool. */
function mappedTool(tool: unknown, visit: Visit): unknown {
  if (!isRecord(tool)) return tool;
  if (isRecord(tool.function)) return { ...tool, function: mappedTool(tool.function, visit) };
  const { name, description } = tool;
  if (typeof name !== 'string' || typeof description !== 'string') return tool;
  return { ...tool, description: visit(description, { kind: 'tool', name }) };
}

/** Returns the instructions in a request's body, in order. */
export function promptTexts(body: unknown): { text: string; place: PlaceKind }[] {
  const found: { text: string; place: PlaceKind }[] = [];
  mapped(body, (text, place) => {
    found.push({ text, place });
    return text;
  });
  return found;
}

/**
 * Returns the request with prompts replaced. A prompt is replaced even within a longer text, so that what an agent adds to its
 * prompt for a task is kept. One message may contain several prompts, which are all replaced.
 *
 * @param own the agent's original prompts, which the `prompts` of the same names replace
 */
export function withPrompts(body: unknown, own: Prompts, prompts: Prompts): unknown {
  const places = Object.keys(own).filter((place) => own[place] !== '');
  if (places.every((place) => own[place] === prompts[place])) return body;
  // Longer prompts are replaced first, so that a prompt that is contained in a longer one is not replaced within it.
  places.sort((a, b) => own[b].length - own[a].length);
  return mapped(body, (text, kind) => {
    const ofKind = places.filter((place) =>
      kind.kind === 'tool' ? place === `tool ${kind.name}` : !place.startsWith('tool '),
    );
    return replaced(text, ofKind, own, prompts);
  });
}

/** Replaces prompts one after another, each only where no earlier one has matched. Replacements are not searched again. */
function replaced(text: string, [place, ...others]: readonly string[], own: Prompts, prompts: Prompts): string {
  if (place === undefined) return text;
  const between = text.split(own[place]);
  return between.map((part) => replaced(part, others, own, prompts)).join(prompts[place]);
}

/**
 * Returns the instructions that all given rollouts have in common, by name: `system`, `system 2` and so on in their order, and
 * `tool NAME`.
 *
 * @param rollouts for each rollout, the bodies of its requests
 * @throws if the rollouts have no instruction in common
 */
export function commonPrompts(rollouts: readonly (readonly unknown[])[]): Prompts {
  const perRollout = rollouts.map((bodies) => new Map(bodies.flatMap(promptTexts).map((each) => [keyOf(each), each])));
  const common = [...(perRollout[0]?.values() ?? [])].filter((each) => perRollout.every((own) => own.has(keyOf(each))));
  const prompts: Record<string, string> = {};
  let systems = 0;
  for (const { text, place } of common) {
    if (text.trim() === '') continue;
    if (place.kind === 'tool') prompts[`tool ${place.name}`] ??= text;
    else prompts[++systems === 1 ? 'system' : `system ${systems}`] = text;
  }
  if (Object.keys(prompts).length > 0) return prompts;
  throw new Error(
    'the agent has no system message and no tool description that is the same in all of its first rollouts\n' +
      '  write the texts that may be changed into a file and give it: task.prompts=FILE, a JSON object of texts by name',
  );
}

const keyOf = ({ text, place }: { text: string; place: PlaceKind }): string =>
  JSON.stringify([place.kind === 'tool' ? place.name : null, text]);
