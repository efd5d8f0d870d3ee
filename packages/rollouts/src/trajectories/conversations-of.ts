// A recorded rollout as conversations to imitate: what a stronger model has said is learned by supervised learning, token ids or not.
import type { RecordedCall, RecordedChoice, RecordedRollout } from '../record/recorded.js';

/** A line of the data of task=finetune. */
export interface RecordedConversation {
  /** In the form of Chat Completions, from the first message to an answer of the model. */
  messages: object[];
  /** In the form of Chat Completions; absent where the calls had none. */
  tools?: unknown[];
}

interface Answered {
  call: RecordedCall;
  /** Up to the answer, as the model has said it. */
  messages: object[];
}

/**
 * A conversation for each branch: an answer whose dialogue no later call with the same tools continues. Each answer is learned once: in
 * the history of a conversation it has the reasoning that clients leave out, and what another conversation has, or the model did not say
 * there, such as an example or an edited answer, has the weight 0. Calls of texts, auxiliary ones and those whose answer did not reach
 * the agent are left out.
 */
export function conversationsOf({ calls }: Pick<RecordedRollout, 'calls'>): RecordedConversation[] {
  const answered = calls
    .filter(({ delivered, auxiliary, messages }) => delivered && !auxiliary && messages.length > 0)
    .flatMap((call) =>
      call.choices.map((choice): Answered => ({ call, messages: [...dialogueOf(call), answerOf(choice)] })),
    );
  const continued = new Set(answered.flatMap(({ call }) => prefixes(call)));
  const unlearned = new Map<string, object[]>();
  for (const { call, messages } of answered) {
    const key = keyOf(call, messages);
    unlearned.set(key, [...(unlearned.get(key) ?? []), messages.at(-1)!]);
  }
  return answered
    .filter(({ call, messages }) => !continued.has(keyOf(call, messages)))
    .map(({ call, messages }) => ({
      messages: [...learnedHistory(call, unlearned), messages.at(-1)!],
      ...(call.tools.length > 0 && { tools: call.tools }),
    }));
}

/** The messages before an answer. @param unlearned answers by their dialogues; those that stand here are taken out */
function learnedHistory(call: RecordedCall, unlearned: Map<string, object[]>): object[] {
  const keys = prefixes(call);
  return dialogueOf(call).map((message, i) => {
    if ((message as { role: string }).role !== 'assistant') return message;
    const said = unlearned.get(keys[i])?.shift() as { reasoning_content?: string } | undefined;
    if (said === undefined) return { ...message, weight: 0 };
    return said.reasoning_content === undefined ? message : { ...message, reasoning_content: said.reasoning_content };
  });
}

const dialogueOf = ({ messages }: RecordedCall): object[] => messages as object[];

function answerOf({ message: { content, reasoning, calls } }: RecordedChoice): object {
  const toolCalls = calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  return {
    role: 'assistant',
    content,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: toolCalls }),
  };
}

/** The dialogues that a call continues, each with one more message. */
const prefixes = (call: RecordedCall): string[] =>
  dialogueOf(call).map((_, i, messages) => keyOf(call, messages.slice(0, i + 1)));

/** Clients write spaces, ids and absent fields in other ways. */
const keyOf = ({ tools }: Pick<RecordedCall, 'tools'>, messages: readonly object[]): string =>
  JSON.stringify([tools, messages.map(partsOf)]);

function partsOf(message: object): unknown[] {
  const { role, content, tool_calls: calls } = message as { role: string; content?: unknown; tool_calls?: unknown };
  const text = typeof content === 'string' ? content.trim() : (content ?? '');
  const called = Array.isArray(calls) ? (calls as { function: { name: string; arguments: unknown } }[]) : [];
  return [role, text, called.map(({ function: { name, arguments: args } }) => [name, canonical(args)])];
}

/** JSON in a text, or as it is, with the same spaces. */
function canonical(args: unknown): string {
  if (typeof args !== 'string') return JSON.stringify(args);
  try {
    return JSON.stringify(JSON.parse(args));
  } catch {
    return args;
  }
}
