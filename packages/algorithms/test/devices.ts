// What a test runs on.
import { webgpuAvailable } from '@bowyer/graph';

/** The CPU, and a GPU where there is an adapter; one warning where there is none. */
export async function testDevices(): Promise<('cpu' | 'webgpu')[]> {
  if (await webgpuAvailable()) return ['cpu', 'webgpu'];
  console.warn('skipped on webgpu: no adapter here (a software one: VK_ICD_FILENAMES=…/vk_swiftshader_icd.json)');
  return ['cpu'];
}
