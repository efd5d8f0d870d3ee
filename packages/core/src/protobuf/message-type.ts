// Describes protobuf messages by tables of their fields: a name, a number and a kind for each. The tables are written by hand from
// `.proto` files.
import { string, type Scalar } from './scalars.js';

/** A reference to a message type that is defined later, as for a message that contains itself. The compiler does not check its values. */
export interface LaterMessage {
  later: () => MessageType<Fields>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a scalar writes what it reads, so that no other type has all scalars
type Kind = Scalar<any> | MessageType<Fields> | LaterMessage;
type Arity = 'one' | 'optional' | 'many' | 'map';

export interface Field {
  number: number;
  kind: Kind;
  arity: Arity;
}
export interface NamedField extends Field {
  name: string;
}
export type Fields = Readonly<Record<string, Field>>;

export interface MessageType<Table extends Fields> {
  name: string;
  fields: Table;
  /** The fields by number, in ascending order. */
  byNumber: ReadonlyMap<number, NamedField>;
}

type ValueOf<K> =
  K extends Scalar<infer T>
    ? T
    : K extends MessageType<infer Table>
      ? Message<Table>
      : K extends LaterMessage
        ? object
        : never;

type FieldValue<F> = F extends { kind: infer K; arity: infer A }
  ? A extends 'many'
    ? readonly ValueOf<K>[]
    : A extends 'map'
      ? Readonly<Record<string, ValueOf<K>>>
      : ValueOf<K>
  : never;

export interface UnknownField {
  number: number;
  /** The field's bytes, including its tag. */
  bytes: Uint8Array;
}

/** A message as an object. A field that was not sent is absent. */
export type Message<Table extends Fields> = { -readonly [K in keyof Table]?: FieldValue<Table[K]> } & {
  /** Unknown fields that were kept; they are written at their positions. */
  unknown?: UnknownField[];
};
export type MessageOf<T> = T extends MessageType<infer Table> ? Message<Table> : never;

/** Declares a field without presence, which is not written if it is zero. */
export const one = <const K extends Kind>(number: number, kind: K) => ({ number, kind, arity: 'one' }) as const;
/** Declares a field with presence, like all fields of proto2 and those of a oneof, which is written whenever it is set. */
export const optional = <const K extends Kind>(number: number, kind: K) =>
  ({ number, kind, arity: 'optional' }) as const;
/** Declares a repeated field; numbers are packed. */
export const many = <const K extends Kind>(number: number, kind: K) => ({ number, kind, arity: 'many' }) as const;
export const map = <const K extends Kind>(number: number, kind: K) => ({ number, kind, arity: 'map' }) as const;
export const later = (type: () => MessageType<Fields>): LaterMessage => ({ later: type });

export function messageType<const Table extends Fields>(name: string, fields: Table): MessageType<Table> {
  const named = Object.entries(fields).map(([field, given]): NamedField => ({ name: field, ...given }));
  const byNumber = new Map(named.sort((a, b) => a.number - b.number).map((field) => [field.number, field]));
  return { name, fields, byNumber };
}

const newEntryType = (kind: Kind) =>
  messageType('an entry of a map', { key: one(1, string), value: optional(2, kind) });

const entryTypes = new WeakMap<Kind, ReturnType<typeof newEntryType>>();

export function entryType(kind: Kind): ReturnType<typeof newEntryType> {
  let type = entryTypes.get(kind);
  if (!type) entryTypes.set(kind, (type = newEntryType(kind)));
  return type;
}
