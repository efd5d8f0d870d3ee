// Shows the valid actions of a turn to the player of task=play, and completes actions while the player types.
import { nearest } from '@bowyer/config';

/**
 * Writes the valid actions on one line if they fit, otherwise on several, in the order of the environment. A line ends between
 * two actions, or inside an action that is wider than the terminal, between two words.
 *
 * @param columns the width of the terminal; Infinity: always one line
 */
export function actionLines(actions: readonly string[], columns: number): string[] {
  const line = `valid actions: ${actions.join(' | ')}`;
  if (line.length < columns) return [line];
  const lines: string[] = [];
  for (const action of actions) {
    const longer = lines.length > 0 ? `${lines.at(-1)} | ${action}` : `  ${action}`;
    if (lines.length === 0 || longer.length < columns) lines[Math.max(0, lines.length - 1)] = longer;
    else lines.push(`  ${action}`);
  }
  return [`valid actions (${actions.length}):`, ...lines.flatMap((each) => atWords(each, columns))];
}

/** Breaks lines that are too long for the terminal between words. The continuation of a line gets the indentation of the line. */
export function atWords(text: string, columns: number): string[] {
  const width = columns - 1;
  return text.split('\n').flatMap((line) => {
    const indent = /^ */.exec(line)![0].slice(0, width / 2);
    const lines: string[] = [];
    let rest = line;
    while (rest.length > width) {
      const space = rest.lastIndexOf(' ', width);
      const end = space > indent.length ? space : width;
      lines.push(rest.slice(0, end));
      rest = indent + rest.slice(end).trimStart();
    }
    return [...lines, rest];
  });
}

/**
 * Completes the typed beginning of an action when Tab is pressed, in the form that readline's `completer` returns: complete
 * actions where few match, else the longest beginning that all matches share.
 */
export function completions(typed: string, actions: readonly string[]): [string[], string] {
  const found = actions.filter((action) => action.toLowerCase().startsWith(typed.toLowerCase()));
  return [found, typed];
}

/**
 * Finds the valid action that the player may have meant by a text. Returns undefined if the text is a valid action, if no actions
 * are listed, or if none is similar.
 */
export function meantAction(typed: string, actions: readonly string[]): string | undefined {
  if (typed === '' || actions.length === 0 || actions.includes(typed)) return undefined;
  return actions.find((action) => action.toLowerCase() === typed.toLowerCase()) ?? nearest(typed, actions);
}
