// Writes the report of an evaluation of `verifiers`: mean and standard error of the return and of each reward function.
import type { EvaluationReport, PlayedEvaluation } from '../unit.js';
import type { VerifiersInfo } from './verifiers.js';

export function verifiersReport({ model, sampling, episodes }: PlayedEvaluation): EvaluationReport {
  const tasks = episodes.map((turns) => {
    const { item, kind, components, won } = turns.at(-1)!.info as VerifiersInfo;
    return { id: item, kind, turns: turns.length, won, rewards: components };
  });
  const names = [...new Set(tasks.flatMap(({ rewards }) => Object.keys(rewards)))].sort();
  const figures = names.map((name) => [name, meanOf(tasks.flatMap(({ rewards }) => rewards[name] ?? []))]);
  const content = {
    model_path: model.path,
    model_name: model.name,
    temperature: sampling.temperature,
    max_tokens: sampling.maxTokens,
    n: tasks.length,
    won: tasks.filter(({ won }) => won).length / tasks.length,
    rewards: Object.fromEntries(figures) as unknown,
    tasks,
  };
  return { file: 'rewards.json', content };
}

/** Returns the mean of values with its standard error (sample standard deviation divided by √n). */
function meanOf(values: readonly number[]) {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { n, mean, standard_error: n < 2 ? null : Math.sqrt(squares / (n - 1) / n) };
}
