// Reads the member environments of the environment `mixture` from its option `envs`.

/** A member environment: its name, and those of its options that differ from the defaults. */
export interface Member {
  name: string;
  options: Readonly<Record<string, unknown>>;
  /** The label of the member in `info.env`: its name, with a number if several members have the same name. */
  label: string;
}

/** A member in the option `envs`: a name, or an object with a name and options, like the config's node `env`. */
export type ListedMember = string | ({ name: string } & Readonly<Record<string, unknown>>);

/** Entries without a name are skipped here; the check of the config refuses them. */
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
