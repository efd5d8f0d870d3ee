// Builds the tree of a rollout's model calls from their tokens alone: a call is the child of an answer if the call's prompt
// begins with the answer's prompt and tokens.
import type { RecordedRollout } from '../record/recorded.js';
import type { CallNode, RolloutTree } from './tree.js';

/**
 * Returns the tree of a rollout's calls. Each call is a child of the deepest answer that began before it and that its prompt
 * contains. If the same tokens were sampled twice, it is a child of the newest such answer that reached its client. Each answer
 * of a call with several is a node of its own.
 */
export function treeOf(rollout: Pick<RecordedRollout, 'calls'>): RolloutTree {
  const nodes: CallNode[] = [];
  const ends = new Ends();
  for (const call of rollout.calls) {
    const parent = ends.deepest(call.promptIds);
    for (const choice of call.choices) {
      const node: CallNode = { call, choice, parent, children: [] };
      parent?.children.push(node);
      nodes.push(node);
    }
    for (const node of nodes.slice(nodes.length - call.choices.length)) ends.add(node);
  }
  const roots = nodes.filter(({ parent }) => parent === null);
  const leaves = nodes.filter(({ children }) => children.length === 0);
  return { roots, nodes, branches: leaves.map(branchTo) };
}

function branchTo(leaf: CallNode): CallNode[] {
  const branch: CallNode[] = [];
  for (let node: CallNode | null = leaf; node !== null; node = node.parent) branch.unshift(node);
  return branch;
}

/** Finds the answers that a prompt contains by a hash of the tokens up to their ends, in linear time. */
class Ends {
  readonly #nodes = new Map<number, CallNode[]>();

  add(node: CallNode): void {
    const hash = hashOf(node.choice.ids, hashOf(node.call.promptIds));
    this.#nodes.set(hash, [...(this.#nodes.get(hash) ?? []), node]);
  }

  deepest(promptIds: readonly number[]): CallNode | null {
    let hash = START;
    const found: { nodes: CallNode[]; length: number }[] = [];
    promptIds.forEach((id, i) => {
      hash = step(hash, id);
      const nodes = this.#nodes.get(hash);
      if (nodes) found.push({ nodes, length: i + 1 });
    });
    for (const { nodes, length } of found.reverse()) {
      const here = nodes.filter((node) => endsAt(node, promptIds, length));
      if (here.length > 0) return here.findLast(({ call }) => call.delivered) ?? here.at(-1)!;
    }
    return null;
  }
}

function endsAt({ call, choice }: CallNode, ids: readonly number[], length: number): boolean {
  const { promptIds } = call;
  if (promptIds.length + choice.ids.length !== length) return false;
  return promptIds.every((id, i) => id === ids[i]) && choice.ids.every((id, i) => id === ids[promptIds.length + i]);
}

const START = 0x811c9dc5;

/** Adds a token id to an FNV-1a hash over ids instead of bytes. If two hashes are equal, the tokens are compared. */
const step = (hash: number, id: number): number => Math.imul(hash ^ id, 0x01000193) >>> 0;

const hashOf = (ids: readonly number[], start = START): number => ids.reduce(step, start);
