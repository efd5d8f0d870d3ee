// Makes expert demonstrations of the environment `math`: written solutions, some of them after a deliberately wrong answer.
import { Rng, type Transition } from '@bowyer/core';
import type { PlayedDemonstrationOptions } from '../played-demonstrations.js';
import { anyProblem } from './generator.js';
import { MathEnv, phrases } from './math.js';
import type { MathOptions } from './options.js';
import { readProblems } from './problem-file.js';
import type { Problem } from './problem.js';
import { verify } from './verifier.js';

/** The number of generated problems whose words are added to a policy's vocabulary, besides those of the demonstrations. */
const VOCABULARY_PROBLEMS = 500;

export async function mathDemonstrations(
  options: MathOptions,
  { episodes, noise, seed }: PlayedDemonstrationOptions,
): Promise<Transition[][]> {
  const rng = Rng.forPurpose(seed, 'math demonstrations');
  const env = new MathEnv(options);
  const played: Transition[][] = [];
  while (played.length < episodes) {
    let { observation } = await env.reset({ seed: rng.uint32(), split: 'train' });
    const transitions: Transition[] = [];
    for (let ended = false; !ended;) {
      const action = rng.uniform() < noise ? wrongSolution(env.problem, rng) : writtenSolution(env.problem);
      const { observation: nextObservation, reward, terminated, truncated } = await env.step(action);
      transitions.push({ observation, action, reward, nextObservation, terminated, truncated });
      ended = terminated || truncated;
      observation = nextObservation;
    }
    played.push(transitions);
  }
  await env.close();
  return played;
}

/** Writes a solution on one line, since a newline ends the action. Appends `\boxed{answer}` if it does not state the answer. */
export function writtenSolution({ question, solution, answer }: Problem): string {
  if (solution === null)
    throw new Error(`math: the problem ${JSON.stringify(question.slice(0, 80))} has no solution to imitate`);
  const line = solution.replace(/\s+/g, ' ').trim();
  return verify(line, answer).isCorrect ? line : `${line} \\boxed{${answer}}`;
}

/** Returns a deliberately wrong answer in a box: the first number of the right answer plus 1 to 9, or 0 if it has no number. */
function wrongSolution({ answer }: Problem, rng: Rng): string {
  const number = /\d+/.exec(answer);
  const wrong = number === null ? '0' : String(BigInt(number[0]) + BigInt(rng.integer(1, 9)));
  return `\\boxed{${wrong}}`;
}

/** Returns the reason why a file of problems cannot give demonstrations, such as problems without a solution; null if it can. */
export function missingSolutions({ problems }: MathOptions): string | null {
  if (problems === null) return null;
  const { train } = readProblems(problems);
  if (train.length === 0) return `${problems} has no training problem`;
  const without = train.filter(({ solution }) => solution === null).length;
  return without === 0 ? null : `${without} training problems of ${problems} have no solution to imitate`;
}

/** Returns texts that contain all words of the problems, from which a policy's vocabulary is made. */
export function mathTexts(options: MathOptions): string[] {
  const rng = Rng.forPurpose(0, 'math vocabulary');
  const problems =
    options.problems === null
      ? Array.from({ length: VOCABULARY_PROBLEMS }, () => anyProblem(rng, options))
      : Object.values(readProblems(options.problems)).flat();
  const texts = problems.flatMap(({ question, solution }) => [question, solution ?? '']);
  return [...phrases, options.instruction, '0 1 2 3 4 5 6 7 8 9', '\\boxed{}', ...texts];
}
