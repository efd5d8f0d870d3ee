import { withDevice } from './device-choice.js';
import type { RunConfig } from '../config/keys.js';

const configOf = (changes: Partial<RunConfig>) => ({ task: 'train', device: 'auto', ...changes }) as RunConfig;

test('auto becomes a device that is usable here, and the log says which and why', async () => {
  const lines: string[] = [];
  const { device } = await withDevice(configOf({}), { log: (line) => lines.push(line) });
  expect(['cpu', 'webgpu', 'cuda']).toContain(device);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(new RegExp(`^device=${device} \\(.+\\)$`));
});

test('a task without models asks for no device', async () => {
  const lines: string[] = [];
  const config = configOf({ task: 'serve_env' });
  expect(await withDevice(config, { log: (line) => lines.push(line) })).toBe(config);
  expect(lines).toEqual([]);
});
