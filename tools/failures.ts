// Writes the end of a long log: the messages of the failed tasks, short enough for readers who see only the last lines.
import { stripVTControlCharacters } from 'node:util';

/** The approximate number of characters of the whole summary. */
export const LONGEST = 8_000;

/**
 * Lists the failed tasks.
 *
 * @param printed by `nx run-many --output-style static`
 * @returns each failed task with its failed tests, or with its last lines; empty if nx names no failed task
 */
export function failuresOfTasks(printed: string, longest = LONGEST): string {
  const [tasks, end = ''] = stripVTControlCharacters(printed).split(/^\W*NX\W+Running .* failed$/m);
  const [, list = ''] = end.split(/^Failed tasks:$/m);
  const failed = [...list.matchAll(/^- (\S+)$/gm)].map(([, task]) => task);
  const sections = new Map(
    tasks.split(/^(?:::group::.*)?> nx run /m).map((section) => [/^\S*/.exec(section)![0], section]),
  );
  const share = Math.floor(longest / Math.max(1, failed.length));
  return failed.map((task) => `${task} failed:\n\n${failuresOfTask(sections.get(task) ?? '', share)}\n`).join('\n');
}

/**
 * Lists the failed tests of a task.
 *
 * @returns the failed tests with their messages, from a task's output; its last lines if Jest names none
 */
export function failuresOfTask(printed: string, longest = LONGEST): string {
  const tests = failedTests(stripVTControlCharacters(printed));
  if (tests.size === 0) return shortened(printed.trimEnd(), longest, 'start');
  const names = [...tests.keys()].map((name) => `FAIL ${name}`).join('\n');
  const share = Math.max(0, Math.floor((longest - names.length) / tests.size));
  const messages = [...tests].map(([name, message]) => shortened(`● ${name}\n${message}`, share, 'end'));
  return [shortened(names, longest, 'end'), ...messages.filter((message) => message !== '')].join('\n\n');
}

/** Lists the messages of the failed tests, by file and title; Jest repeats them after many files. */
function failedTests(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, file, body] of text.matchAll(/^\s*FAIL +(\S+)(.*?)(?=^\s*(?:PASS|FAIL) |^Test Suites:|$(?![\s\S]))/gms))
    for (const block of body.split(/^ {2}● /m).slice(1)) {
      const [title, ...message] = block.split('\n');
      if (title !== 'Console') found.set(`${file} › ${title}`, message.join('\n').trimEnd());
    }
  return found;
}

/** Shortens a text to `longest` characters, and marks the cut at its start or end. */
function shortened(text: string, longest: number, at: 'start' | 'end'): string {
  if (text.length <= longest) return text;
  if (longest < 40) return ''; // too short for more than the mark
  return at === 'end' ? `${text.slice(0, longest)} …` : `… ${text.slice(-longest)}`;
}
