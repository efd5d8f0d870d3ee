// Lists a program's config groups and their options for help texts.
import type { Repository } from '../sources/repository.js';

/** Lists every group that has options, with the options, sorted by name and including nested groups. */
function groupsWithOptions(repository: Repository, parent = ''): { group: string; options: string[] }[] {
  return repository
    .groups(parent)
    .flatMap((name) => {
      const group = parent === '' ? name : `${parent}/${name}`;
      const options = repository.options(group);
      return [...(options.length > 0 ? [{ group, options }] : []), ...groupsWithOptions(repository, group)];
    })
    .sort((a, b) => (a.group < b.group ? -1 : 1));
}

export const isHydraGroup = (group: string) => group === 'hydra' || group.startsWith('hydra/');

/** Writes one line for each chosen config group, with the names of its options: `group: option, option`. */
export function groupLines(repository: Repository, which: (group: string) => boolean): string {
  return groupsWithOptions(repository)
    .filter(({ group }) => which(group))
    .map(({ group, options }) => `${group}: ${options.join(', ')}\n`)
    .join('');
}
