// Writes a model with random weights and a tokenizer of as many words, which without-gpu/ours.ts loads like a user's model.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { numberedWords } from '../random-gpt2.js';

const { config, dir } = JSON.parse(process.argv[2]) as { config: Record<string, unknown>; dir: string };
const device = await openDevice({ device: 'cpu' });
const tokenizer = numberedWords(Number(config.vocab_size) - 4);
const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1) });
await model.save(dir);
await device.close();
console.log('written');
