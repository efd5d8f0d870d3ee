// Tests that the model and the data of a training on one's own conversations are inputs of its run at W&B.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder, WandbServer } from '@bowyer/testing';
import { succeeds } from './command-line.js';
import { runHere } from './in-process.js';

test('the model and the data of a fine-tune are inputs of its run', async () => {
  const folder = newFolder();
  const server = await WandbServer.start();
  const before = { ...process.env };
  Object.assign(process.env, { WANDB_BASE_URL: server.url, WANDB_API_KEY: server.key });
  try {
    const talk = {
      messages: [
        { role: 'user', content: 'is it' },
        { role: 'assistant', content: 'yes' },
      ],
    };
    const data = join(folder, 'talks.jsonl');
    await writeFile(data, `${JSON.stringify(talk)}\n`.repeat(4));
    const run = async (config: string, name: string, ...more: string[]) => {
      const words = [`data=${data}`, `save_path=${join(folder, name)}`, 'threads=1', 'epochs=1', ...more];
      await succeeds(runHere(['--config-name', config, ...words]));
    };
    await run('start_model', 'start', 'width=8', 'layers=1');
    await run('finetune', 'tuned', `model=${join(folder, 'start')}`, 'logger=[wandb]', 'logger.wandb.artifacts=true');
    const used = [...server.artifacts.values()].filter(({ usedBy }) => usedBy.length > 0);
    expect(used.map(({ input }) => input.artifactTypeName).sort()).toEqual(['dataset', 'model']);
  } finally {
    process.env = before;
    await server.close();
  }
});
