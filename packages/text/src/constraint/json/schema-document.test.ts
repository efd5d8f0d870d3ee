import { SchemaDocument } from './schema-document.js';

const since2019 = 'https://json-schema.org/draft/2020-12/schema';

function target(schema: object, place: string): string {
  const document = new SchemaDocument(schema);
  const from = document.referred(place, document.root);
  return document.referred((from.schema as { $ref: string }).$ref, from).path;
}

const found: [kind: string, schema: object, place: string, target: string][] = [
  [
    'an address relative to that of the document',
    { $id: 'https://a.b/c/root.json', $defs: { x: { $id: '../d' }, from: { $ref: '/d' } } },
    '#/$defs/from',
    '#/$defs/x',
  ],
  [
    'an address relative to an embedded schema',
    {
      $id: 'https://a.b/',
      $defs: { in: { $id: 'in/', $defs: { y: { $id: 'y' }, from: { $ref: 'y' } } }, y: { $id: 'y' } },
    },
    '#/$defs/in/$defs/from',
    '#/$defs/in/$defs/y',
  ],
  [
    'an address where no schema around it has one',
    { $defs: { x: { $id: 'tree/leaf' }, from: { $id: 'tree/root', allOf: [{ $ref: 'leaf' }] } } },
    '#/$defs/from/allOf/0',
    '#/$defs/x',
  ],
  [
    'a place in an embedded schema, of the same name as one in the document',
    { $defs: { x: {}, in: { $id: 'in', $defs: { x: {} }, items: { $ref: '#/$defs/x' } } } },
    '#/$defs/in/items',
    '#/$defs/in/$defs/x',
  ],
  [
    'the root of an embedded schema',
    { $defs: { in: { $id: 'urn:example:tree', items: { $ref: '#' } } } },
    '#/$defs/in/items',
    '#/$defs/in',
  ],
  [
    'a place by the name of an embedded schema',
    { $id: 'urn:root', $defs: { in: { $id: 'urn:in', items: {} } }, not: { $ref: 'urn:in#/items' } },
    '#/not',
    '#/$defs/in/items',
  ],
  [
    'an anchor of an embedded schema',
    { $id: 'https://a.b/', $anchor: 'n', $defs: { in: { $id: 'in', not: { $anchor: 'n' } } }, not: { $ref: 'in#n' } },
    '#/not',
    '#/$defs/in/not',
  ],
  [
    'an anchor of the document, which an embedded schema has as well',
    { $defs: { in: { $id: 'in', $anchor: 'n' }, n: { $anchor: 'n' } }, not: { $ref: '#n' } },
    '#/not',
    '#/$defs/n',
  ],
  ['an anchor for dynamic references', { items: { $dynamicAnchor: 'n' }, not: { $ref: '#n' } }, '#/not', '#/items'],
  [
    'an anchor as before 2019',
    { $id: 'https://a.b/', $defs: { in: { $id: 'in#n' } }, not: { $ref: '/in#n' } },
    '#/not',
    '#/$defs/in',
  ],
  [
    'an address in a part that a pointer of the document leads into',
    { $id: 'https://a.b/', $defs: { in: { $id: 'c/', items: { $ref: 'd' } }, d: { $id: 'c/d' } } },
    '#/$defs/in/items',
    '#/$defs/d',
  ],
  [
    'a schema within a keyword that the standard does not know',
    { $id: 'https://a.b/', components: { in: { $ref: 'd' } }, $defs: { d: { $id: 'd' } } },
    '#/components/in',
    '#/$defs/d',
  ],
  [
    'an address beside an $id, since 2019',
    { $schema: since2019, $defs: { x: { $id: 'c/d' }, y: { $id: 'd' }, from: { $id: 'c/', $ref: 'd' } } },
    '#/$defs/from',
    '#/$defs/x',
  ],
  [
    'a place of the document from below an $id that has no such place',
    { $defs: { x: {}, in: { $id: '/schemas/in', items: { $ref: '#/$defs/x' } } } },
    '#/$defs/in/items',
    '#/$defs/x',
  ],
  [
    'a place of the document from below a property of a schema that is called id',
    { $defs: { x: {} }, id: 'a', properties: { id: { id: 'b', $ref: '#/$defs/x' } } },
    '#/properties/id',
    '#/$defs/x',
  ],
  [
    'an address by id, up to draft 4',
    {
      $schema: 'http://json-schema.org/draft-04/schema#',
      id: 'http://a.b/',
      definitions: { x: { id: 'c/x' }, in: { id: 'c/', items: { $ref: 'x' } } },
    },
    '#/definitions/in/items',
    '#/definitions/x',
  ],
];

test.each(found)('%s is found', (_, schema, place, expected) => {
  expect(target(schema, place)).toBe(expected);
});

const refused: [kind: string, schema: object, place: string, message: string][] = [
  ['another document', { $id: 'https://a.b/c', not: { $ref: 'd' } }, '#/not', 'references to other documents'],
  [
    'an anchor that only an embedded schema has',
    { $defs: { in: { $id: 'in', $anchor: 'n' } }, not: { $ref: '#n' } },
    '#/not',
    'there is no such anchor',
  ],
  [
    'an address that two schemas have',
    { $id: 'https://a.b/', $defs: { x: { $id: 'c' }, y: { $id: '/c' } }, not: { $ref: 'c' } },
    '#/not',
    'several schemas have this $id',
  ],
  [
    'an anchor that two schemas have',
    { $defs: { x: { $anchor: 'n' }, y: { $anchor: 'n' } }, not: { $ref: '#n' } },
    '#/not',
    'several schemas have this anchor',
  ],
  [
    'an address beside an $id that changes it in some drafts',
    { $defs: { x: { $id: 'c/d' }, y: { $id: 'd' }, from: { $id: 'c/', $ref: 'd' } } },
    '#/$defs/from',
    'the drafts disagree about the address that it is resolved against; name the draft as $schema',
  ],
  [
    'a place below an id that is an address in some drafts',
    { $defs: { x: {}, in: { id: 'in', $defs: { x: {} }, items: { $ref: '#/$defs/x' } } } },
    '#/$defs/in/items',
    'the drafts disagree',
  ],
];

test.each(refused)('%s is refused', (_, schema, place, message) => {
  expect(() => target(schema, place)).toThrow(message);
});
