// Names for the suites of OpenEnv and of Gymnasium their Python packages, and the environments that they test.
import { join } from 'node:path';
import { environmentNames, makeEnv, type EnvName } from '@bowyer/envs';
import { serveOpenEnv } from '@bowyer/serving';
import type { Source } from '../suite.js';

export const sources = [
  {
    github: 'meta-pytorch/OpenEnv',
    commit: '685de411e5f77286b0fd94798d42c4467cf8a1bc',
    version: 'main of 1 May 2026',
    paths: ['src/openenv'],
  },
  {
    pip: 'gymnasium',
    version: '1.3.0',
    with: [
      'fastapi==0.142.2',
      'fastmcp==4.0.10',
      'huggingface_hub==2.0.0',
      'openai==3.22.1',
      'pydantic==2.13.5',
      'pyyaml==6.0.3',
      'requests==2.34.2',
      'rich==15.0.0',
      'tomli_w==1.2.0',
      'typer==0.27.2',
      'uvicorn==0.54.0',
      'websockets==17.1',
    ],
  },
] as const satisfies readonly Source[];

/** Returns the Python of the suite's virtual environment, and the variables with which it finds OpenEnv. */
export const python = ([repository, packages]: readonly string[]) => ({
  program: join(packages, 'bin/python'),
  variables: { PYTHONPATH: join(repository, 'src') },
});

/** Serves, one after another, every environment that runs in this process and needs neither options nor files. */
export async function withEachServed(use: (name: EnvName, url: string) => Promise<void>): Promise<void> {
  for (const name of environmentNames() as EnvName[]) {
    if (!(await isPlayable(name))) continue;
    const limits = { host: '127.0.0.1', port: 0, maxInstances: 4, idleMs: 600_000 };
    const server = await serveOpenEnv({ name, options: {}, ...limits });
    try {
      await use(name, server.url);
    } finally {
      await server.close();
    }
  }
}

async function isPlayable(name: EnvName): Promise<boolean> {
  try {
    const env = makeEnv(name);
    await env.reset({ seed: 0 });
    await env.close();
    return true;
  } catch {
    return false;
  }
}
