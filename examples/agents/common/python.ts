// Installs the Python package `openai` in a virtual environment under outputs/.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** @returns the path of Python, or the reason why there is none: this machine has no Python, or cannot install the package */
export function pythonWithOpenAI(folder: string): { python: string } | { missing: string } {
  const python = join(folder, 'bin/python');
  const run = (...command: string[]) => spawnSync(command[0], command.slice(1), { encoding: 'utf8' });
  if (existsSync(python) && run(python, '-c', 'import openai').status === 0) return { python };
  for (const command of [
    ['python3', '-m', 'venv', folder],
    [python, '-m', 'pip', 'install', '--quiet', 'openai'],
  ]) {
    const { status, stderr, error } = run(...command);
    if (status !== 0) return { missing: `${command.join(' ')}: ${error?.message ?? stderr.trim()}` };
  }
  return { python };
}
