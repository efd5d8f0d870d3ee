// ArCHer's config files name their algorithm by a key, or leave it to their default, where a config here chooses it in its defaults
// list: `defaults: [default, _self_]` and `agent_type: chai` are read as `defaults: [default, algorithm: chai, _self_]`.
import type { ImpliedDefaults } from '@bowyer/config';

/** The algorithm of ArCHer's default.yaml at 7c771a7. */
const ARCHERS = 'archer';

/** Makes the rule that chooses the algorithm of such a file. @param note gets a line about each file that the rule applies to */
export const algorithmOfKey =
  (note: (line: string) => void): ImpliedDefaults =>
  ({ name, configs, groups, value }): Record<string, string> => {
    const isTraining = !groups.includes('task') && (value('task') ?? 'train') === 'train';
    if (!configs.includes('default') || groups.includes('algorithm') || !isTraining) return {};
    const agent = value('agent_type');
    if (agent !== undefined && typeof agent !== 'string') return {};
    const algorithm = agent?.toLowerCase() ?? ARCHERS;
    const why = agent === undefined ? 'neither the defaults list nor agent_type names another' : `agent_type=${agent}`;
    note(`algorithm=${algorithm} for ${name}.yaml, since ${why}`);
    return { algorithm };
  };
