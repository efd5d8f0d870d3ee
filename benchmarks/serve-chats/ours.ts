// Answers chats with our model server over HTTP: completions of token ids, streamed.
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { ModelServer, SteppedTokenizer } from '@bowyer/serving';
import type { ServerJob } from '../serve-chats.js';
import { streamCompletion } from './stream-completion.js';
import { watchChat, type ChatServer, type ServedChat } from './chat-server.js';

export async function open({ dir, prompts }: ServerJob): Promise<ChatServer> {
  const device = await openDevice({ device: 'cpu', threads: 2 });
  const model = await LanguageModel.load({ dir, device, masksPadding: false, slots: prompts.length });
  const server = await ModelServer.listen({
    model,
    tokenizer: new SteppedTokenizer(model.tokenizer),
    name: 'random',
    template: null,
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    seed: 1,
    slots: prompts.length,
    maxQueued: 64,
    defaults: { temperature: 0, topK: 0, topP: 1, maxTokens: 16 },
    ...(process.env.CHATS_OPTIONS && (JSON.parse(process.env.CHATS_OPTIONS) as object)),
  });
  return {
    chat: (prompt, newTokens) => chat(server.url, prompt, newTokens),
    close: async () => {
      await server.close();
      await model.release();
      await device.close();
    },
  };
}

async function chat(url: string, prompt: number[], newTokens: number): Promise<ServedChat> {
  const { chat: measured, arrived } = watchChat();
  const usage = await streamCompletion(url, { prompt, newTokens }, arrived);
  return { ...measured, cachedTokens: usage?.prompt_tokens_details?.cached_tokens };
}
