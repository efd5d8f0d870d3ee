// Reads the environments of a mixture from its option `envs`.

/** A member: its name, and its options other than the defaults. */
export interface Member {
  name: string;
  options: Readonly<Record<string, unknown>>;
  /** The label in `info.env`: the name, with a number if several members have this name. */
  label: string;
}

/** A member in the option: a name, or a node with a name and options, like `env` itself. */
export type ListedMember = string | ({ name: string } & Readonly<Record<string, unknown>>);

/** Returns the members of the list. Entries without a name are skipped; the schema refuses them. */
export function membersOf(listed: unknown): Member[] {
  if (!Array.isArray(listed)) return [];
  const nodes = (listed as unknown[]).flatMap((entry) => {
    const { name, ...options } = typeof entry === 'string' ? { name: entry } : ((entry ?? {}) as { name?: unknown });
    return typeof name === 'string' ? [{ name, options }] : [];
  });
  const namesakes = ({ name }: { name: string }) => nodes.filter((other) => other.name === name);
  return nodes.map((node) => {
    const same = namesakes(node);
    return { ...node, label: same.length === 1 ? node.name : `${node.name}-${same.indexOf(node) + 1}` };
  });
}
