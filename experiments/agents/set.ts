// Finds the agents of the study by their names.
import type { StudyAgent } from './agent.js';
import { exampleAgent, exampleNames } from './development/examples.js';

const own = async (file: string) => ((await import(file)) as { agent: StudyAgent }).agent;

/** Those with which defaults are chosen; each is loaded where it is wanted, since some need packages of their own. */
const development: Record<string, () => Promise<StudyAgent>> = {
  ...Object.fromEntries(
    ['support', 'sparse', 'noisy', 'long', 'optimal'].map((name) => [name, () => own(`./development/${name}.ts`)]),
  ),
  ...Object.fromEntries(exampleNames.map((name) => [name, () => exampleAgent(name)])),
};

/** Those that nobody tunes with: they run once, at the end. */
const kept: Record<string, () => Promise<StudyAgent>> = Object.fromEntries(
  ['trip', 'drawers', 'few', 'json'].map((name) => [name, () => own(`./kept/${name}.ts`)]),
);

const all: Record<string, () => Promise<StudyAgent>> = { ...development, ...kept };

/** Names of agents with commas between them; `development` and `kept` stand for all of a set. */
export function agentNames(given: string): string[] {
  const names = given.split(',').flatMap((name) => {
    if (name === 'development') return Object.keys(development);
    return name === 'kept' ? Object.keys(kept) : [name];
  });
  const unknown = names.find((name) => !(name in all));
  if (unknown !== undefined)
    throw new Error(`there is no agent '${unknown}': ${Object.keys(all).join(', ')}, or the sets development and kept`);
  return names;
}

export const openAgent = (name: string): Promise<StudyAgent> => all[name]();
