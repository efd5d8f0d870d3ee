import { recordedLines, whenRecorded } from '@bowyer/testing';
import {
  reactLine,
  reactRule,
  splitRule,
  sqlRule,
  withoutEndMarker,
  wordsRule,
  type ReplyRule,
} from './reply-rules.js';

const actionOf = (rule: ReplyRule, reply: string) => {
  const parsed = rule(reply);
  return 'action' in parsed ? parsed.action : parsed.refusal;
};

test('ReAct takes the last action, and the thought between the first two marks', () => {
  expect(reactRule('Thought: a\nThought: b\nAction: x\nAction: click[y] ')).toEqual({
    thought: 'a',
    action: 'click[y]',
  });
  expect(reactRule('click[y]')).toEqual({ thought: '', action: 'click[y]' });
  expect(reactRule('I wait')).toEqual({ thought: 'I wait', action: '' });
  expect(reactRule(reactLine('t', 'go to desk 1'))).toEqual({ thought: 't', action: 'go to desk 1' });
});

test('wordsRule keeps letters, digits, commas and spaces of the only action', () => {
  expect(actionOf(wordsRule, 'Action:\n\n[get  9 emerald_block]\nDone.')).toBe('get 9 emeraldblock');
  expect(actionOf(wordsRule, 'action: get 1 log')).toBe('');
});

test('splitRule takes the text after the first mark, not after the last', () => {
  expect(actionOf(splitRule, 'Action: move up Action: move down')).toBe('move up');
  expect(actionOf(splitRule, ' move up ')).toBe('move up');
});

test('SQL is read up to the fence', () => {
  expect(actionOf(sqlRule, 'So:\n```sql\nSELECT 1\n```\nas asked')).toBe('SELECT 1');
});

test('the end marker is cut exactly, or with AgentGym’s fifth character', () => {
  expect(withoutEndMarker('click[x]</s>', { upstreamEndCut: false })).toBe('click[x]');
  expect(withoutEndMarker('click[x]</s>', { upstreamEndCut: true })).toBe('click[x');
});

interface Rollout {
  task: string;
  action_format: string;
  conversation: { role: string; content: string }[];
  http: { request: { path: string; json?: { action?: string } } }[];
}

const rules: Record<string, ReplyRule> = {
  TextCraft: wordsRule,
  BabyAI: wordsRule,
  WebShop: reactRule,
  'LMRL-Gym.maze': splitRule,
  'LMRL-Gym.wordle': splitRule,
};
const recordings = 'transcripts/controller_rollouts.jsonl';
const recorded = recordedLines<Rollout>(recordings).filter((rollout) => rollout.action_format === 'react');

whenRecorded(recordings).test('the recorded replies cause the recorded actions', () => {
  for (const { task, conversation, http } of recorded) {
    const replies = conversation.filter(({ role }) => role === 'assistant').slice(1);
    const parsed = replies.map(({ content }) => rules[task](withoutEndMarker(content, { upstreamEndCut: true })));
    const sent = http
      .filter(({ request }) => request.path.endsWith('/step'))
      .map(({ request }) => request.json?.action);
    expect(parsed.flatMap((reply) => ('action' in reply ? [reply.action] : []))).toEqual(sent);
  }
  expect(recorded.length).toBeGreaterThan(5);
});
