// Every example runs as its first lines say, and prints what it is there to show.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isStale } from '../bin/is-stale.js';
import { repository } from './command-line.js';

/** Patterns that the output must contain. */
const shown: Record<string, RegExp[]> = {
  '1-differentiate-a-graph.ts': [/^step 0: loss 9\.0+$/m, /^step 150: loss 0\.0000/m, /^y = 2\.000 x \+ 1\.000$/m],
  '2-play-an-environment.ts': [/^Questions:$/m, /^is it a chair\? Yes\.$/m, /^return -6$/m],
  '3-clone-and-sample.ts': [/^step 60: 0\.0\d+ nats/m, /^the sky is blue$/m, /^the grass is green$/m],
};

const examples = readdirSync(join(repository, 'examples')).filter((name) => name.endsWith('.ts'));

test.each(examples)('%s', async (name) => {
  const args = [...(isStale() ? ['--conditions=source'] : []), '--import', 'tsx', join('examples', name)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository });
  expect(shown).toHaveProperty([name]); // a new example states here what it shows
  for (const line of shown[name]) expect(stdout).toMatch(line);
});
