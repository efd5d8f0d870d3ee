// Writes the prompt of the environment `questions`: an instruction, examples with answers, and the question. As in
// lm-evaluation-harness, an empty line separates examples, and a space precedes each answer.
import type { QuestionsOptions } from './options.js';
import { letterOf, type Question } from './question.js';

/** Writes the prompt of a question. @param examples questions that are shown with their answers */
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

/** Returns the right answer in the form that the agent must write. */
export function answerOf({ answer, choices }: Question, { choicesAs }: Pick<QuestionsOptions, 'choicesAs'>): string {
  return choices !== null && choicesAs === 'letters' ? letterOf(choices.right) : answer;
}

/** Returns the texts that count as answers to a multiple-choice question; empty for a question without choices. */
export const validAnswers = ({ choices }: Question, { choicesAs }: Pick<QuestionsOptions, 'choicesAs'>): string[] =>
  choices === null ? [] : choices.texts.map((text, choice) => (choicesAs === 'letters' ? letterOf(choice) : text));
