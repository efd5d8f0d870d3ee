import { when } from '@bowyer/testing';
import { openDevice } from '../../index.js';
import { chooseDevice, type Machine } from './choose-device.js';
import { cudaProblem } from './provider-probe.js';

/** Describes a Linux machine with a GPU that WebGPU can use and without CUDA's files, unless `changes` says otherwise. */
const machine = (changes: Partial<Machine> = {}): Machine => ({
  platform: 'linux',
  env: {},
  list: (directory) => (directory === '/dev/dri' ? ['card0', 'renderD128'] : []),
  cudaProblem: () => Promise.resolve('its files are not installed'),
  webgpuProblem: () => Promise.resolve(null),
  ...changes,
});

test('cuda goes before webgpu, webgpu before the CPU', async () => {
  const cuda = await chooseDevice(machine({ cudaProblem: () => Promise.resolve(null) }));
  expect(cuda.device).toBe('cuda');
  expect(await chooseDevice(machine())).toEqual({
    device: 'webgpu',
    reason: 'there is a GPU; cuda is not usable: its files are not installed',
  });
  expect((await chooseDevice(machine({ platform: 'darwin', list: () => [] }))).device).toBe('webgpu');
  const driverless = machine({ webgpuProblem: () => Promise.resolve('no supported adapters') });
  expect(await chooseDevice(driverless)).toEqual({
    device: 'cpu',
    reason: 'webgpu: no supported adapters; cuda: its files are not installed',
  });
});

test('a software GPU is not chosen, although it works', async () => {
  const software = await chooseDevice(
    machine({ env: { VK_ICD_FILENAMES: '/usr/lib/chromium/vk_swiftshader_icd.json' } }),
  );
  expect(software.device).toBe('cpu');
  expect(software.reason).toMatch('webgpu: its Vulkan driver is a software one, which auto does not select');
  expect((await chooseDevice(machine({ list: () => [] }))).device).toBe('cpu'); // there are drivers, but no hardware
});

const lacksCuda = (await cudaProblem()) === 'libonnxruntime_providers_cuda.so is not installed';
when(lacksCuda, 'the CUDA files are installed').test(
  'cuda without its files stops before anything starts and says how to get them',
  async () => {
    await expect(openDevice({ device: 'cuda' })).rejects.toThrow(
      [
        'device.kind=cuda is not usable on this machine: libonnxruntime_providers_cuda.so is not installed',
        "  it needs Linux on x64, an NVIDIA driver, CUDA 12 with cuDNN 9, and onnxruntime-node's CUDA files (libonnxruntime_providers_cuda.so),",
        '  which are not in the npm package; to fetch them: ONNXRUNTIME_NODE_INSTALL=cuda12 node node_modules/onnxruntime-node/script/install.js',
        '  device.kind=webgpu does not need them',
      ].join('\n'),
    );
  },
);
