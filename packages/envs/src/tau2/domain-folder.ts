// Reads a folder with the files of tau2's retail domain: db.json (the shop's database), tasks.json, policy.md (the rules for the
// agent), and, optionally, split_tasks.json.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Split } from '../contract/env.js';
import type { ToolCall } from '../mcp/task-file.js';
import {
  addressOf,
  type RetailOrder,
  type PaymentMethod,
  type Product,
  type RetailContents,
  type User,
  type Variant,
} from './store.js';

export interface Tau2Task {
  id: string;
  /** The facts that the user knows and the user's wishes, in the second person. */
  scenario: { reason: string; known: string; unknown: string; manner: string };
  /** The tool calls that bring the database to its right final state. */
  actions: readonly ToolCall[];
  communicated: readonly string[];
  /** Statements about the conversation that a model judges in tau2. */
  assertions: readonly string[];
}

export interface Tau2Domain {
  policy: string;
  contents: RetailContents;
  tasks: readonly Tau2Task[];
  /** The tasks by split; null if the folder has no file of splits. */
  splits: Readonly<Record<Split, readonly Tau2Task[]>> | null;
}

/** The error for a folder whose files cannot be used. Its message names the file, and each faulty task. */
class Tau2FolderError extends Error {
  override readonly name = 'Tau2FolderError';

  constructor(file: string, faults: readonly string[]) {
    super([`tau2: ${file} cannot be used`, ...faults.map((fault) => `  ${fault}`)].join('\n'));
  }
}

const SAMPLE = fileURLToPath(new URL('../../src/tau2/sample', import.meta.url));
const read = new Map<string, Tau2Domain>();

/** Returns the paths of the domain's files; empty if the sample that is part of the package is used. */
export const tau2Files = ({ data }: { data: string | null }): string[] =>
  data === null ? [] : ['db.json', 'tasks.json', 'policy.md', 'split_tasks.json'].map((name) => join(data, name));

/** Reads the domain. A folder is read only once per process. @throws {Tau2FolderError} if a file cannot be used */
export function tau2Domain({ data }: { data: string | null }): Tau2Domain {
  const folder = resolve(data ?? SAMPLE);
  const known = read.get(folder);
  if (known !== undefined) return known;
  const tasks = tasksIn(join(folder, 'tasks.json'));
  const domain = {
    policy: textOf(join(folder, 'policy.md')).trim(),
    contents: contentsOf(join(folder, 'db.json')),
    tasks,
    splits: splitsIn(join(folder, 'split_tasks.json'), tasks),
  };
  read.set(folder, domain);
  return domain;
}

function textOf(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const advice = "env.data is the folder of a domain, such as tau2-bench's data/tau2/domains/retail";
  throw new Tau2FolderError(file, [`there is no such file; ${advice}`]);
}

function jsonOf(file: string, text = textOf(file)): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Tau2FolderError(file, [(error as Error).message]);
  }
}

interface TaskRow {
  id: string;
  user_scenario: { instructions: Partial<Record<string, string | null>> | string };
  initial_state?: unknown;
  evaluation_criteria: {
    actions?: readonly { name: string; arguments: ToolCall['arguments']; requestor?: string }[] | null;
    communicate_info?: readonly string[] | null;
    nl_assertions?: readonly string[] | null;
    reward_basis?: readonly string[];
  } | null;
}

/** The components of tau2's reward that a task may name. tau2.md says how the judgement by a model (NL_ASSERTION) is replaced. */
const JUDGED = ['DB', 'COMMUNICATE', 'NL_ASSERTION'];

function tasksIn(file: string): Tau2Task[] {
  const rows = jsonOf(file);
  if (!Array.isArray(rows) || rows.length === 0) throw new Tau2FolderError(file, ['it has no list of tasks']);
  const faults: string[] = [];
  const tasks = (rows as TaskRow[]).flatMap((row, i) => {
    const fault = faultOf(row);
    if (fault === null) return taskOf(row);
    faults.push(`task ${row?.id ?? i}: ${fault}`);
    return [];
  });
  if (faults.length > 0) throw new Tau2FolderError(file, faults);
  return tasks;
}

function faultOf(row: TaskRow | null): string | null {
  const { id, user_scenario: scenario, initial_state: state, evaluation_criteria: criteria } = row ?? ({} as TaskRow);
  if (typeof id !== 'string') return 'it has no id';
  if (typeof scenario?.instructions !== 'object' || scenario.instructions === null)
    return 'its user_scenario.instructions are no object, as those of the retail domain are';
  if (typeof criteria !== 'object' || criteria === null) return 'it has no evaluation_criteria';
  if ((state ?? null) !== null) return 'it has an initial_state, which no task of the retail domain has';
  const basis = criteria.reward_basis?.find((name) => !JUDGED.includes(name));
  if (basis !== undefined) return `its reward_basis has ${basis}; ${JUDGED.join(', ')} are judged here`;
  if (criteria.actions?.some(({ requestor }) => (requestor ?? 'assistant') !== 'assistant'))
    return 'its user has tools, which those of the retail domain have not';
  return null;
}

function taskOf({ id, user_scenario: scenario, evaluation_criteria: criteria }: TaskRow): Tau2Task {
  const { reason_for_call, known_info, unknown_info, task_instructions } = scenario.instructions as Exclude<
    TaskRow['user_scenario']['instructions'],
    string
  >;
  const { actions, communicate_info, nl_assertions } = criteria!;
  const said = (text: string | null | undefined) => (/\w/.test(text ?? '') ? text!.trim() : '');
  return {
    id,
    scenario: {
      reason: said(reason_for_call),
      known: said(known_info),
      unknown: said(unknown_info),
      manner: said(task_instructions),
    },
    actions: (actions ?? []).map(({ name, arguments: given }) => ({ name, arguments: given })),
    communicated: communicate_info ?? [],
    assertions: nl_assertions ?? [],
  };
}

/** Reads the splits. tau2 has only training and test tasks, so that the split for evaluation contains the training tasks. */
function splitsIn(file: string, tasks: readonly Tau2Task[]): Tau2Domain['splits'] {
  if (!existsSync(file)) return null;
  const { train, test } = jsonOf(file) as Partial<Record<string, readonly string[]>>;
  if (!Array.isArray(train) || !Array.isArray(test))
    throw new Tau2FolderError(file, ['it has no lists of ids under train and test']);
  const named = (ids: readonly string[]) => tasks.filter(({ id }) => ids.includes(id));
  return { train: named(train), eval: named(train), test: named(test) };
}

type Json = Record<string, unknown>;

/**
 * Reads the database. JavaScript would move keys that are integers to the front of an object, so that a NUL character is put
 * before them. A quoted number before a colon is always a key, since quotes inside a text are escaped.
 */
function contentsOf(file: string): RetailContents {
  const { products, users, orders } = jsonOf(file, textOf(file).replaceAll(/"(\d+)"(?=\s*:)/g, '"\\u0000$1"')) as Json;
  try {
    return {
      products: mapOf(products, ({ name, product_id, variants }: Product) => ({
        name,
        product_id,
        variants: mapOf(variants, ({ item_id, options, available, price }: Variant) => ({
          item_id,
          options: texts(options),
          available,
          price,
        })),
      })),
      users: mapOf(users, userOf),
      orders: mapOf(orders, orderOf),
    };
  } catch (error) {
    throw new Tau2FolderError(file, [`it is no database of the retail domain: ${(error as Error).message}`]);
  }
}

function mapOf<T, Value = Json>(object: unknown, read: (value: Value) => T): Map<string, T> {
  const members = Object.entries(object as Record<string, Value>);
  return new Map(members.map(([key, value]) => [key.replace('\u0000', ''), read(value)]));
}

const texts = (object: unknown): Map<string, string> => mapOf(object, (value: string) => value);

/** Returns a user whose fields are in the order of tau2's Python class, since the tools' answers print them in this order. */
const userOf = ({ user_id, name, address, email, payment_methods, orders }: User): User => ({
  user_id,
  name: { first_name: name.first_name, last_name: name.last_name },
  address: addressOf(address),
  email,
  payment_methods: mapOf(payment_methods, ({ source, id, balance, brand, last_four }: PaymentMethod) => ({
    source,
    id,
    ...(source === 'gift_card' && { balance }),
    ...(source === 'credit_card' && { brand, last_four }),
  })),
  orders,
});

function orderOf(order: RetailOrder): RetailOrder {
  return {
    order_id: order.order_id,
    user_id: order.user_id,
    address: addressOf(order.address),
    items: order.items.map(({ name, product_id, item_id, price, options }) => ({
      name,
      product_id,
      item_id,
      price,
      options: texts(options),
    })),
    status: order.status,
    fulfillments: order.fulfillments.map(({ tracking_id, item_ids }) => ({ tracking_id, item_ids })),
    payment_history: order.payment_history.map(({ transaction_type, amount, payment_method_id }) => ({
      transaction_type,
      amount,
      payment_method_id,
    })),
    cancel_reason: order.cancel_reason ?? null,
    exchange_items: order.exchange_items ?? null,
    exchange_new_items: order.exchange_new_items ?? null,
    exchange_payment_method_id: order.exchange_payment_method_id ?? null,
    exchange_price_difference: order.exchange_price_difference ?? null,
    return_items: order.return_items ?? null,
    return_payment_method_id: order.return_payment_method_id ?? null,
  };
}
