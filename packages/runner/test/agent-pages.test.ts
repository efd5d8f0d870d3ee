// Tests the pages of docs/agents with their own commands. distill.md runs as a script of bash in a copy of its example: from a
// large model to a tested small one, with fewer tasks and iterations in the check. The commands of the other pages run one after
// the other in a user's folder in the long form of the tests; the check prepares and validates them (docs.test.ts).
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isExhaustive, whenExhaustive, listenHere, answerChats, type AnsweringServer } from '@bowyer/testing';
import { repository, run } from './command-line.js';
import { shellWords } from './documented-commands.js';
import { startServer, type StartedServer } from './started-server.js';

const pages = join(repository, 'docs/agents');
const blocksOf = (page: string) =>
  [...readFileSync(join(pages, page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block!);

let folder: string;
const at = (name: string) => join(folder, name);
afterEach(() => rmSync(folder, { recursive: true, force: true }));
/** Makes the folder of a user who has installed the packages. */
const useFolder = () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bowyer-pages-')));
  symlinkSync(join(repository, 'node_modules'), at('node_modules'));
};
const textOf = (name: string) => readFileSync(at(name), 'utf8');

/** Runs a command of bash in the folder. */
const bash = (...args: string[]) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    const { NODE_OPTIONS: _, ...env } = process.env;
    execFile('bash', args, { cwd: folder, env, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
const done = { code: 0, output: '' };
const endOf = ({ code, output }: { code: number | null; output: string }) => ({
  code,
  output: code === 0 ? '' : output,
});

/** Returns a free port. */
async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listenHere(server));
  server.close();
  return Number(port);
}

/** Overrides for one small iteration. */
const oneIteration =
  'algorithm.iterations=1 algorithm.rollout.size=4 algorithm.rollout.group_size=2 algorithm.eval.size=2';

describe('distill.md', () => {
  const page = readFileSync(join(pages, 'distill.md'), 'utf8');
  /**
   * Replacements that make the check shorter: 9 tasks and 3 of the test, a shorter training, the command without npx
   * (tools/pack-and-try.ts has it), and a large model without errors, also in the test of vitest.
   */
  const shortened: [file: string, from: string, to: string][] = [
    ['tasks.mjs', 'round = 0; round < 10', 'round = 1; round < 2'], // all guests of the test are asleep
    ['tasks.mjs', 'requests.entries()', 'requests.slice(0, 1).entries()'],
    ['guide.sh', 'npx bowyer', `node ${join(repository, 'packages/runner/bin/bowyer.js')}`],
    ['guide.sh', 'big-model.mjs 9000', 'big-model.mjs 9000 0'],
    [
      'guide.sh',
      'task.data=runs/record/conversations.jsonl',
      'task.data=runs/record/conversations.jsonl task.epochs=1 task.layers=1 task.width=32',
    ],
    ['guide.sh', 'epochs=10', 'epochs=1'],
    ['guide.sh', 'algorithm.iterations=6 task.test_size=120', `${oneIteration} task.test_size=3`],
    ['guide.sh', 'npx vitest run', "MODEL='http://127.0.0.1:9000/v1#big' npx vitest run"],
  ];
  const edit = (name: string, from: string, to: string) => {
    expect(textOf(name)).toContain(from);
    writeFileSync(at(name), textOf(name).replaceAll(from, to));
  };
  const ends = "set -e\ntrap 'kill $(jobs -p)' EXIT\n";
  const guide = async (edits: [file: string, from: string, to: string][]) => {
    useFolder();
    cpSync(join(repository, 'examples/distill'), folder, { recursive: true });
    // The packages are links out of node_modules here, and Vitest transforms what is outside of it.
    const config = 'export default { test: { server: { deps: { external: [/\\/packages\\/[a-z]+\\/dist\\//] } } } };';
    writeFileSync(at('vitest.config.mjs'), config);
    writeFileSync(at('guide.sh'), ends + blocksOf('distill.md').join('\n'));
    const port = String(await freePort());
    for (const [file, from, to] of [
      ...edits,
      ['guide.sh', '9000', port],
      ['guide.sh', 'task.upstream=', 'task.port=0 task.upstream='],
    ])
      edit(file, from, to);
    expect(endOf(await bash('guide.sh'))).toEqual(done);
    return JSON.parse(textOf('runs/bill/results.json')) as {
      costs: { thousand: number }[];
      policies: { metrics: Record<string, number> }[];
    };
  };

  test(
    'the guide’s commands run, from the record to a test that fails for a broken agent',
    async () => {
      const { costs, policies } = await guide(isExhaustive() ? [] : shortened);
      // The bill contains the prices of the large model and of the trained one.
      expect(costs[0].thousand).toBeGreaterThan(10 * costs[3].thousand);
      if (isExhaustive())
        expect(policies[3].metrics['test/episodic_return']).toBeGreaterThan(
          policies[1].metrics['test/episodic_return'],
        );
      expect(readFileSync(at('agent.gguf')).subarray(0, 4).toString()).toBe('GGUF');

      const change = /with\s`(guest: 'awake')`\sinstead\sof\s`(guest: task.guest)`/.exec(page)!;
      edit('agent.mjs', change[2], change[1]);
      const script = textOf('guide.sh').split('\n');
      const lines = ['big-model', 'vitest'].map((name) => script.find((line) => line.includes(name)));
      writeFileSync(at('broken.sh'), [ends, ...lines].join('\n'));
      const broken = await bash('broken.sh');
      expect(broken.code).toBe(1);
      expect(broken.output).toContain('not reached: reward of at least');
    },
    isExhaustive() ? 3_600_000 : 900_000,
  );

  whenExhaustive().test(
    'with fewer records the training adds to the imitation',
    async () => {
      const [, head] = /`(head [^`]+)`/.exec(page)!;
      const fewer: [string, string][] = [
        ['npx bowyer --config-name record_agent', `${head}\nnpx bowyer --config-name record_agent`],
        [
          "task.agent='node agent.mjs' task.tasks=tasks.jsonl \\\n  save_path=runs/record",
          "task.agent='node agent.mjs' task.tasks=few.jsonl save_path=runs/record",
        ],
        [' task.test_tasks=test.jsonl \\\n  task.model=runs/tuned', ' task.model=runs/tuned'],
        ['algorithm.iterations=6 task.test_size=120 ', ''],
        ['npx vitest run', ''],
      ];
      await guide(fewer.map(([from, to]) => ['guide.sh', from, to]));
      expect(textOf('runs/trained/run.log')).toMatch(/improved/);
    },
    7_200_000,
  );
});

/** Overrides that make a command shorter, by its config. */
const short: Readonly<Record<string, string>> = {
  train_agent: `${oneIteration} task.test_size=4`,
  evaluate_agent: 'task.samples=1',
  start_model: 'task.epochs=2',
  finetune: 'task.epochs=1',
  optimize_prompt: 'task.budget=8',
  record_agent: 'task.port=0',
};

/** Lines of the pages that other tests run, and where. */
const elsewhere: readonly [RegExp, string][] = [
  [/^npx bowyer init|^cd |^npm (test|run evaluate|run train|run serve)/, 'init.test.ts, tools/pack-and-try.ts'],
  [/--prefix examples\/agents$/, 'npm run try-agent-example'],
  [/examples\/tinker/, 'examples.test.ts'],
];

/** An agent that calls the model once, as in the pages. Without a task it asks for red. */
const agent = `
const { BOWYER_TASK, OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;
const { messages, answer } = JSON.parse(BOWYER_TASK ?? '{}');
const asked = messages ?? [{ role: 'system', content: 'Answer.' }, { role: 'user', content: 'say red' }];
const response = await fetch(OPENAI_BASE_URL + '/chat/completions', {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer ' + OPENAI_API_KEY },
  body: JSON.stringify({ model: 'any', max_tokens: 4, messages: asked }),
});
if (!response.ok) throw new Error(await response.text());
const { choices } = await response.json();
console.log(JSON.stringify({ reward: choices[0].message.content.trim() === (answer ?? 'red') ? 1 : 0 }));
`;
const colours = ['red', 'green', 'blue', 'black'];
const asked = (colour: string) => [
  { role: 'system', content: 'Answer.' },
  { role: 'user', content: `say ${colour}` },
];
const dialogues = Array.from({ length: 40 }, (_, i) => ({
  messages: [...asked(colours[i % 4]), { role: 'assistant', content: colours[i % 3 === 0 ? (i + 1) % 4 : i % 4] }],
}));
const tasks = Array.from({ length: 40 }, (_, i) => ({
  id: `task ${i}`,
  messages: asked(colours[i % 4]),
  answer: colours[i % 4],
}));
const pairs = colours.map((colour, i) => ({
  prompt: `say ${colour}`,
  chosen: colour,
  rejected: colours[(i + 1) % 4],
}));

whenExhaustive().describe('the commands of the other pages', () => {
  /** Another endpoint, which answers with the requested text, or with a prompt if one is requested. */
  let endpoint: AnsweringServer;
  let upstream: string;
  beforeAll(async () => {
    endpoint = await answerChats(({ messages }) => {
      const said = messages.at(-1)!.content;
      return /^say \w+$/.test(said) ? said.slice(4) : '```\nAnswer with care.\n```';
    });
    upstream = new URL(endpoint.address).host;
  });
  afterAll(() => endpoint.close());

  const linesOf = (page: string) =>
    blocksOf(page)
      .flatMap((block) => block.replace(/\\\n\s*/g, ' ').split('\n'))
      .map((line) => line.replace(/\s+# .*$/, '').trim())
      .filter((line) => line !== '');
  // The example of coding.md is run in examples.test.ts, and its programs, which are 840 MB, by benchmarks/agent-programs/follow-page.ts.
  const isOther = (page: string) => !['distill.md', 'coding.md'].includes(page) && linesOf(page).length > 0;
  const others = readdirSync(pages).filter(isOther);

  test.each(others)(
    '%s',
    async (page) => {
      useFolder();
      const jsonl = (file: string, items: readonly object[]) =>
        writeFileSync(at(file), items.map((item) => `${JSON.stringify(item)}\n`).join(''));
      writeFileSync(at('package.json'), '{"type":"module"}');
      writeFileSync(at('my-agent.js'), agent);
      for (const file of ['conversations.jsonl', 'items.jsonl']) jsonl(file, dialogues);
      jsonl('tasks.jsonl', tasks);
      jsonl('pairs.jsonl', pairs);
      const env = { OPENAI_API_KEY: 'any' };
      const start = '--config-name start_model data=items.jsonl save_path=FOLDER epochs=8 threads=1'.split(' ');
      expect(await run(start, { cwd: folder })).toMatchObject({ code: 0 });
      // The models that a page uses and does not make.
      const written = linesOf(page).join(' ');
      for (const name of ['models/start', 'models/base', 'runs/mine', 'runs/train', 'runs/start'])
        if (!written.includes(`save_path=${name}`)) cpSync(at('FOLDER'), at(name), { recursive: true });

      const servers: StartedServer[] = [];
      const stop = async () => {
        for (const server of servers.splice(0)) expect(await server.stop()).toBe(0);
      };
      for (const line of linesOf(page).filter((text) => !elsewhere.some(([pattern]) => pattern.test(text)))) {
        if (/^OPENAI_BASE_URL=\S+ .*node my-agent.js$/.test(line)) {
          const command = line.replace('http://127.0.0.1:8000', servers[0].url);
          expect(endOf(await bash('-c', command))).toEqual(done);
          continue;
        }
        const [, config] = /^npx bowyer --config-name (\w+) /.exec(line)!;
        const words = shellWords(
          line
            .replace('npx bowyer ', '')
            .replaceAll('python my_agent.py', 'node my-agent.js')
            .replaceAll('https://HOST', `http://${upstream}`)
            .replaceAll('https://api.openai.com', `http://${upstream}`)
            .replaceAll('api.openai.com', upstream.replace(':', '\\:'))
            .replaceAll('http://127.0.0.1:8000', `http://${upstream}`)
            .replace(/\btask\.port=\d+/, ''),
        );
        const isServer = /^serve_|^record_agent$/.test(config) && !line.includes('agent=');
        if (isServer) {
          await stop();
          servers.push(await startServer([...words, 'task.port=0'], env, folder));
          if (line.includes('record=')) await useModel(servers[0].url);
          continue;
        }
        const more = line.includes('--help') ? [] : (short[config]?.split(' ') ?? []);
        const { code, stdout, stderr } = await run([...words, ...more], { cwd: folder, env });
        const isGate = line.includes('fail_below');
        expect({ line, ...endOf({ code: isGate && code === 1 ? 0 : code, output: stdout + stderr }) }).toEqual({
          line,
          ...done,
        });
      }
      await stop();
    },
    900_000,
  );
});

/** Sends requests to a served model as its users do, and their feedback. */
async function useModel(url: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.status).toBe(200);
    return (await response.json()) as { id: string };
  };
  for (const [i, { messages }] of tasks.entries()) {
    const { id } = await post('chat/completions', { messages, max_tokens: 4 });
    const feedback = i % 2 === 0 ? { thumbs: 'up' } : { correction: colours[i % 4] };
    await post(`responses/${id}/feedback`, feedback);
  }
}
