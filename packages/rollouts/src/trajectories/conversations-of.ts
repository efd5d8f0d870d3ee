// Converts a recorded rollout to conversations to imitate: what a stronger model has said is learned by supervised learning,
// with or without token ids.
import { parseJson, type ChatMessage } from '@bowyer/text';
import type { RecordedCall, RecordedChoice, RecordedRollout } from '../record/recorded.js';
import { dialogueKeys, toolsKey } from '../tree/dialogue-keys.js';

/** A line of the data of task=finetune. */
export interface RecordedConversation {
  /** In the form of Chat Completions, from the first message to an answer of the model. */
  messages: object[];
  /** In the form of Chat Completions; absent where the calls had none. */
  tools?: unknown[];
}

interface Answered {
  call: RecordedCall;
  /** The dialogue up to the answer, as the model has said it. */
  messages: ChatMessage[];
  /** The keys of the dialogue's prefixes, one for each message. */
  keys: string[];
}

/**
 * Returns a conversation for each branch, which ends with an answer that no later call with the same tools continues. Each answer is
 * learned in one conversation, with the reasoning that clients leave out of histories. Elsewhere it has the weight 0, as have
 * messages that the model did not say, such as examples and edited answers, and answers with a call whose arguments are not a JSON
 * object. An answer that was cut, or ended by a text of the request (`stop`), has its `finish_reason`, and its end is not
 * learned. Calls of texts, auxiliary ones and those whose answer did not reach the agent are left out.
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

/** Returns the messages before an answer. @param unlearned answers by their dialogues; those that stand here are taken out */
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

/** Cuts off final answers that are not learned; returns nothing where no answer is learned. */
function upToLearned({ messages, ...more }: RecordedConversation): RecordedConversation[] {
  const isLearned = (message: object) => {
    const { role, weight } = message as ChatMessage;
    return role === 'assistant' && weight !== 0;
  };
  const end = messages.findLastIndex(isLearned) + 1;
  return end === 0 ? [] : [{ messages: messages.slice(0, end), ...more }];
}

/** Returns an answer as a message of Chat Completions, with what is not to be learned of it. */
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

/** Returns whether a tool can be called with the arguments: an object of JSON that has each key once, or nothing. */
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
