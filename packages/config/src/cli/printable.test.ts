import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { JobLog } from './job-log.js';
import { printable } from './printable.js';
import { reportError } from './report-error.js';

/** Sets the window title, clears the screen, sets a colour, reverses the direction of text, and overwrites a line. */
const stranger = 'a\x1b]0;owned\x07\x1b[2J\u009b31m\u202egnp.exe\rok\0\x7f\b';
const shown = 'a\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202egnp.exe\\u000dok\\u0000\\u007f\\u0008';

test('control characters are made visible; other texts are unchanged, and a second conversion changes nothing', () => {
  expect(printable(stranger)).toBe(shown);
  const plain = 'Łódź — 東京\n\t\\u001b 👩‍🔬 שלום';
  expect(printable(plain)).toBe(plain);
  expect(printable(shown)).toBe(shown);
  expect(JSON.parse(printable(JSON.stringify({ [stranger]: stranger })))).toEqual({ [stranger]: stranger });
});

test('log lines and errors are converted in this way, on the terminal and in the file', () => {
  const folder = newFolder();
  const texts: string[] = [];
  const stderr = { write: (text: string) => texts.push(text) };
  const handlers = {
    console: { class: 'logging.StreamHandler', stream: 'ext://sys.stderr' },
    file: { class: 'logging.FileHandler', filename: 'run.log' },
  };
  const settings = { handlers, root: { level: 'INFO', handlers: ['console', 'file'] } };
  const log = new JobLog(settings, { stdout: stderr, stderr, cwd: folder, keyPath: 'hydra.job_logging' });
  log.log('INFO', stranger, 'run');
  log.close();
  reportError(new Error(`no tool '${stranger}'`, { cause: new Error(stranger) }), {
    stderr,
    env: { HYDRA_FULL_ERROR: '1' },
  });
  expect(readFileSync(join(folder, 'run.log'), 'utf8')).toBe(`${shown}\n`);
  expect(texts[0]).toBe(`${shown}\n`);
  const all = texts.join('');
  expect(all).toContain(`no tool '${shown}'`);
  expect(all).toContain(`caused by: Error: ${shown}`);
  expect(all).not.toMatch(/[\x1b\r\u009b\u202e]/);
});
