// What a run needs of its environment beyond playing it: demonstrations, and what is known of it.
import type { Demonstration } from '@bowyer/algorithms';
import {
  dialogueEpisode,
  makeEnv,
  optimalReturn,
  questionSet,
  readDialogues,
  selectWords,
  twentyQuestionsDemonstrations,
  type Dialogue,
  type Env,
} from '@bowyer/envs';
import type { RunConfig } from './run-config.js';

/** Beyond so many words the exact optimum takes too long: its table has 2^words entries. */
const LARGEST_SOLVABLE = 12;

/** @returns a maker of environments as the config wants them */
export function environmentOf(config: RunConfig): () => Env {
  const { name, ...options } = config.env;
  return () => makeEnv(config.envName ?? name, { ...options, envIdx: config.envIdx });
}

/** Answers that a word-level tokenizer keeps as one token each, and that an agent can never write. */
export function answerTokens(_config: RunConfig): string[] {
  return [' Yes.\n', ' No.\n', ' Invalid Question.\n'];
}

/** The dialogues that the warm start imitates, read from a file or generated from the run's seed. */
export async function makeDialogues({ env, demonstrations, seed }: RunConfig): Promise<Dialogue[]> {
  const { path, count, ...options } = demonstrations;
  if (path !== null) return readDialogues(path);
  const attributes = askedAttributes(demonstrations, env);
  return twentyQuestionsDemonstrations({ ...env, ...options, attributes, games: count, seed });
}

export async function makeDemonstrations(config: RunConfig): Promise<Demonstration[]> {
  return (await makeDialogues(config)).map((dialogue) => {
    const { header, turns } = dialogueEpisode(dialogue);
    return { opening: header, turns };
  });
}

/** The dialogues as the text of a file, and a line about them. */
export async function demonstrationFile(config: RunConfig): Promise<{ text: string; summary: string }> {
  const dialogues = await makeDialogues(config);
  const won = dialogues.filter(({ correct }) => correct).length;
  const returns = dialogues.map(({ lines, correct }) => -lines.length + (correct ? 1 : 0));
  const meanReturn = returns.reduce((sum, value) => sum + value, 0) / returns.length;
  return {
    text: `${JSON.stringify(dialogues, null, 1)}\n`,
    summary: `${dialogues.length} dialogues, mean return ${meanReturn.toFixed(2)}, won ${(won / dialogues.length).toFixed(3)}`,
  };
}

/** Attributes that the demonstrator asks about: enough to tell the words apart, few enough for a small vocabulary. */
function askedAttributes({ attributes }: RunConfig['demonstrations'], env: RunConfig['env']): number {
  return attributes ?? Math.min(60, 2 * selectWords(env.words).length);
}

/** Expected return of the best player with the demonstrator's questions; null where that cannot be computed. */
export function optimalReturnOf({ env, envIdx, demonstrations }: RunConfig): number | null {
  const words = selectWords(env.words);
  if (words.length > LARGEST_SOLVABLE || envIdx !== null) return null;
  const { winTest } = env;
  const { maxUnclear, wordings } = demonstrations;
  const attributes = askedAttributes(demonstrations, env);
  const questions = questionSet({ words, winTest, attributes, wordings, maxUnclear });
  return optimalReturn(words.length, questions, env.maxTurns);
}
