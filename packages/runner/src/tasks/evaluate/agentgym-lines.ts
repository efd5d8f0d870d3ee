// Writes episodes in the format of AgentGym's evaluation files: a JSON line per episode with conversations, item_id, reward and
// success.
import { episodicReturn, type Trajectory } from '@bowyer/core';

interface Message {
  from: 'human' | 'gpt';
  /** Whether a model is trained on the message; null for messages of the environment. */
  loss: boolean | null;
  value: string;
}

/** @param environment name with which the id of the item begins */
export function agentGymLine(environment: string, trajectory: Trajectory): object {
  const { transitions, infos, item, episode } = trajectory;
  const last = infos.at(-1) ?? {};
  const reward = typeof last.worth === 'number' ? last.worth : episodicReturn(trajectory);
  const id = item ?? String(episode);
  return {
    conversations: conversationOf(transitions),
    item_id: id.startsWith(`${environment}_`) ? id : `${environment}_${id}`,
    reward,
    // AgentGym counts a reward of exactly 1 as a success. If the environment reports `won`, that is used instead.
    success: Number(typeof last.won === 'boolean' ? last.won : reward === 1),
  };
}

/**
 * Lists the agent's actions, and the environment's texts between them, as messages. Each text appears once, although an
 * observation may repeat earlier ones.
 */
function conversationOf(transitions: Trajectory['transitions']): Message[] {
  const opening = transitions[0]?.observation ?? '';
  const messages: Message[] = [{ from: 'human', loss: null, value: opening }];
  for (const { observation, action, nextObservation } of transitions) {
    const said = observation + action;
    messages.push({ from: 'gpt', loss: true, value: action });
    const reply = nextObservation.startsWith(said) ? nextObservation.slice(said.length) : nextObservation;
    messages.push({ from: 'human', loss: null, value: reply });
  }
  return messages;
}
