// The end of a long log: what failed, in the words of the tasks that failed, short enough for those who see the last lines alone.
import { stripVTControlCharacters } from 'node:util';

/** Characters of the whole summary, about. */
export const LONGEST = 8_000;

/**
 * Lists the failed tasks.
 *
 * @param printed by `nx run-many --output-style static`
 * @returns each failed task with its failed tests, or with its last lines; empty where nx names no failed task
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
 * @returns the failed tests in what a task printed with their messages; the last lines where Jest names none
 */
export function failuresOfTask(printed: string, longest = LONGEST): string {
  const tests = failedTests(stripVTControlCharacters(printed));
  if (tests.size === 0) return shortened(printed.trimEnd(), longest, 'start');
  const names = [...tests.keys()].map((name) => `FAIL ${name}`).join('\n');
  const share = Math.max(0, Math.floor((longest - names.length) / tests.size));
  const messages = [...tests].map(([name, message]) => shortened(`● ${name}\n${message}`, share, 'end'));
  return [shortened(names, longest, 'end'), ...messages.filter((message) => message !== '')].join('\n\n');
}

/** Lists the messages of the failed tests, by file and title. Jest repeats them after many files, which changes nothing. */
function failedTests(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, file, body] of text.matchAll(/^\s*FAIL +(\S+)(.*?)(?=^\s*(?:PASS|FAIL) |^Test Suites:|$(?![\s\S]))/gms))
    for (const block of body.split(/^ {2}● /m).slice(1)) {
      const [title, ...message] = block.split('\n');
      if (title !== 'Console') found.set(`${file} › ${title}`, message.join('\n').trimEnd());
    }
  return found;
}

/** Shortens a text to `longest` characters; what is left out at the start or the end is marked. */
function shortened(text: string, longest: number, at: 'start' | 'end'): string {
  if (text.length <= longest) return text;
  if (longest < 40) return ''; // a mark alone says nothing
  return at === 'end' ? `${text.slice(0, longest)} …` : `… ${text.slice(-longest)}`;
}
