// Converts a recorded rollout to conversations for supervised learning (task=finetune), even without token ids.
import { parseJson, type ChatMessage } from '@bowyer/text';
import type { RecordedCall, RecordedChoice, RecordedRollout } from '../record/recorded.js';
import { dialogueKeys, toolsKey } from '../tree/dialogue-keys.js';

/** One line of the training data of task=finetune. */
export interface RecordedConversation {
  /** The messages in the form of Chat Completions, from the first one to the model's last answer. */
  messages: object[];
  /** The tools in the form of Chat Completions; absent if the requests had none. */
  tools?: unknown[];
}

interface Answered {
  call: RecordedCall;
  /** The messages of the dialogue, of which the answer is the last. */
  messages: ChatMessage[];
  /** [messages] the key of the dialogue up to each message. Dialogues with the same key have the same content. */
  keys: string[];
}

/**
 * Returns a conversation for each answer that no later call with the same tools continues. Each answer is learned in one
 * conversation, with the reasoning that clients omit when they repeat it. In all other conversations it has the weight 0, and so
 * do messages that the model did not generate (such as examples and edited answers) and answers with a tool call whose arguments
 * are not a JSON object. An answer that was truncated, or ended by the request's `stop`, has its `finish_reason`, and its end is
 * not learned. Text completions, auxiliary calls, and calls whose answer did not reach the agent are omitted.
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
 * Returns the messages before an answer, with those answers that no conversation teaches yet. They are removed from `unlearned`.
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

/** Removes the last messages of a conversation that are not learned; returns an empty list if no answer of it is learned. */
function upToLearned({ messages, ...more }: RecordedConversation): RecordedConversation[] {
  const isLearned = (message: object) => {
    const { role, weight } = message as ChatMessage;
    return role === 'assistant' && weight !== 0;
  };
  const end = messages.findLastIndex(isLearned) + 1;
  return end === 0 ? [] : [{ messages: messages.slice(0, end), ...more }];
}

/** Returns an answer as a message of Chat Completions, with fields that exclude what is not learned. */
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

/** Returns whether the arguments of a tool call are valid: a JSON object without repeated keys, or nothing. */
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
