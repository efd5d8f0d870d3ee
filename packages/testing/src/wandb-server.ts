// Serves the part of W&B's protocol that a run needs. The server stores what it accepts, and fails as a test demands. Answers
// have the form of recorded ones (packages/wandb/test/fixtures/online-conversation.jsonl).
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listenHere } from './listen-here.js';
import { gunzipSync } from 'node:zlib';

interface ServedRun {
  entity: string;
  project: string;
  /** The variables of the mutation that created it, and its newest config. */
  created: Record<string, unknown>;
  config: Record<string, { value: unknown }>;
  /** The lines by offset, as first accepted. */
  streams: Record<string, string[]>;
  summary: string | null;
  files: Record<string, Buffer>;
  uploaded: string[];
  complete: boolean;
  exitcode: number | null;
}

interface ServedRequest {
  /** The GraphQL operation, file_stream, or PUT. */
  what: string;
  /** The status of the answer; 0: the connection was cut. */
  status: number;
  body: Record<string, unknown>;
  authorization: string | undefined;
}

/** cut: the request has no effect; lost: it has, but its answer is lost; page: the answer is a proxy's page. */
export type Fault =
  | 'cut'
  | 'lost'
  | 'page'
  | { status: number; headers?: Record<string, string> }
  | { delayMs: number };

interface ServedArtifact {
  input: Record<string, unknown>;
  files: Record<string, Buffer>;
  manifest: string | null;
  committed: boolean;
  usedBy: string[];
}

export class WandbServer {
  readonly runs = new Map<string, ServedRun>();
  readonly artifacts = new Map<string, ServedArtifact>();
  readonly sweeps = new Map<string, { variables: Record<string, unknown>; commands: object[] }>();
  readonly requests: ServedRequest[] = [];
  /** Lines that came at an offset at which another line was accepted before. */
  readonly contradictions: string[] = [];
  /** Returns the fault of the n-th request of its kind, counted from 1; null: none. */
  fault: (what: string, n: number) => Fault | null = () => null;
  onRequest: (request: ServedRequest) => void = () => {};
  key = 'k'.repeat(40);
  stopped = false;
  readonly #counts = new Map<string, number>();
  url = '';
  #server!: Server;

  static async start(): Promise<WandbServer> {
    const server = new WandbServer();
    server.#server = createServer((request, response) => void server.#answer(request, response));
    server.url = await listenHere(server.#server);
    return server;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(() => done()));
  }

  rows(name: string): Record<string, unknown>[] {
    const lines = this.runs.get(name)?.streams['wandb-history.jsonl'] ?? [];
    return lines.map((line) => parse(line) as Record<string, unknown>);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const sent = Buffer.concat(pieces);
    const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent; // W&B's client compresses
    const { pathname, searchParams } = new URL(request.url!, this.url);
    const isPut = request.method === 'PUT';
    const isJson = !isPut && bytes[0] === 0x7b; // the client of W&B also sends bodies that are not JSON
    const body: Record<string, unknown> = isJson
      ? (JSON.parse(bytes.toString()) as Record<string, unknown>)
      : { bytes: bytes.length };
    const operation = /(?:query|mutation)\s+(\w+)/.exec(String(body.query))?.[1];
    const what = isPut ? 'PUT' : pathname.endsWith('/file_stream') ? 'file_stream' : (operation ?? pathname);
    const n = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, n);
    const fault = this.fault(what, n);
    if (typeof fault === 'object' && fault !== null && 'delayMs' in fault)
      await new Promise((done) => setTimeout(done, fault.delayMs));
    const { authorization } = request.headers;
    const record: ServedRequest = { what, status: 200, body, authorization };
    const isKnown = authorization === `Basic ${Buffer.from(`api:${this.key}`).toString('base64')}`;
    if (fault === 'cut') record.status = 0;
    else if (!isPut && !isKnown) record.status = 401;
    else if (typeof fault === 'object' && fault !== null && 'status' in fault) record.status = fault.status;
    this.requests.push(record);
    this.onRequest(record);
    if (fault === 'cut') return void request.socket.destroy();
    const headers = typeof fault === 'object' && fault !== null && 'status' in fault ? fault.headers : {};
    if (record.status !== 200) {
      const message = `status ${record.status} for ${authorization}`; // a careless server repeats the key in its error
      response.writeHead(record.status, headers).end(JSON.stringify({ errors: [{ message }] }));
      return;
    }
    const answer = isPut
      ? this.#put(searchParams, bytes)
      : what === 'file_stream'
        ? this.#stream(pathname, body)
        : { data: this.#graphql(what, body.variables as Record<string, unknown>) };
    if (fault === 'lost') return void request.socket.destroy();
    if (fault === 'page') return void response.writeHead(200).end('<html>Please log in</html>');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  #put(search: URLSearchParams, bytes: Buffer): object {
    const name = search.get('file')!;
    const artifact = this.artifacts.get(search.get('artifact') ?? '');
    if (artifact !== undefined && name === 'wandb_manifest.json') artifact.manifest = bytes.toString();
    else if (artifact !== undefined) artifact.files[name] = bytes;
    else this.runs.get(search.get('run')!)!.files[name] = bytes;
    return {};
  }

  #stream(pathname: string, body: Record<string, unknown>): object {
    const run = this.runs.get(decodeURIComponent(pathname.split('/').at(-2)!))!;
    const files = (body.files ?? {}) as Record<string, { offset: number; content: string[] }>;
    for (const [name, { offset, content }] of Object.entries(files)) {
      if (name === 'wandb-summary.json') run.summary = content[0];
      else this.#lines((run.streams[name] ??= []), offset, content, name);
    }
    run.uploaded.push(...((body.uploaded ?? []) as string[]));
    if (body.complete) Object.assign(run, { complete: true, exitcode: body.exitcode });
    else run.complete = false;
    return { exitcode: null, limits: {}, ...(this.stopped && { stopped: true }) };
  }

  #lines(stored: string[], offset: number, content: readonly string[], name: string): void {
    if (offset > stored.length) this.contradictions.push(`${name}: a gap from ${stored.length} to ${offset}`);
    content.forEach((line, i) => {
      const before = stored[offset + i];
      if (before !== undefined && before !== line)
        this.contradictions.push(`${name}:${offset + i}: ${before} ≠ ${line}`);
      stored[offset + i] ??= line;
    });
  }

  #graphql(operation: string, given: Record<string, unknown> = {}): object {
    // W&B's client passes a single variable to most mutations.
    const variables = (given.input ?? given) as Record<string, unknown>;
    const answers: Record<string, () => object> = {
      Viewer: () => ({
        viewer: { id: 'user0', entity: 'mock_server_entity', username: 'mock', flags: '{}', teams: { edges: [] } },
      }),
      UpsertBucket: () => this.#upsert(variables),
      RunResumeStatus: () => this.#resumeStatus(variables),
      CreateRunFiles: () => this.#runFiles(variables),
      CreateArtifact: () => this.#createArtifact(variables),
      CreateArtifactManifest: () => ({
        createArtifactManifest: {
          artifactManifest: {
            id: `manifest-of-${String(variables.artifactID)}`,
            file: variables.includeUpload ? this.#upload({ artifact: variables.artifactID, file: variables.name }) : {},
          },
        },
      }),
      CreateArtifactFiles: () => {
        const specs = variables.artifactFiles as { artifactID: string; name: string }[];
        const edges = specs.map(({ artifactID, name }) => ({
          node: {
            name,
            storagePath: name,
            artifact: { id: artifactID },
            ...this.#upload({ artifact: artifactID, file: name }),
          },
        }));
        return { createArtifactFiles: { files: { edges } } };
      },
      CommitArtifact: () => {
        this.artifacts.get(variables.artifactID as string)!.committed = true;
        return { commitArtifact: { artifact: { id: variables.artifactID, digest: '' } } };
      },
      UseArtifact: () => {
        this.artifacts.get(variables.artifactID as string)!.usedBy.push(variables.runName as string);
        return { useArtifact: { artifact: { id: variables.artifactID, digest: '' } } };
      },
      UpsertSweep: () => {
        const name = `sweep${this.sweeps.size}`;
        this.sweeps.set(name, { variables, commands: [] });
        return {
          upsertSweep: {
            sweep: {
              name,
              project: { name: variables.projectName, entity: { name: variables.entityName ?? 'mock_server_entity' } },
            },
            configValidationWarnings: [],
          },
        };
      },
      CreateAgent: () => ({ createAgent: { agent: { id: `agent-of-${String(variables.sweep)}` } } }),
      Heartbeat: () => {
        const sweep = this.sweeps.get(String(variables.id).replace('agent-of-', ''));
        const commands = (sweep?.commands ?? []) as { type: string; run_id?: string }[];
        // A trial stays with its agent until the agent reports it as running, since the answer may have been lost.
        const running = JSON.parse((variables.runState as string | null) ?? '{}') as object;
        const hasArrived = (id = '') => id in running || this.runs.has(id);
        if (commands[0]?.type === 'run' && hasArrived(commands[0].run_id)) commands.shift();
        const command = commands[0]?.type === 'run' ? commands[0] : commands.shift();
        return { agentHeartbeat: { agent: { id: variables.id }, commands: JSON.stringify(command ? [command] : []) } };
      },
    };
    return answers[operation]?.() ?? {};
  }

  #upsert(variables: Record<string, unknown>): object {
    const name = variables.name as string;
    const inserted = !this.runs.has(name);
    if (inserted)
      this.runs.set(name, {
        entity: (variables.entity as string | null) ?? 'mock_server_entity',
        project: variables.project as string,
        created: variables,
        config: {},
        streams: {},
        summary: null,
        files: {},
        uploaded: [],
        complete: false,
        exitcode: null,
      });
    const run = this.runs.get(name)!;
    if (typeof variables.config === 'string') run.config = parse(variables.config) as ServedRun['config'];
    const project = { name: run.project, entity: { name: run.entity } };
    const bucket = { id: `storage-of-${name}`, name, displayName: variables.displayName ?? 'lovely-dawn-32', project };
    return { upsertBucket: { bucket, inserted } };
  }

  #resumeStatus({ name }: Record<string, unknown>): object {
    const run = this.runs.get(name as string);
    if (run === undefined) return { model: { bucket: null } };
    const lines = (stream: string) => run.streams[stream] ?? [];
    const bucket = {
      id: `storage-of-${String(name)}`,
      name,
      wandbConfig: JSON.stringify({ t: {} }),
      historyLineCount: lines('wandb-history.jsonl').length,
      eventsLineCount: lines('wandb-events.jsonl').length,
      logLineCount: lines('output.log').length,
      historyTail: JSON.stringify(lines('wandb-history.jsonl').slice(-1)),
      eventsTail: '[]',
    };
    return { model: { bucket } };
  }

  #runFiles({ run, files }: Record<string, unknown>): object {
    const uploads = (files as string[]).map((name) => ({
      name,
      uploadUrl: this.#upload({ run, file: name }).uploadUrl,
    }));
    return { createRunFiles: { runID: run, uploadHeaders: ['X-Upload: yes'], files: uploads } };
  }

  #createArtifact(input: Record<string, unknown>): object {
    const isSame = ({ input: other, committed }: ServedArtifact) =>
      (committed && other.digest === input.digest) || other.clientID === input.clientID;
    const known = [...this.artifacts].find(([, other]) => isSame(other));
    const id = known?.[0] ?? `artifact${this.artifacts.size}`;
    if (!known) this.artifacts.set(id, { input, files: {}, manifest: null, committed: false, usedBy: [] });
    return { createArtifact: { artifact: { id, state: known?.[1].committed ? 'COMMITTED' : 'PENDING' } } };
  }

  #upload(query: Record<string, unknown>): { uploadUrl: string; uploadHeaders: string[] } {
    const search = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    );
    return { uploadUrl: `${this.url}/storage?${search.toString()}`, uploadHeaders: ['X-Upload: yes'] };
  }
}

/** Parses JSON of W&B's clients, whose bare tokens become strings. */
const parse = (text: string): unknown =>
  JSON.parse(text.replaceAll(/(?<=[:[,]\s?)(NaN|-?Infinity)(?=[,}\]])/g, '"$1"'));
