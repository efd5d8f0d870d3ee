import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { defaultsOf } from '../option.js';
import { calculate } from './calculator.js';
import { tau2Domain } from './domain-folder.js';
import { tau2Schema, type Tau2Options } from './options.js';
import { RetailStore } from './store.js';
import { Tau2Env } from './tau2-env.js';
import { callRetailTool, retailTools } from './tools.js';
import { tau2Unit } from './unit.js';

const folder = newFolder();
const defaults = defaultsOf(tau2Schema);
const make = (options: Partial<Tau2Options> = {}) => new Tau2Env({ ...defaults, ...options });
const shop = () => new RetailStore(tau2Domain(defaults).contents);
const call = (store: RetailStore, name: string, given: Record<string, unknown> = {}) =>
  callRetailTool(store, { name, arguments: given }).text;

/** Writes a folder like the one that ships, with one file changed. */
function folderWith(name: string, file: string, change: (text: string) => string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  for (const each of ['db.json', 'tasks.json', 'policy.md']) {
    const text = readFileSync(join(import.meta.dirname, 'sample', each), 'utf8');
    writeFileSync(join(path, each), each === file ? change(text) : text);
  }
  return path;
}

test('the expert solves every task, in both formats of calls', async () => {
  for (const callFormat of ['json', 'hermes'] as const) {
    const env = make({ callFormat });
    for (const { id } of tau2Domain(defaults).tasks) {
      await env.reset({ task: id });
      let ended = null;
      while (ended === null) {
        const result = await env.step(env.expertReply()!);
        expect(result.info.invalid).toBe(false);
        if (result.terminated || result.truncated) ended = result;
      }
      expect(ended).toMatchObject({ reward: 1, terminated: true, info: { won: true, item: id } });
    }
  }
});

test('the scripted user states its reason and what it knows, then says yes; a message without a question ends the conversation', async () => {
  const env = make();
  const { observation } = await env.reset({ task: 'exchange' });
  expect(observation).toMatch(/^# Rules of the shop\n[^]*"name": "cancel_pending_order"/);
  expect(observation).toMatch(/said to the user\.\n\nUser: I want to exchange the lamp [^]* what that costs\.$/);
  const say = async (answer: string) => (await env.step(JSON.stringify({ answer }))).observation;
  expect(await say('Who are you?')).toBe(
    'User: I am Ada Moreno in zip code 97201. I do not remember my email address.',
  );
  expect(await say('And how do you pay?')).toBe('User: I pay with my credit card.');
  expect(await say('Sure?')).toBe('User: Yes.');
  expect(await env.step('{"answer": "Goodbye."}')).toMatchObject({ reward: 0, terminated: true, info: { won: false } });
});

test('the reward asks for the database and for what is to be said', async () => {
  const actions = tau2Domain(defaults).tasks.find(({ id }) => id === 'exchange')!.actions;
  const played = async (last: string, isChanged: boolean) => {
    const env = make();
    await env.reset({ task: 'exchange' });
    for (const action of isChanged ? actions : []) await env.step(JSON.stringify(action));
    return (await env.step(JSON.stringify({ answer: last }))).info.components;
  };
  expect(await played('It costs 3.75.', true)).toEqual({ database: 1, communicated: 1 });
  expect(await played('It costs nothing.', true)).toEqual({ database: 1, communicated: 0 });
  expect(await played('It costs 3.75.', false)).toEqual({ database: 0, communicated: 1 });
});

test('ten errors end an episode, and so does the limit of turns', async () => {
  const env = make();
  await env.reset();
  for (let i = 0; i < 9; i++)
    expect(await env.step('{"name": "get_user_details", "arguments": {"user_id": "nobody"}}')).toMatchObject({
      observation: 'Error: User not found',
      terminated: false,
    });
  expect(await env.step('no JSON')).toMatchObject({ reward: 0, terminated: true, info: { invalid: true } });
  const short = make({ maxTurns: 1 });
  await short.reset();
  expect(await short.step('{"answer": "Well?"}')).toMatchObject({ reward: 0, terminated: false, truncated: true });
});

test('a model that plays the user is given the scenario and the conversation, and ends it', async () => {
  const asked: string[][] = [];
  const says = ['Please cancel my order.', 'I am Ben. ###STOP###'];
  const oracle = {
    id: 'scripted',
    answer: ({ name }: { name: string }, question: string) => {
      asked.push([name, question]);
      return says[asked.length - 1];
    },
  };
  const env = new Tau2Env({ ...defaults, oracle: 'openai' }, oracle);
  expect((await env.reset({ task: 'cancel' })).observation).toMatch(/User: Please cancel my order\.$/);
  expect(await env.step('{"answer": "Who are you?"}')).toMatchObject({ terminated: true, reward: 0 });
  expect(asked[1][0]).toMatch(/^You want to cancel your pending order[^]*ben\.okoye@example\.com/);
  expect(asked[1][1]).toBe(
    'Agent: Hi! How can I help you today?\nCustomer: Please cancel my order.\nAgent: Who are you?',
  );
});

test('answers are printed as Python does, in the order of the file and of the fields of the original', () => {
  expect(call(shop(), 'get_product_details', { product_id: '3000000001' })).toMatch(
    /^\{"name": "Desk Lamp", "product_id": "3000000001", "variants": \{"9000000001": .*"1000000002": .*"price": 31\.0\}\}\}$/,
  );
  expect(call(shop(), 'get_user_details', { user_id: 'ada_moreno_1' })).toContain(
    '"payment_methods": {"gift_card_1": {"source": "gift_card", "id": "gift_card_1", "balance": 20.0}, ',
  );
  expect(call(shop(), 'list_all_product_types')).toBe('{"Desk Lamp": "3000000001", "Notebook": "1000000009"}');
});

const items = { item_ids: ['9000000001'], new_item_ids: ['1000000002'] };

test('an order is paid by a gift card as far as it has a balance', () => {
  const store = shop();
  const change = { order_id: '#W2', ...items, payment_method_id: 'gift_card_1' };
  expect(JSON.parse(call(store, 'modify_pending_order_items', change))).toMatchObject({
    status: 'pending (item modified)',
    items: [{ item_id: '1000000002', price: 34.25, options: { color: 'black' } }],
    payment_history: [{}, { transaction_type: 'payment', amount: 3.75, payment_method_id: 'gift_card_1' }],
  });
  expect(store.paymentMethod('ada_moreno_1', 'gift_card_1').balance).toBe(16.25);
  expect(call(store, 'modify_pending_order_items', change)).toBe('Error: Non-pending order cannot be modified');
  expect(store.equals(shop())).toBe(false);
  const payment = { order_id: '#W2', payment_method_id: 'gift_card_1' };
  expect(call(shop(), 'modify_pending_order_payment', payment)).toBe(
    'Error: Insufficient gift card balance to pay for the order',
  );
});

test.each<[string, Record<string, unknown>, string]>([
  ['get_order_details', { order_id: 'W1' }, 'Order not found'],
  ['get_item_details', { item_id: '3000000001' }, 'Item not found'],
  ['find_user_id_by_email', { email: 'x' }, 'User not found'],
  ['cancel_pending_order', { order_id: '#W1', reason: 'no longer needed' }, 'Non-pending order cannot be cancelled'],
  ['cancel_pending_order', { order_id: '#W2', reason: 'bored' }, 'Invalid reason'],
  [
    'exchange_delivered_order_items',
    { order_id: '#W1', item_ids: ['9000000001', '9000000001'], new_item_ids: ['1000000002'], payment_method_id: 'x' },
    'Number of 9000000001 not found.',
  ],
  [
    'exchange_delivered_order_items',
    { order_id: '#W1', item_ids: ['9000000001'], new_item_ids: ['9000000003'], payment_method_id: 'credit_card_1' },
    'New item 9000000003 not found or available',
  ],
  [
    'modify_pending_order_items',
    { order_id: '#W2', item_ids: ['9000000001'], new_item_ids: ['9000000001'], payment_method_id: 'credit_card_1' },
    'The new item id should be different from the old item id',
  ],
  [
    'return_delivered_order_items',
    { order_id: '#W1', item_ids: ['1'], payment_method_id: 'credit_card_1' },
    'Some item not found',
  ],
  ['constructor', {}, "Tool 'constructor' not found."],
  ['calculate', { expression: '1', base: 2 }, "RetailTools.calculate() got an unexpected keyword argument 'base'"],
  [
    'find_user_id_by_name_zip',
    {},
    "RetailTools.find_user_id_by_name_zip() missing 3 required positional arguments: 'first_name', 'last_name', and 'zip'",
  ],
  [
    'return_delivered_order_items',
    { order_id: '#W1', item_ids: '9', payment_method_id: 'x' },
    'item_ids must be a list of texts',
  ],
])('%s(%j) is refused, and changes nothing', (name, given, message) => {
  const store = shop();
  expect(call(store, name, given)).toBe(`Error: ${message}`);
  expect(store.equals(shop())).toBe(true);
});

test.each([
  ['2 + 2', 4],
  ['-2 ** 2', -4],
  ['2 ** -1 ** 2', 0.5],
  ['7 // 2 - -(1.5 * .5)', 3.75],
  ['-7 // 2', -4],
  ['1 - 2 - 3', -4],
  ['+-+3.', -3],
  ['00', 0],
])('%s is %d', (expression, value) => {
  expect(calculate(expression)).toBe(value);
});

test.each([
  '',
  '1 +',
  '1 2',
  '007',
  '2(3)',
  '()',
  '(1',
  '1)',
  '1 / 0',
  '9 ** 9 ** 9',
  '(-8) ** .5',
  '1e3',
  `${'('.repeat(10_000)}1`,
])('%s has no value', (expression) => {
  expect(call(shop(), 'calculate', { expression })).toMatch(/^Error: ./);
});

test('every tool has a schema that names its arguments', () => {
  expect(retailTools).toHaveLength(16);
  for (const { inputSchema } of retailTools) expect(Object.keys(inputSchema.properties!)).toEqual(inputSchema.required);
});

test('the splits are those of the folder; its training tasks are evaluated', () => {
  const data = folderWith('split', 'none', (text) => text);
  writeFileSync(join(data, 'split_tasks.json'), JSON.stringify({ train: ['exchange', 'cancel'], test: ['transfer'] }));
  const plan = (tau2Unit.splits as (options: Tau2Options) => { count(split: string): number })({ ...defaults, data });
  expect(['train', 'eval', 'test'].map((split) => plan.count(split))).toEqual([2, 2, 1]);
});

test.each([
  ['policy.md', () => '', /^$/],
  ['db.json', () => '{"products": {}}', /db\.json cannot be used\n {2}it is no database of the retail domain/],
  ['tasks.json', () => '[]', /tasks\.json cannot be used\n {2}it has no list of tasks/],
  ['tasks.json', (text: string) => text.replace('"DB"', '"ACTION"'), /task cancel: its reward_basis has ACTION/],
  [
    'tasks.json',
    (text: string) => text.replace('"initial_state": null', '"initial_state": {}'),
    /task cancel: it has an initial_state/,
  ],
  ['tasks.json', (text: string) => text.slice(1), /tasks\.json cannot be used/],
])('a folder that cannot be played is refused by its file: %s', (file, change, message) => {
  const data = folderWith(`${file}-${String(message).length}`, file, change);
  if (String(message) === '/^$/') expect(tau2Domain({ data }).policy).toBe('');
  else expect(() => tau2Domain({ data })).toThrow(message);
});

test('a missing folder is reported with the files that it should have', () => {
  expect(() => make({ data: join(folder, 'none') })).toThrow(
    /policy\.md|tasks\.json cannot be used\n {2}there is no such file; env\.data is the folder/,
  );
});
