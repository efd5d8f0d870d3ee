// Extracts the answer from an agent's text and decides whether it is right. The rules for free answers are those of
// lm-evaluation-harness for GSM8K (EleutherAI, lm_eval/tasks/gsm8k/gsm8k.yaml: the filters strict-match and flexible-extract, and
// the metric exact_match, which ignores the parts that `comparable` removes).
import type { Extraction, QuestionsOptions } from './options.js';
import { choiceOf, letterOf, type Question } from './question.js';

/** The answer that the agent stated, or null if it stated none, and whether it is right. */
export interface Verdict {
  stated: string | null;
  isRight: boolean;
}

export function judge(text: string, question: Question, { choicesAs, extract }: QuestionsOptions): Verdict {
  if (question.choices === null) return judgeText(text, question.answer, extract);
  const { texts, right } = question.choices;
  const choice = choicesAs === 'letters' ? statedLetter(text, texts.length) : texts.indexOf(text.trim());
  if (choice < 0) return { stated: null, isRight: false };
  return {
    stated: choicesAs === 'letters' ? letterOf(choice) : texts[choice],
    isRight: texts[choice] === texts[right],
  };
}

export function judgeText(text: string, answer: string, extract: Extraction): Verdict {
  const stated = extractors[extract](text);
  return { stated, isRight: stated !== null && comparable(stated) === comparable(answer) };
}

const extractors: Readonly<Record<Extraction, (text: string) => string | null>> = {
  marked: (text) => /#### (-?[0-9.,]+)/.exec(text)?.[1] ?? null,
  last_number: (text) => text.match(/-?[$0-9.,]{2,}|-?[0-9]+/g)?.at(-1) ?? null,
  text: (text) => text.trim() || null,
};

/** Removes commas, dollar signs, the text up to `#### `, and a final point, and converts to lower case. */
const comparable = (text: string): string =>
  text
    .replaceAll(',', '')
    .replaceAll('$', '')
    .replace(/^[^]*#### /, '')
    .replace(/\.$/, '')
    .trim()
    .toLowerCase();

/** Returns the index of the choice that is named by a single capital letter, by the first such letter in the text; −1 if there is none. */
function statedLetter(text: string, choices: number): number {
  for (const [letter] of text.matchAll(/(?<![\p{L}\p{N}])[A-Z](?![\p{L}\p{N}])/gu)) {
    const choice = choiceOf(letter);
    if (choice < choices) return choice;
  }
  return -1;
}
