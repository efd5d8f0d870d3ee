// Runs an agent's program and its tests in a thread of the sandbox: in QuickJS in WebAssembly, without files, network, timers or
// objects of Node. Each test has its own QuickJS instance, which the garbage collector frees. The outcome of each test is
// reported to the main thread at once.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';

const path = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
const engine = newVariant(variant, { wasmModule: await WebAssembly.compile(readFileSync(path)) });
const files = ['captured', 'built-ins', 'texts', 'comparison', 'assertions', 'realm'];
const modules = Object.fromEntries(
  files.map((file) => [`./${file}.mjs`, readFileSync(new URL(`realm/${file}.mjs`, import.meta.url), 'utf8')]),
);

parentPort.on('message', async ({ program, entryPoint, tests, limits }) => {
  const isOver = timeLimit(limits.milliseconds);
  for (const test of tests) parentPort.postMessage(await outcomeOf({ program, entryPoint, test, limits, isOver }));
});

/**
 * Returns a function that says whether the time limit has passed. Both the elapsed time and the CPU time of the process must
 * exceed it, since a correct program may take long on a busy machine.
 */
function timeLimit(milliseconds) {
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  return () => {
    if (performance.now() - begin <= milliseconds) return false;
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / 1000 > milliseconds;
  };
}

async function outcomeOf(attempt) {
  try {
    return outcomeIn(await newRealm(attempt), attempt);
  } catch (error) {
    // The error is a failure of the program or of the test, or WebAssembly was aborted because it reached a limit.
    return error instanceof Failure ? error.outcome : { kind: 'memory', text: 'the engine was ended' };
  }
}

class Failure extends Error {
  constructor(outcome) {
    super(outcome.text);
    this.outcome = outcome;
  }
}

async function newRealm({ limits, isOver }) {
  const runtime = (await newQuickJSWASMModuleFromVariant(engine)).newRuntime();
  runtime.setMaxStackSize(limits.stackBytes);
  runtime.setModuleLoader(
    (name) => modules[name],
    (base, name) => name,
  );
  const context = runtime.newContext();
  const exports = context.unwrapResult(context.evalCode(`export * from './realm.mjs'`, 'thread', { type: 'module' }));
  runtime.setModuleLoader(noModule, noModule);
  runtime.setMemoryLimit(limits.memoryBytes);
  runtime.setInterruptHandler(isOver);
  const call = (name, ...given) => context.callFunction(context.getProp(exports, name), context.undefined, ...given);
  return { runtime, context, call };
}

/** Refuses every import of a program, so that it cannot reach the modules of the folder realm, which run in the same QuickJS. */
const noModule = () => ({ error: new Error('nothing can be imported here') });

function outcomeIn(realm, { program, entryPoint, test, isOver }) {
  const evaluate = (code, file, kind) => unwrapped(realm, realm.context.evalCode(code, file, { type: 'global' }), kind);
  evaluate(program, 'program.js', 'error');
  if (entryPoint !== null && textOf(realm, evaluate(`typeof ${entryPoint}`, 'thread', 'error')) === 'undefined')
    return { kind: 'missing', text: entryPoint };
  const names = JSON.parse(textOf(realm, unwrapped(realm, realm.call('parameters'), 'error')));
  // A program may declare a variable with the name of a built-in object, which the test's parameter of this name then shadows. If
  // the entry point has such a name, the parameter is renamed.
  const parameters = names.map((name, i) => (name === entryPoint ? `hidden${i}` : name));
  const make = `(function (${parameters}) { return function () {\n${test}\n}; })`;
  unwrapped(realm, realm.call('run', evaluate(make, 'test.js', 'broken')), 'error');
  unwrapped(realm, realm.runtime.executePendingJobs(), 'error');
  const outcome = JSON.parse(textOf(realm, unwrapped(realm, realm.call('outcome'), 'error')));
  // A promise is also rejected if its job was interrupted, so that the time limit is checked too.
  return outcome.kind !== 'passed' && isOver() ? { kind: 'time', text: '' } : outcome;
}

const textOf = ({ context }, handle) => context.getString(handle);

/** Returns the value of a result of QuickJS. @throws {Failure} of the kind of the exceeded limit, else of `kind` */
function unwrapped(realm, result, kind) {
  if (!result.error) return result.value;
  const { runtime, call } = realm;
  runtime.removeInterruptHandler();
  runtime.setMemoryLimit(-1);
  const described = call('errorText', result.error);
  const text = described.error ? 'an error that cannot be described' : textOf(realm, described.value);
  if (/^InternalError: interrupted/.test(text)) throw new Failure({ kind: 'time', text: '' });
  if (/^InternalError: out of memory/.test(text)) throw new Failure({ kind: 'memory', text: '' });
  throw new Failure({ kind: kind === 'error' && /^SyntaxError/.test(text) ? 'syntax' : kind, text });
}

parentPort.postMessage('ready');
