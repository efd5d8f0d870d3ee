import { choice, integer, text } from '@bowyer/core';
import { options, type OptionsOf } from '../option.js';

/** The ways to find an answer in the agent's text; answers.ts implements them. */
const extractions = ['last_number', 'marked', 'text'] as const;
export type Extraction = (typeof extractions)[number];

export const questionsSchema = options({
  data: text(
    null,
    'File of questions, .csv or .jsonl, with question, answer and, for multiple choice, choices; rows without a split are for the test; null: a small set that ships with Bowyer.',
  ),
  trainData: text(
    null,
    'File of questions to learn from and to show as examples; rows without a split are for training; null: only those of `data`.',
  ),
  shots: integer(
    0,
    'Examples with their answers before each question: the first training questions, of its subject if it has one.',
    { minimum: 0 },
  ),
  instruction: text('', 'Text before the examples and the question, followed by an empty line; empty: none.'),
  questionPrefix: text('Question: ', 'Text before each question.'),
  answerPrefix: text('Answer:', 'Text at the beginning of the line on which an answer follows.'),
  choicesAs: choice(
    ['letters', 'texts'],
    'letters',
    'letters: the choices are listed after the question, and the answer is a letter; texts: they are not listed, and the answer is the text of one.',
  ),
  extract: choice(
    extractions,
    'last_number',
    'How an answer is found where there are no choices: the last number; the number after ####; or the whole text.',
  ),
});

export type QuestionsOptions = OptionsOf<typeof questionsSchema>;
