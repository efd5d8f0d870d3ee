import { settleDevice, type DeviceConfig } from './device-choice.js';

test('auto becomes a device that is usable here, and the log reports which and why', async () => {
  const lines: string[] = [];
  const config: DeviceConfig = { device: { kind: 'auto', precision: 'float32', gpuBuffers: 'bucket', threads: 1 } };
  await settleDevice(config, { log: (line) => void lines.push(line) });
  expect(['cpu', 'webgpu', 'cuda']).toContain(config.device.kind);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(new RegExp(`^device\\.kind=${config.device.kind} \\(.+\\)$`));
});

test('a named device is not changed, and nothing is logged', async () => {
  const lines: string[] = [];
  const config: DeviceConfig = { device: { kind: 'cpu', precision: 'float32', gpuBuffers: 'bucket', threads: 1 } };
  await settleDevice(config, { log: (line) => void lines.push(line) });
  expect(config.device.kind).toBe('cpu');
  expect(lines).toEqual([]);
});

test('buffers of a GPU are refused for another device, with what to write instead', async () => {
  const config: DeviceConfig = { device: { kind: 'cpu', precision: 'float32', gpuBuffers: 'exact', threads: 1 } };
  await expect(settleDevice(config, { log: () => {} })).rejects.toThrow(
    /device\.gpu_buffers=exact.*\n.*device\.gpu_buffers=bucket/,
  );
});
