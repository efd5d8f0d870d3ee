// Applies the rules of Guess My City: answers that would reveal the city are replaced, and a question with the city's name wins.

export const cannotAnswer = "I can't answer that question.";

const cityOf = (name: string): string => name.split(',', 1)[0].trim();

/** Replaces an answer with the city's name by a refusal. As in the original, other spellings are not recognized. */
export const guarded = (answer: string, name: string): string =>
  answer.toLowerCase().includes(cityOf(name).toLowerCase()) ? cannotAnswer : answer;

/** Returns whether the question contains the city's name. Such a question wins, even if the oracle's answer is not "yes". */
export function namesCity(question: string, name: string): boolean {
  return question
    .toLowerCase()
    .replace(/[^a-z]+$/, '')
    .includes(cityOf(name).toLowerCase());
}
