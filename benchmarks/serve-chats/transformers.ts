// Answers chats with transformers.js, whose `generate` runs a batch to its end, so that the clients' next chats begin together.
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { maximum } from '@bowyer/core';
import type { ServerJob } from '../serve-chats.js';
import type { ChatServer, ServedChat } from './chat-server.js';

/** The part of transformers.js that is used. */
interface Library {
  Tensor: new (type: 'int64', data: BigInt64Array, dims: number[]) => unknown;
  AutoModelForCausalLM: { from_pretrained(name: string, options: object): Promise<Model> };
  env: { localModelPath: string; allowRemoteModels: boolean };
}
interface Model {
  generate(options: object): Promise<unknown>;
}

export async function open({ onnx }: ServerJob): Promise<ChatServer> {
  const entry = join(
    fileURLToPath(import.meta.url),
    '../../peers/node_modules/@huggingface/transformers/dist/transformers.node.mjs',
  );
  const { env, Tensor, AutoModelForCausalLM } = (await import(pathToFileURL(entry).href)) as Library;
  Object.assign(env, { localModelPath: dirname(onnx), allowRemoteModels: false });
  const session_options = { intraOpNumThreads: 2 };
  const model = await AutoModelForCausalLM.from_pretrained(basename(onnx), {
    dtype: 'fp32',
    device: 'cpu',
    session_options,
  });
  const generate = async (prompts: number[][], newTokens: number): Promise<ServedChat[]> => {
    const dims = [prompts.length, prompts[0].length];
    const tensor = (ids: number[]) => new Tensor('int64', BigInt64Array.from(ids, BigInt), dims);
    const start = performance.now();
    const times: number[] = [];
    await model.generate({
      input_ids: tensor(prompts.flat()),
      attention_mask: tensor(prompts.flat().map(() => 1)),
      max_new_tokens: newTokens,
      do_sample: false,
      eos_token_id: null,
      streamer: { put: () => times.push(performance.now()), end: () => undefined },
    });
    times.shift(); // the first call is for the prompt
    const gaps = times.slice(1).map((time, i) => time - times[i]);
    const chat = { tokens: newTokens, firstTokenMs: times[0] - start, longestGapMs: maximum(gaps) };
    return prompts.map(() => chat);
  };
  return {
    all: async (prompts, newTokens) => {
      const chats: ServedChat[] = [];
      for (let i = 0; i < prompts[0].length; i++)
        chats.push(
          ...(await generate(
            prompts.map((ofClient) => ofClient[i]),
            newTokens,
          )),
        );
      return chats;
    },
    close: () => Promise.resolve(),
  };
}
