// Writes the observation of the guessing games, their history: a header, then each question with its answer.

export const historyHeader = 'Questions:\n';

/** Returns one entry of the history. It ends with a newline, which an action never contains. */
export const historyLine = (question: string, answer: string) => `${question} ${answer}\n`;

/** Returns the question in an agent's action: the action's first line that is not empty, trimmed. */
export function questionOf(action: string): string {
  const text = action.trimStart();
  const newline = text.indexOf('\n');
  return (newline === -1 ? text : text.slice(0, newline)).trimEnd();
}
