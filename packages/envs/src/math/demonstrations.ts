// Writes solutions of training problems as actions. In a share of the episodes, a wrong answer precedes the right one.
import { Rng, type Transition } from '@bowyer/core';
import type { PlayedDemonstrationOptions } from '../played-demonstrations.js';
import { anyProblem } from './generator.js';
import { MathEnv, phrases } from './math.js';
import type { MathOptions } from './options.js';
import { readProblems } from './problem-file.js';
import type { Problem } from './problem.js';
import { verify } from './verifier.js';

/** The number of problems that are drawn for a policy's vocabulary, in addition to those of the demonstrations. */
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

/** Writes a solution on one line, since a newline ends an utterance. If it does not state its answer, that is added in a box. */
export function writtenSolution({ question, solution, answer }: Problem): string {
  if (solution === null)
    throw new Error(`math: the problem ${JSON.stringify(question.slice(0, 80))} has no solution to imitate`);
  const line = solution.replace(/\s+/g, ' ').trim();
  return verify(line, answer).isCorrect ? line : `${line} \\boxed{${answer}}`;
}

/** Returns a wrong answer near the right one, without steps. */
function wrongSolution({ answer }: Problem, rng: Rng): string {
  const number = /\d+/.exec(answer);
  const wrong = number === null ? '0' : String(BigInt(number[0]) + BigInt(rng.integer(1, 9)));
  return `\\boxed{${wrong}}`;
}

/** Returns the reason why there are no demonstrations; null if there are some. */
export function missingSolutions({ problems }: MathOptions): string | null {
  if (problems === null) return null;
  const { train } = readProblems(problems);
  if (train.length === 0) return `${problems} has no training problem`;
  const without = train.filter(({ solution }) => solution === null).length;
  return without === 0 ? null : `${without} training problems of ${problems} have no solution to imitate`;
}

/** Returns texts with all words of the problems. */
export function mathTexts(options: MathOptions): string[] {
  const rng = Rng.forPurpose(0, 'math vocabulary');
  const problems =
    options.problems === null
      ? Array.from({ length: VOCABULARY_PROBLEMS }, () => anyProblem(rng, options))
      : Object.values(readProblems(options.problems)).flat();
  const texts = problems.flatMap(({ question, solution }) => [question, solution ?? '']);
  return [...phrases, options.instruction, '0 1 2 3 4 5 6 7 8 9', '\\boxed{}', ...texts];
}
