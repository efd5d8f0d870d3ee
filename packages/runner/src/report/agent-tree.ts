// Converts a recorded rollout of a user's agent into the tree of model calls that the report draws.
import { effectiveRewards, treeOf, type CallNode, type RecordedRollout } from '@bowyer/rollouts';
import type { CallTree, ToolCall, TreeCall } from '@bowyer/views';
import { cutText, type StoredEpisode } from './turns.js';

/** Undefined for an episode of an environment. */
export const rolloutOf = ({ turns }: StoredEpisode): string | undefined => {
  const name = turns[0]?.info.rollout;
  return typeof name === 'string' ? name : undefined;
};

/**
 * Arranges the model calls of a rollout as a tree.
 *
 * @param episode that was made from the rollout; null for a failed rollout, from which none is made
 */
export function callTree(rollout: RecordedRollout, episode: StoredEpisode | null): CallTree {
  const nodes = inTime(treeOf(rollout).nodes);
  const indexOf = new Map(nodes.map((node, index) => [node, index]));
  const rewards = effectiveRewards(rollout);
  const turnOf = turnsByCall(episode);
  const entries = (given: Readonly<Record<string, number>>) =>
    Object.entries(given).map(([name, value]) => ({ name, value }));
  return {
    rewards: rewards.flatMap(({ name, value, call }) => (call === undefined ? [{ name, value }] : [])),
    metrics: entries(rollout.metrics),
    status: rollout.reason === undefined ? rollout.status : `${rollout.status}: ${rollout.reason}`,
    calls: nodes.map((node): TreeCall => {
      const { call, choice, parent } = node;
      const { content, reasoning } = choice.message;
      const own = choice.index === 0 ? rewards.filter((reward) => reward.call === call.call) : [];
      const turn = turnOf.get(call.call)?.shift();
      return {
        call: call.call,
        choice: choice.index,
        parent: parent && indexOf.get(parent)!,
        read: newMessages(node),
        ...(reasoning !== undefined && reasoning !== '' && { reasoning: cutText(reasoning) }),
        said: cutText(content),
        tools: toolCalls(node),
        promptTokens: call.promptIds.length,
        newTokens: call.promptIds.length - (parent ? parent.call.promptIds.length + parent.choice.ids.length : 0),
        answerTokens: choice.ids.length,
        ...(turn !== undefined && { turn }),
        rewards: own.map(({ name, value }) => ({ name, value })),
        marks: marksOf(node),
      };
    }),
  };
}

const inTime = (nodes: readonly CallNode[]): CallNode[] =>
  [...nodes].sort((one, other) => one.call.call - other.call.call || one.choice.index - other.choice.index);

function turnsByCall(episode: StoredEpisode | null): Map<unknown, number[]> {
  const turns = new Map<unknown, number[]>();
  episode?.turns.forEach(({ info }, turn) => turns.set(info.call, [...(turns.get(info.call) ?? []), turn]));
  return turns;
}

interface Message {
  role?: string;
  content?: unknown;
  name?: string;
  tool_call_id?: string;
}

/** Lists the messages of a call that were added after the answer of its parent call; all messages for a call without a parent. */
function newMessages({ call, parent }: CallNode): TreeCall['read'] {
  const messages = call.messages as Message[];
  const before = parent?.call.messages.length ?? 0;
  const isAnswer = parent !== null && messages[before]?.role === 'assistant';
  const from = parent === null ? 0 : isAnswer ? before + 1 : messages.findLastIndex(isByModel) + 1;
  const called = new Map((parent?.choice.message.calls ?? []).map(({ id, name }) => [id, name]));
  return messages.slice(from).map(({ role = 'text', content, name, tool_call_id: id = '' }) => {
    const tool = called.get(id) ?? name;
    return { speaker: tool === undefined ? role : `${role} ${tool}`, text: cutText(textOf(content)) };
  });
}

const isByModel = ({ role }: Message): boolean => role === 'assistant';

function toolCalls(node: CallNode): ToolCall[] {
  const { calls, attempts = [] } = node.choice.message;
  const results = toolResults(node);
  return [
    ...calls.map(({ id, name, arguments: given }): ToolCall => {
      const result = results.get(id);
      const told = result !== undefined && { result: cutText(result) };
      return { name, arguments: cutText(given), ...told, failed: result !== undefined && saysError(result) };
    }),
    // An attempt is a text in which the model has tried to write a tool call; attempts with the status `ok` are among `calls`.
    ...attempts.flatMap(({ status, name }): ToolCall[] =>
      status === 'ok'
        ? []
        : [{ name: 'unreadable call', arguments: cutText([status, name].filter(Boolean).join(': ')), failed: true }],
    ),
  ];
}

/** Returns the results of tool calls by the ids of the calls. */
function toolResults({ call, children }: CallNode): Map<string, string> {
  const told = children.flatMap((child) => (child.call.messages as Message[]).slice(call.messages.length));
  return new Map(
    told.flatMap(({ role, content, tool_call_id: id }) =>
      role === 'tool' && id ? [[id, textOf(content)] as const] : [],
    ),
  );
}

/** Returns whether a tool's result is an error: a text that begins like one, a Python traceback, or a JSON object with an error. */
export function saysError(result: string): boolean {
  if (/^\s*(error\b|\w*(Error|Exception):|Traceback )/i.test(result)) return true;
  if (!/^\s*\{/.test(result)) return false;
  try {
    const { error, isError, is_error: isErrorToo } = JSON.parse(result) as Record<string, unknown>;
    return (error !== undefined && error !== null && error !== false) || isError === true || isErrorToo === true;
  } catch {
    return false;
  }
}

function marksOf({ call, choice }: CallNode): string[] {
  return [
    call.delivered ? '' : 'not delivered',
    call.auxiliary ? 'auxiliary' : '',
    call.retry > 0 ? `retry ${call.retry}` : '',
    choice.finishReason === 'length' ? 'cut by its limit' : '',
    choice.constraint === undefined ? '' : 'under a constraint',
    call.hints.session === undefined ? '' : `session ${call.hints.session}`,
  ].filter((mark) => mark !== '');
}

/** Returns the content of a message as text; parts that are not texts, such as images, are shown as JSON. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content
    .map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : JSON.stringify(part)))
    .join('\n');
}
