// Records the calls of ordinary clients of a served model as rollouts with their answers' ids, and users' feedback.
import {
  BadRequestError,
  modelCalls,
  type CallObserver,
  type CompletionRequest,
  type ObservedCall,
  type OpenedCall,
} from '@bowyer/serving';
import type { ChatMessage } from '@bowyer/text';
import { UnknownRolloutError } from '../endpoint/rollout-state-error.js';
import { begunCall, plainMessage, recordedCalls } from '../record/call-record.js';
import type { RolloutLog } from '../record/rollout-log.js';
import { checkReward } from '../rewards/figure-bounds.js';
import { REWARD } from '../trajectories/final-rewards.js';
import { redactedCall, redactedValue, type Redact } from './redacted.js';

export interface TrafficRecorderOptions {
  /** The log of recorded calls, which must stay open until the server has closed. */
  log: RolloutLog;
  /** Redacts every text before it is stored; nothing is redacted if not given. */
  redact?: Redact;
  /** Returns the name of the served model that answers a request, such as that of a canary; the requested model if not given. */
  route?: (request: CompletionRequest, session: string | undefined) => string;
}

/** A user's feedback on an answer. */
export interface Feedback {
  /** The user's rating: 1 for thumbs up, 0 for thumbs down. */
  value?: number;
  /** The answer that the model should have given: a text, or an assistant's message in the form of Chat Completions. */
  correction?: string | object;
  /** The index of the answer that `correction` replaces; 0 if not given. */
  choice?: number;
}

export class TrafficRecorder implements CallObserver {
  version = 0;

  constructor(private readonly options: TrafficRecorderOptions) {}

  placeOf = (_: unknown, path: string): { path: string; rollout: null } => ({ path, rollout: null });

  rolloutOfKey = (): null => null;

  open = (opened: OpenedCall): Promise<ObservedCall> => {
    const { log, redact, route } = this.options;
    const begun = begunCall(0, '', opened);
    let answer: string | null = null;
    return Promise.resolve({
      ...(route && { settled: (request) => ({ ...request, model: route(request, begun.hints.session) }) }),
      completed: async (sent, request, completed, id) => {
        const begunCalls = request.prompts.map((_, call) => ({ ...begun, rollout: id, call }));
        const calls = recordedCalls(begunCalls, sent, request, completed);
        answer = id;
        await Promise.all([
          ...calls.map((call) =>
            log.append({ type: 'call', id, call: redact ? redactedCall(call, redact) : call, keys: [] }),
          ),
          log.append({ type: 'ended', id, status: 'ended', at: Date.now() }),
        ]);
      },
      undelivered: () => {
        if (answer !== null) void log.append({ type: 'undelivered', id: answer, call: 0 }).catch(() => undefined);
      },
      failed: () => undefined, // there is no answer to record
    });
  };

  /**
   * Stores feedback on an answer, and resolves once it is on disk. It replaces earlier feedback on the same answer. A corrected
   * answer without a rating is rated 0.
   *
   * @param id of the answer, from the model's response
   * @throws {UnknownRolloutError} for an answer that is not in the record, or no longer
   * @throws {BadRequestError} for feedback that is empty, or contradicts the answer
   */
  async feedback(id: string, { value, correction, choice = 0 }: Feedback): Promise<void> {
    const { log, redact = (text) => text } = this.options;
    if (value === undefined && correction === undefined)
      throw new BadRequestError("feedback needs 'thumbs', a 'value' or a 'correction'");
    const rollout = await log.read(id);
    if (!rollout?.calls.length)
      throw new UnknownRolloutError(`there is no answer '${id}' in the record; the oldest are removed first`);
    const [call] = rollout.calls;
    const given = value ?? 0;
    checkReward(given, false);
    const at = Date.now();
    const events = [log.append.bind(log, { type: 'reward', id, reward: { value: given, name: REWARD, at } })];
    if (correction !== undefined) {
      if (call.messages.length === 0)
        throw new BadRequestError(
          `the answer '${id}' is to a text and not to a chat, and cannot be corrected`,
          'correction',
        );
      if (choice >= call.choices.length)
        throw new BadRequestError(`the request has ${call.choices.length} answers; there is no ${choice}`, 'choice');
      const message = redactedValue(plainMessage(await messageOf(correction)), redact);
      events.push(log.append.bind(log, { type: 'correction', id, correction: { choice, message, at } }));
    }
    await Promise.all(events.map((append) => append()));
  }
}

/** Converts a correction to an assistant's message. @throws {BadRequestError} if it is not one */
async function messageOf(correction: string | object): Promise<ChatMessage> {
  const said = typeof correction === 'string' ? { content: correction } : correction;
  const messages = [
    { role: 'user', content: '' },
    { ...said, role: 'assistant' },
  ];
  const { dialogue } = modelCalls.find(({ name }) => name === 'chat-completions')!;
  const read = await dialogue({ messages }, new AbortController().signal).catch((error: Error) => {
    throw new BadRequestError(`'correction' is not a message of the assistant: ${error.message}`, 'correction');
  });
  return read!.messages[1];
}
