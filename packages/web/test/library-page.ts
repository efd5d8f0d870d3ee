// Uses the browser entries of the packages in a page, as a program of it would.
import { openSafetensors, writeSafetensors } from '@bowyer/checkpoints';
import { compose } from '@bowyer/config';
import { makeEnv } from '@bowyer/envs';
import { files, mountBlob, mountUrl, writeFiles } from '@bowyer/page';

/** Composes a config from a map of files. */
export function composed(): unknown {
  writeFiles({
    '/conf/config.yaml': 'defaults:\n  - agent: ppo\n  - _self_\nnote: ${agent.name}_1\n',
    '/conf/agent/ppo.yaml': 'name: ppo\n',
    '/conf/agent/dqn.yaml': 'name: dqn\n',
  });
  return compose({ configDirs: ['/conf'], configName: 'config', overrides: ['agent=dqn'] }).resolve();
}

/** Reads a tensor from a dropped `File`, from an address and from the browser's storage. */
export async function tensorsRead(): Promise<number[][]> {
  await writeSafetensors('/made.safetensors', { w: { shape: [3], data: Float32Array.of(1, 2, 3) } });
  const bytes = Uint8Array.from(files.readFileSync('/made.safetensors') as Uint8Array);
  mountBlob('/dropped/model.safetensors', new File([bytes], 'dropped.safetensors'));
  await mountUrl('/fetched/model.safetensors', URL.createObjectURL(new Blob([bytes])));
  const storage = await navigator.storage.getDirectory();
  const handle = await storage.getFileHandle('kept.safetensors', { create: true });
  const writable = await handle.createWritable();
  await writable.write(bytes);
  await writable.close();
  mountBlob('/kept/model.safetensors', await handle.getFile());
  const found = [];
  for (const folder of ['/dropped', '/fetched', '/kept']) {
    const file = await openSafetensors(folder);
    found.push([...((await file.read('w')).data as Float32Array)]);
    await file.close();
  }
  return found;
}

/** Plays the first turns of a game whose words are files of the package. */
export async function played(): Promise<string[]> {
  const env = makeEnv('twenty_questions', { words: 'subset10' });
  const { observation } = await env.reset({ seed: 4 });
  const step = await env.step('is it alive?');
  await env.close();
  return [observation, step.observation];
}
