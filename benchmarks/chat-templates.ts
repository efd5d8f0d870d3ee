// Compares published chat templates, all of the installed TRL's, with transformers: texts, tokens and assistant masks over the
// conversations of packages/text/test/record-chat-templates.py. It measures no times.
//
//   PYTHON=/path/to/python node --conditions=source --import tsx benchmarks/chat-templates.ts [FOLDER of *.jinja]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compareRecording, type Recording } from '../packages/text/test/chat-fixtures/compare-recording.js';

const python = process.env.PYTHON ?? 'python3';
const HOW = 'pip install trl transformers jinja2, and PYTHON=/path/to/its/python';

function templatesOfTrl(): string | null {
  const script = 'import os, trl; print(os.path.join(os.path.dirname(trl.__file__), "chat_templates"))';
  try {
    return execFileSync(python, ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return null;
  }
}

const folder = process.argv[2] ?? templatesOfTrl();
if (folder === null) console.log(`skipped: ${python} has no TRL (${HOW})`);
else {
  const directory = mkdtempSync(join(tmpdir(), 'chat-templates-'));
  try {
    const out = join(directory, 'recording.json');
    const tool = fileURLToPath(new URL('../packages/text/test/record-chat-templates.py', import.meta.url));
    execFileSync(python, [tool, folder, out], { stdio: ['ignore', 'inherit', 'inherit'] });
    const found = compareRecording(JSON.parse(readFileSync(out, 'utf8')) as Recording);
    const good = found.filter(({ differences }) => differences.length === 0);
    for (const { name, differences } of found) for (const line of differences) console.log(`${name}: ${line}`);
    const [compared, masks] = [
      found.reduce((n, each) => n + each.compared, 0),
      found.reduce((n, each) => n + each.masks, 0),
    ];
    console.log(`${good.length} of ${found.length} templates equal: ${compared} results, ${masks} of them with a mask`);
    if (good.length < found.length) process.exitCode = 1;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
