// Compares the Python tools and evaluators of tau2-bench's retail domain with the environment `tau2`.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  callRetailTool,
  makeEnv,
  pythonJson,
  RetailStore,
  tau2Domain,
  type RetailOrder,
  type RetailContents,
} from '@bowyer/envs';
import { caseOf, jsonLines } from '../cases.js';
import { outputOf, recordPytest } from '../programs.js';
import type { Suite } from '../suite.js';

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** An input line for Python, with the expected answer. */
interface Line {
  readonly name: string;
  readonly given: Record<string, unknown>;
  readonly expected: unknown;
}

/** Returns the hash of a database, computed like tau2's. */
const hashOf = (store: RetailStore): string =>
  createHash('sha256')
    .update(pythonJson(store.contents, { sorted: true }))
    .digest('hex');

const textsOf = (store: RetailStore, calls: readonly Call[]): string[] =>
  calls.map((call) => callRetailTool(store, call).text);

/** Returns calls that try every tool on an order; most of them fail. */
function callsOn(order: RetailOrder, { users, products }: RetailContents): Call[] {
  const { order_id, user_id, items } = order;
  const ids = items.map(({ item_id: id }) => id);
  const methods = [...users.get(user_id)!.payment_methods.keys(), 'none'];
  const others = items.map(({ product_id: product, item_id: id }) =>
    [...products.get(product)!.variants.keys()].filter((other) => other !== id),
  );
  const changed = (name: string, payment_method_id: string): Call[] =>
    [0, 1].map((i) => ({
      name,
      arguments: { order_id, item_ids: ids, new_item_ids: others.map((list) => list[i] ?? ids[0]), payment_method_id },
    }));
  const address = { address1: 'é 1', address2: '', city: 'C', state: 'S', country: 'U', zip: '0' };
  const all = methods.flatMap((payment_method_id): Call[] => [
    { name: 'modify_pending_order_payment', arguments: { order_id, payment_method_id } },
    ...changed('modify_pending_order_items', payment_method_id),
    ...changed('exchange_delivered_order_items', payment_method_id),
    { name: 'return_delivered_order_items', arguments: { order_id, item_ids: [...ids, ids[0]], payment_method_id } },
    { name: 'return_delivered_order_items', arguments: { order_id, item_ids: ids, payment_method_id } },
  ]);
  // Half of the orders are cancelled before the other calls.
  const cancel = { name: 'cancel_pending_order', arguments: { order_id, reason: 'ordered by mistake' } };
  return [
    ...(ids.length % 2 === 0 ? [cancel, ...all] : [...all, cancel]),
    { name: 'modify_pending_order_address', arguments: { order_id, ...address } },
    { name: 'modify_user_address', arguments: { user_id, ...address } },
    { name: 'get_order_details', arguments: { order_id } },
    { name: 'get_user_details', arguments: { user_id } },
    { name: 'get_product_details', arguments: { product_id: items[0].product_id } },
    { name: 'get_item_details', arguments: { item_id: ids[0] } },
  ];
}

const EXPRESSIONS = [
  '1 + 2 * 3',
  '(100.5 - 0.25) / 3',
  '2 ** 10 - 7 // 2',
  '-7 // 2',
  '1.005 * 100',
  '0.1 + 0.2',
  '1e5',
  '2 / 0',
  '.5+1.',
];

const REFUSED: readonly Call[] = [
  { name: 'get_order', arguments: {} },
  { name: 'get_order_details', arguments: {} },
  { name: 'modify_user_address', arguments: { user_id: 'x' } },
  { name: 'find_user_id_by_name_zip', arguments: { first_name: 'x' } },
  { name: 'list_all_product_types', arguments: { sorted: true } },
];

/** Returns the calls of every task, and those on every order, with their answers here. */
function callLines(contents: RetailContents, tasks: ReturnType<typeof tau2Domain>['tasks']): Line[] {
  const line = (name: string, calls: readonly Call[]): Line => {
    const store = new RetailStore(contents);
    return { name, given: { calls }, expected: { texts: textsOf(store, calls), hash: hashOf(store) } };
  };
  const shared = new RetailStore(contents);
  const orders = [...contents.orders.values()];
  return [
    ...tasks.map(({ id, actions }) => line(`task ${id}: reference actions`, actions)),
    ...tasks.map(({ id, actions }) =>
      line(`task ${id}: reference actions, twice, backwards first`, [...actions].reverse().concat(actions)),
    ),
    ...EXPRESSIONS.map((expression) =>
      line(`calculate ${expression}`, [{ name: 'calculate', arguments: { expression } }]),
    ),
    ...REFUSED.map((call) =>
      line(`refused: ${call.name} with ${Object.keys(call.arguments).join(', ') || 'nothing'}`, [call]),
    ),
    line('list_all_product_types', [{ name: 'list_all_product_types', arguments: {} }]),
    ...orders.map((order, i) => {
      const calls = callsOn(order, contents);
      const last = i === orders.length - 1;
      const texts = textsOf(shared, calls);
      return {
        name: `order ${order.order_id}: every tool`,
        given: { calls, shared: true, last },
        expected: { texts, hash: last ? hashOf(shared) : null },
      };
    }),
  ];
}

/** Plays a task, and returns the agent's actions and their evaluation. */
async function played(data: string, task: string, isExpert: boolean) {
  const env = makeEnv('tau2', { data });
  const chosen: object = { task };
  await env.reset(chosen);
  const messages: unknown[] = [];
  for (;;) {
    const action = (isExpert ? env.expertReply!() : null) ?? '{"answer": "Goodbye."}';
    const reply = JSON.parse(action) as { answer: string } | Call;
    messages.push('answer' in reply ? reply.answer : reply);
    const { terminated, truncated, info } = await env.step(action);
    if (!terminated && !truncated) continue;
    await env.close();
    return { messages, components: info.components };
  }
}

interface FromTest {
  readonly test: string;
  readonly before: unknown;
  readonly call: Call;
  readonly text: string;
  readonly hash: string;
}

/** Repeats a call that a test of tau2 made. */
function repeated({ before, call, text, hash }: FromTest, folder: string): string | null {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'db.json'), JSON.stringify(before));
  const store = new RetailStore(tau2Domain({ data: folder }).contents);
  return difference([callRetailTool(store, call).text, hashOf(store)], [text, hash]);
}

function difference(found: unknown, expected: unknown): string | null {
  const [ours, theirs] = [found, expected].map((value) => JSON.stringify(value));
  if (ours === theirs) return null;
  const at = [...ours].findIndex((character, i) => character !== theirs[i]);
  const part = (text: string) => text.slice(Math.max(0, at - 100), at + 100);
  return `here ${part(ours)}; there ${part(theirs)}`;
}

export default {
  title: "tau2-bench's retail domain",
  against: '`env=tau2`: tools, database, rewards',
  sources: [
    {
      github: 'sierra-research/tau2-bench',
      commit: 'a2c024725189473d2d7cea3a5cfdbcc67478e41f',
      version: '18 August 2026',
      paths: [
        'src/tau2',
        'tests/test_domains/test_retail',
        ...['db.json', 'tasks.json', 'policy.md', 'split_tasks.json'].map((name) => `data/tau2/domains/retail/${name}`),
      ],
    },
    {
      pip: 'deepdiff',
      version: '9.1.0',
      with: [
        'docstring-parser==0.18.0',
        'loguru==0.7.3',
        'numpy==2.4.6',
        'pandas==3.0.6',
        'pydantic==2.13.5',
        'pytest==9.1.1',
        'python-dotenv==1.2.4',
        'pyyaml==6.0.3',
        'toml==0.10.2',
      ],
    },
  ],
  inCheck: false,
  notes:
    "tau2's own Python tools, evaluators and tests beside those of the environment: the reference actions of all 114 tasks, " +
    'first in reverse order, then in order, and every tool on each of its 1,000 orders, with the texts that tools answer and the hash ' +
    'of the database after them; the judgement of an expert and of an agent that does nothing, for each task; and each call that ' +
    'its tests of the domain make. The module addict and the package itself, which imports clients of models, are left out: no case uses them.',
  async run({ folders: [repository, packages], work, log }) {
    const python = join(packages, 'bin/python');
    const script = join(import.meta.dirname, 'replay.py');
    const data = join(repository, 'data/tau2/domains/retail');
    const { contents, tasks } = tau2Domain({ data });
    const lines = callLines(contents, tasks);
    for (const isExpert of [true, false])
      for (const { id } of tasks) {
        const { messages, components } = await played(data, id, isExpert);
        const name = `task ${id}: judgement of ${isExpert ? 'the expert' : 'an agent that does nothing'}`;
        lines.push({ name, given: { task: id, messages }, expected: components });
      }
    const [given, found] = [join(work, 'given.jsonl'), join(work, 'found.jsonl')];
    writeFileSync(given, lines.map((line) => `${JSON.stringify(line.given)}\n`).join(''));
    log(`${lines.length} lines for tau2's own code`);
    await outputOf([python, script, repository, given, found], work);
    const answers = jsonLines<unknown>(readFileSync(found, 'utf8'));
    const cases = lines.map(({ name, expected }, i) => caseOf(name, difference(expected, answers[i] ?? null)));

    const recorded = join(work, 'recorded.jsonl');
    const tests = join(repository, 'tests/test_domains/test_retail');
    const paths = [import.meta.dirname];
    const env = { BOWYER_RECORD: recorded, BOWYER_REPOSITORY: repository };
    const pytest = { folder: work, python: packages, given: ['--noconftest', tests], paths, plugins: ['replay'] };
    await recordPytest(pytest, env);
    for (const [i, call] of jsonLines<FromTest>(readFileSync(recorded, 'utf8')).entries()) {
      const folder = join(work, `test-${i}`);
      cpSync(data, folder, { recursive: true });
      cases.push(caseOf(`${call.test}: call ${i + 1}`, repeated(call, folder)));
    }
    return cases;
  },
} satisfies Suite;
