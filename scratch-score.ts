import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, HuggingFaceTokenizer, loadTokenizer } from '@bowyer/models';
import { ModelServer, SteppedTokenizer } from '@bowyer/serving';
import { tokenizerJson } from './benchmarks/random-vocabulary.js';
import { mkdirSync, writeFileSync } from 'node:fs';
const f='/tmp/scratch-model'; mkdirSync(f,{recursive:true});
writeFileSync(f+'/tokenizer.json', JSON.stringify(tokenizerJson(32_000, '\\p{L}+| ?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+|\\s+', true, new Rng(1))));
writeFileSync(f+'/tokenizer_config.json', JSON.stringify({ eos_token: '<|im_end|>', pad_token: '<|endoftext|>' }));
const tokenizer = await loadTokenizer(f);
const device = await openDevice({ device: 'cpu', threads: 1 });
const config = { model_type: 'llama', vocab_size: 32_083, hidden_size: 16, intermediate_size: 16, num_hidden_layers: 1, num_attention_heads: 2, max_position_embeddings: 32_768, rope_theta: 1e4, rms_norm_eps: 1e-5 };
const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(5) });
const stepped = new SteppedTokenizer(tokenizer);
const server = await ModelServer.listen({ model, tokenizer: stepped, name: 'tiny', template: null, host: '127.0.0.1', port: 0, apiKey: null, seed: 1, slots: 4, maxQueued: 64, defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 2 } });
const cpu = () => process.cpuUsage().user/1e3;
for (const [name, body] of Object.entries({
  warm: { prompt: 'is', max_tokens: 0, echo: true, logprobs: 0 },
  scored: { prompt: Array.from({ length: 2000 }, (_, i) => i), max_tokens: 0, echo: true, logprobs: 0 },
})) {
  const b = cpu();
  const r = await fetch(server.url + '/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const t = await r.text();
  console.log(name, r.status, t.length, cpu() - b);
}
await server.close(); await device.close();
