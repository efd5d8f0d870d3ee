import { environmentInfo, environmentNames, makeEnv, registerEnvironment, withDefaults } from './registry.js';

test('an environment that is played on a server asks for its address', () => {
  expect(() => makeEnv('sciworld')).toThrow(/base_url is null\n {2}give its address/);
});

test.each(environmentNames())(
  '%s: every option has a description and a default; critics have a value to start from',
  (name) => {
    const { schema, critic } = environmentInfo(name);
    expect(Number.isFinite(critic!.typicalReturn!(withDefaults(schema, {}, name)))).toBe(true);
    for (const property of Object.values(schema.properties)) {
      expect(property.description.length).toBeGreaterThan(10);
      expect(property).toHaveProperty('default');
    }
  },
);

test('an unknown environment lists the known ones and the nearest', () => {
  expect(() => makeEnv('twenty_question')).toThrow(
    [
      "Unknown environment 'twenty_question'",
      "  did you mean 'twenty_questions'?",
      `  known: ${environmentNames().join(', ')}`,
    ].join('\n'),
  );
});

test('an unknown option is refused with the nearest known one', () => {
  expect(() => makeEnv('twenty_questions', { maxTurn: 5 })).toThrow(
    /Unknown option.*'maxTurn'\n {2}did you mean 'maxTurns'\?/,
  );
});

test('an environment of one’s own is found by its name; a name that is taken is refused', () => {
  const unit = { ...environmentInfo('wordle'), name: 'my_wordle' };
  registerEnvironment(unit);
  registerEnvironment(unit); // a config may name a plugin twice
  expect(environmentNames()).toContain('my_wordle');
  expect(environmentInfo('my_wordle')).toBe(unit);
  expect(() => registerEnvironment({ ...unit })).toThrow("the environment 'my_wordle' is registered already");
  expect(() => registerEnvironment({ ...unit, name: 'wordle' })).toThrow("'wordle' is registered already");
});
