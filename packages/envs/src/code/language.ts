// Determines the programming language of a task; JavaScript and TypeScript are supported.
import type { Row } from '../table-file.js';
import { LineError, textCell } from '../task-lines.js';
import type { CodeLanguage } from './task.js';

const languages: Readonly<Record<string, CodeLanguage>> = {
  js: 'javascript',
  javascript: 'javascript',
  ts: 'typescript',
  typescript: 'typescript',
};

/** Returns the language, by default JavaScript, from its column or a task_id such as `JavaScript/0`. @throws {LineError} */
export function languageOf(row: Row): CodeLanguage {
  const id = textCell(row, 'task_id') ?? '';
  const name = textCell(row, 'language') ?? /^([A-Za-z]+)\/\d+$/.exec(id)?.[1] ?? '';
  const known = name.toLowerCase();
  if (Object.hasOwn(languages, known)) return languages[known];
  if (known === 'python' || known === 'py' || known === 'humaneval' || hasPython(row))
    throw new LineError('the task is in Python, which does not run here: JavaScript and TypeScript do');
  if (known !== '' && textCell(row, 'language') !== null)
    throw new LineError(`language ${JSON.stringify(name)} does not run here: js and ts do`);
  return 'javascript';
}

/** Matches Python code (a function, an import or an assertion), which shows that a task is not in JavaScript. */
const PYTHON = /^\s*(?:def \w+\(.*\).*:|from \w+ import |import \w+$|assert [^(=].*==)/m;

function hasPython({ cells }: Row): boolean {
  const texts = ['prompt', 'code', 'canonical_solution', 'test', 'tests', 'test_list'].flatMap((name) => cells[name]);
  return texts.some((text) => typeof text === 'string' && PYTHON.test(text));
}
