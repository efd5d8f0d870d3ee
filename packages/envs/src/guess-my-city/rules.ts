// Applies the rules of Guess My City about texts: which answers are hidden, and which questions win.

export const cannotAnswer = "I can't answer that question.";

/** Returns the part of "City, Country" before the comma. */
const cityOf = (name: string): string => name.split(',', 1)[0].trim();

/** Replaces an answer that names the city. Other spellings of the city pass, as in the original. */
export const guarded = (answer: string, name: string): string =>
  answer.toLowerCase().includes(cityOf(name).toLowerCase()) ? cannotAnswer : answer;

/** Returns whether the question contains the city's name. It wins then, even if the answer is not "yes". */
export function namesCity(question: string, name: string): boolean {
  return question
    .toLowerCase()
    .replace(/[^a-z]+$/, '')
    .includes(cityOf(name).toLowerCase());
}
