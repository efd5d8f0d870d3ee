// Values against JSON schemas, in a thread with bounds: schemas come from servers of tools, and a pattern such as `(a+)+$` takes longer
// than a life for a text of forty letters. docs/decisions/mcp.md says why it is a thread.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** A check of a value takes microseconds, and the compilation of a large schema a tenth of a second. */
const MOST_MS = 5_000;

const MOST_MIB = 256;

/** Schemas that a thread keeps compiled. */
const MOST_KEPT = 1_024;

/** The thread as text: the tests run from sources, which a thread cannot load. By ajv as the SDK brings it. */
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
  /** As JSON. */
  schema: string;
  /** As JSON; null: the schema is compiled alone. */
  value: string | null;
}

type Answer = { fault: string | null } | { problem: string };

/** The schema or the value takes longer than a check may, or more memory. */
export class SchemaLimitError extends Error {
  override readonly name = 'SchemaLimitError';
}

/** One check after the other. The thread starts with the first one, and never keeps the process alive. */
class SchemaThread {
  #worker: Promise<Worker> | null = null;
  #last: Promise<unknown> = Promise.resolve();

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
    const worker = await (this.#worker ??= started());
    try {
      const answer = await answered(worker, work);
      if ('problem' in answer) throw new Error(answer.problem);
      return answer.fault;
    } catch (error) {
      if (error instanceof SchemaLimitError) {
        this.#worker = null; // the next check starts another one
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
