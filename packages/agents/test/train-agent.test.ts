import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trainAgent } from '../src/index.js';
import { answerTo, colourModel, tasks } from './colour-agent.js';

let model: string;
beforeAll(async () => (model = await colourModel()));
const folder = () => mkdtemp(join(tmpdir(), 'agents-'));
const settings = {
  iterations: 12,
  rolloutSize: 32,
  groupSize: 8,
  lmLr: 0.02,
  evalFreq: 12,
  evalSize: 8,
  testSize: 24,
  threads: 1,
  evalShare: 0,
  testShare: 0,
};

test('an agent learns what is rewarded', async () => {
  const lines: string[] = [];
  const { results, directory } = await trainAgent({
    ...settings,
    model,
    tasks,
    savePath: await folder(),
    log: (line) => lines.push(line),
    run: async (task, context) => ((await answerTo(task, context)) === task.shown ? 1 : 0),
  });
  console.log(
    directory,
    JSON.stringify(results.policies.map(({ name, metrics }) => [name, metrics])),
    lines.join('\n'),
  );
  const [start, last] = results.policies.map(({ metrics }) => metrics['test/episodic_return']);
  expect(last).toBeGreaterThan(start + 0.3);
}, 600_000);
