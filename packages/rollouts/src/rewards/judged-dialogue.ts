// Converts a recorded rollout to the dialogue that a judge reads.
import type { RecordedRollout } from '../record/recorded.js';
import { conversationsOf } from '../trajectories/conversations-of.js';
import type { JudgedMessage } from './judge.js';

/** Returns the messages of a rollout's conversations one after another; tool calls are written as JSON. */
export function judgedDialogue(rollout: Pick<RecordedRollout, 'calls'>): JudgedMessage[] {
  return conversationsOf(rollout).flatMap(({ messages }) => messages.map(judgedMessage));
}

function judgedMessage(message: object): JudgedMessage {
  const { role, content, tool_calls: calls } = message as { role: string; content?: unknown; tool_calls?: unknown };
  const said =
    typeof content === 'string' ? content : content === undefined || content === null ? '' : JSON.stringify(content);
  const called = Array.isArray(calls) && calls.length > 0 ? [JSON.stringify(calls)] : [];
  return { role, text: [...(said === '' ? [] : [said]), ...called].join('\n') };
}
