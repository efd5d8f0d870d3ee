// Serves and trains a model of the visitor by the program in the page's worker.
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { program } from './dom.js';
import type { ModelFiles } from './dropped-files.js';

const PORT = 8000;
const ADDRESS = `http://127.0.0.1:${PORT}/v1`;

/** The name of the adapter that was trained in this page. */
export const TUNED = 'tuned';

/** A token with its probability, and the most likely tokens at its position. */
export interface Token {
  readonly token: string;
  readonly logprob: number;
  readonly top_logprobs: readonly { readonly token: string; readonly logprob: number }[];
}

export interface Delta {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly name?: string; readonly arguments?: string } }[];
}

interface Piece {
  readonly choices: readonly {
    readonly delta: Delta;
    readonly logprobs?: { readonly content: readonly Token[] | null } | null;
  }[];
  readonly error?: { readonly message: string };
}

/** Receives a line about the program's work. */
export type Tell = (line: string) => void;

/** Runs a command to its end. @throws with its last line if it fails */
export async function command(
  argv: readonly string[],
  tell: Tell,
  options: { signal?: AbortSignal; onEvent?: (event: Readonly<Record<string, unknown>>) => void } = {},
): Promise<void> {
  let last = '';
  const onLine = (line: string): void => {
    if (line.trim() !== '' && !line.startsWith('{')) tell((last = line));
  };
  const code = await program().run(argv, { onLine, ...options });
  options.signal?.throwIfAborted();
  if (code !== 0) throw new Error(last);
}

/** Gives the files of a model to the program, which reads the weights from them. @returns its folder */
export async function keepModel({ name, files }: ModelFiles, tell: Tell): Promise<string> {
  const isGguf = name.endsWith('.gguf');
  const folder = `/tmp/models/${name.replace(/\.gguf$/, '')}`;
  for (const file of files) {
    tell(`Reading ${file.name}…`);
    const path = isGguf ? `${folder}.gguf` : `${folder}/${file.name}`;
    if (/\.(gguf|safetensors)$/.test(path)) await program().mount(path, file);
    else await program().write(path, new Uint8Array(await file.arrayBuffer()));
  }
  if (isGguf) {
    tell('Converting the weights…');
    await command(['--config-name', 'convert', `input=${folder}.gguf`, `output=${folder}`], tell);
  }
  return folder;
}

/** Sends a request to the server. @throws with the server's error */
async function ask(path: string, request: object, signal: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(request);
  const response = await program().fetch(`${ADDRESS}/${path}`, { method: 'POST', headers, body, signal });
  if (response.ok) return response;
  throw new Error(((await response.json()) as { error: { message: string } }).error.message);
}

/** The server of a model. */
export class ServedModel {
  private constructor(
    readonly folder: string,
    private readonly stopping: AbortController,
    private readonly ended: Promise<void>,
  ) {}

  /** Serves a model. @param adapter the folder of an adapter; null for none */
  static async start(folder: string, adapter: string | null, tell: Tell): Promise<ServedModel> {
    const stopping = new AbortController();
    const argv = ['--config-name', 'serve_model', `model=${folder}`, `port=${PORT}`, 'slots=1', 'prefix_cache_mb=32'];
    if (adapter !== null) argv.push(`adapters={${TUNED}: ${adapter}}`);
    let ended!: Promise<void>;
    await new Promise<void>((resolve, reject) => {
      const take = (line: string): void => {
        tell(line);
        if (line.includes('is served at')) resolve();
      };
      ended = command(argv, take, { signal: stopping.signal }).then(
        () => reject(new Error('the server has ended')),
        reject,
      );
    });
    return new ServedModel(folder, stopping, ended);
  }

  /** Requests an answer, which is passed on while it is generated. */
  async answer(
    request: object,
    signal: AbortSignal,
    take: (delta: Delta, tokens: readonly Token[]) => void,
  ): Promise<void> {
    const asked = { ...request, stream: true, logprobs: true, top_logprobs: 5 };
    const response = await ask('chat/completions', asked, signal);
    const events = response.body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    const reader = events.getReader(); // Safari does not iterate over streams
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (part.value.data === '[DONE]') return;
      const { choices, error } = JSON.parse(part.value.data) as Piece;
      if (error) throw new Error(error.message);
      for (const { delta, logprobs } of choices) take(delta, logprobs?.content ?? []);
    }
  }

  /** Returns the most likely line that continues a text. */
  async completed(prompt: string, signal: AbortSignal): Promise<string> {
    const response = await ask('completions', { prompt, temperature: 0, max_tokens: 40, stop: ['\n'] }, signal);
    return ((await response.json()) as { choices: [{ text: string }] }).choices[0].text.trim();
  }

  /** Stops the server when its answers are finished. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }
}
