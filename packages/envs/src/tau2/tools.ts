// Implements the tools of tau2's retail domain, with the same effects, answers and errors as in tau2.
import { isRecord } from '@bowyer/core';
import { pythonFloat, pythonJson, pythonRound } from '../cpython/repr.js';
import type { ToolCall } from '../mcp/task-file.js';
import type { DescribedTool } from '../mcp/tool-text.js';
import { calculate } from './calculator.js';
import { addressOf, found, ToolError, type RetailOrder, type PaymentMethod, type RetailStore } from './store.js';

type Parameter = 'text' | 'texts';

interface RetailTool {
  description: string;
  parameters: Readonly<Record<string, Parameter>>;
  /** Whether the tool changes the database. The agent must then ask for the user's consent before the call. */
  writes?: true;
  run(store: RetailStore, given: Given): unknown;
}

/** The arguments of a tool call, after their types were checked. */
type Given = Readonly<Record<string, string>> & Readonly<Record<'item_ids' | 'new_item_ids', readonly string[]>>;

const ADDRESS = {
  address1: 'text',
  address2: 'text',
  city: 'text',
  state: 'text',
  country: 'text',
  zip: 'text',
} as const;

const EXCHANGE = { order_id: 'text', item_ids: 'texts', new_item_ids: 'texts', payment_method_id: 'text' } as const;

const TOOLS: Readonly<Record<string, RetailTool>> = {
  calculate: {
    description: 'Computes an expression of numbers with + - * / and parentheses.',
    parameters: { expression: 'text' },
    run: (_, { expression }) => pythonFloat(pythonRound(calculate(expression))),
  },
  cancel_pending_order: {
    description: "Cancels a pending order; the reason is 'no longer needed' or 'ordered by mistake'.",
    parameters: { order_id: 'text', reason: 'text' },
    writes: true,
    run: cancel,
  },
  exchange_delivered_order_items: {
    description:
      'Requests the exchange of items of a delivered order for others of the same products, in the same order.',
    parameters: EXCHANGE,
    writes: true,
    run: exchange,
  },
  find_user_id_by_email: {
    description: 'Finds the id of a user by the email address.',
    parameters: { email: 'text' },
    run: (store, { email }) => store.userWhere((user) => isSameWord(user.email, email)),
  },
  find_user_id_by_name_zip: {
    description: 'Finds the id of a user by first name, last name and zip code.',
    parameters: { first_name: 'text', last_name: 'text', zip: 'text' },
    run: (store, { first_name, last_name, zip }) =>
      store.userWhere(
        ({ name, address }) =>
          isSameWord(name.first_name, first_name) && isSameWord(name.last_name, last_name) && address.zip === zip,
      ),
  },
  get_item_details: {
    description: 'Shows one item: its options, its price and whether it is available.',
    parameters: { item_id: 'text' },
    run: (store, { item_id }) => {
      const products = [...store.products.values()];
      return found(products.find(({ variants }) => variants.has(item_id))?.variants.get(item_id), 'Item not found');
    },
  },
  get_order_details: {
    description: "Shows an order by its id, which begins with '#'.",
    parameters: { order_id: 'text' },
    run: (store, { order_id }) => store.order(order_id),
  },
  get_product_details: {
    description: 'Shows a product with its items. The id of a product is not that of an item.',
    parameters: { product_id: 'text' },
    run: (store, { product_id }) => store.product(product_id),
  },
  get_user_details: {
    description: 'Shows a user with addresses, ways to pay and ids of orders.',
    parameters: { user_id: 'text' },
    run: (store, { user_id }) => store.user(user_id),
  },
  list_all_product_types: {
    description: 'Lists the names and ids of all products.',
    parameters: {},
    run: (store) => {
      const ids = [...store.products.values()].map(({ name, product_id: id }) => [name, id] as const);
      return pythonJson(new Map(ids), { sorted: true });
    },
  },
  modify_pending_order_address: {
    description: 'Changes the address of a pending order.',
    parameters: { order_id: 'text', ...ADDRESS },
    writes: true,
    run: (store, { order_id, ...given }) => {
      const order = pendingOrder(store, order_id);
      order.address = addressOf(given);
      return order;
    },
  },
  modify_pending_order_items: {
    description: 'Changes items of a pending order to others of the same products, in the same order; possible once.',
    parameters: EXCHANGE,
    writes: true,
    run: modifyItems,
  },
  modify_pending_order_payment: {
    description: 'Changes the way in which a pending order is paid.',
    parameters: { order_id: 'text', payment_method_id: 'text' },
    writes: true,
    run: modifyPayment,
  },
  modify_user_address: {
    description: 'Changes the default address of a user.',
    parameters: { user_id: 'text', ...ADDRESS },
    writes: true,
    run: (store, { user_id, ...given }) => {
      const user = store.user(user_id);
      user.address = addressOf(given);
      return user;
    },
  },
  return_delivered_order_items: {
    description:
      'Requests the return of items of a delivered order; the refund goes to a gift card or the first payment.',
    parameters: { order_id: 'text', item_ids: 'texts', payment_method_id: 'text' },
    writes: true,
    run: returnItems,
  },
  transfer_to_human_agents: {
    description: 'Transfers the user to a human agent, with a summary.',
    parameters: { summary: 'text' },
    run: () => 'Transfer successful',
  },
};

/** The tool that transfers the user to a human agent and ends the conversation. */
export const TRANSFER = 'transfer_to_human_agents';

export const isWriting = (name: string): boolean => TOOLS[name]?.writes === true;

const TYPES = { text: { type: 'string' }, texts: { type: 'array', items: { type: 'string' } } } as const;

/** The descriptions of the tools for the agent's prompt. */
export const retailTools: readonly DescribedTool[] = Object.entries(TOOLS).map(
  ([name, { description, parameters }]) => ({
    name,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(parameters).map(([key, type]) => [key, TYPES[type]])),
      required: Object.keys(parameters),
    },
  }),
);

/** Calls a tool and returns its answer or its error, in the text that tau2 prints. */
export function callRetailTool(
  store: RetailStore,
  { name, arguments: given }: ToolCall,
): { text: string; isError: boolean } {
  try {
    const tool = found(Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined, `Tool '${name}' not found.`);
    const problem = argumentProblem(name, tool.parameters, given);
    if (problem !== null) throw new ToolError(problem);
    const answer = tool.run(store, given as Given);
    return { text: typeof answer === 'string' ? answer : pythonJson(answer), isError: false };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { text: `Error: ${error.message}`, isError: true };
  }
}

/** Returns the error message for wrong arguments, in Python's text if Python would raise it before the tool runs. */
function argumentProblem(
  name: string,
  parameters: RetailTool['parameters'],
  given: ToolCall['arguments'],
): string | null {
  if (!isRecord(given)) return `the arguments of ${name} are no object`;
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(parameters, key));
  if (unknown !== undefined) return `RetailTools.${name}() got an unexpected keyword argument '${unknown}'`;
  const missing = Object.keys(parameters).filter((key) => !Object.hasOwn(given, key));
  if (missing.length > 0)
    return `RetailTools.${name}() missing ${missing.length} required positional argument${missing.length > 1 ? 's' : ''}: ${listed(missing)}`;
  for (const [key, type] of Object.entries(parameters)) {
    const value = given[key];
    if (type === 'text' && typeof value !== 'string') return `${key} must be a text`;
    if (type === 'texts' && !(Array.isArray(value) && value.every((each) => typeof each === 'string')))
      return `${key} must be a list of texts`;
  }
  return null;
}

function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  if (quoted.length < 3) return quoted.join(' and ');
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)!}`;
}

const isSameWord = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

function pendingOrder(store: RetailStore, id: string): RetailOrder {
  const order = store.order(id);
  if (!order.status.includes('pending')) throw new ToolError('Non-pending order cannot be modified');
  return order;
}

const isGiftCard = (method: PaymentMethod): method is PaymentMethod & { balance: number } =>
  method.source === 'gift_card';

/** Adds an amount to the balance of a gift card. Other payment methods have no balance. */
function credit(method: PaymentMethod, amount: number): void {
  if (isGiftCard(method)) method.balance = pythonRound(method.balance + amount);
}

function cancel(store: RetailStore, { order_id, reason }: Given): RetailOrder {
  const order = store.order(order_id);
  if (order.status !== 'pending') throw new ToolError('Non-pending order cannot be cancelled');
  if (reason !== 'no longer needed' && reason !== 'ordered by mistake') throw new ToolError('Invalid reason');
  const refunds = order.payment_history.map(({ amount, payment_method_id: id }) => {
    credit(store.paymentMethod(order.user_id, id), amount);
    return { transaction_type: 'refund' as const, amount, payment_method_id: id };
  });
  order.status = 'cancelled';
  order.cancel_reason = reason;
  order.payment_history.push(...refunds);
  return order;
}

/** Checks that the order contains each item id as often as the call names it. @throws {ToolError} if it does not */
function requireItems(order: RetailOrder, ids: readonly string[], problem: (id: string) => string): void {
  const had = order.items.map(({ item_id: id }) => id);
  const times = (list: readonly string[], id: string) => list.filter((each) => each === id).length;
  const lacking = ids.find((id) => times(ids, id) > times(had, id));
  if (lacking !== undefined) throw new ToolError(problem(lacking));
}

/** Returns the new variants and the difference of their prices. @param check throws for a pair of ids that cannot be exchanged */
function exchanged(
  store: RetailStore,
  order: RetailOrder,
  { item_ids: ids, new_item_ids: newIds }: Given,
  check?: (id: string, newId: string) => void,
) {
  let difference = 0;
  const variants = ids.map((id, i) => {
    check?.(id, newIds[i]);
    const item = order.items.find(({ item_id: known }) => known === id)!;
    const variant = store.variant(item.product_id, newIds[i]);
    if (!variant.available) throw new ToolError(`New item ${newIds[i]} not found or available`);
    difference += variant.price - item.price;
    return variant;
  });
  return { variants, difference };
}

function exchange(store: RetailStore, given: Given): RetailOrder {
  const { order_id, item_ids: ids, new_item_ids: newIds, payment_method_id: methodId } = given;
  const order = store.order(order_id);
  if (order.status !== 'delivered') throw new ToolError('Non-delivered order cannot be exchanged');
  requireItems(order, ids, (id) => `Number of ${id} not found.`);
  if (ids.length !== newIds.length) throw new ToolError('The number of items to be exchanged should match.');
  const difference = pythonRound(exchanged(store, order, given).difference);
  const method = store.paymentMethod(order.user_id, methodId);
  if (isGiftCard(method) && method.balance < difference)
    throw new ToolError('Insufficient gift card balance to pay for the price difference');
  order.status = 'exchange requested';
  order.exchange_items = [...ids].sort();
  order.exchange_new_items = [...newIds].sort();
  order.exchange_payment_method_id = methodId;
  order.exchange_price_difference = difference;
  return order;
}

function modifyItems(store: RetailStore, given: Given): RetailOrder {
  const { order_id, item_ids: ids, new_item_ids: newIds, payment_method_id: methodId } = given;
  const order = store.order(order_id);
  if (order.status !== 'pending') throw new ToolError('Non-pending order cannot be modified');
  requireItems(order, ids, (id) => `${id} not found`);
  if (ids.length !== newIds.length) throw new ToolError('The number of items to be exchanged should match');
  const { variants, difference } = exchanged(store, order, given, (id, newId) => {
    if (id === newId) throw new ToolError('The new item id should be different from the old item id');
  });
  const method = store.paymentMethod(order.user_id, methodId);
  if (isGiftCard(method) && method.balance < difference)
    throw new ToolError('Insufficient gift card balance to pay for the new item');
  order.payment_history.push({
    transaction_type: difference > 0 ? 'payment' : 'refund',
    amount: Math.abs(difference),
    payment_method_id: methodId,
  });
  credit(method, -difference);
  for (const [i, id] of ids.entries()) {
    const item = order.items.find(({ item_id: known }) => known === id)!;
    // As in tau2, every item gets the price and the options of the last new variant, not of its own.
    const { price, options } = variants.at(-1)!;
    Object.assign(item, { item_id: newIds[i], price, options });
  }
  order.status = 'pending (item modified)';
  return order;
}

function modifyPayment(store: RetailStore, { order_id, payment_method_id: methodId }: Given): RetailOrder {
  const order = pendingOrder(store, order_id);
  const method = store.paymentMethod(order.user_id, methodId);
  const [payment] = order.payment_history;
  if (order.payment_history.length !== 1 || payment.transaction_type !== 'payment')
    throw new ToolError('There should be exactly one payment for a pending order');
  const { amount, payment_method_id: formerId } = payment;
  if (formerId === methodId) throw new ToolError('The new payment method should be different from the current one');
  if (isGiftCard(method) && method.balance < amount)
    throw new ToolError('Insufficient gift card balance to pay for the order');
  order.payment_history.push(
    { transaction_type: 'payment', amount, payment_method_id: methodId },
    { transaction_type: 'refund', amount, payment_method_id: formerId },
  );
  credit(method, -amount);
  credit(store.paymentMethod(order.user_id, formerId), amount);
  return order;
}

function returnItems(store: RetailStore, { order_id, item_ids: ids, payment_method_id: methodId }: Given): RetailOrder {
  const order = store.order(order_id);
  if (order.status !== 'delivered') throw new ToolError('Non-delivered order cannot be returned');
  const method = store.paymentMethod(order.user_id, methodId);
  if (!isGiftCard(method) && methodId !== order.payment_history[0].payment_method_id)
    throw new ToolError('Payment method should be the original payment method');
  requireItems(order, ids, () => 'Some item not found');
  order.status = 'return requested';
  order.return_items = [...ids].sort();
  order.return_payment_method_id = methodId;
  return order;
}
