import type { DemonstrationSet } from '@bowyer/core';
import { historyOffer } from '../context/context-options.js';
import {
  chosenOracle,
  oracleNames,
  oracleOptionNames,
  oracleProperties,
  oracleReadWith,
  type OracleOptions,
} from '../oracle.js';
import { secretReset, sharedSecrets } from '../guessing-game/shared-secrets.js';
import { dialogueSet } from '../guessing-game/dialogue-set.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith, type EnvProblem } from '../unit.js';
import { demonstrationsSchema, twentyQuestionsDemonstrations, type ExpertOptions } from './demonstrations.js';
import { dialogueEpisode, readDialogues, type Dialogue } from './dialogues.js';
import { PromptedQuestions, promptedSet } from './json-prompt.js';
import { optimalReturn } from './optimum.js';
import { questionSet } from './questions.js';
import { isWinnable } from './rules.js';
import { TwentyQuestions, twentyQuestionsSchema, type TwentyQuestionsOptions } from './twenty-questions.js';
import { selectWords } from './word-list.js';

/** The largest number of words for which the return of an optimal player is computed, since its table has 2^words entries. */
const LARGEST_SOLVABLE = 12;

export const twentyQuestionsUnit = defineEnvironment<TwentyQuestionsOptions & OracleOptions, ExpertOptions>({
  name: 'twenty_questions',
  description: 'Guess which of 157 objects (or ten of them) the oracle thinks of, in 20 yes/no questions.',
  rules: ({ words, maxTurns }) => {
    const names = selectWords(words).map(({ name }) => name);
    return (
      `The other player thinks of one of these ${names.length} objects: ${names.join(', ')}.\n` +
      'An action is one question that can be answered by yes or no. Ask "Is it a dog?" to guess; the right guess ends the game.\n' +
      `You have ${maxTurns} questions. Each costs 1, the right guess nothing.`
    );
  },
  schema: { ...twentyQuestionsSchema, properties: { ...twentyQuestionsSchema.properties, ...oracleProperties } },
  resetSchema: resetSchemaWith(secretReset),
  make: (options, parts) => {
    const game = new TwentyQuestions(options, chosenOracle('twenty_questions', options, parts));
    return options.format === 'json_prompt' ? new PromptedQuestions(game, selectWords(options.words)) : game;
  },
  splits: ({ words, envIdx, wordChoice: choice }) =>
    sharedSecrets({ noun: 'words', infoKey: 'word', count: selectWords(words).length, envIdx, choice }),
  context: ({ format }) => (format === 'json_prompt' ? { observation: 'turn', kind: 'last', parts: [] } : historyOffer),
  critic: {
    kind: 'line',
    // Demonstrations in which half of the questions are random have a mean return of −5.2 on ten words.
    typicalReturn: () => -5,
  },
  sampleActions: ['is it an animal?', 'is it a dog?', 'is it a piano?', 'is it made of metal?', 'hello', ''],
  config: { flatNames: { ...oracleNames, env_idx: 'envIdx' }, readWith: oracleReadWith, problems: unwinnableWords },
  tokens: { answers: () => [' Yes.\n', ' No.\n', ' Invalid Question.\n'] },
  oracles: {
    t5: { prompt: (object, question) => `The object is ${object}.${question}`, maxNewTokens: 16 },
    openai: {
      system:
        'You answer questions in a game of Twenty Questions. Answer with the single word Yes or No, as it is true of the ' +
        'object; where neither is true, or what was said is no yes/no question, answer: Invalid Question.',
      secret: (name) => `The object is ${name}.`,
      maxTokens: 16,
    },
  },
  demonstrations: {
    schema: demonstrationsSchema,
    make: async (options, { count: games, seed, ...expert }) => {
      const { words, maxTurns, winTest } = options;
      const attributes = askedAttributes(options, expert);
      const played = setOf(
        twentyQuestionsDemonstrations({ words, maxTurns, winTest, ...expert, attributes, games, seed }),
      );
      return options.format === 'json_prompt' ? promptedSet(played, selectWords(words)) : played;
    },
    read: async (path) => {
      const { dialogues, leftOut } = await readDialogues(path);
      return setOf(dialogues, leftOut);
    },
    independentOf: ['wordChoice', 'envIdx', ...oracleOptionNames],
  },
  evaluation: {
    optimalReturn: (options, expert) => {
      const { maxTurns, winTest, envIdx } = options;
      const words = selectWords(options.words);
      if (words.length > LARGEST_SOLVABLE || envIdx !== null) return null;
      const { maxUnclear, wordings } = expert;
      const attributes = askedAttributes(options, expert);
      return optimalReturn(words.length, questionSet({ words, winTest, attributes, wordings, maxUnclear }), maxTurns);
    },
  },
});

/** Returns an error for each word in a user's file whose variants all contain a space, so that no guess wins by ArCHer's test. */
function unwinnableWords({ words, winTest }: TwentyQuestionsOptions): EnvProblem[] {
  if (typeof words !== 'string' || !words.endsWith('.json')) return [];
  const [unwinnable] = selectWords(words).filter((word) => !isWinnable(word, winTest));
  if (unwinnable === undefined) return [];
  const message = `env.words: '${unwinnable.name}' of ${words} has a space, and no question's last token can be it`;
  return [{ key: 'env.words', message, remedy: 'write env.win_test=suffixTokens' }];
}

/** Returns the number of attributes to ask about: enough to distinguish the words, few enough for a small vocabulary. */
const askedAttributes = ({ words }: Pick<TwentyQuestionsOptions, 'words'>, { attributes }: ExpertOptions): number =>
  attributes ?? Math.min(60, 2 * selectWords(words).length);

const setOf = (dialogues: Dialogue[], leftOut?: readonly string[]): DemonstrationSet =>
  dialogueSet(dialogues, dialogues.map(dialogueEpisode), leftOut);
