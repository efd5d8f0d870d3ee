// Shows an agent's rollout: a picture of its calls of the language model, and for each call a card with the new messages, the
// answer and the tool calls.
import type { CallTree, Dialogue, ToolCall, TreeCall } from '../data.js';
import { lanesOf, treeMap } from './call-tree-map.js';
import { heatMap, longText, speaker, values } from './dialogue-parts.js';
import { el, lazyDetails } from './dom.js';
import { figure } from './format.js';

export function callTreeView(dialogue: Dialogue, tree: CallTree): HTMLElement {
  const idOf = (index: number) =>
    `call-${dialogue.policy ?? ''}${dialogue.id}-${tree.calls[index].call}.${tree.calls[index].choice}`.replace(
      /\s/g,
      '_',
    );
  return el(
    'div',
    { class: 'dialogue' },
    dialogue.item === null ? null : el('p', { class: 'muted note' }, `Task: ${dialogue.item}`),
    el('p', { class: 'note' }, summaryOf(tree)),
    figures('rewards', tree.rewards),
    figures('metrics', tree.metrics),
    el(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'tree of calls' },
      treeMap(tree, dialogue, idOf),
    ),
    el(
      'p',
      { class: 'muted note' },
      'From left to right in the order of time; a line continues a prompt, and forks where two prompts continue the same answer. ' +
        'Squares call tools (dashed red: one failed). Green was better than expected, red worse; pale ones are not learned from.',
    ),
    el('ol', { class: 'calls' }, ...cards(dialogue, tree, idOf)),
  );
}

function summaryOf({ calls, status }: CallTree): string {
  const tools = calls.flatMap((call) => call.tools);
  const failed = tools.filter((tool) => tool.failed).length;
  const sum = (of: (call: TreeCall) => number) => calls.reduce((total, call) => total + of(call), 0);
  const asked = new Set(calls.map(({ call }) => call)).size;
  const parts = [
    counted(asked, 'call'),
    ...(calls.length > asked ? [counted(calls.length, 'answer')] : []),
    counted(new Set(lanesOf(calls)).size, 'branch', 'branches'),
    `${counted(tools.length, 'call of a tool', 'calls of tools')}${failed > 0 ? ` (${failed} failed)` : ''}`,
    `${sum(({ newTokens }) => newTokens)} tokens read`,
    `${sum(({ answerTokens }) => answerTokens)} tokens written`,
    status,
  ];
  return parts.join(' · ');
}

const counted = (count: number, one: string, several = `${one}s`): string => `${count} ${count === 1 ? one : several}`;

const figures = (label: string, given: readonly { name: string; value: number }[]): HTMLElement | null =>
  given.length === 0
    ? null
    : el(
        'dl',
        { class: 'values', 'aria-label': label },
        ...given.map(({ name, value }) => el('div', {}, el('dt', {}, name), el('dd', {}, figure(value)))),
      );

/** Returns the cards branch by branch: the card of an answer is followed by that of its first continuation. */
function cards({ turns }: Dialogue, { calls }: CallTree, idOf: (index: number) => string): HTMLElement[] {
  const lanes = lanesOf(calls);
  const order = calls.map((_, index) => index).sort((a, b) => lanes[a] - lanes[b] || a - b);
  return order.map((index, i) => {
    const call = calls[index];
    const begins = i === 0 || lanes[order[i - 1]] !== lanes[index];
    const from = call.parent === null ? 'a prompt of its own' : `continues call ${calls[call.parent].call}`;
    return el(
      'li',
      { id: idOf(index), class: begins && 'begins', tabindex: -1 },
      begins ? el('p', { class: 'title' }, `Branch ${lanes[index] + 1}: ${from}`) : null,
      ...call.read.map(({ speaker: who, text }) => el('div', { class: 'observation' }, speaker(who), longText(text))),
      answer(call, call.turn === undefined ? undefined : turns[call.turn]),
    );
  });
}

function answer(call: TreeCall, turn: Dialogue['turns'][number] | undefined): HTMLElement {
  const { reasoning, said, tools, marks, rewards, promptTokens, answerTokens } = call;
  const number = call.choice === 0 ? `${call.call}` : `${call.call}, answer ${call.choice + 1}`;
  return el(
    'div',
    {},
    el(
      'div',
      { class: tools.some(({ failed }) => failed) ? 'action invalid' : 'action' },
      speaker(`model, call ${number}`),
      ...marks.map((mark) => el('span', { class: 'tag' }, mark)),
      reasoning === undefined ? null : lazyDetails('reasoning', () => longText(reasoning)),
      said.trim() === '' ? null : longText(said),
      ...tools.map(toolView),
      turn?.tokens === undefined ? null : lazyDetails('tokens as sampled', () => heatMap(turn.tokens!)),
    ),
    turn === undefined ? null : values(turn),
    figures('rewards of the call', rewards),
    el('p', { class: 'muted note' }, `${promptTokens} tokens in the prompt, ${answerTokens} in the answer`),
  );
}

const toolView = ({ name, arguments: given, failed }: ToolCall): HTMLElement =>
  el('p', { class: failed ? 'tool failed' : 'tool' }, el('code', {}, `${name}(${given})`), failed ? ' failed' : null);
