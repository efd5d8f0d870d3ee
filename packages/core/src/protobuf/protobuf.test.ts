// Bytes written by hand: tag = number * 8 + wire type (0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes).
import {
  decode,
  decodeBeginning,
  encode,
  encodedBytes,
  int32,
  int64Text,
  later,
  lengthPrefix,
  many,
  map,
  messageType,
  one,
  optional,
  string,
} from './protobuf.js';

const within = later(() => type);
const type = messageType('Type', {
  name: one(1, string),
  count: optional(2, int32),
  numbers: many(3, int32),
  id: one(4, encodedBytes('hex')),
  inner: many(5, within),
  large: one(6, int64Text),
  byName: map(7, int32),
});
const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

test('a message by hand is read as it was meant, and written again', () => {
  const bytes = hex(
    '0a 01 61  10 00  1a 03 01 ac 02  22 02 0f a0  2a 03 0a 01 62  30 ffffffffffffffff7f  3a 05 0a 01 6b 10 07',
  );
  const message = decode(type, bytes);
  expect(message).toMatchObject({
    name: 'a',
    count: 0,
    numbers: [1, 300],
    id: '0fa0',
    inner: [{ name: 'b' }],
    large: '9223372036854775807',
    byName: { k: 7 },
  });
  expect(Buffer.from(encode(type, message))).toEqual(bytes);
});

test('zeros and empty lists are left out, but a zero with presence is not', () => {
  expect(Buffer.from(encode(type, { name: '', count: 0, numbers: [], large: '0' }))).toEqual(hex('10 00'));
  expect(decode(type, hex('18 05 18 06')).numbers).toEqual([5, 6]); // not packed
  expect(Buffer.from(lengthPrefix(7, 300))).toEqual(hex('3a ac 02'));
});

test('fields that a table lacks are refused, skipped, or kept at their positions', () => {
  const bytes = hex('0a 01 61  40 05  52 01 00');
  expect(() => decode(type, bytes)).toThrow('not of the type Type: Type has the field 8, which is not known');
  expect(() => decode(type, hex('0d 00000000'))).toThrow('Type.name has the wire type 5, not 2');
  expect(decode(type, bytes, { unknown: 'skipped' })).toEqual({ name: 'a' });
  expect(Buffer.from(encode(type, decode(type, bytes, { unknown: 'kept' })))).toEqual(bytes);
  const broken = hex('0a 01 61  40 05  10 02  1a 09 00');
  expect(decodeBeginning(type, broken, 9)).toEqual({ name: 'a', count: 2 });
  expect(decodeBeginning(type, broken, 2)).toEqual({ name: 'a' });
});

test('the numbers of levels and of fields are limited', () => {
  let bytes = encode(type, { name: 'x' });
  for (let level = 0; level < 100; level++) bytes = Buffer.concat([lengthPrefix(5, bytes.length), bytes]);
  expect(() => decode(type, bytes)).toThrow('it has more than 100 levels');
  const flat = encode(type, { inner: [{}, {}, {}] });
  expect(() => decode(type, flat, { unknown: 'skipped', mostFields: 2 })).toThrow('it has more than 2 values');
});
