// The valid actions of a turn, as a person reads and types them.
import { nearest } from '@bowyer/config';
import { maximum } from '@bowyer/core';

/**
 * On one line where they fit, else grouped by their first word; no action is broken unless it is wider than the terminal.
 *
 * @param columns of the terminal; Infinity: one line always
 */
export function actionLines(actions: readonly string[], columns: number): string[] {
  const line = `valid actions: ${actions.join(' | ')}`;
  if (line.length < columns) return [line];
  const groups = groupedByVerb(actions);
  const margin = Math.min(14, maximum(groups.map(([verb]) => verb.length)) + 4);
  const lines = groups.flatMap(([verb, group]) =>
    wrapped(group, columns - margin - 1).map((text, i) => {
      const label = i === 0 ? `  ${verb.slice(0, margin - 3)}` : '';
      return `${label.padEnd(margin)}${text}`;
    }),
  );
  return [`valid actions (${actions.length}):`, ...lines];
}

/** Verbs of one action only make a group without a name, the first one. */
function groupedByVerb(actions: readonly string[]): [verb: string, actions: string[]][] {
  const groups = new Map<string, string[]>([['', []]]);
  for (const action of actions) {
    const verb = verbOf(action);
    groups.set(verb, [...(groups.get(verb) ?? []), action]);
  }
  const single = [...groups].filter(([verb, group]) => verb !== '' && group.length === 1);
  for (const [verb, [action]] of single) {
    groups.get('')!.push(action);
    groups.delete(verb);
  }
  return [...groups].filter(([, group]) => group.length > 0);
}

/** `take` of "take coin", `click` of "click[Buy Now]". */
const verbOf = (action: string): string => /^[^\s[(]*/.exec(action)![0];

function wrapped(actions: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const action of actions) {
    const longer = lines.length > 0 ? `${lines.at(-1)} | ${action}` : action;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(action);
  }
  return lines;
}

/**
 * What Tab makes of a typed beginning, in the form of readline's completer: whole actions where few are left, else the longest
 * beginning that they share.
 */
export function completions(typed: string, actions: readonly string[]): [string[], string] {
  const found = actions.filter((action) => action.toLowerCase().startsWith(typed.toLowerCase()));
  return [found, typed];
}

/** The valid action that a typed text may mean: undefined where it is one, where there are none, or where none is near. */
export function meantAction(typed: string, actions: readonly string[]): string | undefined {
  if (typed === '' || actions.length === 0 || actions.includes(typed)) return undefined;
  return actions.find((action) => action.toLowerCase() === typed.toLowerCase()) ?? nearest(typed, actions);
}
