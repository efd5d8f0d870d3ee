// Writes the report of an evaluation of `math`, with the keys of the script `evaluate_bc.py` of ArCHer's fork for mathematics.
import type { EvaluationReport, PlayedEvaluation } from '../unit.js';
import type { MathInfo } from './math.js';

export function mathReport({ model, sampling, episodes }: PlayedEvaluation): EvaluationReport {
  const problems = episodes.map((turns) => {
    const { info, action } = turns.at(-1)!;
    const { question, reference, won } = info as MathInfo;
    return { problem: question, reference_answer: reference, generated_solution: action, is_correct: won };
  });
  const content = {
    model_path: model.path,
    model_name: model.name,
    accuracy: problems.filter(({ is_correct }) => is_correct).length / problems.length,
    temperature: sampling.temperature,
    max_tokens: sampling.maxTokens,
    problems,
  };
  return { file: 'bc_evaluation_results.json', content };
}
