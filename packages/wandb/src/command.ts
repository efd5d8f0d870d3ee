#!/usr/bin/env node
// Implements the command `bowyer-wandb sync FOLDER`, which sends runs that were logged to disk to W&B's server, if the server
// does not have them.
import { syncRuns } from './sync-runs.js';

const USAGE = `usage: bowyer-wandb sync FOLDER
  sends the runs of W&B below a folder that the server does not have, or not whole
  the key: WANDB_API_KEY or ~/.netrc; the server: WANDB_BASE_URL, else https://api.wandb.ai
`;

const [command, folder, ...rest] = process.argv.slice(2);
if (command === '--help') process.stdout.write(USAGE);
else if (command !== 'sync' || folder === undefined || rest.length > 0) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else
  try {
    const runs = await syncRuns(folder, {
      env: process.env,
      note: (message) => console.log(message),
      warn: (message) => console.warn(message),
    });
    for (const { id, outcome } of runs) console.log(`${id}: ${outcome}`);
    if (runs.some(({ outcome }) => outcome === 'not sent')) process.exitCode = 1;
  } catch (error) {
    process.stderr.write(`bowyer-wandb: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
