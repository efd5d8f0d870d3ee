/**
 * Groups turns that begin in the same state of the environment, whatever their episode and position: GiGPO's anchor states. States are
 * equal if their texts are; a text with a unique part (a step counter, a random number) forms a group of one turn.
 *
 * Source: Feng et al. 2025, arXiv:2505.10978, section 4.2.
 *
 * @param turns [turns] the group of the turn's episode, and the environment's state before the action
 * @returns ids [turns], the same number for turns of one anchor group; sizes [anchor groups]
 */
export function anchorGroups(turns: readonly { group: number; state: string }[]): { ids: number[]; sizes: number[] } {
  const idOf = new Map<string, number>();
  const sizes: number[] = [];
  const ids = turns.map(({ group, state }) => {
    const key = `${group}\n${state}`;
    let id = idOf.get(key);
    if (id === undefined) {
      idOf.set(key, (id = sizes.length));
      sizes.push(0);
    }
    sizes[id]++;
    return id;
  });
  return { ids, sizes };
}
