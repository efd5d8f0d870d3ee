// Keeps the database of tau2's retail domain. An episode copies a record before changing it; the others are shared.
import { pythonJson } from '../cpython/repr.js';

export type Address = Record<'address1' | 'address2' | 'city' | 'country' | 'state' | 'zip', string>;

/** Returns an address whose fields are in the order of tau2's Python class, since the tools' answers print them in this order. */
export const addressOf = ({
  address1,
  address2,
  city,
  country,
  state,
  zip,
}: Readonly<Record<string, string>>): Address => ({
  address1,
  address2,
  city,
  country,
  state,
  zip,
});

export interface Variant {
  item_id: string;
  options: ReadonlyMap<string, string>;
  available: boolean;
  price: number;
}

export interface Product {
  name: string;
  product_id: string;
  variants: ReadonlyMap<string, Variant>;
}

/** A user's payment method. A gift card has a balance; a credit card has a brand and its last digits. */
export interface PaymentMethod {
  source: string;
  id: string;
  balance?: number;
  brand?: string;
  last_four?: string;
}

export interface User {
  user_id: string;
  name: { first_name: string; last_name: string };
  address: Address;
  email: string;
  payment_methods: ReadonlyMap<string, PaymentMethod>;
  orders: readonly string[];
}

export interface OrderItem {
  name: string;
  product_id: string;
  item_id: string;
  price: number;
  options: ReadonlyMap<string, string>;
}

export interface OrderPayment {
  transaction_type: 'payment' | 'refund';
  amount: number;
  payment_method_id: string;
}

export interface RetailOrder {
  order_id: string;
  user_id: string;
  address: Address;
  items: OrderItem[];
  status: string;
  fulfillments: readonly { tracking_id: readonly string[]; item_ids: readonly string[] }[];
  payment_history: OrderPayment[];
  cancel_reason: string | null;
  exchange_items: string[] | null;
  exchange_new_items: string[] | null;
  exchange_payment_method_id: string | null;
  exchange_price_difference: number | null;
  return_items: string[] | null;
  return_payment_method_id: string | null;
}

/** The contents of db.json. Maps keep the order of the file, since the tools' answers show it. */
export interface RetailContents {
  readonly products: ReadonlyMap<string, Product>;
  readonly users: ReadonlyMap<string, User>;
  readonly orders: ReadonlyMap<string, RetailOrder>;
}

/** An error of a tool call. The agent reads its message as the call's result. */
export class ToolError extends Error {}

export class RetailStore {
  readonly #users = new Map<string, User>();
  readonly #orders = new Map<string, RetailOrder>();

  constructor(private readonly base: RetailContents) {}

  get products(): RetailContents['products'] {
    return this.base.products;
  }

  get contents(): RetailContents {
    const { products, users, orders } = this.base;
    return { products, users: merged(users, this.#users), orders: merged(orders, this.#orders) };
  }

  /** Returns the episode's copy of an order, which the caller may change. @throws {ToolError} for an unknown id */
  order(id: string): RetailOrder {
    return own(this.#orders, this.base.orders, id, 'Order not found', (order) => ({
      ...order,
      items: order.items.map((item) => ({ ...item })),
      payment_history: [...order.payment_history],
    }));
  }

  /** Returns the episode's copy of a user, which the caller may change. @throws {ToolError} for an unknown id */
  user(id: string): User {
    return own(this.#users, this.base.users, id, 'User not found', (user) => ({
      ...user,
      payment_methods: new Map([...user.payment_methods].map(([key, method]) => [key, { ...method }])),
    }));
  }

  /** Returns the id of the first user for whom `test` is true. @throws {ToolError} if there is none */
  userWhere(test: (user: User) => boolean): string {
    for (const [id, user] of this.base.users) if (test(this.#users.get(id) ?? user)) return id;
    throw new ToolError('User not found');
  }

  /** Returns a product. @throws {ToolError} for an unknown id */
  product(id: string): Product {
    return found(this.base.products.get(id), 'Product not found');
  }

  /** Returns a variant of a product. @throws {ToolError} for an unknown id */
  variant(productId: string, id: string): Variant {
    return found(this.product(productId).variants.get(id), 'Variant not found');
  }

  /** Returns a payment method of a user. @throws {ToolError} for an unknown id */
  paymentMethod(userId: string, id: string): PaymentMethod {
    return found(this.user(userId).payment_methods.get(id), 'Payment method not found');
  }

  /** Returns whether two databases have the same contents. @param other a store of the same db.json */
  equals(other: RetailStore): boolean {
    const same = <T>(ours: ReadonlyMap<string, T>, theirs: ReadonlyMap<string, T>, base: ReadonlyMap<string, T>) =>
      [...new Set([...ours.keys(), ...theirs.keys()])].every(
        (id) => pythonJson(ours.get(id) ?? base.get(id)) === pythonJson(theirs.get(id) ?? base.get(id)),
      );
    return same(this.#users, other.#users, this.base.users) && same(this.#orders, other.#orders, this.base.orders);
  }
}

/** Returns the value. @throws {ToolError} with the message `problem` if it is undefined */
export function found<T>(value: T | undefined, problem: string): T {
  if (value === undefined) throw new ToolError(problem);
  return value;
}

/** Returns the episode's copy of a record, made at the first request. @throws {ToolError} for an unknown id */
function own<T>(
  changed: Map<string, T>,
  base: ReadonlyMap<string, T>,
  id: string,
  problem: string,
  copied: (value: T) => T,
): T {
  const known = changed.get(id);
  if (known !== undefined) return known;
  const copy = copied(found(base.get(id), problem));
  changed.set(id, copy);
  return copy;
}

const merged = <T>(base: ReadonlyMap<string, T>, changed: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
  new Map([...base].map(([id, value]) => [id, changed.get(id) ?? value]));
