// The history that is the observation of the guessing games: a header, then each question with its answer.

/** The first line of every history. */
export const historyHeader = 'Questions:\n';

/** Returns one line of the history: it always ends with a newline, the action never does. */
export const historyLine = (question: string, answer: string) => `${question} ${answer}\n`;

/** Returns the question inside an action: leading empty lines dropped, cut at the first newline, trimmed. */
export function questionOf(action: string): string {
  const text = action.trimStart();
  const newline = text.indexOf('\n');
  return (newline === -1 ? text : text.slice(0, newline)).trimEnd();
}
