// Twenty Questions: dialogues read or generated, the answers' tokens, the return of a perfect player.
import {
  dialogueEpisode,
  optimalReturn,
  questionSet,
  readDialogues,
  selectWords,
  twentyQuestionsDemonstrations,
  type Dialogue,
  type TwentyQuestionsOptions,
} from '@bowyer/envs';
import type { RunConfig } from '../run-config.js';
import type { DemonstrationSet, EnvironmentKnowledge } from './knowledge.js';

/** Beyond so many words the exact optimum takes too long: its table has 2^words entries. */
const LARGEST_SOLVABLE = 12;

export const twentyQuestions: EnvironmentKnowledge = {
  // ArCHer's env_load_path is its Flan-T5.
  archerKeys: ({ env }) => (env.oracle === 't5' ? ['envIdx', 'envLoadPath'] : ['envIdx']),
  archerOptions: ({ envIdx }) => ({ envIdx }),
  answerTokens: [' Yes.\n', ' No.\n', ' Invalid Question.\n'],
  demonstrations,
  warmStartOptions: ({ name, words, maxTurns, winTest }) => ({ name, words, maxTurns, winTest }),
  optimalReturn: optimalReturnOf,
};

type Options = Pick<TwentyQuestionsOptions, 'words' | 'maxTurns' | 'winTest'>;

/** The node as this environment's schema has checked it. */
const optionsOf = ({ env }: RunConfig) => env as unknown as Options;

async function demonstrations(config: RunConfig): Promise<DemonstrationSet> {
  const dialogues = await makeDialogues(config);
  const won = dialogues.filter(({ correct }) => correct).length;
  const returns = dialogues.map(({ lines, correct }) => -lines.length + (correct ? 1 : 0));
  const meanReturn = returns.reduce((sum, value) => sum + value, 0) / returns.length;
  return {
    demonstrations: dialogues.map((dialogue) => {
      const { header, turns } = dialogueEpisode(dialogue);
      return { opening: header, turns };
    }),
    summary: `${dialogues.length} dialogues, mean return ${meanReturn.toFixed(2)}, won ${(won / dialogues.length).toFixed(3)}`,
    // The format of ArCHer's twenty_questions.json.
    file: { name: 'demonstrations.json', text: () => `${JSON.stringify(dialogues, null, 1)}\n` },
  };
}

/** The dialogues that the warm start imitates, read from a file or generated from the run's seed. */
async function makeDialogues(config: RunConfig): Promise<Dialogue[]> {
  const { words, maxTurns, winTest } = optionsOf(config);
  const { path, count, ...options } = config.demonstrations;
  if (path !== null) return readDialogues(path);
  const attributes = askedAttributes(config);
  return twentyQuestionsDemonstrations({
    words,
    maxTurns,
    winTest,
    ...options,
    attributes,
    games: count,
    seed: config.seed,
  });
}

/** Attributes that the demonstrator asks about: enough to tell the words apart, few enough for a small vocabulary. */
function askedAttributes(config: RunConfig): number {
  return config.demonstrations.attributes ?? Math.min(60, 2 * selectWords(optionsOf(config).words).length);
}

function optimalReturnOf(config: RunConfig): number | null {
  const { maxTurns, winTest, ...options } = optionsOf(config);
  const words = selectWords(options.words);
  if (words.length > LARGEST_SOLVABLE || config.envIdx !== null) return null;
  const { maxUnclear, wordings } = config.demonstrations;
  const attributes = askedAttributes(config);
  const questions = questionSet({ words, winTest, attributes, wordings, maxUnclear });
  return optimalReturn(words.length, questions, maxTurns);
}
