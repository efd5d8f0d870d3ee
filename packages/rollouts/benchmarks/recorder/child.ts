// The recording server that is killed: node child.js FOLDER prints its address.
import { SteppedTokenizer } from '@bowyer/serving';
import { chatTemplate } from '@bowyer/text';
import { AgentServer, RolloutLog } from '@bowyer/rollouts';
import { endId, scriptedModel, template, tokenizer } from './scripted-model.js';

const stepped = new SteppedTokenizer(tokenizer);
const log = await RolloutLog.open(process.argv[2], { partBytes: 1 << 18 });
const server = await AgentServer.listen({
  model: scriptedModel(),
  tokenizer: stepped,
  name: 'scripted',
  template: chatTemplate(template, stepped),
  terminatorIds: [endId],
  host: '127.0.0.1',
  port: 0,
  apiKey: null,
  seed: Date.now() % 2 ** 32,
  slots: 8,
  maxQueued: 64,
  defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 32 },
  log,
});
process.stdout.write(`${server.origin}\n`);
