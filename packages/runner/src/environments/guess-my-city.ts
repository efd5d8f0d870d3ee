// Guess My City: dialogues read or generated, the answers' tokens.
import {
  cityAnswerTokens,
  cityDialogueEpisode,
  guessMyCityDemonstrations,
  readCityDialogues,
  type CityDialogue,
  type GuessMyCityOptions,
} from '@bowyer/envs';
import type { RunConfig } from '../run-config.js';
import type { DemonstrationSet, EnvironmentKnowledge } from './knowledge.js';

export const guessMyCity: EnvironmentKnowledge = {
  archerKeys: ['envIdx'],
  archerOptions: ({ envIdx }) => ({ envIdx }),
  answerTokens: (config) => cityAnswerTokens(optionsOf(config).cities),
  demonstrations,
  warmStartOptions: ({ name, cities, maxTurns }) => ({ name, cities, maxTurns }),
};

/** The node as this environment's schema has checked it. */
const optionsOf = ({ env }: RunConfig) => env as unknown as GuessMyCityOptions;

async function demonstrations(config: RunConfig): Promise<DemonstrationSet> {
  const dialogues = await makeDialogues(config);
  const episodes = dialogues.map(cityDialogueEpisode);
  const won = dialogues.filter(({ done }) => done).length;
  const returns = episodes.map(({ turns }) => turns.reduce((sum, { reward }) => sum + reward, 0));
  const meanReturn = returns.reduce((sum, value) => sum + value, 0) / returns.length;
  return {
    demonstrations: episodes.map(({ header, turns }) => ({ opening: header, turns })),
    summary: `${dialogues.length} dialogues, mean return ${meanReturn.toFixed(2)}, won ${(won / dialogues.length).toFixed(3)}`,
    // The format of ArCHer's guess_my_city.json.
    file: { name: 'demonstrations.json', text: () => `${JSON.stringify(dialogues, null, 1)}\n` },
  };
}

/** From a file or generated from the run's seed. The expert asks open questions on random turns only. */
async function makeDialogues(config: RunConfig): Promise<CityDialogue[]> {
  const { demonstrations: asked, seed } = config;
  if (asked.path !== null) return readCityDialogues(asked.path);
  const { cities, maxTurns } = optionsOf(config);
  return guessMyCityDemonstrations({ games: asked.count, cities, maxTurns, noise: asked.noise, seed, open: false });
}
