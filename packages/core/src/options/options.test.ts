import { Type } from '@sinclair/typebox';
import { choice, fraction, group, integer, optional, positive, unitOptions } from './constructors.js';
import { defaultsOf, flatNames, withDefaults } from './schema-tree.js';

const schedule = group(
  {
    kind: choice(['constant', 'linear'], 'linear', 'the rate after the warm-up'),
    final_share: fraction(1, 'last rate', { flat: 'final' }),
  },
  'schedule of the rate',
  { flat: 'lm_schedule' },
);
const schema = unitOptions({
  iterations: integer(150, 'iterations', { flat: 'iterations' }),
  actor: group(
    { lr: positive(1e-5, 'rate', { flat: 'lm_lr' }), clip: optional(positive, 'null: none'), schedule },
    'the policy',
  ),
  teacher: optional(() => Type.String(), 'a model'),
});

test('an option has its default and its range in its schema; one that may be null has null', () => {
  expect(defaultsOf(schema)).toEqual({
    iterations: 150,
    actor: { lr: 1e-5, clip: null, schedule: { kind: 'linear', final_share: 1 } },
    teacher: null,
  });
  expect(schema.properties.actor.properties.clip).toMatchObject({ anyOf: [{ exclusiveMinimum: 0 }, { type: 'null' }] });
});

test('a program gives the options that differ, and others are refused with their path', () => {
  const given = { actor: { schedule: { finalShare: 0.1 } }, seed: 3 };
  const options = withDefaults(schema, given, ['seed']);
  expect(options).toEqual({
    iterations: 150,
    actor: { lr: 1e-5, clip: null, schedule: { kind: 'linear', finalShare: 0.1 } },
    teacher: null,
    seed: 3,
  });
  expect(withDefaults(schema, options, ['seed'])).toBe(options);
  const misspelt = { actor: { schedule: { finalshare: 0.1 } } } as object;
  expect(() => withDefaults(schema, misspelt)).toThrow(
    'there is no option actor.schedule.finalshare: the options here are kind, finalShare',
  );
});

test('flat names are listed with their paths; members of a group with a flat name are found below that', () => {
  expect(flatNames(schema, 'algorithm.')).toEqual([
    ['iterations', 'algorithm.iterations'],
    ['lm_lr', 'algorithm.actor.lr'],
    ['lm_schedule', 'algorithm.actor.schedule'],
    ['lm_schedule.kind', 'algorithm.actor.schedule.kind'],
    ['lm_schedule.final_share', 'algorithm.actor.schedule.final_share'],
    ['final', 'algorithm.actor.schedule.final_share'],
  ]);
});
