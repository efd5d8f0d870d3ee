import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { typeScriptArguments } from '@bowyer/testing';

const source = `
  import { withSignals } from ${JSON.stringify(new URL('./signals.ts', import.meta.url).href)};
  process.on('exit', () => console.log('exit listeners'));
  const say = (line) => console.log(line);
  await withSignals(say, (onInterrupt) => new Promise((resolve) => {
    const timer = setInterval(() => {}, 1000);
    const stop = () => {
      say('stopping');
      if (process.argv[1] === 'at once') { clearInterval(timer); resolve(); }
    };
    onInterrupt(stop, 'stops soon');
    say('ready');
  }));
  say('stopped');`;

async function started(how: 'at once' | 'never') {
  const node = [...typeScriptArguments(), '--input-type=module', '-e', source, how];
  const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line));
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  await once(reader, 'line');
  return { child, lines, reader, closed };
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s asks a job to stop, and ends it at once where it comes again',
  async (signal) => {
    const { child, lines, closed } = await started('at once');
    child.kill(signal);
    expect(await closed).toEqual([0, null]);
    expect(lines).toEqual(['ready', 'stops soon; again to leave immediately', 'stopping', 'stopped', 'exit listeners']);

    const deaf = await started('never');
    deaf.child.kill(signal);
    await once(deaf.reader, 'line');
    deaf.child.kill(signal);
    expect(await deaf.closed).toEqual([null, signal]);
    expect(deaf.lines).toEqual(['ready', 'stops soon; again to leave immediately', 'stopping', 'exit listeners']);
  },
);

test('SIGQUIT ends a job at once, and its temporary files are removed', async () => {
  const { child, lines, closed } = await started('at once');
  child.kill('SIGQUIT');
  expect(await closed).toEqual([null, 'SIGQUIT']);
  expect(lines).toEqual(['ready', 'exit listeners']);
});
