// Groups many tensors for an elementwise update as a graph: a GPU would spend more time on launching a kernel for each of GPT-2's 148
// tensors than on the computation. Tensors that differ only in their first dimension are concatenated along it, and the result is
// split again.
import type { GraphBuilder, Value } from '@bowyer/graph';

/** The most bytes of a group: enough to use a GPU well, and small relative to the model, since each operation needs another tensor of that size. */
const GROUP_BYTES = 64 * 2 ** 20;

export type NamedValues = Readonly<Record<string, Value>>;

/** Finds the groups of tensors, as lists of names in their order; a tensor that exceeds the size of a group is alone in one. */
export function tensorGroups(tensors: NamedValues, groupBytes = GROUP_BYTES): string[][] {
  const groups: string[][] = [];
  const open = new Map<string, { names: string[]; bytes: number }>();
  for (const [name, { shape }] of Object.entries(tensors)) {
    const bytes = 4 * (shape as number[]).reduce((product, dim) => product * dim, 1);
    const key = `${shape.length} ${shape.slice(1).join()}`;
    const group = open.get(key);
    if (shape.length === 0 || bytes > groupBytes) groups.push([name]);
    else if (group && group.bytes + bytes <= groupBytes) {
      group.names.push(name);
      group.bytes += bytes;
    } else {
      const names = [name];
      groups.push(names);
      open.set(key, { names, bytes });
    }
  }
  return groups;
}

export const joined = (g: GraphBuilder, tensors: NamedValues, names: readonly string[]): Value =>
  g.concat(
    names.map((name) => tensors[name]),
    0,
  );

/**
 * Computes the update of every tensor.
 *
 * @param states tensors by role (parameters, gradients, moments) and name; the first role has all names, and its shapes determine
 *   the groups
 * @param update computes a group's new tensors by role, elementwise from the old ones
 */
export function updatedInGroups<Old extends string, New extends string>(
  g: GraphBuilder,
  states: Readonly<Record<Old, NamedValues>>,
  update: (old: Record<Old, Value>) => Readonly<Record<New, Value>>,
  groupBytes = GROUP_BYTES,
): Record<New, Record<string, Value>> {
  const updated: Record<string, Record<string, Value>> = {};
  const roles = Object.keys(states) as Old[];
  for (const names of tensorGroups(states[roles[0]], groupBytes)) {
    const old = Object.fromEntries(roles.map((role) => [role, joined(g, states[role], names)])) as Record<Old, Value>;
    const lengths = names.map((name) => states[roles[0]][name].shape[0]);
    for (const [role, value] of Object.entries<Value>(update(old))) {
      const parts = names.length === 1 ? [value] : g.split(value, 0, lengths);
      updated[role] ??= {};
      names.forEach((name, i) => (updated[role][name] = parts[i]));
    }
  }
  return updated as Record<New, Record<string, Value>>;
}

export const picked = (tensors: NamedValues, names: readonly string[]): NamedValues =>
  Object.fromEntries(names.map((name) => [name, tensors[name]]));
