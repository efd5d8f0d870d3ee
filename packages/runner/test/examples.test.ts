// Every example runs as its first lines say.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from './command-line.js';

const examples = readdirSync(join(repository, 'examples')).filter((name) => name.endsWith('.ts'));

test.each(examples)('%s', async (name) => {
  const args = ['--conditions=source', '--import', 'tsx', join('examples', name)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository });
  expect(stdout.split('\n').length).toBeGreaterThan(2);
});
