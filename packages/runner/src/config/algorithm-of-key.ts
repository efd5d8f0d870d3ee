// Adds the algorithm to the defaults list of a user's config files that were written for ArCHer, which name it by the key
// `agent_type` or rely on ArCHer's default. `defaults: [default, _self_]` with `agent_type: chai` is read as `defaults: [default,
// algorithm: chai, _self_]`.
import type { ImpliedDefaults } from '@bowyer/config';

/** The default algorithm in ArCHer's default.yaml at commit 7c771a7. */
const ARCHERS = 'archer';

/**
 * Makes the rule by which composition adds the algorithm to ArCHer's config files.
 *
 * @param note gets a line for the log about each file to which the rule applies
 */
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
