// Validates tool arguments and results against JSON schemas in a thread with limits of time and memory. The schemas come from MCP
// servers, and a pattern such as `(a+)+$` may take practically forever for a string of forty letters. See docs/decisions/mcp.md.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** The time limit of a validation. Most take microseconds; compiling a large schema takes a tenth of a second. */
const MOST_MS = 5_000;

const MOST_MIB = 256;

/** The largest number of compiled schemas that the thread keeps. */
const MOST_KEPT = 1_024;

/** The largest number of values that exceeded a limit and are remembered, since an agent may repeat such a call in every turn. */
const MOST_FAILED = 1_024;

/** The thread's program. It is a string, since tests run the TypeScript sources, which a thread could not load. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { AjvJsonSchemaValidator } = require(workerData.library);
const validator = new AjvJsonSchemaValidator();
const known = new Map();

function compiled(schema) {
  let validate = known.get(schema);
  if (validate === undefined) {
    if (known.size >= ${MOST_KEPT}) known.clear();
    known.set(schema, (validate = validator.getValidator(JSON.parse(schema))));
  }
  return validate;
}

function answerTo({ schema, value }) {
  try {
    const validate = compiled(schema);
    return { fault: value === null ? null : (validate(JSON.parse(value)).errorMessage ?? null) };
  } catch (error) {
    return { problem: error.message };
  }
}

parentPort.on('message', (work) => parentPort.postMessage(answerTo(work)));
parentPort.postMessage('ready');`;

interface Work {
  schema: string;
  /** The value to validate as JSON; null: the schema is only compiled. */
  value: string | null;
}

type Answer = { fault: string | null } | { problem: string };

/** The error for a validation that exceeds its limit of time or memory. */
export class SchemaLimitError extends Error {
  override readonly name = 'SchemaLimitError';
}

/** Validates values one after another in a thread, which the first one starts and which does not keep the process alive. */
class SchemaThread {
  #worker: Promise<Worker> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  readonly #failed = new Map<string, SchemaLimitError>();

  /**
   * Returns the reason why a value is invalid; null if it is valid.
   * @throws {SchemaLimitError} if a limit of time or memory is exceeded @throws {Error} if the schema cannot be compiled
   */
  check(work: Work): Promise<string | null> {
    const checked = this.#last.then(() => this.#check(work));
    this.#last = checked.catch(() => undefined);
    return checked;
  }

  async #check(work: Work): Promise<string | null> {
    const key = createHash('sha256').update(JSON.stringify(work)).digest('base64');
    const known = this.#failed.get(key);
    if (known) throw known;
    const worker = await (this.#worker ??= started());
    try {
      const answer = await answered(worker, work);
      if ('problem' in answer) throw new Error(answer.problem);
      return answer.fault;
    } catch (error) {
      if (error instanceof SchemaLimitError) {
        if (this.#failed.size >= MOST_FAILED) this.#failed.clear();
        this.#failed.set(key, error);
        this.#worker = null; // the next check starts another thread
        void worker.terminate();
      }
      throw error;
    }
  }
}

function started(): Promise<Worker> {
  const library = createRequire(import.meta.url).resolve('@modelcontextprotocol/client/validators/ajv');
  const resourceLimits = { maxOldGenerationSizeMb: MOST_MIB };
  const worker = new Worker(THREAD, { eval: true, workerData: { library }, execArgv: [], resourceLimits });
  worker.on('error', () => {}); // without a listener, an error between two checks would end the process
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', () => {
      worker.off('error', reject);
      worker.unref();
      resolve(worker);
    });
  });
}

function answered(worker: Worker, work: Work): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const limit = (problem: string) => () => reject(new SchemaLimitError(problem));
    const timer = setTimeout(limit(`the check by its schema takes longer than ${MOST_MS / 1000} s`), MOST_MS);
    const failed = limit(`the check by its schema takes more than ${MOST_MIB} MiB`);
    const end = () => {
      clearTimeout(timer);
      worker.off('error', failed);
      worker.unref();
    };
    worker.ref();
    worker.once('error', failed);
    worker.once('message', (answer: Answer) => {
      end();
      resolve(answer);
    });
    worker.postMessage(work);
  });
}

/** The validation thread that all MCP sessions of the process share. */
export const schemaThread = new SchemaThread();
