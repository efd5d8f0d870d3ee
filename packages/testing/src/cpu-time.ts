/** Measures the CPU time of this process for some work, in milliseconds. Other programs hardly increase it. */
export function cpuMilliseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
