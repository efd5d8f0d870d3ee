// Makes the functions of node:assert that the tests of agents' programs use. Each call of `assertions` counts its assertions
// separately.
import { freeze, is, isInstance, isObject, keys, matches, method, then } from './captured.mjs';
import { classOf, looselyEqual, same } from './comparison.mjs';
import { errorText, shown } from './texts.mjs';

const add = method(WeakSet.prototype, 'add');
const [ErrorClass, PromiseClass] = [Error, Promise];

export const newAccount = () => ({ passed: 0, failed: null, failures: new WeakSet() });

/** Makes the object `assert` for a test. @param account counts passed assertions, and keeps the errors of failed ones */
export function assertions(account) {
  const check = checkFor(account);
  const assert = (value, message) => check(value, `${shown(value)} is not true`, message);
  const compare = (holds, what) => (a, b, message) => check(holds(a, b), `${shown(a)} ${what} ${shown(b)}`, message);
  const not = (holds) => (a, b) => !holds(a, b);
  const loose = (a, b) => same(a, b, false);
  const strict = (a, b) => same(a, b, true);
  const isMatch = (text, pattern) => typeof text === 'string' && matches(pattern, text);
  assert.ok = assert;
  assert.equal = compare(looselyEqual, 'is not equal to');
  assert.notEqual = compare(not(looselyEqual), 'is equal to');
  assert.strictEqual = compare(is, 'is not');
  assert.notStrictEqual = compare(not(is), 'is');
  assert.deepEqual = compare(loose, 'is not equal to');
  assert.notDeepEqual = compare(not(loose), 'is equal to');
  assert.deepStrictEqual = compare(strict, 'is not equal to');
  assert.notDeepStrictEqual = compare(not(strict), 'is equal to');
  assert.match = compare(isMatch, 'does not match');
  assert.doesNotMatch = compare(not(isMatch), 'matches');
  assert.fail = (message) => check(false, 'assert.fail', message);
  addThrowing(assert, check);
  assert.strict = assert;
  return freeze(assert);
}

const checkFor = (account) => (holds, text, message) => {
  if (holds) {
    account.passed++;
    return;
  }
  const failure = new ErrorClass(message === undefined ? text : shown(message));
  failure.name = 'AssertionError';
  add(account.failures, failure);
  account.failed = failure;
  throw failure;
};

function addThrowing(assert, check) {
  const isThrown = (error, expected) => check(isExpected(error, expected), `thrown: ${errorText(error)}`);
  const settled = (given, onValue, onError) =>
    then(new PromiseClass((resolve) => resolve(typeof given === 'function' ? given() : given)), onValue, onError);
  const fails = (error) => check(false, `thrown: ${errorText(error)}`);
  assert.throws = (call, expected) => {
    const end = endOf(call);
    if (end === null) check(false, 'nothing was thrown');
    else isThrown(end.error, expected);
  };
  assert.doesNotThrow = (call) => {
    const end = endOf(call);
    if (end === null) check(true, '');
    else fails(end.error);
  };
  assert.rejects = (given, expected) =>
    settled(
      given,
      () => check(false, 'nothing was thrown'),
      (error) => isThrown(error, expected),
    );
  assert.doesNotReject = (given) => settled(given, () => check(true, ''), fails);
}

/** Calls a function and returns the error that it throws; null if it throws none. */
function endOf(call) {
  try {
    call();
    return null;
  } catch (error) {
    return { error };
  }
}

function isExpected(error, expected) {
  if (expected === undefined || typeof expected === 'string') return true;
  if (typeof expected !== 'function')
    return classOf(expected) === 'RegExp' ? matches(expected, `${error}`) : hasProperties(error, expected);
  if (isObject(expected.prototype) && isInstance(expected, error)) return true;
  const isErrorClass = expected === ErrorClass || isInstance(ErrorClass, expected.prototype);
  return !isErrorClass && expected(error) === true;
}

function hasProperties(error, expected) {
  const own = keys(expected);
  for (let i = 0; i < own.length; i++) {
    const [actual, wanted] = [error?.[own[i]], expected[own[i]]];
    const isPattern = isObject(wanted) && classOf(wanted) === 'RegExp' && typeof actual === 'string';
    if (!(isPattern ? matches(wanted, actual) : same(actual, wanted, true))) return false;
  }
  return true;
}
