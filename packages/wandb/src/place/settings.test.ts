// Tests of where a run's settings and its key come from.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { findKey } from './api-key.js';
import { settingsOf, type PlaceOptions } from './settings.js';

let directory: string;
beforeEach(() => (directory = newFolder()));

const places: PlaceOptions = {
  mode: null,
  entity: null,
  project: null,
  runId: null,
  group: null,
  jobType: null,
  notes: null,
  tags: [],
};

test('options have priority over the environment, and the environment over files', async () => {
  const names = { project: 'p', name: 'n' };
  const env = { HOME: directory, WANDB_DIR: directory };
  await mkdir(join(directory, 'wandb'));
  await writeFile(join(directory, 'wandb', 'settings'), '[default]\nentity = team\nmode=offline\n[other]\nproject=x\n');
  expect(settingsOf(places, names, env)).toMatchObject({ mode: 'offline', entity: 'team', project: 'p', name: 'n' });
  const variables = {
    ...env,
    WANDB_ENTITY: 'e',
    WANDB_MODE: 'dryrun',
    WANDB_PROJECT: 'q',
    WANDB_BASE_URL: 'http://h:1/',
  };
  expect(settingsOf(places, names, variables)).toMatchObject({ entity: 'e', project: 'q', baseUrl: 'http://h:1' });
  expect(settingsOf({ ...places, project: 'r', mode: 'online' }, names, variables)).toMatchObject({
    project: 'r',
    mode: 'online',
  });
  expect(() => settingsOf({ ...places, project: 'a/b' }, names, env)).toThrow(
    "W&B does not accept the project name 'a/b'",
  );
  expect(() => settingsOf(places, names, { ...env, WANDB_MODE: 'shared' })).toThrow('several writers of one run');
});

test('the key is from the environment or from the entry of its host in netrc; without one the error says where to get it', async () => {
  const env = { HOME: directory };
  await writeFile(
    join(directory, '.netrc'),
    'machine other\n login user\n password wrong\nmachine api.wandb.ai\n  login user\n  password secret\n',
  );
  expect(findKey('https://api.wandb.ai', env)).toBe('secret');
  expect(findKey('https://api.wandb.ai', { ...env, WANDB_API_KEY: 'x'.repeat(40) })).toBe('x'.repeat(40));
  expect(() => findKey('https://api.wandb.ai', { ...env, WANDB_API_KEY: 'short' })).toThrow(
    /^WANDB_API_KEY is not a key of W&B/,
  );
  expect(() => findKey('http://own.example', env)).toThrow(
    'W&B needs a key for http://own.example, and there is none in WANDB_API_KEY nor in ~/.netrc\n' +
      '  copy it from http://own.example/authorize and set WANDB_API_KEY',
  );
});
