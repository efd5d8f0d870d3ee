// Options of the environment `questions`.

/** How an answer is found in the agent's text; see answers.ts. */
const extractions = ['last_number', 'marked', 'text'] as const;
export type Extraction = (typeof extractions)[number];

export interface QuestionsOptions {
  data: string | null;
  trainData: string | null;
  shots: number;
  instruction: string;
  questionPrefix: string;
  answerPrefix: string;
  choicesAs: 'letters' | 'texts';
  extract: Extraction;
}

export const questionsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    data: {
      description:
        'File of questions, .csv or .jsonl, with question, answer and, for multiple choice, choices; rows without a split are for the test; null: a small set that ships with Bowyer.',
      type: ['string', 'null'],
      default: null,
    },
    trainData: {
      description: 'File of questions to learn from and to show as examples; rows without a split are for training.',
      type: ['string', 'null'],
      default: null,
    },
    shots: {
      description:
        'Examples with their answers before each question: the first training questions, of its subject if it has one.',
      type: 'integer',
      minimum: 0,
      default: 0,
    },
    instruction: {
      description: 'Text before the examples and the question, followed by an empty line; empty: none.',
      type: 'string',
      default: '',
    },
    questionPrefix: { description: 'Text before each question.', type: 'string', default: 'Question: ' },
    answerPrefix: { description: 'Line before each answer.', type: 'string', default: 'Answer:' },
    choicesAs: {
      description:
        'letters: the choices are listed after the question, and the answer is a letter; texts: they are not listed, and the answer is the text of one.',
      type: 'string',
      enum: ['letters', 'texts'],
      default: 'letters',
    },
    extract: {
      description:
        'How an answer is found where there are no choices: the last number; the number after ####; or the whole text.',
      type: 'string',
      enum: extractions,
      default: 'last_number',
    },
  },
} as const;
