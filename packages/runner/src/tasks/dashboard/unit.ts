// Defines the options of task=dashboard, which shows the runs of a folder in the browser.
import { flag, isLoopback, optionalText, text, unitOptions, oneProblem } from '@bowyer/core';
import { seedlessKeys } from '../../keys/run-keys.js';
import type { TaskConfig, TaskUnit } from '../task.js';
import { hostOption, portOption } from '../listen-keys.js';

export const dashboardOptions = unitOptions({
  dir: text('outputs', 'folder whose runs are shown, at any depth'),
  host: hostOption,
  port: portOption(6060),
  allow_remote: flag(
    false,
    'listen on an address that other machines reach; requests from them, as all others, need the token of task.token_env',
  ),
  token_env: optionalText('environment variable with the token; null: a random one, shown in the address'),
});

export const dashboardTask: TaskUnit = {
  name: 'dashboard',
  description: 'show the runs of a folder in the browser, where they can be followed and controlled',
  keys: () => ({ ...seedlessKeys, task: dashboardOptions }), // each game that is played in the page has a seed of its own
  plays: false,
  problems({ task: { host, allowRemote } }: TaskConfig<typeof dashboardOptions>) {
    if (isLoopback(host) || allowRemote) return [];
    return oneProblem(
      'task.host',
      `task.host=${host} lets other machines reach the dashboard, which can stop runs`,
      'give task.allow_remote=true, or task.host=127.0.0.1 and forward the port: ssh -L 6060:127.0.0.1:6060 HOST',
    );
  },
  load: async () => (await import('./dashboard.js')).dashboard,
};
