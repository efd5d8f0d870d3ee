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
  messages: object[];
}

/**
 * A conversation for each branch: an answer whose dialogue no later call continues. Calls of texts, auxiliary ones and those whose
 * answer did not reach the agent are left out.
 */
export function conversationsOf({ calls }: Pick<RecordedRollout, 'calls'>): RecordedConversation[] {
  const answered = calls
    .filter(({ delivered, auxiliary, messages }) => delivered && !auxiliary && messages.length > 0)
    .flatMap((call) =>
      call.choices.map((choice): Answered => ({ call, messages: [...dialogueOf(call), answerOf(choice)] })),
    );
  const continued = new Set(answered.flatMap(({ call }) => prefixes(dialogueOf(call))));
  return answered
    .filter(({ messages }) => !continued.has(keyOf(messages)))
    .map(({ call: { tools }, messages }) => ({ messages, ...(tools.length > 0 && { tools }) }));
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

/** The dialogues that a dialogue continues. */
const prefixes = (messages: readonly object[]): string[] => messages.map((_, i) => keyOf(messages.slice(0, i + 1)));

/** Clients write spaces, ids and absent fields in other ways. */
const keyOf = (messages: readonly object[]): string => JSON.stringify(messages.map(partsOf));

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
