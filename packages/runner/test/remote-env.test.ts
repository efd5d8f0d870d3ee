// Tests runs with an environment on a server: with its address under either name, under neither and under both, and with a server
// that fails some episodes.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { serveEnv, serveOpenEnv, type EnvServer } from '@bowyer/serving';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder, listenHere } from '@bowyer/testing';
import { tinyRun, succeeds } from './command-line.js';
import { runHere } from './in-process.js';
import { saveTinyModel } from './tiny-model.js';

const directory = newFolder();
let maze: EnvServer;
beforeAll(async () => {
  const limits = { host: '127.0.0.1', port: 0, maxInstances: 64, idleMs: 600_000 };
  maze = await serveEnv({ name: 'maze', options: {}, ...limits });
});
afterAll(async () => {
  await maze.close();
});

const folder = (name: string) => `save_path=${join(directory, name)}`;
const cache = () => `cache_dir=${join(directory, 'cache')}`;
const served = ['env=maze', 'env.backend=agentgym'];

test('env_server_base is the server’s address, as in AgentGym', async () => {
  const [input, output] = ['actions.jsonl', 'played.jsonl'].map((name) => join(directory, name));
  const files = [`input=${input}`, `output=${output}`];
  const address = `env_server_base=${new URL(maze.url).origin}`;
  writeFileSync(input, `${JSON.stringify({ reset: { seed: 3 }, actions: ['move down', 'move down'] })}\n`);
  await succeeds(runHere(['--config-name', 'replay', ...served, address, ...files, folder('replay')]));
  const { reset, steps } = JSON.parse(readFileSync(output, 'utf8')) as {
    reset: { observation: string };
    steps: unknown[];
  };
  expect(reset.observation).toContain('The goal is at position 8, 6.');
  expect(steps.length).toBeGreaterThan(0);
});

test.each([
  [
    'no address',
    ['env=webarena'],
    [
      'env.base_url is null: webarena is played on a server, and none is named',
      /^ {2}in .*configs\/env\/webarena\.yaml:\d+$/,
      '  give its address: env.base_url=http://HOST:PORT',
    ],
  ],
  [
    'no address with a backend',
    ['env=textcraft', 'env.backend=agentgym'],
    ['env.base_url is null: textcraft is played on a server with env.backend=agentgym, and none is named'],
  ],
])('%s: reported before anything starts', async (name, args, expected) => {
  const words = ['--config-name', 'play', ...args, folder(name.replaceAll(' ', '-'))];
  const { code, stderr } = await runHere(words);
  expect(code).toBe(1);
  const lines = stderr.split('\n');
  for (const [i, line] of expected.entries()) {
    if (typeof line === 'string') expect(lines[i]).toBe(line);
    else expect(lines[i]).toMatch(line);
  }
  expect(existsSync(join(directory, name.replaceAll(' ', '-')))).toBe(false);
});

/** Makes a policy with a few words and without imitation, since a server of others has no demonstrations. */
async function madePolicy(): Promise<string> {
  const made = join(directory, 'policy');
  if (existsSync(made)) return made;
  await saveTinyModel(made, wordLevelTokenizer(['Questions:\nIs it a dog? Yes.\nmove up\nmove down\n']), 512);
  return made;
}

test.each(['twenty_questions', 'maze'] as const)(
  'our server of OpenEnv and our client agree on the text of %s: it trains with the contexts of an environment played here',
  async (name) => {
    const limits = { host: '127.0.0.1', port: 0, maxInstances: 64, idleMs: 600_000 };
    const server = await serveOpenEnv({
      name,
      options: name === 'maze' ? { maxSteps: 3 } : { maxTurns: 3 },
      ...limits,
    });
    const short = ['iterations=1', 'warmup_iter=0', 'rollout_size=4', 'eval_size=2', 'test_size=2'];
    const words = [...tinyRun('archer_20q', 'given'), ...short, 'max_turns=3'];
    const policy = `policy_lm=${await madePolicy()}`;
    try {
      const address = ['env=openenv', `env.base_url=${server.url}`, folder(`openenv-${name}`)];
      await succeeds(runHere([...words, policy, ...address]));
      // A window needs separate turns, and a history cannot be divided into turns.
      const window = [
        'context=window',
        'context.task_description=false',
        ...address.slice(0, 2),
        folder(`window-${name}`),
      ];
      const apart = await runHere([...words, policy, ...window]);
      expect(apart.code).toBe(name === 'maze' ? 0 : 1);
      if (apart.code === 1)
        expect(apart.stderr).toContain('an observation of openenv is everything that was said so far');
    } finally {
      await server.close();
    }
  },
);

/** A proxy of the maze's server, which fails the resets of every fourth starting place: 7 of 25. */
function failingProxy(): Server {
  const proxy = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const { game } = (body === '' ? {} : JSON.parse(body)) as { game?: number };
      if (request.url === '/maze/reset' && game! % 4 === 0) return void response.writeHead(500).end('out of order');
      const headers = { 'content-type': 'application/json' };
      void fetch(new URL(maze.url).origin + request.url, { method: request.method, headers, body }).then(
        async (answer) => {
          response.writeHead(answer.status, headers);
          response.end(await answer.text());
        },
      );
    });
  });
  return proxy;
}

test('a server that fails a share of the episodes: the run continues below max_failure_share and stops above it', async () => {
  const proxy = failingProxy();
  const address = `env.base_url=${await listenHere(proxy)}`;
  const short = ['iterations=2', 'warmup_iter=1', 'env.max_steps=8'];
  const words = [...tinyRun('archer_20q'), ...served, address, ...short, cache()];
  try {
    const goesOn = await succeeds(runHere([...words, 'max_failure_share=0.7', folder('goes-on')]));
    expect(goesOn.stdout + goesOn.stderr).toMatch(
      /rollout episode \d+ failed and is left out: POST \S*\/maze\/reset answered 500 \(attempt 1, status\): out of order/,
    );
    const { policies } = JSON.parse(readFileSync(join(directory, 'goes-on', 'results.json'), 'utf8')) as {
      policies: { metrics: Record<string, number> }[];
    };
    for (const { metrics } of policies) {
      expect(metrics['test/episodes']).toBeGreaterThan(0);
      expect(metrics['test/episodes']).toBeLessThan(TEST_SIZE);
    }
    const stops = await runHere([...words, 'max_failure_share=0.01', folder('stops')]);
    expect(stops.code).toBe(1);
    expect(stops.stderr).toMatch(
      /^\d+ of \d+ episodes \(.*\) failed, more than play.max_failure_share 0\.01 allows\n {2}the first: POST .*\/maze\/reset answered 500/m,
    );
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
}, 180_000);

const TEST_SIZE = Number(
  tinyRun('archer_20q')
    .find((word) => word.startsWith('test_size='))
    ?.split('=')[1],
);
