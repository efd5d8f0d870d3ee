// Reads JavaScript and TypeScript tasks from files with the columns of MultiPL-E, HumanEval-X, HumanEval or MBPP.
import { fileURLToPath } from 'node:url';
import type { Row } from '../table-file.js';
import { cellOf, LineError, lineId, lineSplit, readTasks, textCell } from '../task-lines.js';
import { languageOf } from './language.js';
import type { CodeTask } from './task.js';
import { testsOf } from './tests.js';

const SAMPLE = fileURLToPath(new URL('../../src/code/sample.jsonl', import.meta.url));

/** Reads the tasks of a file, by default of the package's sample. @throws {TaskFileError} with every line that cannot be used */
export const codeTasks = ({ data }: { data: string | null }): readonly CodeTask[] =>
  readTasks('code', data ?? SAMPLE, taskOf);

const STOP_TOKENS = ['\nfunction ', '\n/*', '\n//', '\nconsole.log'];

function taskOf(row: Row): CodeTask {
  const language = languageOf(row);
  const text = promptOf(row);
  const given = ['canonical_solution', 'stop_tokens', 'declaration'];
  const head = row.cells.prompt !== undefined && given.some((name) => row.cells[name] !== undefined) ? text : null;
  const source = testsOf(row, language);
  const entryPoint = entryPointOf(row, source.tests.join('\n'), head);
  return {
    id: lineId(row, ['task_id', 'name', 'id'], text),
    split: lineSplit(row),
    language,
    prompt: entryPoint === null && head === null ? `${text}\n\nTests:\n${source.tests.join('\n')}` : text,
    head,
    entryPoint,
    tests: source.withSetup(entryPoint),
    stopTokens: stopTokensOf(row),
    solution: solutionOf(row, head),
    kind: textCell(row, 'kind'),
  };
}

function promptOf(row: Row): string {
  cellOf(row, ['prompt', 'text']);
  const given = textCell(row, 'prompt') ?? textCell(row, 'text');
  if (given === null) throw new LineError(`no prompt or text; its columns are ${Object.keys(row.cells).join(', ')}`);
  return given;
}

/** Returns the function or class to test: from its column, else from MultiPL-E's tests, else the prompt's last function. */
function entryPointOf(row: Row, tests: string, head: string | null): string | null {
  const named = textCell(row, 'entry_point');
  if (named !== null && !/^[A-Za-z_$][\w$]*$/.test(named))
    throw new LineError(`entry_point ${JSON.stringify(named)} is no name of JavaScript`);
  const candidate = /\b(?:let|const) candidate = ([A-Za-z_$][\w$]*)/.exec(tests)?.[1];
  const begun = [...(head ?? '').matchAll(/\b(?:function\s+|class\s+|const\s+(?=[\w$]+\s*=))([A-Za-z_$][\w$]*)/g)];
  return named ?? candidate ?? begun.at(-1)?.[1] ?? null;
}

function stopTokensOf({ cells: { stop_tokens: tokens } }: Row): readonly string[] {
  if (tokens === undefined || tokens === null) return STOP_TOKENS;
  if (Array.isArray(tokens) && tokens.every((token) => typeof token === 'string' && token !== ''))
    return tokens as string[];
  throw new LineError('stop_tokens must be a list of texts');
}

/** Returns the reference solution. HumanEval's solutions continue the prompt; MBPP's are complete programs. */
function solutionOf(row: Row, head: string | null): string | null {
  const [continued, code] = [textCell(row, 'canonical_solution'), textCell(row, 'code')];
  if (continued !== null && code !== null) throw new LineError('canonical_solution and code are both given: keep one');
  return continued === null ? code : `${head ?? ''}${continued}`;
}
