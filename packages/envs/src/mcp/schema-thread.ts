// Validates values against JSON schemas, in a thread with limits: schemas come from servers of tools, and a pattern such as
// `(a+)+$` takes practically for ever for a text of forty letters. docs/decisions/mcp.md says why it is a thread.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** Milliseconds of a check. Most take microseconds; compiling a large schema takes a tenth of a second. */
const MOST_MS = 5_000;

const MOST_MIB = 256;

/** The most compiled schemas that a thread keeps. */
const MOST_KEPT = 1_024;

/** The most failed checks that are remembered: an agent may repeat its call in every turn. */
const MOST_FAILED = 1_024;

/** The program of the thread as text, since a thread cannot load the TypeScript sources that the tests run. It uses ajv, which the SDK depends on. */
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
  /** The schema as JSON. */
  schema: string;
  /** The value as JSON; null: the schema is only compiled. */
  value: string | null;
}

type Answer = { fault: string | null } | { problem: string };

/** The error for a schema or a value that takes more time or memory than a check may. */
export class SchemaLimitError extends Error {
  override readonly name = 'SchemaLimitError';
}

/** Runs one check after another. The thread starts with the first one, and never keeps the process alive. */
class SchemaThread {
  #worker: Promise<Worker> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  readonly #failed = new Map<string, SchemaLimitError>();

  /**
   * Returns what is wrong with the value; null where nothing is.
   * @throws {SchemaLimitError}
   * @throws {Error} of a schema that cannot be compiled
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
        this.#worker = null; // the next check starts another worker
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
  worker.on('error', () => {}); // an error between two checks, which nobody waits for, would end the process
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

/** For all sessions of the process. */
export const schemaThread = new SchemaThread();
