// Prepares the JavaScript realm in which one program and one test run. Only the sandbox's thread can use the exports, since
// programs cannot import modules.
import { assertions, newAccount } from './assertions.mjs';
import { freezeBuiltIns, names, values } from './built-ins.mjs';
import {
  apply,
  defineProperty,
  freeze,
  hasOwn,
  isInstance,
  isObject,
  keys,
  method,
  stringify,
  then,
} from './captured.mjs';
import { errorText } from './texts.mjs';

const PromiseClass = Promise;
const isFailure = method(WeakSet.prototype, 'has');
const silent = [
  'log',
  'info',
  'debug',
  'warn',
  'error',
  'trace',
  'table',
  'dir',
  'time',
  'timeEnd',
  'group',
  'groupEnd',
];
const modules = { assert: true, 'node:assert': true, 'assert/strict': true, 'node:assert/strict': true };

const account = newAccount();
const ofTests = surroundings(account);
for (const [name, value] of Object.entries(surroundings(newAccount())))
  if (name !== 'assert') defineProperty(globalThis, name, { value, writable: true, configurable: true });
freezeBuiltIns();

/** Returns the global variables of a program or of a test. Program and test have separate assertions; printed text is dropped. */
function surroundings(own) {
  const assert = assertions(own);
  const require = (name) => {
    if (hasOwn(modules, name)) return assert;
    throw new Error(`there is no module '${name}' here: assert is the only one`);
  };
  const console = { assert: (holds, message) => assert(holds, message) };
  for (const name of silent) console[name] = () => {};
  const module = { exports: {} };
  return { assert, require, console: freeze(console), module, exports: module.exports };
}

/** Returns the parameters of the function around a test. They bind the built-in values, so that a program cannot shadow them. */
export const parameters = () => stringify([...names, ...keys(ofTests)]);

let isOver = false;
let thrown = null;

/** Runs the test on the program. @param make takes the values of `parameters`, and returns the test as a function */
export function run(make) {
  try {
    const test = apply(make, undefined, [...values, ...keys(ofTests).map((name) => ofTests[name])]);
    const end = apply(test, undefined, []);
    if (!isInstance(PromiseClass, end)) isOver = true;
    else
      then(
        end,
        () => (isOver = true),
        (error) => (thrown = { error }),
      );
  } catch (error) {
    thrown = { error };
  }
}

/**
 * Returns the outcome of the test as JSON; it is called when no job of a promise is pending. A test passes if it has ended and at
 * least one assertion was executed.
 */
export function outcome() {
  const isOwn = thrown !== null && isObject(thrown.error) && isFailure(account.failures, thrown.error);
  if (thrown !== null && !isOwn) return stringify({ kind: 'error', text: errorText(thrown.error) });
  if (account.failed !== null) return stringify({ kind: 'assertion', text: account.failed.message });
  if (isOver && account.passed > 0) return stringify({ kind: 'passed', text: '' });
  return stringify({
    kind: 'error',
    text: 'the test did not end: a promise was never settled, or nothing was asserted',
  });
}

export { errorText };
