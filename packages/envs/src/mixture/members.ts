// Reads the environments of a mixture from its option `envs`.

/** A member: its name, and the options that differ from its defaults. */
export interface Member {
  name: string;
  options: Readonly<Record<string, unknown>>;
  /** Its label in `info.env`: its name, with a number if several have the same name. */
  label: string;
}

/** A member in the option: a name, or a node with a name and options, like the node `env` itself. */
export type ListedMember = string | ({ name: string } & Readonly<Record<string, unknown>>);

/** Returns the members of the list; entries without a name, which the schema refuses, are left out. */
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
