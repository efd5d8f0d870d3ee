// Writes the report of an evaluation of the environment `questions`: the accuracy over all questions and by subject, with its
// standard error as in lm-evaluation-harness (sample standard deviation divided by √n).
import type { EvaluationReport, PlayedEvaluation } from '../unit.js';
import type { QuestionsInfo } from './questions.js';

export function questionsReport({ model, sampling, episodes }: PlayedEvaluation): EvaluationReport {
  const answered = episodes.map((turns) => {
    const { info, action } = turns.at(-1)!;
    const { item, question, subject, reference, answer, won } = info as QuestionsInfo;
    return { id: item, question, subject, reference, written: action, answer, right: won };
  });
  const subjects = [...new Set(answered.map(({ subject }) => subject))].filter((subject) => subject !== null).sort();
  const content = {
    model_path: model.path,
    model_name: model.name,
    temperature: sampling.temperature,
    max_tokens: sampling.maxTokens,
    ...shareOf(answered),
    subjects: Object.fromEntries(
      subjects.map((subject) => [subject, shareOf(answered.filter((own) => own.subject === subject))]),
    ),
    questions: answered,
  };
  return { file: 'questions.json', content };
}

function shareOf(answered: readonly { right: boolean }[]) {
  const n = answered.length;
  const accuracy = answered.filter(({ right }) => right).length / n;
  return { n, accuracy, standard_error: n < 2 ? null : Math.sqrt((accuracy * (1 - accuracy)) / (n - 1)) };
}
