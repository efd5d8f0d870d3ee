// Starts a Java process with Py4J's gateway in it, as ScienceWorld's Python wrapper does. It prints its port on the first line
// and ends when its standard input does, so that none outlives this process.
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

class JavaProcessError extends Error {
  override readonly name = 'JavaProcessError';
}

const KEPT_COMPLAINT = 2_000;

export class JavaProcess {
  private constructor(
    private readonly child: ChildProcessByStdio<Writable, Readable, Readable>,
    readonly port: number,
  ) {}

  /** Starts a process. @param classPath jar or class path; relative parts are relative to this process's folder. @throws {JavaProcessError} */
  static async start(classPath: string, timeoutMs: number): Promise<JavaProcess> {
    const parts = classPath.split(delimiter).map((part) => resolve(part));
    const lacking = parts.find((part) => !existsSync(part));
    if (lacking !== undefined) {
      throw new JavaProcessError(`env.jar: there is no file '${lacking}'\n  give scienceworld.jar of ScienceWorld`);
    }
    // The simulator reads files next to its jar.
    const child = spawn('java', ['-cp', parts.join(delimiter), 'py4j.GatewayServer', '--die-on-broken-pipe', '0'], {
      cwd: dirname(parts[0]),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    try {
      return new JavaProcess(child, await portOf(child, timeoutMs));
    } catch (cause) {
      child.kill('SIGKILL');
      throw new JavaProcessError(`java -cp ${classPath} did not start: ${(cause as Error).message}`, { cause });
    }
  }

  stop(): void {
    this.child.stdin.destroy();
    this.child.kill();
  }
}

async function portOf(child: ChildProcessByStdio<Writable, Readable, Readable>, timeoutMs: number): Promise<number> {
  let [resolvePort, reject]: [(port: number) => void, (error: Error) => void] = [() => {}, () => {}];
  const promise = new Promise<number>((yes, no) => ([resolvePort, reject] = [yes, no]));
  const timer = setTimeout(() => reject(new Error(`no port in ${timeoutMs} ms`)), timeoutMs);
  child.once('error', (error) => reject(new Error(`${error.message}; Java 8 or newer must be installed`)));
  if (child.pid === undefined) return promise.finally(() => clearTimeout(timer)); // a process that did not start may have no pipes
  let complaint = '';
  child.stderr.on('data', (piece: Buffer) => (complaint = (complaint + piece.toString()).slice(-KEPT_COMPLAINT)));
  child.stdin.on('error', () => {}); // the event `exit` reports the error
  child.once('exit', (code) => reject(new Error(`it ended with code ${code}: ${complaint.trim()}`)));
  // All later lines are read too, since the simulator would otherwise wait for a reader.
  createInterface(child.stdout).once('line', (line) => {
    if (/^\d+$/.test(line.trim())) resolvePort(Number(line));
    else reject(new Error(`it printed '${line.slice(0, 80)}' instead of a port`));
  });
  return promise.finally(() => clearTimeout(timer));
}
