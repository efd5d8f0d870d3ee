// Writes the text before an answer: instruction, examples, question. The form is that of lm-evaluation-harness: an empty line
// separates examples, and an answer follows its prefix after a space.
import type { QuestionsOptions } from './options.js';
import { letterOf, type Question } from './question.js';

/** Writes the text. @param examples questions that are shown with their answers */
export function promptOf(question: Question, examples: readonly Question[], options: QuestionsOptions): string {
  const { instruction } = options;
  const shown = examples.map((example) => `${asked(example, options)} ${answerOf(example, options)}\n\n`);
  return [instruction === '' ? '' : `${instruction}\n\n`, ...shown, asked(question, options)].join('');
}

function asked({ question, choices }: Question, { questionPrefix, answerPrefix, choicesAs }: QuestionsOptions): string {
  const listed = choices !== null && choicesAs === 'letters' ? choices.texts : [];
  const lines = listed.map((text, choice) => `${letterOf(choice)}. ${text}`);
  return [`${questionPrefix}${question}`, ...lines, answerPrefix].join('\n');
}

/** Returns the right answer, as an agent is to write it. */
export function answerOf({ answer, choices }: Question, { choicesAs }: Pick<QuestionsOptions, 'choicesAs'>): string {
  return choices !== null && choicesAs === 'letters' ? letterOf(choices.right) : answer;
}

/** Returns the answers that can be chosen; none where any text is an answer. */
export const validAnswers = ({ choices }: Question, { choicesAs }: Pick<QuestionsOptions, 'choicesAs'>): string[] =>
  choices === null ? [] : choices.texts.map((text, choice) => (choicesAs === 'letters' ? letterOf(choice) : text));
