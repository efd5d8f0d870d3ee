// Makes the record of a model call from its request and its answer.
import { createHash } from 'node:crypto';
import { jsonAsWritten, textAsWritten, type ChatMessage } from '@bowyer/text';
import type { Choice, Completed, CompletionRequest, OpenedCall } from '@bowyer/serving';
import type { RecordedCall, RecordedChoice } from './recorded.js';

/** The fields of a recorded call that are already known when the call begins. */
export type BegunCall = Pick<
  RecordedCall,
  'call' | 'rollout' | 'protocol' | 'path' | 'startedAt' | 'retry' | 'hints' | 'auxiliary'
>;

export function begunCall(call: number, rollout: string, { protocol, path, headers }: OpenedCall): BegunCall {
  const header = (name: string) => [headers[name]].flat()[0];
  const [session, parent] = [header('x-session-id'), header('x-parent-session-id')];
  return {
    call,
    rollout,
    protocol,
    path,
    startedAt: Date.now(),
    retry: Number.parseInt(header('x-stainless-retry-count') ?? '0', 10) || 0,
    hints: { ...(session && { session }), ...(parent && { parent }) },
    auxiliary: header('x-bowyer-purpose')?.trim().toLowerCase() === 'auxiliary',
  };
}

/** Returns the records of a request, one for each prompt (Completions allows several). @param sent the body of the response */
export function recordedCalls(
  calls: readonly BegunCall[],
  sent: unknown,
  request: CompletionRequest,
  { choices, aborted }: Completed,
): RecordedCall[] {
  const { chat, n } = request;
  const constraint = chat?.constraint ?? undefined;
  return request.prompts.map(({ ids }, p) => ({
    ...calls[p],
    request: sent,
    sampling: samplingOf(request),
    template: chat?.template.source === undefined ? null : digest(chat.template.source),
    tools: [...(chat?.inputs.tools ?? [])],
    messages: (chat?.messages ?? []).map(plainMessage),
    promptIds: ids,
    choices: choices.slice(p * n, (p + 1) * n).map((choice, index) => recordedChoice(choice, index, constraint)),
    endedAt: Date.now(),
    delivered: !aborted,
  }));
}

function recordedChoice(choice: Choice, index: number, constraint: string | undefined): RecordedChoice {
  const { sampled, text, reasoning = '', calls = [], attempts = [], isShortened, finishReason, stop } = choice;
  return {
    index,
    ...structuredClone(sampled!),
    ...(constraint !== undefined && { constraint }),
    finishReason: finishReason ?? 'stop',
    ...(stop !== undefined && { stop }),
    message: {
      content: text,
      ...(reasoning !== '' && { reasoning }),
      calls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
      ...(isShortened && { shortened: true as const }),
      ...(attempts.length > 0 && { attempts: [...attempts] }),
    },
  };
}

/** Returns the sampling settings with which the answer was sampled, including defaults. */
function samplingOf(request: CompletionRequest): Record<string, unknown> {
  const { model, n, maxTokens, minTokens, sampling, seed, stops, stopIds, ignoresEnd, rules } = request;
  const { logitBias, presencePenalty, frequencyPenalty } = request;
  const penalties = { presencePenalty, frequencyPenalty, repetitionPenalty: rules.repetitionPenalty };
  return { model, n, maxTokens, minTokens, ...sampling, seed, stops, stopIds, ignoresEnd, logitBias, ...penalties };
}

/** Returns a message in which the arguments of tool calls are JSON texts, character by character as they were sent. */
export function plainMessage(message: ChatMessage): ChatMessage {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  const written = (calls as { function: { arguments: unknown } }[]).map((call) => ({
    ...call,
    function: { ...call.function, arguments: argumentsText(call.function.arguments) },
  }));
  return { ...message, tool_calls: written };
}

const argumentsText = (value: unknown): string =>
  (typeof value === 'object' && value !== null ? textAsWritten(value) : undefined) ?? jsonAsWritten(value ?? {});

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
