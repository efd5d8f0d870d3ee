// Chooses the device for `auto`: CUDA if its files are installed and load, else WebGPU if there is a GPU, else the CPU. A software GPU
// is many times slower than the CPU, so it is used only if the config names it.
import { readdirSync } from 'node:fs';
import { DeviceError } from '../../errors.js';
import type { Precision } from '../../dtype.js';
import { checkSettings } from '../check-settings.js';
import type { DeviceKind, GpuBuffers } from '../protocol.js';
import { cudaProblem, float16Problem, webgpuProblem } from './provider-probe.js';

export interface DeviceChoice {
  device: DeviceKind;
  /** One line that says why this device was chosen, and not one that `auto` prefers. */
  reason: string;
}

/** The properties of the machine on which the choice depends; tests pass their own. */
export interface Machine {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  /** Lists the names in a directory; an empty list if it does not exist. */
  list: (directory: string) => readonly string[];
  cudaProblem: () => Promise<string | null>;
  webgpuProblem: () => Promise<string | null>;
}

const thisMachine: Machine = { platform: process.platform, env: process.env, list, cudaProblem, webgpuProblem };

/** Chooses a GPU if one can be used, else the CPU. */
export async function chooseDevice(machine: Machine = thisMachine): Promise<DeviceChoice> {
  const cuda = await machine.cudaProblem();
  if (cuda === null) return { device: 'cuda', reason: 'the CUDA files of onnxruntime-node load' };
  const absent = noGpu(machine);
  const webgpu = absent ?? (await machine.webgpuProblem());
  if (webgpu === null) return { device: 'webgpu', reason: `there is a GPU; cuda is not usable: ${cuda}` };
  return { device: 'cpu', reason: `webgpu: ${webgpu}; cuda: ${cuda}` };
}

/** Checks that a device can be used with these settings. @throws DeviceError whose message says how to fix it */
export async function checkDevice(
  device: DeviceKind,
  precision: Precision = 'float32',
  gpuBuffers: GpuBuffers = 'bucket',
): Promise<void> {
  checkSettings(device, precision, gpuBuffers);
  if (device === 'cpu') return;
  const problem = await (device === 'webgpu' ? webgpuProblem() : cudaProblem());
  if (problem !== null)
    throw new DeviceError(
      [`device.kind=${device} is not usable on this machine: ${problem}`, ...remedies[device]].join('\n'),
    );
  const missing = precision === 'float16' && (await float16Problem());
  if (missing)
    throw new DeviceError(
      [`device.precision=float16 is not usable on this GPU: ${missing}`, ...halfRemedies].join('\n'),
    );
}

const halfRemedies = [
  `  it needs 16-bit floats in shaders (WebGPU's shader-f16; on Vulkan shaderFloat16 and storageBuffer16BitAccess), which older cards`,
  `  and drivers lack; device.precision=float32 runs on every GPU. among software GPUs, Mesa's lavapipe (25 or later) has them, SwiftShader does not`,
];

const remedies: Readonly<Record<Exclude<DeviceKind, 'cpu'>, readonly string[]>> = {
  webgpu: [
    `  it needs a GPU with a Vulkan (Linux), Metal (macOS) or D3D12 (Windows) driver; device.kind=cpu always works`,
    `  for a slow software GPU on Debian: apt-get install chromium-common, then VK_ICD_FILENAMES=/usr/lib/chromium/vk_swiftshader_icd.json`,
  ],
  cuda: [
    `  it needs Linux on x64, an NVIDIA driver, CUDA 12 with cuDNN 9, and onnxruntime-node's CUDA files (libonnxruntime_providers_cuda.so),`,
    `  which are not in the npm package; to fetch them: ONNXRUNTIME_NODE_INSTALL=cuda12 node node_modules/onnxruntime-node/script/install.js`,
    `  device.kind=webgpu does not need them`,
  ],
};

/** Returns the reason why `auto` expects no GPU on this machine, or null. Software drivers do not count as a GPU. */
function noGpu({ platform, env, list: names }: Machine): string | null {
  if (platform === 'darwin') return null; // every machine that this package runs on has Metal
  if (platform !== 'linux')
    return `auto cannot distinguish a GPU from a software one on ${platform}; set device.kind=webgpu where there is a GPU`;
  const chosen = env.VK_DRIVER_FILES ?? env.VK_ICD_FILENAMES;
  if (chosen && chosen.split(':').every((file) => /swiftshader|lvp_icd|lavapipe/i.test(file)))
    return 'its Vulkan driver is a software one, which auto does not select';
  const hasDevice =
    names('/dev/dri').some((name) => name.startsWith('renderD')) ||
    names('/dev').some((name) => /^(nvidia\d+|kfd|dxg)$/.test(name));
  return hasDevice ? null : 'no GPU (none in /dev/dri, no /dev/nvidia0)';
}

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
