// Converts a recorded rollout to conversations for supervised learning, for instance of a stronger model's answers, with or
// without token ids.
import { parseJson, type ChatMessage } from '@bowyer/text';
import type { RecordedCall, RecordedChoice, RecordedRollout } from '../record/recorded.js';
import { dialogueKeys, toolsKey } from '../tree/dialogue-keys.js';

/** A line of the data of task=finetune. */
export interface RecordedConversation {
  /** The messages in the form of Chat Completions, from the first one to an answer of the model. */
  messages: object[];
  /** The tools in the form of Chat Completions; absent if the calls had none. */
  tools?: unknown[];
}

interface Answered {
  call: RecordedCall;
  /** The dialogue up to and including the answer. */
  messages: ChatMessage[];
  /** The keys of the dialogue's prefixes, one for each message. */
  keys: string[];
}

/**
 * Returns a conversation for each branch, which ends with an answer that no later call with the same tools continues. Each answer
 * is learned in one conversation, with the reasoning that clients omit in histories. In other conversations it has the weight 0,
 * like messages that the model did not generate, such as examples and edited answers, and answers with a call whose arguments are
 * not a JSON object. An answer that was truncated, or ended by the request's `stop`, has its `finish_reason`, and its end is not
 * learned. Text completions, auxiliary calls, and calls whose answer did not reach the agent are omitted.
 */
export function conversationsOf({ calls }: Pick<RecordedRollout, 'calls'>): RecordedConversation[] {
  const answered = calls
    .filter(({ delivered, auxiliary, messages }) => delivered && !auxiliary && messages.length > 0)
    .flatMap((call) => call.choices.map((choice) => answeredOf(call, choice)));
  const continued = new Set(answered.flatMap(({ keys }) => keys.slice(0, -1)));
  const unlearned = new Map<string, ChatMessage[]>();
  for (const { messages, keys } of answered) {
    const key = keys.at(-1)!;
    unlearned.set(key, [...(unlearned.get(key) ?? []), messages.at(-1)!]);
  }
  return answered
    .filter(({ keys }) => !continued.has(keys.at(-1)!))
    .map(({ call, messages, keys }) => ({
      messages: [...learnedHistory(messages, keys, unlearned), messages.at(-1)!],
      ...(call.tools.length > 0 && { tools: call.tools }),
    }))
    .flatMap((conversation) => upToLearned(conversation));
}

function answeredOf(call: RecordedCall, choice: RecordedChoice): Answered {
  const messages = [...(call.messages as ChatMessage[]), answerOf(choice)];
  return { call, messages, keys: dialogueKeys(toolsKey(call.tools), messages) };
}

/**
 * Returns the messages before an answer.
 *
 * @param unlearned answers by their dialogues; those in this history are removed from the map
 */
function learnedHistory(
  messages: readonly ChatMessage[],
  keys: readonly string[],
  unlearned: Map<string, ChatMessage[]>,
): ChatMessage[] {
  return messages.slice(0, -1).map((message, i) => {
    if (message.role !== 'assistant') return message;
    const said = unlearned.get(keys[i])?.shift();
    if (said === undefined) return { ...message, weight: 0 };
    const { reasoning_content: reasoning, finish_reason: reason, weight } = said;
    return {
      ...message,
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
      ...(reason !== undefined && { finish_reason: reason }),
      ...(weight !== undefined && { weight }),
    };
  });
}

/** Removes final answers that are not learned; returns nothing if no answer is learned. */
function upToLearned({ messages, ...more }: RecordedConversation): RecordedConversation[] {
  const isLearned = (message: object) => {
    const { role, weight } = message as ChatMessage;
    return role === 'assistant' && weight !== 0;
  };
  const end = messages.findLastIndex(isLearned) + 1;
  return end === 0 ? [] : [{ messages: messages.slice(0, end), ...more }];
}

/** Returns an answer as a message of Chat Completions, with marks on the parts that are not learned. */
export function answerOf({ message: { content, reasoning, calls }, finishReason, stop }: RecordedChoice): ChatMessage {
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
    ...(finishReason === 'length' && { finish_reason: 'length' }),
    ...(stop !== undefined && { finish_reason: 'stop_sequence' }),
    ...(!calls.every(({ arguments: args }) => isCallable(args)) && { weight: 0 }),
  };
}

/** Returns whether arguments can be passed to a tool: a JSON object without repeated keys, or nothing. */
function isCallable(args: string): boolean {
  if (['', 'null'].includes(args.trim())) return true;
  let repeats = false;
  try {
    const value = parseJson(args, () => (repeats = true));
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !repeats;
  } catch {
    return false;
  }
}
