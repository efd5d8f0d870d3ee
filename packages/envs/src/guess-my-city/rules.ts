// The rules of Guess My City that depend on text alone.

export const cannotAnswer = "I can't answer that question.";

/** Returns the part of "City, Country" before the comma. */
const cityOf = (name: string): string => name.split(',', 1)[0].trim();

/** Refuses an answer that names the city; other spellings of it pass, as in the original. */
export const guarded = (answer: string, name: string): string =>
  answer.toLowerCase().includes(cityOf(name).toLowerCase()) ? cannotAnswer : answer;

/** Returns whether the question names the city anywhere; the answer need not be "yes". */
export function namesCity(question: string, name: string): boolean {
  return question
    .toLowerCase()
    .replace(/[^a-z]+$/, '')
    .includes(cityOf(name).toLowerCase());
}
