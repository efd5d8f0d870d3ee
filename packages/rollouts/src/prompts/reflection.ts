// Writes the request to the reflector, the model that rewrites prompts, and extracts the new prompt from its answer.
import type { Prompts } from './candidates.js';
import type { Trial } from './evolve-prompts.js';

/** The largest number of characters of a rollout's feedback that the reflector reads: half of its beginning, half of its end. */
const LONGEST_FEEDBACK = 6_000;

/** Returns the message that asks the reflector for a new text of one prompt. @param place the prompt's name */
export function reflectionMessage(place: string, prompts: Prompts, trials: readonly Trial[]): string {
  const others = Object.entries(prompts).filter(([name]) => name !== place);
  return [
    `You improve the texts that instruct an AI agent. The text to improve is ${place}. It reads now:`,
    fenced(prompts[place]),
    ...(others.length === 0
      ? []
      : ['These other texts stay as they are:', ...others.map(([name, text]) => `${name}:\n${fenced(text)}`)]),
    'Here is what the agent did with these texts, a task each, with the score that it was given:',
    ...trials.map((trial, i) => trialText(i + 1, trial)),
    'Find out where the score was lost and why. Then write a new text that would have prevented it and that holds for other tasks of ' +
      'this kind too: name the rules, the facts about the tasks and the tools, and the strategy that the examples show. Keep what ' +
      'works. Do not write the answers of single tasks into it.',
    'Write the whole new text between a line of three backticks and another one, and nothing else between them.',
  ].join('\n\n');
}

const trialText = (number: number, { task, score, feedback }: Trial): string =>
  [`Task ${number}: ${task}`, shortened(feedback), `Score: ${score}`].join('\n');

const fenced = (text: string): string => `\`\`\`\n${text}\n\`\`\``;

function shortened(text: string): string {
  if (text.length <= LONGEST_FEEDBACK) return text;
  const half = LONGEST_FEEDBACK / 2;
  return `${text.slice(0, half)}\n[${text.length - LONGEST_FEEDBACK} characters are left out]\n${text.slice(-half)}`;
}

/** Returns the text between the first and last code fence, since a prompt may contain fences; null if there is none. */
export function reflectedText(answer: string): string | null {
  const fences = [...answer.matchAll(/^[ \t]*```[^\n`]*$/gm)];
  if (fences.length < 2) return null;
  const [first, last] = [fences[0], fences.at(-1)!];
  const text = answer.slice(first.index + first[0].length, last.index).trim();
  return text === '' ? null : text;
}
