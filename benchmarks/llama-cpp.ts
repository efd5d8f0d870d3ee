// Opens node-llama-cpp, with types for the part that is used here.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export interface Peer {
  loadModel(options: object): Promise<PeerModel>;
  dispose(): Promise<void>;
}
export interface PeerModel {
  createContext(options: object): Promise<PeerContext>;
  tokenize(text: string, specialTokens: boolean): number[];
  fileInfo: { metadata: { tokenizer: { chat_template?: string } } };
  dispose(): Promise<void>;
}
export interface PeerContext {
  getSequence(): PeerSequence;
  dispose(): Promise<void>;
}
export interface PeerSequence {
  evaluateWithMetadata(
    tokens: number[],
    metadata: object,
    options: object,
  ): AsyncGenerator<{ token: number; probabilities: Map<number, number> }>;
}

const folder = join(dirname(fileURLToPath(import.meta.url)), 'peers/llama-cpp/node_modules');

export async function openPeer(threads: number): Promise<Peer> {
  const entry = join(folder, 'node-llama-cpp/dist/index.js');
  if (!existsSync(entry))
    throw new Error(`node-llama-cpp is not there: ${entry}\n  npm --prefix benchmarks/peers/llama-cpp install`);
  const { getLlama } = (await import(pathToFileURL(entry).href)) as {
    getLlama(options: object): Promise<Peer>;
  };
  return getLlama({ gpu: false, build: 'never', maxThreads: threads, logLevel: 'error' });
}

/** Opens @huggingface/jinja, with which node-llama-cpp renders templates. */
export async function openJinja(): Promise<(source: string, variables: object) => string> {
  const { Template } = (await import(pathToFileURL(join(folder, '@huggingface/jinja/dist/index.js')).href)) as {
    Template: new (source: string) => { render(variables: object): string };
  };
  return (source, variables) => new Template(source).render(variables);
}
