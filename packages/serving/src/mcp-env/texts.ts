// Writes what an MCP client reads besides observations: instructions, the games' rules, and the results of calls.
import type { Game, ServedGames } from './games.js';
import { hasEnded, type PlayedTurn } from './player.js';

/** Returns the instructions that the server sends when a client connects. */
export function instructionsFor({ games, openings }: ServedGames, isNamed: boolean): string {
  const reset = openings.map(({ tool }) => tool).join(' or ');
  const episode = isNamed ? ' Give every further call the `episode` that it answers.' : '';
  const listed = games.some(({ listsActions }) => listsActions) ? ' The tool actions lists what can be done now.' : '';
  return (
    `Text environments to play. ${reset} begins an episode and answers the first observation.${episode} ` +
    `Then call step with one action at a time, until it answers that the episode has ended; aim at the largest return.${listed}\n\n` +
    rulesText(games)
  );
}

/** Returns the rules of all served games; each has its name as a heading if there are several. */
const rulesText = (games: readonly Game[]): string =>
  games.map(({ label, rules }) => (games.length === 1 ? rules : `# ${label}\n${rules}`)).join('\n\n');

/** The MCP prompt with which a user asks a model to play an episode. */
export const playText = (served: ServedGames): string =>
  `${rulesText(served.games)}\n\nPlay one episode: call ${served.openings[0].tool}, then step until the episode has ended, and report its return.`;

export const begunText = ({ observation }: PlayedTurn, seed: number | null, episode: string | null): string =>
  `${observation}\n\n[${[
    'A new episode',
    ...(seed === null ? [] : [`of seed ${seed}`]),
    ...(episode === null ? [] : [`with the id ${episode}`]),
  ].join(' ')}.]`;

/** Returns the observation after a step, followed by the reward and the state of the episode in brackets. */
export function steppedText(turn: PlayedTurn): string {
  const { observation, reward, truncated, episodicReturn, steps, won } = turn;
  if (!hasEnded(turn))
    return `${observation}\n\n[Reward ${reward}; return so far ${episodicReturn} after ${counted(steps)}.]`;
  const how = truncated ? 'was cut by a limit' : won === true ? 'is won' : won === false ? 'is lost' : 'has ended';
  return `${observation}\n\n[Reward ${reward}. The episode ${how}: return ${episodicReturn} after ${counted(steps)}.]`;
}

const counted = (steps: number): string => `${steps} ${steps === 1 ? 'step' : 'steps'}`;
