// Answers chats with llama.cpp through node-llama-cpp, which contains no llama-server: 32 sequences of one context, whose steps
// the library batches. A client keeps its sequence, so that its next chat finds the system prompt in the cache, as in a slot of
// llama-server.
import { openPeer } from '../llama-cpp.js';
import type { ServerJob } from '../serve-chats.js';
import { watchChat, type ChatServer, type ServedChat } from './chat-server.js';

const THREADS = 2;

export async function open({ gguf, prompts, newTokens }: ServerJob): Promise<ChatServer> {
  const llama = await openPeer(THREADS);
  const model = await llama.loadModel({ modelPath: gguf, gpuLayers: 0 });
  const length = prompts[0][0].length + newTokens;
  const sequences = prompts.length;
  const context = await model.createContext({ contextSize: length, sequences, batchSize: 512, threads: THREADS });
  const free = prompts.map(() => context.getSequence());
  const chat = async (prompt: number[], most: number): Promise<ServedChat> => {
    const { chat: measured, arrived } = watchChat();
    const sequence = free.shift()!;
    await sequence.adaptStateToTokens(prompt.slice(0, -1), false);
    measured.cachedTokens = sequence.nextTokenIndex;
    const rest = prompt.slice(sequence.nextTokenIndex);
    for await (const _ of sequence.evaluate(rest, { temperature: 0, yieldEogToken: true })) {
      arrived(1);
      if (measured.tokens === most) break;
    }
    free.push(sequence);
    return measured;
  };
  return {
    chat,
    close: async () => {
      await context.dispose();
      await model.dispose();
      await llama.dispose();
    },
  };
}
